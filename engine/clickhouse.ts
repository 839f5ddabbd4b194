/** The fact store on ClickHouse: synchronous inserts of keyed rows, which may be repeated without effect. */
import { Readable } from 'node:stream'
import { ClickHouseError, type ClickHouseClient } from '@clickhouse/client'
import { DataRefused, type FactStore } from '#engine/ports.ts'

/**
 * Codes of ClickHouse for values a column does not take: no retry mends them. 6 cannot parse text, 27 cannot parse input,
 * 38 date, 41 datetime, 53 type mismatch, 69 argument out of bound, 70 cannot convert, 72 number, 117 incorrect data,
 * 321 value too large, 407 decimal overflow, 469 constraint.
 */
const valueCodes = new Set(['6', '27', '38', '41', '53', '69', '70', '72', '117', '321', '407', '469'])

export class ClickHouseFacts implements FactStore {
  private readonly client: ClickHouseClient

  constructor(client: ClickHouseClient) {
    this.client = client
  }

  async insert(table: string, rows: readonly string[]): Promise<void> {
    try {
      const { stream } = await this.client.exec({
        query: `INSERT INTO ${table} FORMAT JSONEachRow`,
        values: Readable.from([Buffer.from(rows.join('\n'))], { objectMode: false }),
        clickhouse_settings: {
          async_insert: 0,
          date_time_input_format: 'best_effort',
          input_format_skip_unknown_fields: 0,
        },
      })
      stream.resume()
    } catch (error) {
      if (error instanceof ClickHouseError && valueCodes.has(error.code)) {
        throw new DataRefused(error.message.slice(0, 500), { cause: error })
      }
      throw error
    }
  }
}
