/** The teams that resources keep in reports of months that were closed (decision G-45). */
import { readFileSync } from 'node:fs'
import type { ClickHouseClient } from '@clickhouse/client'

/** `YYYY-MM` as ClickHouse keeps it. */
export const monthNumber = (period: string): number => Number(period.replace('-', ''))

const keepTeams = readFileSync(new URL('closed_assignment.sql', import.meta.url), 'utf8')

/** Keeps the teams that resources have now for reports of a month. Nothing changes once the month is closed. */
export async function keepAssignments(ch: ClickHouseClient, orgId: string, period: string): Promise<void> {
  await ch.command({ query: keepTeams, query_params: { org: orgId, period: monthNumber(period) } })
}
