/**
 * A charge with a resource but no type gets the type from the inventory when its day is computed. This is for charges
 * that arrived first: once the inventory knows more, their days are recomputed.
 */
import { readFileSync } from 'node:fs'
import type { ClickHouseClient } from '@clickhouse/client'
import { billOf, isOfTheSame, type StoredBill } from '#analytics/billing/bill.ts'
import { recomputeCostDays, type Rollup } from '#analytics/rollup/daily-cost/cost-rollup.ts'
import type { CostDay } from '#analytics/rollup/day-batch.ts'
import { portions } from '#analytics/store/query.ts'
import type { Projection } from '#engine/actor/turn.ts'

/** Accounts in which resources were seen for the first time. Keys are account ids. */
export const costTypes: Projection = { name: 'cost-type' }

const untypedDays = readFileSync(new URL('untyped_days.sql', import.meta.url), 'utf8')

/**
 * Recomputes the days of these accounts on which a type can now be filled in. `generation` and `rollup` are those of
 * `recomputeCostDays`. A day that still has to change to the current export, or to be included in an export that has
 * started, is left to the run of its own mark: the other days of its bill are published with it there, and not here.
 */
export const retypeCostDays = (
  ch: ClickHouseClient,
  orgId: string,
  accounts: readonly string[],
  generation: string,
  rollup: Rollup = {},
): Promise<boolean> => recomputeFound(ch, untypedDays, { orgId, accounts }, generation, rollup)

/** Like `retypeCostDays`, for the days that `query` finds for some accounts of an organization. */
export async function recomputeFound(
  ch: ClickHouseClient,
  query: string,
  { orgId, accounts }: { orgId: string; accounts: readonly string[] },
  generation: string,
  rollup: Rollup,
): Promise<boolean> {
  const days: CostDay[] = []
  for (const portion of portions(accounts, (account) => account)) {
    const query_params = { org: orgId, accounts: portion }
    const result = await ch.query({ query, query_params, format: 'JSONEachRow' })
    const rows = await result.json<{ cloud_account_id: string; day: string; bills: StoredBill[] }>()
    for (const { cloud_account_id: cloudAccountId, day, bills } of rows) {
      const found = { orgId, cloudAccountId, day }
      if (isOfTheSame(rollup.shown ?? {}, found, bills.map(billOf))) days.push(found)
    }
  }
  return days.length === 0 || recomputeCostDays(ch, days, generation, rollup)
}
