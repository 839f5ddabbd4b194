/** What stands beside resources of a page: their cost and what they were used, asked for all of them at once. */
import type { Reply } from '../../api.ts'
import { useReport, type Report } from '../../report.ts'
import { may } from '../../session.ts'
import { lastDays } from './query.ts'
import { portionsOf } from './portion.ts'

type Resource = Pick<Reply<'GET /resources'>[number], 'uid' | 'cloudAccountID'>
type Costs = Reply<'GET /reports/costs/series'>
type Metrics = Reply<'GET /reports/resources/metrics'>

export interface ResourceFigures {
  /** Undefined while it is asked; null where nothing is known. */
  costOf: (resource: Resource) => number | null | undefined
  p95Of: (resource: Resource, what: 'cpu' | 'memory') => number | null
  isAsking: boolean
  /** The first question of costs, for its meta and whoever wants the same. */
  costs: Report<Costs>
}

/** Questions for one page; uids of what is beyond are not asked about. */
const questions = 4

const keyOf = (account: string, uid: string): string => JSON.stringify([account, uid])

export function useResourceFigures(resources: readonly Resource[]): ResourceFigures {
  const portions = portionsOf(resources.map(({ uid }) => uid))
  // oxlint-disable-next-line react/rules-of-hooks -- their number never changes
  const asked = Array.from({ length: questions }, (_, at) => usePortion(portions[at] ?? []))
  const costs = new Map(asked.flatMap((one) => one.costs.data?.series ?? []).map((one) => [placeOf(one), one.costUSD]))
  const metrics = new Map(asked.flatMap((one) => one.metrics.data ?? []).map((one) => [one.resourceUid, one]))
  const answered = (uid: string): boolean =>
    asked[portions.findIndex((some) => some.includes(uid))]?.costs.data !== undefined
  return {
    costs: asked[0]!.costs,
    isAsking: asked.some((one) => one.costs.isAsking || one.metrics.isAsking),
    costOf: ({ cloudAccountID, uid }) => costs.get(keyOf(cloudAccountID, uid)) ?? (answered(uid) ? 0 : undefined),
    p95Of: ({ uid }, what) => metrics.get(uid)?.[what].p95Percent ?? null,
  }
}

const placeOf = ({ key }: Costs['series'][number]): string => keyOf(key['cloud_account_id']!, key['resource_uid']!)

function usePortion(uids: readonly string[]): { costs: Report<Costs>; metrics: Report<Metrics> } {
  const when = uids.length > 0 && may('service.view')
  const group_by = ['cloud_account_id', 'resource_uid']
  const query = { ...lastDays(), group_by, granularity: 'monthly', top: 50, 'filter[resource_uid]': uids }
  const costs = useReport('GET /reports/costs/series', { query, on: ['costs.changed'], when })
  const metrics = useReport('GET /reports/resources/metrics', { query: { ...lastDays(), resource_uid: uids }, when })
  return { costs, metrics }
}
