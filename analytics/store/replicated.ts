/**
 * Tables that several ClickHouse servers store. Their files say how one server stores them; the rest is decided here.
 * The database replicates every statement that changes its tables (engine `Replicated`), so statements name no cluster.
 */
import type { ClickHouseClient } from '@clickhouse/client'
import { Fault } from '#engine/value/fault.ts'

/**
 * The statement for a database that is replicated. Blocks that repeat must not be dropped by their content there
 * either: rows are keyed.
 */
export const toReplicated = (sql: string): string =>
  sql
    .replace(/^ENGINE = (?=\w*MergeTree\b)/m, 'ENGINE = Replicated')
    .replace('non_replicated_deduplication_window', 'replicated_deduplication_window')

/** @throws Fault if the database is not as the setting says: tables of one kind cannot become the other */
export async function checkReplication(ch: ClickHouseClient, isReplicated: boolean): Promise<void> {
  const result = await ch.query({
    query: 'SELECT engine FROM system.databases WHERE name = currentDatabase()',
    format: 'JSONEachRow',
  })
  const [database] = await result.json<{ engine: string }>()
  const isDatabaseReplicated = database?.engine === 'Replicated'
  if (isDatabaseReplicated === isReplicated) return
  const message = isReplicated
    ? `CLICKHOUSE_REPLICATED is 1, but the database has the engine ${database?.engine}. Create one with the engine Replicated, and restore a backup into it.`
    : 'The ClickHouse database has the engine Replicated. Set CLICKHOUSE_REPLICATED=1 everywhere, or its tables would be on one server only.'
  throw Fault.refused('clickhouse_replication', message)
}
