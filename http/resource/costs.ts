/** What the inventory is sorted by where it is sorted by cost. */
import { resourceKey } from '#actors/resource/row.ts'
import { costResources } from '#analytics/cost/questions.ts'
import { dayMs, dayOf } from '#engine/value/day.ts'
import { rangeOf } from '#http/edge/parameter/range.ts'
import type { Services } from '#http/edge/services.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import { permit } from '#http/identity/organization/permit.ts'
import { costQuestion } from '#http/report/filter/filter.ts'

/** The dearest of an organization; the others are sorted as if they cost nothing. */
export const costsMax = 10_000

/** Dollars of the last 30 days, today included, of what a role may see. @throws Fault `forbidden` */
export async function monthlyCosts(caller: Caller, services: Services): Promise<Readonly<Record<string, number>>> {
  permit({ permission: 'service.view' }, caller)
  const now = services.now()
  const days = rangeOf({ from: dayOf(new Date(now.getTime() - 29 * dayMs)), to: dayOf(now) }, now)
  const question = costQuestion(caller, {}, days, services)
  const rows = await services.analytics(costResources, { ...question, limit: costsMax, offset: 0 })
  return Object.fromEntries(
    rows.map((row) => [resourceKey(row.cloud_account_id, row.resource_uid), Number(row.cost_usd)]),
  )
}
