/** Months that were closed: their totals, and the teams their resources keep in reports (decisions G-24, G-45). */
import { readFileSync } from 'node:fs'
import type { ClickHouseClient } from '@clickhouse/client'
import { t } from '#engine/schema.ts'
import { table } from '#engine/table.ts'

/** Closed months, as the snapshot actor appends them; `period` is 202601 for January 2026. */
export const snapshotState = table({
  name: 'snapshot_state',
  row: t.Object({
    org_id: t.String(),
    period: t.Integer(),
    total_cost_usd: t.String(),
    total_savings_usd: t.String(),
    resources: t.Integer({ minimum: 0 }),
    created_at: t.String(),
  }),
})

/** `YYYY-MM` as ClickHouse keeps it. */
export const monthNumber = (period: string): number => Number(period.replace('-', ''))

const keepTeams = readFileSync(new URL('rollup/closed_assignment.sql', import.meta.url), 'utf8')

/** Keeps the teams that resources have now for reports of a month. Nothing changes once the month is closed. */
export async function keepAssignments(ch: ClickHouseClient, orgId: string, period: string): Promise<void> {
  await ch.command({ query: keepTeams, query_params: { org: orgId, period: monthNumber(period) } })
}
