/** What the address asks of the explorer: days, filters, groups and how they are shown. */
import { daysOfPeriod } from '../../day.ts'
import { chipsOf, dimsMax, drillDown, groupQuery, nextDim, queryOf, type Chip } from '../../filter.ts'
import type { Query } from '../../address.ts'
import type { Reply } from '../../api.ts'
import { hrefOf, param, params, currentRoute } from '../../router.ts'
import { periodAsked, shownAsked, type Period } from '../../part/period.tsx'
import { granularityOf, type Granularity } from '../../range.ts'

export type CostSeries = Reply<'GET /reports/costs/series'>

export const shapes = ['bars', 'lines', 'flow'] as const
type Shape = (typeof shapes)[number]

/** Series drawn apart; the others are one. */
export const seriesMax = 12
/** Rows of the table, where more are asked for: what the API gives of one. */
export const rowsMax = 50

export interface CostsQuery {
  period: Period
  chips: readonly Chip[]
  /** Days, cost, moment and filters: what every report of the view has in common. */
  of: Query
  compare: string | undefined
  dims: readonly string[]
  granularity: Granularity
  shape: Shape
  /** Each period shows the sum since the first one. */
  isCumulative: boolean
  /** With what is expected until the end of the month. */
  hasForecast: boolean
}

export function readCostsQuery(): CostsQuery {
  const period = periodAsked()
  const chips = chipsOf(currentRoute.value.query)
  const { compare, ...which } = shownAsked()
  const named = params('dims')
    .flatMap((text) => text.split(','))
    .filter((dim) => dim !== '')
  const dims = [...new Set(named)].slice(0, dimsMax)
  return {
    period,
    chips,
    of: { ...period, ...which, ...queryOf(chips) },
    compare,
    dims: dims.length > 0 ? dims : [nextDim(chips)],
    granularity: granularityOf(currentRoute.value.query, period),
    shape: shapes.find((one) => one === param('show')) ?? 'bars',
    isCumulative: param('sum') === 'running',
    hasForecast: param('forecast') === 'month',
  }
}

/** What belongs to what is shown now, and not to what is asked for next. */
const passing = ['page', 'top', 'receipt', 'figure', 'sort_by', 'sort_order']

type Params = Readonly<Record<string, string | readonly string[] | null>>

/** The parameters of the address with other filters, and others replaced; null removes one. */
export function queryWith(chips: readonly Chip[], others: Params = {}): URLSearchParams {
  const query = new URLSearchParams(currentRoute.value.query)
  for (const { name } of chipsOf(currentRoute.value.query)) query.delete(name)
  for (const name of [...passing, ...Object.keys(others)]) query.delete(name)
  for (const { name, value } of chips) query.append(name, value)
  for (const [name, given] of Object.entries(others))
    for (const value of given === null ? [] : [given].flat()) query.append(name, value)
  return query
}

export const hrefWith = (chips: readonly Chip[], others: Params = {}): string =>
  hrefOf(currentRoute.value.view, queryWith(chips, others))

/** Where a group is looked at alone. */
export function drillHref(chips: readonly Chip[], key: Readonly<Record<string, string>>): string {
  const { chips: narrowed, dims } = drillParams(chips, key)
  return hrefWith(narrowed, { dims })
}

/** The filters of a group alone, and the dimension that it is divided by next. */
export function drillParams(
  chips: readonly Chip[],
  key: Readonly<Record<string, string>>,
): { chips: readonly Chip[]; dims: string[] } {
  const { chips: narrowed, dim } = drillDown(chips, key)
  return { chips: narrowed, dims: [dim] }
}

/** The address of one period: its days, as far as they are shown. */
export function periodParams(one: string, shown: Period): Params & Period {
  const { from, to } = daysOfPeriod(one)
  return {
    range: null,
    granularity: null,
    from: from < shown.from ? shown.from : from,
    to: to > shown.to ? shown.to : to,
  }
}

/** What the receipt of a group is asked with: its values stand in for those its dimensions are narrowed to. */
export const receiptOf = (
  { of }: Pick<CostsQuery, 'of'>,
  key: Readonly<Record<string, string>> = {},
  days?: Period,
): Query => ({
  ...of,
  ...groupQuery(key),
  ...days,
})
