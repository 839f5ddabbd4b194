/** Keeps the analysts' security events as long as the edge's own: older ones go from both. */
import { readFileSync } from 'node:fs'
import type { ClickHouseClient } from '@clickhouse/client'

const sql = (name: string) => readFileSync(new URL(`${name}.sql`, import.meta.url), 'utf8')
const old = sql('old_security_events')
const forget = sql('forget_security_events')

/**
 * Deletes the events before `before` and returns how many. Counts first, because a deletion that finds nothing costs as
 * much as another.
 */
export async function forgetSecurityEvents(ch: ClickHouseClient, before: Date): Promise<number> {
  const query_params = { before: before.getTime() }
  const result = await ch.query({ query: old, query_params, format: 'JSONEachRow' })
  const [row] = await result.json<{ events: string | number }>()
  const events = Number(row?.events ?? 0)
  if (events > 0) await ch.command({ query: forget, query_params })
  return events
}
