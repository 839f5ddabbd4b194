/**
 * Folds usage of clusters in past months: one row per node, or per pod and node, and day in place of its intervals, with
 * everything that costs are divided by, hour by hour. So a day computed again is divided as before.
 *
 * A month is folded into a table of its own and exchanged at once. Its intervals stay until a later call finds all of
 * them in folds: readers leave out those that a fold has, so a call that ends anywhere loses and doubles nothing. An
 * interval that arrives later is read in addition to the fold, and is in it after the next call.
 */
import { readFileSync } from 'node:fs'
import type { ClickHouseClient } from '@clickhouse/client'
import { batches, tuples, type SizedDay } from '#analytics/rollup/day-batch.ts'
import { anySize } from '#analytics/store/delete-before.ts'
import { slices } from '#analytics/store/slice.ts'
import { dayOf } from '#engine/value/day.ts'

const sql = (name: string) => readFileSync(new URL(`${name}.sql`, import.meta.url), 'utf8')
const partsSql = sql('usage_parts')
const daysSql = sql('usage_days')
const composed = (name: string) => slices.later(name, sql(name), ['folded'])

const kinds = [
  { table: 'kubernetes_node', fold: composed('fold_nodes'), unfolded: composed('unfolded_nodes') },
  { table: 'kubernetes_pod', fold: composed('fold_pods'), unfolded: composed('unfolded_pods') },
] as const
type Kind = (typeof kinds)[number]

/** A batch may take minutes: signs of life keep the request open. */
const folding = {
  max_bytes_before_external_group_by: '536870912',
  max_bytes_before_external_sort: '536870912',
  send_progress_in_http_headers: 1,
  http_headers_progress_interval_ms: '30000',
} as const

export interface ReplacedRows {
  table: string
  rows: number
}

interface Part {
  month: string
  name: string
  rows: string | number
}

/** For every month that ended before `before`. Returns the intervals that were deleted because folds have them. */
export async function foldUsage(ch: ClickHouseClient, before: Date): Promise<ReplacedRows[]> {
  const replaced: ReplacedRows[] = []
  for (const kind of kinds) {
    const query_params = { table: kind.table, before: dayOf(before).slice(0, 7).replace('-', '') }
    const result = await ch.query({ query: partsSql, query_params, format: 'JSONEachRow' })
    for (const [month, parts] of Map.groupBy(await result.json<Part>(), (part) => part.month)) {
      const days = await daysOf(ch, kind, month)
      // In this order: what arrives after the parts were listed is in none of them.
      if (await isFolded(ch, kind, days)) replaced.push({ table: kind.table, rows: await dropParts(ch, kind, parts) })
      else await foldMonth(ch, kind, month, days)
    }
  }
  return replaced
}

async function daysOf(ch: ClickHouseClient, { table }: Kind, month: string): Promise<SizedDay[]> {
  const query_params = { table, folds: `${table}_day`, month }
  const result = await ch.query({ query: daysSql, query_params, format: 'JSONEachRow' })
  const rows = await result.json<{ org_id: string; cloud_account_id: string; day: string; lines: string | number }>()
  return rows.map((row) => ({
    orgId: row.org_id,
    cloudAccountId: row.cloud_account_id,
    day: row.day,
    lines: Number(row.lines),
    bills: [],
  }))
}

async function isFolded(ch: ClickHouseClient, { unfolded }: Kind, days: readonly SizedDay[]): Promise<boolean> {
  for (const batch of batches(days)) {
    const query_params = { days: tuples(batch), folded: 1 }
    const query = unfolded.textOf(Object.keys(query_params))
    const result = await ch.query({ query, query_params, format: 'JSONEachRow', clickhouse_settings: folding })
    if (Number((await result.json<{ number: string | number }>())[0]!.number) > 0) return false
  }
  return true
}

async function foldMonth(
  ch: ClickHouseClient,
  { table, fold }: Kind,
  month: string,
  days: readonly SizedDay[],
): Promise<void> {
  const target = `${table}_folding`
  /** Also what a call that was killed has left. */
  const drop = () => ch.command({ query: `DROP TABLE IF EXISTS ${target}`, clickhouse_settings: anySize })
  await drop()
  await ch.command({ query: `CREATE TABLE ${target} AS ${table}_day` })
  try {
    for (const batch of batches(days)) {
      const query_params = { days: tuples(batch), folded: 1, target }
      const query = fold.textOf(Object.keys(query_params))
      await ch.command({ query, query_params, clickhouse_settings: folding })
    }
    const exchange = `ALTER TABLE ${table}_day REPLACE PARTITION ID {month:String} FROM ${target}`
    await ch.command({ query: exchange, query_params: { month }, clickhouse_settings: anySize })
  } finally {
    await drop()
  }
}

/** A part that was merged meanwhile stays until the next call. Returns the number of rows. */
async function dropParts(ch: ClickHouseClient, { table }: Kind, parts: readonly Part[]): Promise<number> {
  let rows = 0
  for (const { name, rows: some } of parts) {
    const query = `ALTER TABLE ${table} DROP PART {name:String}`
    try {
      await ch.command({ query, query_params: { name }, clickhouse_settings: anySize })
      rows += Number(some)
    } catch (error) {
      if ((error as { type?: string }).type !== 'NO_SUCH_DATA_PART') throw error
    }
  }
  return rows
}
