/**
 * `bill.*` facts of resources: their cost over the 30 complete days before today, in the displayed cost column, and its
 * components.
 */
import { billedResources, unsplitDays, usedCommitments, usedResources } from '#analytics/recommendation/questions.ts'
import { utilizationOf } from '#analytics/commitment/ratio.ts'
import { portions } from '#analytics/store/query.ts'
import { dayMs, startOf } from '#engine/value/day.ts'
import type { Static } from '#engine/value/schema.ts'
import { components } from '#streams/billing/line/component.ts'
import { todayOf, untilOf, type GatherAbout, type GatherResource, type GatherTools } from './context.ts'

type BilledRow = Static<typeof billedResources.row>
type UsageRow = Static<typeof usedResources.row>
type CommitmentRow = Static<typeof usedCommitments.row>

/** Rows from the bills for one page, by uid. */
export interface Bills {
  readonly billed: ReadonlyMap<string, BilledRow>
  readonly used: ReadonlyMap<string, readonly UsageRow[]>
  /** By id in lower case. */
  readonly committed: ReadonlyMap<string, CommitmentRow>
}

export const monthDays = 30
/** The cost of a younger resource is projected once so many of its days were billed. */
const projectedFromDays = 7
const monthHours = 720

/** Types whose cost is that of what they cover, wherever it was used. */
const commitmentTypes: ReadonlySet<string> = new Set([
  'aws-savings-plan',
  'aws-reserved-instance',
  'gcp-commitment',
  'azure-reservation',
  'azure-savings-plan',
])

/** `uids`: resources related to those of the page, whose cost is needed, too. */
export async function askBills(
  tools: GatherTools,
  page: readonly GatherResource[],
  uids: readonly string[],
  about: GatherAbout,
): Promise<Bills> {
  const { orgId: org, account, cost } = about
  const of = { org, account, today: todayOf(about), cost }
  const all = [...new Set([...page.map(({ uid }) => uid), ...uids])]
  const committing = page.filter(({ type }) => commitmentTypes.has(type)).map(({ uid }) => uid)
  const billed = await inPortions(all, (some) => tools.ask(billedResources, { ...of, uids: some }))
  const used = await inPortions(all, (some) => tools.ask(usedResources, { ...of, uids: some }))
  const { cost: _, account: __, ...everywhere } = of
  const isKnown = committing.length > 0 && (await isSplit(tools.ask, { ...everywhere, account: '' }))
  const committed = isKnown
    ? await inPortions(committing, (some) => tools.ask(usedCommitments, { ...everywhere, uids: some }))
    : []
  return {
    billed: new Map(billed.map((row) => [row.resource_uid, row])),
    used: Map.groupBy(used, (row) => row.resource_uid),
    committed: new Map(committed.map((row) => [row.commitment_id, row])),
  }
}

/** Whether the bill has the usage of every day: a day without it would look unused. */
export async function isSplit(
  ask: GatherTools['ask'],
  { org, account, today }: { org: string; account: string; today: string },
): Promise<boolean> {
  const [row] = await ask(unsplitDays, { org, account, today })
  return (row?.days ?? 0) === 0
}

async function inPortions<R>(uids: readonly string[], ask: (some: string[]) => Promise<readonly R[]>): Promise<R[]> {
  const rows: R[] = []
  for (const some of portions(uids, (uid) => uid)) rows.push(...(await ask(some)))
  return rows
}

/** Source of a cost: billed days, a projection of these, today only, or the price while running. */
type CostBasis = 'billed' | 'projected' | 'today' | 'rate'

export interface MonthCost {
  usd: number
  basis: CostBasis
}

/**
 * Cost of a resource for 30 days; undefined if unknown. `bornAt`: since when it exists by any evidence; `runningShare`:
 * fraction of the time in which it runs; both if known.
 */
export function monthCost(
  resource: Pick<GatherResource, 'hourlyRateUsd'>,
  billed: BilledRow | undefined,
  bornAt: number | undefined,
  runningShare: number | undefined,
  about: Pick<GatherAbout, 'now'>,
): MonthCost | undefined {
  if (billed && billed.days > 0) {
    const ageDays = bornAt === undefined ? monthDays : (untilOf(about) - bornAt) / dayMs
    if (ageDays >= monthDays || billed.days < projectedFromDays) return { usd: billed.month_usd, basis: 'billed' }
    const share = Math.min(1, Math.max(billed.days, ageDays) / monthDays)
    return { usd: billed.month_usd / share, basis: 'projected' }
  }
  if (billed?.has_today) return { usd: billed.today_usd, basis: 'today' }
  if (resource.hourlyRateUsd === null || runningShare === undefined) return undefined
  return { usd: resource.hourlyRateUsd * monthHours * runningShare, basis: 'rate' }
}

/** First billed day of a resource, milliseconds since 1970; undefined if it was not billed in the last 90 days. */
export const firstBilled = ({ billed }: Bills, uid: string): number | undefined => {
  const row = billed.get(uid)
  return row && startOf(row.first_day)
}

/** US dollars by which both sums of a day may differ. */
const roundingUsd = 0.005

/** Facts under `bill` for a resource with this cost. If the cost is projected, so are its components. */
export function billFacts(
  resource: GatherResource,
  bills: Bills,
  cost: MonthCost | undefined,
): Record<string, number | string | null> {
  if (commitmentTypes.has(resource.type)) return commitmentFacts(bills.committed.get(resource.uid.toLowerCase()))
  if (cost === undefined) return {}
  const whole = { 'bill.cost_30d': cost.usd, 'bill.cost_basis': cost.basis }
  const billed = bills.billed.get(resource.uid)
  const used = bills.used.get(resource.uid) ?? []
  const sum = used.reduce((total, { usd }) => total + usd, 0)
  const isSplit = used.length > 0 && billed !== undefined && Math.abs(sum - billed.month_usd) <= roundingUsd
  if (!isSplit || (cost.basis !== 'billed' && cost.basis !== 'projected')) return whole
  return { ...whole, ...usedFacts(used, billed.month_usd === 0 ? 1 : cost.usd / billed.month_usd, billed.month_usd) }
}

/** `factor` projects to 30 days. */
function usedFacts(used: readonly UsageRow[], factor: number, usd: number): Record<string, number> {
  const total = (of: (row: UsageRow) => number) => used.reduce((sum, row) => sum + of(row), 0)
  const onDemand = total((row) => row.on_demand_usd)
  const hours = total((row) => (hourly.has(row.component) ? row.hours : 0))
  const parts = new Map<string, number>()
  for (const { component, usd: part } of used) parts.set(component, (parts.get(component) ?? 0) + part)
  return {
    'bill.on_demand_cost_30d': onDemand * factor,
    ...(usd > 0 && { 'bill.on_demand_share_30d': Math.min(1, onDemand / usd) }),
    'bill.usage_hours_30d': hours * factor,
    'bill.covered_on_demand_equivalent_30d': total((row) => row.covered_usd) * factor,
    ...Object.fromEntries(components.map((name) => [`bill.component.${name}_30d`, (parts.get(name) ?? 0) * factor])),
  }
}

/** Components whose hours are hours of running. */
const hourly: ReadonlySet<string> = new Set(['compute'])

function commitmentFacts(row: CommitmentRow | undefined): Record<string, number | string | null> {
  if (!row) return {}
  const { used_usd: used, unused_usd: unused, covered_usd: covered } = row
  const utilization = utilizationOf(used, unused)
  return {
    'bill.cost_30d': used + unused,
    'bill.cost_basis': 'billed',
    'bill.unused_30d': unused,
    'bill.covered_on_demand_equivalent_30d': covered,
    ...(utilization !== null && { 'bill.utilization_30d': utilization }),
  }
}

/** Hours in which the resource ran during the 30 days, by its bill; undefined if the bill has no hours. */
export function billedHours({ used }: Bills, uid: string): number | undefined {
  const hours = (used.get(uid) ?? []).filter(({ component }) => hourly.has(component)).map((row) => row.hours)
  const sum = hours.reduce((total, one) => total + one, 0)
  return sum > 0 ? sum : undefined
}
