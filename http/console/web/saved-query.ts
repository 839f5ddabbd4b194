/** What a saved view asks of the reports: for its mail, and for its tile on a dashboard. */
import { titleOf } from './filter-dimension.ts'
import { anomalyQuery, chipsOf, dimsMax, nextDim, queryOf } from './filter.ts'
import { periodOf } from './range.ts'

/** Views that can be mailed. */
export const mailable = ['costs', 'overview', 'teams', 'anomalies'] as const
export type Mailable = (typeof mailable)[number]
export const isMailable = (view: string): view is Mailable => mailable.some((one) => one === view)

export type Texts = Record<string, string | readonly string[]>

export interface ReportQueries {
  /** Parameters of /reports/costs/series. */
  costs: Texts
  /** Parameters of /reports/anomalies; undefined if there can be none for these costs. */
  anomalies: Texts | undefined
  /** What the groups are by, as text. */
  by: string
}

/** Groups requested for the file. */
const groupsMax = 50
/** Anomalies requested. */
const unusualMax = 10

/** Days are YYYY-MM-DD. Relative ranges of costs end with `settled`, the last day with complete costs. */
export function askedBy(view: Mailable, query: string, today: string, settled = today): ReportQueries {
  const search = new URLSearchParams(query)
  const end = view === 'anomalies' ? today : settled
  const period = periodOf(view === 'overview' ? new URLSearchParams({ range: 'month' }) : search, today, end)
  const chips = view === 'costs' ? chipsOf(search) : []
  const dims = dimsOf[view](search)
  const compare = search.get('compare') === 'year' ? 'year' : 'previous'
  const whichOf = view === 'costs' ? ['cost', 'asOf'] : view === 'teams' ? ['cost'] : []
  const which = Object.fromEntries(
    whichOf.flatMap((name) => (search.get(name) ? [[name, search.get(name)!] as const] : [])),
  )
  const narrowed = view === 'costs' ? queryOf(chips) : view === 'anomalies' ? narrowingOf(search) : {}
  const costs = {
    ...period,
    ...which,
    ...narrowed,
    compare,
    group_by: dims,
    granularity: 'monthly',
    top: String(groupsMax),
  }
  const ofAnomalies = view === 'anomalies' ? judgedBy(search) : anomalyQuery(chips)
  const anomalies = ofAnomalies && { ...period, ...worstFirst, ...ofAnomalies }
  return { costs, anomalies, by: dims.map(titleOf).join(', ') }
}

const dimsOf: Readonly<Record<Mailable, (search: URLSearchParams) => string[]>> = {
  costs: (search) => {
    const named = search
      .getAll('dims')
      .flatMap((text) => text.split(','))
      .filter((dim) => dim !== '')
    const dims = [...new Set(named)].slice(0, dimsMax)
    return dims.length > 0 ? dims : [nextDim(chipsOf(search))]
  },
  overview: () => ['service_name'],
  teams: () => ['team_id'],
  anomalies: () => ['service_name'],
}

const worstFirst: Texts = {
  fold: 'story',
  sort_by: 'excess',
  include_suppressed: 'false',
  include_recurring: 'false',
  limit: String(unusualMax),
}

const pickParams = (search: URLSearchParams, names: readonly string[]): Texts =>
  Object.fromEntries(
    names.flatMap((name) => {
      const values = search.getAll(name).filter((value) => value !== '')
      return values.length > 0 ? [[name, values] as const] : []
    }),
  )

const narrowingOf = (search: URLSearchParams): Texts => pickParams(search, ['cloud_account_id', 'team_id'])
const judgedBy = (search: URLSearchParams): Texts =>
  pickParams(search, [
    'severity',
    'review',
    'type',
    'cloud_account_id',
    'team_id',
    'min_usd',
    'include_suppressed',
    'include_recurring',
    'sort_by',
  ])
