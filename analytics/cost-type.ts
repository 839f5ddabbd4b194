/**
 * A charge that names a resource but not its type takes the type from the inventory when its day is worked out. This is
 * for charges that were there first: once the inventory knows more, their days are worked out again.
 */
import { readFileSync } from 'node:fs'
import type { ClickHouseClient } from '@clickhouse/client'
import { recomputeCostDays, type CostDay } from '#analytics/cost-rollup.ts'
import { portions } from '#analytics/query.ts'
import type { Projection } from '#engine/turn.ts'

/** Accounts in which resources were seen for the first time. Keys are account ids. */
export const costTypes: Projection = { name: 'cost-type' }

const untypedDays = readFileSync(new URL('rollup/untyped_days.sql', import.meta.url), 'utf8')

/** Works out anew the days of these accounts on which a type can now be filled in. `generation` as for `recomputeCostDays`. */
export async function retypeCostDays(
  ch: ClickHouseClient,
  orgId: string,
  accounts: readonly string[],
  generation: string,
): Promise<void> {
  const days: CostDay[] = []
  for (const portion of portions(accounts, (account) => account)) {
    const query_params = { org: orgId, accounts: portion }
    const result = await ch.query({ query: untypedDays, query_params, format: 'JSONEachRow' })
    const rows = await result.json<{ cloud_account_id: string; day: string }>()
    for (const row of rows) days.push({ orgId, cloudAccountId: row.cloud_account_id, day: row.day })
  }
  if (days.length > 0) await recomputeCostDays(ch, days, generation)
}
