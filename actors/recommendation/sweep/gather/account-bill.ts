/** `bill.*` facts of a whole account, and the spend of its organization. */
import { coverageOf } from '#analytics/commitment/ratio.ts'
import { billedAccount, orgSpend, usedServices } from '#analytics/recommendation/questions.ts'
import type { Tools } from '#actors/tools.ts'
import { scopesOf, scopesOfUse } from '#streams/billing/line/service-scope.ts'
import { isSplit, monthDays } from './bill.ts'
import { todayOf, type GatherAbout, type GatherTools } from './context.ts'

/** Resource types that represent the whole account. */
export const accountTypes: ReadonlySet<string> = new Set([
  'aws-account',
  'gcp-project',
  'gcp-billing-account',
  'azure-subscription',
])

/** Empty if nothing was billed. */
export async function accountFacts(
  { ask }: GatherTools,
  provider: string,
  about: GatherAbout,
): Promise<Record<string, number | string>> {
  const of = { org: about.orgId, account: about.account, today: todayOf(about), cost: about.cost }
  const [billed] = await ask(billedAccount, { ...of, keys: [...about.governance.requiredTags] })
  if (!billed) return {}
  const uses = (await isSplit(ask, of)) ? await ask(usedServices, of) : []
  const facts: Record<string, number | string> = { 'bill.cost_30d': billed.usd, 'bill.cost_basis': 'billed' }
  if (billed.resource_usd > 0) facts['bill.untagged_share_30d'] = billed.untagged_usd / billed.resource_usd
  if (uses.length === 0) return facts
  for (const scope of scopesOf(provider)) {
    const within = uses.filter((use) => scopesOfUse(provider, use.service_name, use.component).includes(scope))
    const days = Array.from({ length: monthDays }, (_, n) =>
      within.reduce((sum, use) => sum + (use.on_demand_usd[n] ?? 0), 0),
    )
    const onDemand = days.reduce((sum, usd) => sum + usd, 0)
    const total = (of: (use: (typeof within)[number]) => number) => within.reduce((sum, use) => sum + of(use), 0)
    const coverage = coverageOf(
      total((use) => use.covered_usd),
      total((use) => use.uncovered_usd),
    )
    const at = `bill.service.${scope}`
    facts[`${at}.on_demand_30d`] = onDemand
    facts[`${at}.steady_on_demand_30d`] = monthDays * quantile(days, 0.05)
    if (coverage !== null) facts[`${at}.coverage_30d`] = coverage
  }
  return facts
}

/** Interpolated between the two nearest values. */
function quantile(values: readonly number[], level: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const at = level * (sorted.length - 1)
  const below = sorted[Math.floor(at)]!
  return below + (sorted[Math.ceil(at)]! - below) * (at - Math.floor(at))
}

/**
 * Spend of an organization in the 30 complete days before today, in the displayed cost column; null if nothing was
 * billed.
 */
export async function orgSpend30d(
  { ask, cost }: Pick<Tools, 'ask' | 'cost'>,
  orgId: string,
  now: Date,
): Promise<number | null> {
  const [row] = await ask(orgSpend, { org: orgId, today: todayOf({ now }), cost })
  return row?.usd ?? null
}
