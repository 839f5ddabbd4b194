/** What the address asks of the list, under the names that the API has for it. */
import type { Query } from '../../address.ts'
import { param, params } from '../../router.ts'
import { periodUntilToday, type Period } from '../../part/period.tsx'

/** Stories on a page. */
export const pageSize = 20

/** What leaves something out; the others only order it. */
const filters = ['severity', 'review', 'type', 'cloud_account_id', 'team_id', 'min_usd'] as const
export type Filter = (typeof filters)[number]

export interface AnomaliesQuery {
  period: Period
  page: number
  isFolded: boolean
  /** The filters that are set, each with what it asks for. */
  set: readonly { name: Filter; values: readonly string[] }[]
  withSuppressed: boolean
  query: Query
}

export function readAnomaliesQuery(): AnomaliesQuery {
  const period = periodUntilToday()
  const page = Math.max(1, Number(param('page')) || 1)
  const set = filters
    .map((name) => ({ name, values: params(name).filter((value) => value !== '') }))
    .filter(({ values }) => values.length > 0)
  const withSuppressed = param('include_suppressed') === 'true'
  const isFolded = param('fold') !== 'none'
  const query = {
    ...period,
    ...Object.fromEntries(set.map(({ name, values }) => [name, values])),
    include_suppressed: withSuppressed,
    sort_by: param('sort_by') ?? 'excess',
    ...(isFolded && { fold: 'story' }),
    page,
    limit: pageSize,
  }
  return { period, page, isFolded, set, withSuppressed, query }
}
