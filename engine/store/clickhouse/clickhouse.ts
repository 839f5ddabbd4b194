/** The fact store on ClickHouse: synchronous inserts of keyed rows; repeating an insert has no effect. */
import { Readable } from 'node:stream'
import { ClickHouseError, type ClickHouseClient, type ClickHouseSettings } from '@clickhouse/client'
import { DataRefused, type FactRow, type FactStore } from '#engine/actor/ports.ts'
import type { NativeRows } from './column-block.ts'
import { rowBinary, type ClickHouseColumn } from './row-binary.ts'

/**
 * ClickHouse error codes for values that a column does not accept, so that no retry helps. 6 cannot parse text, 27
 * cannot parse input, 38 date, 41 datetime, 53 type mismatch, 69 argument out of bound, 70 cannot convert, 72 number,
 * 117 incorrect data, 321 value too large, 407 decimal overflow, 469 constraint.
 */
const valueCodes = new Set(['6', '27', '38', '41', '53', '69', '70', '72', '117', '321', '407', '469'])

export class ClickHouseFacts implements FactStore {
  private readonly client: ClickHouseClient
  private readonly columns = new Map<string, Promise<ClickHouseColumn[]>>()

  constructor(client: ClickHouseClient) {
    this.client = client
  }

  async insert(table: string, rows: readonly FactRow[]): Promise<void> {
    const bytes = rowBinary(await this.describe(table), rows)
    await this.insertBytes(`INSERT INTO ${table} FORMAT RowBinaryWithNamesAndTypes`, bytes)
  }

  /**
   * Of rows that replace each other all are stored, until parts are merged: to look for them in each insert takes half
   * of its time. @throws DataRefused for a value that its column does not accept
   */
  async insertBlock(table: string, { columns, bytes }: NativeRows): Promise<void> {
    const query = `INSERT INTO ${table} (${columns.join(', ')}) FORMAT Native`
    await this.insertBytes(query, bytes, { optimize_on_insert: 0 })
  }

  private async insertBytes(query: string, body: Buffer, settings: ClickHouseSettings = {}): Promise<void> {
    try {
      const { stream } = await this.client.exec({
        query,
        values: Readable.from([body], { objectMode: false }),
        // A batch may restate years of days.
        clickhouse_settings: { async_insert: 0, max_partitions_per_insert_block: '0', ...settings },
      })
      stream.resume()
    } catch (error) {
      if (error instanceof ClickHouseError && valueCodes.has(error.code)) {
        throw new DataRefused(error.message.slice(0, 500), { cause: error })
      }
      throw error
    }
  }

  describe(table: string): Promise<ClickHouseColumn[]> {
    let known = this.columns.get(table)
    if (!known) {
      known = this.client
        .query({ query: `DESCRIBE TABLE ${table}`, format: 'JSONEachRow' })
        .then((result) => result.json<ClickHouseColumn>())
      known.catch(() => this.columns.delete(table))
      this.columns.set(table, known)
    }
    return known
  }
}
