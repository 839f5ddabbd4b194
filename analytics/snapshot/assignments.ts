/** Attribution of costs as reports of closed months keep it (decision G-45): teams by hand and by rule, and shared costs. */
import { readFileSync } from 'node:fs'
import type { ClickHouseClient } from '@clickhouse/client'
import { lastOf } from '#engine/value/day.ts'

/** `YYYY-MM` as ClickHouse stores it. */
export const monthNumber = (period: string): number => Number(period.replace('-', ''))

/** Their tables, each filled by the file of its name. */
export const closedTables = [
  'closed_assignment',
  'closed_allocation',
  'closed_shared_rule',
  'closed_share',
  'closed_tag',
] as const

const snapshotQueries = closedTables.map((name) => readFileSync(new URL(`${name}.sql`, import.meta.url), 'utf8'))

/**
 * Stores what attributes the costs of a month, for its reports: the teams of resources, the rules for shared costs, the
 * shares of teams, and the tags that rules read. Nothing changes once the month is closed.
 */
export async function keepAssignments(ch: ClickHouseClient, orgId: string, period: string): Promise<void> {
  const query_params = { org: orgId, period: monthNumber(period), from: `${period}-01`, to: lastOf(period) }
  for (const query of snapshotQueries) await ch.command({ query, query_params })
}
