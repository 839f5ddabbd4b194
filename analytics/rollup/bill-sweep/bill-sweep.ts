/**
 * Deletes the lines of exports that were replaced a while ago. This rewrites a partition, so it is only worth it once
 * much of it is dead: a sweep then reads at most three times what it frees. Dead lines stay dead, so an interrupted
 * sweep continues with the next one.
 */
import { dayMs } from '#engine/value/day.ts'
import { readFileSync } from 'node:fs'
import { TupleParam, type ClickHouseClient } from '@clickhouse/client'
import { portions } from '#analytics/store/query.ts'

const sql = (name: string) => readFileSync(new URL(`${name}.sql`, import.meta.url), 'utf8')
const sizes = sql('bill_size')
const sweep = sql('bill_sweep')

/** A stored export; `exportedAt` is ISO 8601 with milliseconds. */
export interface StoredExport {
  orgId: string
  cloudAccountId: string
  period: string
  exportId: string
  exportedAt: string
  rows: number
}

interface Size {
  org_id: string
  cloud_account_id: string
  period: string
  export: string
  stored: number
  exported_at: string
  is_shown: number
}

const sweeping = {
  /** The part of a billing period's rows that must be dead. */
  share: 1 / 3,
  /** A dead export is deleted this long after it was created, whatever its part is. */
  daysMax: 35,
} as const

/**
 * Deletes exports that are `isDead`, that no day is computed from, and whose deletion is worth it. Resolves when
 * ClickHouse is done, with the number of exports and rows deleted.
 */
export async function sweepBills(
  ch: ClickHouseClient,
  isDead: (bill: StoredExport) => boolean,
  now: Date,
): Promise<{ exports: number; rows: number }> {
  const oldest = new Date(now.getTime() - sweeping.daysMax * dayMs).toISOString()
  const swept = { exports: 0, rows: 0 }
  for (const [period, all] of Map.groupBy(await listStoredExports(ch), (bill) => bill.period)) {
    const dead = all.filter((bill) => !bill.isShown && isDead(bill))
    const rows = rowsOf(dead)
    if (rows === 0) continue
    if (rows < rowsOf(all) * sweeping.share && dead.every(({ exportedAt }) => exportedAt > oldest)) continue
    for (const some of portions(dead, ({ orgId, cloudAccountId, exportId }) => orgId + cloudAccountId + exportId))
      await drop(ch, period, some)
    swept.exports += dead.length
    swept.rows += rows
  }
  return swept
}

const rowsOf = (bills: readonly StoredExport[]): number => bills.reduce((sum, { rows }) => sum + rows, 0)

async function listStoredExports(ch: ClickHouseClient): Promise<(StoredExport & { isShown: boolean })[]> {
  const result = await ch.query({ query: sizes, format: 'JSONEachRow' })
  return (await result.json<Size>()).map((row) => ({
    orgId: row.org_id,
    cloudAccountId: row.cloud_account_id,
    period: row.period,
    exportId: row.export,
    exportedAt: row.exported_at,
    rows: row.stored,
    isShown: row.is_shown === 1,
  }))
}

async function drop(ch: ClickHouseClient, period: string, bills: readonly StoredExport[]): Promise<void> {
  const tuples = bills.map(({ orgId, cloudAccountId, exportId }) => [orgId, cloudAccountId, period, exportId])
  await ch.command({
    query: sweep,
    query_params: { period, bills: tuples.map((tuple) => new TupleParam(tuple)) },
    clickhouse_settings: { mutations_sync: '1' },
  })
}
