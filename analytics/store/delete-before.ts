/** Deletes the oldest rows of a table. Dropping a partition costs nothing; any other deletion rewrites parts. */
import { readFileSync } from 'node:fs'
import type { ClickHouseClient } from '@clickhouse/client'
import { dayOf } from '#engine/value/day.ts'

const partitions = readFileSync(new URL('old_partitions.sql', import.meta.url), 'utf8')

/** Milliseconds; a deletion that takes longer continues in ClickHouse. */
const deletionMs = 600_000

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
      })
  if (found.some(({ whole }) => whole === 0))
    await ch.command({
      query: `ALTER TABLE {table:Identifier} DELETE WHERE {column:Identifier} < CAST({before:String}, toTypeName({column:Identifier}))`,
      query_params,
      clickhouse_settings: { mutations_sync: '1' },
      abort_signal: AbortSignal.timeout(deletionMs),
    })
  return found.reduce((sum, { old }) => sum + Number(old), 0)
}
