/**
 * Copies the rows of an organization from one ClickHouse server to another, while they change. Each pass compares the
 * partitions of both servers and replaces those that differ; a partition is compared again only once a part of it has
 * changed. Nothing reads the copy yet.
 *
 * After a pass that finds no difference, the copy has every row that was there when the pass began, in an order that
 * keeps what depends on rows behind these rows: writers publish sums after they have written them, and so does a pass
 * without a difference.
 */
import { readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { ClickHouseClient } from '@clickhouse/client'
import { organizationTables, type OrganizationTable } from '#analytics/store/tenancy.ts'

const sql = (name: string) => readFileSync(new URL(`${name}.sql`, import.meta.url), 'utf8')
const partsSql = sql('organization_parts')
const digestSql = sql('organization_digest')
const sliceSql = sql('organization_slice')
const deleteSql = sql('delete_partition')
const billedSql = sql('billed_months')

/** Current rows of a slice, roughly, and its bytes at most: the embedded server takes 100 MiB in a request. */
const slice = { rows: 50_000, bytesMax: 64 * 2 ** 20 } as const

interface Digest {
  rows: number
  digest: string
}

const none: Digest = { rows: 0, digest: '0' }

interface Settled extends Digest {
  table: string
  /** Of both servers, before they were compared. */
  state: string
}

export class OrganizationCopy {
  private readonly from: ClickHouseClient
  private readonly to: ClickHouseClient
  private readonly org: string
  private readonly tables = organizationTables()
  /** Partitions that are equal on both, and those with rows that were copied, by table and partition. */
  private readonly settled = new Map<string, Settled>()
  private readonly copied = new Set<string>()

  constructor(from: ClickHouseClient, to: ClickHouseClient, org: string) {
    this.from = from
    this.to = to
    this.org = org
  }

  /** Compares everything that has changed since the last pass, copies what differs, and returns how many partitions. */
  async pass(): Promise<number> {
    const [from, to] = await Promise.all([this.states(this.from), this.states(this.to)])
    let differing = 0
    for (const table of this.tables) {
      const partitions = [...new Set([...(from.get(table.name)?.keys() ?? []), ...(to.get(table.name)?.keys() ?? [])])]
      const stateOf = (partition: string) =>
        `${from.get(table.name)?.get(partition)} ${to.get(table.name)?.get(partition)}`
      const changed = partitions.filter(
        (partition) => this.settled.get(keyOf(table, partition))?.state !== stateOf(partition),
      )
      differing += await this.compare(table, changed, stateOf)
    }
    return differing
  }

  /** Current rows by table, of the last comparison. */
  rows(): Map<string, number> {
    const found = new Map<string, number>()
    for (const { table, rows } of this.settled.values()) if (rows > 0) found.set(table, (found.get(table) ?? 0) + rows)
    return found
  }

  /** What was billed by month, in US dollars; undefined if the two servers differ. */
  async billed(): Promise<Map<string, string> | undefined> {
    const [from, to] = await Promise.all([billedOf(this.from, this.org), billedOf(this.to, this.org)])
    return JSON.stringify([...from]) === JSON.stringify([...to]) ? to : undefined
  }

  private async compare(
    table: OrganizationTable,
    partitions: readonly string[],
    stateOf: (partition: string) => string,
  ): Promise<number> {
    if (partitions.length === 0) return 0
    const [from, to] = await Promise.all([
      this.digests(this.from, table, partitions),
      this.digests(this.to, table, partitions),
    ])
    let differing = 0
    for (const partition of partitions) {
      const key = keyOf(table, partition)
      const [wanted, there] = [from.get(partition) ?? none, to.get(partition) ?? none]
      if (wanted.digest === there.digest && wanted.rows === there.rows) {
        this.settled.set(key, { ...wanted, table: table.name, state: stateOf(partition) })
        continue
      }
      this.settled.delete(key)
      // Sums are read without looking for repeated rows.
      if (there.rows > 0 || this.copied.has(key)) await this.drop(table, partition)
      await this.copyPartition(table, partition, wanted.rows)
      this.copied.add(key)
      differing++
    }
    return differing
  }

  private async drop(table: OrganizationTable, partition: string): Promise<void> {
    await this.to.command({ query: deleteSql, query_params: { ...this.paramsOf(table), partition } })
  }

  private async copyPartition(table: OrganizationTable, partition: string, rows: number): Promise<void> {
    for (let slices = Math.max(1, Math.ceil(rows / slice.rows)); ; slices *= 2)
      if (await this.copySlices(table, partition, slices)) return
  }

  /** False if a slice is too large; nothing was copied then, or what was copied before it has been deleted. */
  private async copySlices(table: OrganizationTable, partition: string, slices: number): Promise<boolean> {
    for (let n = 0; n < slices; n++) {
      const { stream } = await this.from.exec({
        query: sliceSql,
        query_params: { ...this.paramsOf(table), partition, slices, slice: n },
      })
      const rows = await buffer(stream)
      if (rows.length > slice.bytesMax) {
        if (n > 0) await this.drop(table, partition)
        return false
      }
      const inserted = await this.to.exec({
        query: `INSERT INTO ${table.name} FORMAT RowBinaryWithNamesAndTypes`,
        values: Readable.from([rows], { objectMode: false }),
        clickhouse_settings: { async_insert: 0, max_partitions_per_insert_block: '0' },
      })
      inserted.stream.resume()
    }
    return true
  }

  private async states(ch: ClickHouseClient): Promise<Map<string, Map<string, string>>> {
    const tables = this.tables.map(({ name }) => name)
    const result = await ch.query({ query: partsSql, query_params: { tables }, format: 'JSONEachRow' })
    const found = new Map<string, Map<string, string>>()
    for (const { table, partition, state } of await result.json<{ table: string; partition: string; state: string }>())
      found.set(table, (found.get(table) ?? new Map<string, string>()).set(partition, state))
    return found
  }

  private async digests(
    ch: ClickHouseClient,
    table: OrganizationTable,
    partitions: readonly string[],
  ): Promise<Map<string, Digest>> {
    const query_params = { ...this.paramsOf(table), partitions }
    const result = await ch.query({ query: digestSql, query_params, format: 'JSONEachRow' })
    const rows = await result.json<Digest & { partition: string }>()
    return new Map(rows.map(({ partition, rows: count, digest }) => [partition, { rows: count, digest }]))
  }

  private paramsOf({ name, of }: OrganizationTable): { table: string; column: string; org: string } {
    return { table: name, column: of, org: this.org }
  }
}

const keyOf = ({ name }: OrganizationTable, partition: string): string => `${name} ${partition}`

async function billedOf(ch: ClickHouseClient, org: string): Promise<Map<string, string>> {
  const result = await ch.query({ query: billedSql, query_params: { org }, format: 'JSONEachRow' })
  const rows = await result.json<{ month: string; billed_usd: string }>()
  return new Map(rows.map(({ month, billed_usd: usd }) => [month, usd]))
}
