import { readFileSync } from 'node:fs'
import type { ClickHouseClient } from '@clickhouse/client'
import { tuples, type CostDay } from '#analytics/rollup/day-batch.ts'

const query = readFileSync(new URL('folded_days.sql', import.meta.url), 'utf8')

/**
 * Whether usage of clusters on any of the days is folded. If not, their intervals are all there for hours: `foldUsage`
 * deletes them only in a later call.
 */
export async function hasFolds(ch: ClickHouseClient, days: readonly CostDay[]): Promise<boolean> {
  const result = await ch.query({ query, query_params: { days: tuples(days) }, format: 'JSONEachRow' })
  return (await result.json()).length > 0
}
