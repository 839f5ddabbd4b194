/** Deletes the oldest rows of a table. Dropping a partition costs nothing; any other deletion rewrites parts. */
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ClickHouseClient } from '@clickhouse/client'
import { dayOf } from '#engine/value/day.ts'

const partitions = readFileSync(new URL('old_partitions.sql', import.meta.url), 'utf8')

/** Without the limits for tables and partitions that are dropped by hand: 50 GB by default. */
export const anySize = { max_partition_size_to_drop: '0', max_table_size_to_drop: '0' } as const

/** Milliseconds between looks at a deletion, and after which it is left to continue in ClickHouse. */
const pace = { lookMs: 250, maxMs: 600_000 }

interface OldRows {
  table: string
  /** The column with the day or time of a row. */
  column: string
  /** The start of a day, UTC. */
  before: Date
}

/** Resolves with the number of deleted rows when ClickHouse is done. */
export async function deleteBefore(ch: ClickHouseClient, { table, column, before }: OldRows): Promise<number> {
  const query_params = { table, column, before: dayOf(before) }
  const result = await ch.query({ query: partitions, query_params, format: 'JSONEachRow' })
  const found = await result.json<{ id: string; old: string | number; whole: number }>()
  for (const { id, whole } of found)
    if (whole === 1)
      await ch.command({
        query: 'ALTER TABLE {table:Identifier} DROP PARTITION ID {id:String}',
        query_params: { table, id },
        clickhouse_settings: anySize,
      })
  if (found.some(({ whole }) => whole === 0)) {
    const query = `ALTER TABLE {table:Identifier} DELETE WHERE {column:Identifier} < CAST({before:String}, toTypeName({column:Identifier}))`
    await ch.command({ query, query_params, clickhouse_settings: { mutations_sync: '0' } })
    await mutated(ch, table)
  }
  return found.reduce((sum, { old }) => sum + Number(old), 0)
}

/** Waits for the deletion in several requests: one would be longer than a request may take. */
async function mutated(ch: ClickHouseClient, table: string): Promise<void> {
  const query = `SELECT count() AS waiting FROM system.mutations
    WHERE database = currentDatabase() AND table = {table:String} AND NOT is_done`
  for (let waited = 0; waited < pace.maxMs; waited += pace.lookMs) {
    const result = await ch.query({ query, query_params: { table }, format: 'JSONEachRow' })
    const [row] = await result.json<{ waiting: string | number }>()
    if (Number(row?.waiting ?? 0) === 0) return
    await sleep(pace.lookMs)
  }
}
