/** Costs over time, by up to three dimensions at once: the dearest values, all others together, and the total, which they add up to. */
import { costSeries, granularities, type FlowDim } from '#analytics/cost/questions.ts'
import type { tagColumns } from '#analytics/store/slice.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { orNull } from '#http/edge/parameter/field.ts'
import { range } from '#http/edge/parameter/range.ts'
import type { Route } from '#http/edge/route.ts'
import { costsAsked, report } from '#http/report/report.ts'
import type { Services } from '#http/edge/services.ts'
import { comparedFields, whichComparison } from '#http/report/comparison/compare.ts'
import { checkDimension, Dimension, everyFilter, labelsOf } from '#http/report/filter/dimension.ts'
import type { Question } from '#http/report/comparison/earlier-costs.ts'
import { estimatesByPeriod } from '#http/report/estimate.ts'
import { filterQuestion, narrowing, whichCost } from '#http/report/filter/filter.ts'
import { namedDimensions, namesOf } from '#http/report/filter/name.ts'
import { periodsOf } from '#http/report/filter/period.ts'
import { chartOf, type Amounts } from './stack.ts'
import { units } from '#streams/figure.ts'

/** Series of one answer, the others apart. */
export const topMax = 50

const Query = t.Object({
  group_by: t.Optional(
    t.Array(Dimension, {
      formerly: 'dims',
      maxItems: 3,
      uniqueItems: true,
      description: 'one series per combination of their values; none: only the total. tag:KEY is the value of a tag',
      examples: [['service_name'], ['cloud_account_id', 'tag:team']],
    }),
  ),
  granularity: t.Enum(granularities, { default: 'daily' }),
  top: t.Integer({
    minimum: 1,
    maximum: topMax,
    default: 12,
    description: 'number of series: the top series by absolute total; the others are added up as one',
  }),
  ...range,
  ...narrowing,
  ...whichCost,
  ...whichComparison,
  ...everyFilter,
})
type Query = Static<typeof Query>

const figures = {
  costUSD: t.Number({ description: 'sum of its values' }),
  ...comparedFields,
  values: t.Array(t.Number({ money: true }), { description: 'its cost in each period, by index' }),
}

export const Chart = t.Object(
  {
    granularity: t.Enum(granularities),
    periods: t.Array(t.String(), {
      description: 'all periods of the range, oldest first: 2026-01-31, 2026-W05 or 2026-01',
    }),
    series: t.Array(
      t.Object({
        key: t.Record(t.String(), t.String(), {
          description: 'its value of each dimension, as in filter[...]; (none): without a value',
        }),
        label: t.String({ description: 'display name: names of accounts, teams and resources, joined by /' }),
        ...figures,
      }),
      { description: 'highest cost first' },
    ),
    other: orNull(
      t.Object(
        {
          count: t.Integer({ description: 'number of series with charges in the range that are not shown' }),
          ...figures,
        },
        { description: 'total of all other series; null: all are shown' },
      ),
    ),
    total: t.Object({
      ...figures,
      previousValues: t.Optional(
        t.Array(orNull(t.Number({ money: true })), {
          description: 'with compare: its value at the same index of the previous period; null: no such period',
        }),
      ),
      estimatedUSD: t.Optional(
        t.Array(t.Number(), {
          description: 'estimated part of its values, by index; absent if costs are filtered by invoice',
        }),
      ),
    }),
  },
  {
    title: 'CostSeries',
    examples: [
      {
        granularity: 'daily',
        periods: ['2026-01-01', '2026-01-02'],
        series: [{ key: { service_name: 'AmazonEC2' }, label: 'AmazonEC2', costUSD: 30.5, values: [20, 10.5] }],
        other: { count: 3, costUSD: 2, values: [0, 2] },
        total: { costUSD: 32.5, values: [20, 12.5], estimatedUSD: [0, 1.5] },
      },
    ],
  },
)

export const costSeriesReports: readonly Route[] = [
  report({
    path: '/reports/costs/series',
    summary: 'Get costs over time, by up to three dimensions',
    description:
      'All figures are exact: series and other add up to the total in every period, which equals the total of the cost flow ' +
      'and the trend with the same parameters. The first and last periods only cover the days within the range. With ' +
      'invoice_id, costs come from the current bill lines and asOf is not supported; tags are the current tags of the ' +
      'resources.',
    query: Query,
    reply: Chart,
    handle: async ({ caller, query }, services) => {
      const { group_by: dims = [], granularity } = query
      for (const dim of dims) checkDimension(dim, { in: 'query', name: 'group_by' })
      const { days, question, before } = costsAsked(caller, query, services)
      const [now, estimates] = await Promise.all([
        amountsOf(question, [], query, services),
        estimatesByPeriod({ caller, query, params: undefined }, days, granularity, services),
      ])
      // The series of then are those of now: what is not shown now is summed of then too.
      const earlier =
        before &&
        (await amountsOf(
          before,
          now.series.map(({ key }) => key),
          query,
          services,
        ))
      const valuesOf = (dim: FlowDim) => {
        const at = dims.indexOf(dim)
        return at === -1 ? [] : [...now.series, ...(earlier?.series ?? [])].map(({ key }) => key[at] ?? '')
      }
      const shown = Object.fromEntries(namedDimensions.map((dim) => [dim, valuesOf(dim)]))
      const names = await namesOf(shown, caller.orgId, services)
      return { granularity, ...chartOf({ dims, now, earlier, estimates, names }) }
    },
  }),
]

type Level = FlowDim | (typeof tagColumns)[number] | 'nothing'

/** The dearest series of these days, those of `keys` before all others. @throws as `labelsOf` */
async function amountsOf(question: Question, keys: string[][], query: Query, services: Services): Promise<Amounts> {
  const { group_by: dims = [], granularity, top } = query
  const labels = labelsOf(dims, query, { in: 'query', name: 'group_by' })
  const [d1, d2, d3] = [...labels.columns, 'nothing', 'nothing', 'nothing'] as [Level, Level, Level]
  const whole = keys.map((key) => [...key, '', '', ''].slice(0, 3))
  const asked = { ...filterQuestion(question, query), ...labels.question, d1, d2, d3, granularity, keys: whole, top }
  const rows = await services.analytics(costSeries, asked)
  const periods = periodsOf({ fromDay: question.from, toDay: question.to }, granularity)
  const places = new Map(periods.map(({ first }, at) => [first, at]))
  const all = rows.map((row) => {
    const amounts = periods.map(() => 0n)
    for (const [i, first] of row.at.entries()) amounts[places.get(first)!] = units(row.costs[i]!)
    return { key: [row.d1, row.d2, row.d3].slice(0, dims.length), count: row.combinations, place: row.place, amounts }
  })
  return {
    periods: periods.map(({ name }) => name),
    series: all.filter(({ place }) => place <= top),
    other: all.find(({ place }) => place > top),
  }
}
