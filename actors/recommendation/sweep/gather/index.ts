/** Collects facts of resources beyond their discovery: metrics, bill, history, relations, scaling, and age. */
import { typeOf } from '#streams/cloud/resource/resource-type.ts'
import { dayMs } from '#engine/value/day.ts'
import type { FactValues, MetricCoverage } from '#streams/recommendation.ts'
import { accountFacts, accountTypes } from './account-bill.ts'
import { addFacts, timeOf, type FactsOf, type GatherAbout, type GatherResource, type GatherTools } from './context.ts'
import { askBills, billFacts, firstBilled, monthCost, type Bills } from './bill.ts'
import { askHistory, historyFacts } from './history.ts'
import { gatherMetrics } from './metric.ts'
import { askScaling, scaleFacts } from './scale.ts'
import { askRelations, relatedUids, relationFacts, type Relations } from './relation.ts'

export interface GatheredFacts {
  /** By path of the rule language; missing paths are unknown. */
  readonly facts: FactValues
  readonly measured: MetricCoverage
  /** Since when the resource exists by any evidence, ISO 8601. */
  readonly bornAt: string
}

/** Facts for a page of resources in one account, at most 2,000, by uid. @throws Fault as `ask` */
export async function gatherFacts(
  tools: GatherTools,
  page: readonly GatherResource[],
  about: GatherAbout,
): Promise<Map<string, GatheredFacts>> {
  const metrics = await gatherMetrics(tools, page, about)
  const relations = await askRelations(tools, page, about)
  const bills = withMembers(await askBills(tools, page, relatedUids(relations, page), about), relations)
  const history = await askHistory(tools, page, about)
  const scaling = await askScaling(tools, page, about)
  const facts: FactsOf = metrics.facts
  const born = new Map<string, number>()
  for (const resource of page) {
    const { uid } = resource
    const bornAt = oldest(resource, metrics.firstAt.get(uid), firstBilled(bills, uid), about)
    born.set(uid, bornAt)
    const hist = historyFacts(resource, history, bills, about)
    const share = hist['hist.running_share_30d'] ?? (resource.status === 'running' ? 1 : undefined)
    const cost = monthCost(resource, bills.billed.get(uid), bornAt, share as number | undefined, about)
    addFacts(facts, uid, billFacts(resource, bills, cost))
    addFacts(facts, uid, hist)
    addFacts(facts, uid, relationFacts(resource, relations, bills, about))
    addFacts(facts, uid, scaleFacts(resource, scaling, facts.get(uid) ?? {}, about))
    if (isWholeAccount(resource, page))
      addFacts(facts, uid, await accountFacts(tools, typeOf(resource.type)!.provider, about))
  }
  return new Map(
    page.map(({ uid }) => [
      uid,
      {
        facts: facts.get(uid) ?? {},
        measured: metrics.measured.get(uid) ?? {},
        bornAt: new Date(born.get(uid)!).toISOString(),
      },
    ]),
  )
}

/**
 * The whole cost of the account is assigned to a resource that represents it only if there is one of its type:
 * otherwise each would have the cost of the others, too.
 */
const isWholeAccount = ({ type }: GatherResource, page: readonly GatherResource[]): boolean =>
  accountTypes.has(type) && page.filter((one) => one.type === type).length === 1

/** Adds the cost of members to that of their group, except for its first day and number of days. */
function withMembers(bills: Bills, { members }: Relations): Bills {
  const billed = new Map(bills.billed)
  const used = new Map(bills.used)
  for (const [uid, uids] of members) {
    const rows = [uid, ...uids].flatMap((one) => bills.billed.get(one) ?? [])
    if (rows.length === 0) continue
    const sum = (of: (row: (typeof rows)[number]) => number) => rows.reduce((total, row) => total + of(row), 0)
    billed.set(uid, {
      resource_uid: uid,
      days: Math.max(...rows.map(({ days }) => days)),
      first_day: rows.map(({ first_day }) => first_day).toSorted()[0]!,
      month_usd: sum((row) => row.month_usd),
      today_usd: sum((row) => row.today_usd),
      has_today: Math.max(...rows.map(({ has_today }) => has_today)),
    })
    used.set(
      uid,
      [uid, ...uids].flatMap((one) => bills.used.get(one) ?? []),
    )
  }
  return { ...bills, billed, used }
}

/**
 * The oldest evidence: the cloud's own time, first discovery, first billed day, first sample, or last use of a disk.
 */
function oldest(
  { specs, createdAt }: GatherResource,
  sampled: number | undefined,
  billed: number | undefined,
  { now }: GatherAbout,
): number {
  const said = timeOf(specs['created_at'])
  const detached = Number(specs['detached_days'] ?? specs['days_detached'] ?? 0)
  const known = [createdAt.getTime(), sampled, billed, said, now.getTime() - detached * dayMs]
  return Math.min(...known.filter((at): at is number => at !== undefined && !Number.isNaN(at)), now.getTime())
}
