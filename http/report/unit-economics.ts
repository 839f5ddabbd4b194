import type { EntityManager } from '@mikro-orm/postgresql'
import { UnitMetric, type CostScope } from '#actors/unit-metric/entity.ts'
import { costByPeriod, costTotal, granularities } from '#analytics/cost/questions.ts'
import { unitMetricByPeriod } from '#analytics/unit-metric/questions.ts'
import { Fault } from '#engine/value/fault.ts'
import { isUuid } from '#engine/value/id.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { orNull } from '#http/edge/parameter/field.ts'
import { list } from '#http/edge/parameter/paging.ts'
import { range, rangeOf, type Range } from '#http/edge/parameter/range.ts'
import { allowedByBoth, costQuestion, narrowing, whichCost } from '#http/report/filter/filter.ts'
import type { Route } from '#http/edge/route.ts'
import { report } from '#http/report/report.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import type { Services } from '#http/edge/services.ts'
import { cents, usd } from '#streams/figure.ts'

export const UnitEconomicsQuery = t.Object({
  metric: t.String({ minLength: 1, maxLength: 64, description: 'ID or key of a unit metric', examples: ['orders'] }),
  ...range,
  granularity: t.Enum(granularities, { default: 'daily' }),
  ...narrowing,
  team: t.Optional(list(t.String({ maxLength: 1024 }), { maxItems: 5000, description: 'alias of team_id' })),
  ...whichCost,
})
export type UnitEconomicsQuery = Static<typeof UnitEconomicsQuery>

const perUnit = orNull(t.Number({ description: 'US dollars; null without units' }))

export const unitEconomics: readonly Route[] = [
  report({
    path: '/reports/unit-economics',
    summary: 'Get cost, units and cost per unit by day, ISO week or month, oldest first',
    description: "Covers the costs in the metric's scope (its costScope), narrowed further by the filters.",
    query: UnitEconomicsQuery,
    reply: t.Object({
      metric: t.String({ description: 'key of the unit metric' }),
      unit: t.String(),
      items: t.Array(t.Object({ date: t.String(), costUSD: t.Number(), units: t.Number(), costPerUnitUSD: perUnit })),
      totalCostUSD: t.Number(),
      totalUnits: t.Number(),
      costPerUnitUSD: perUnit,
    }),
    example: {
      metric: 'orders',
      unit: 'order',
      items: [{ date: '2026-01-15', costUSD: 402.6, units: 2013, costPerUnitUSD: 0.2 }],
      totalCostUSD: 402.6,
      totalUnits: 2013,
      costPerUnitUSD: 0.2,
    },
    refuses: { 404: ['not_found'], 422: ['report_too_large'] },
    handle: async ({ caller, query }, services) => {
      const { metric, costs, totalCost, units } = await costsAndUnits(caller, query, services)
      return {
        metric: metric.key,
        unit: metric.unit,
        items: costs.map(({ period, cost_usd }) => ({
          date: period,
          ...costPerUnit(usd(cost_usd), units.get(period)),
        })),
        totalCostUSD: cents(totalCost),
        totalUnits: units.get('') ?? 0,
        costPerUnitUSD: costPerUnit(Number(totalCost), units.get('')).costPerUnitUSD,
      }
    },
  }),
]

/** What a unit metric accounts for and counts, by period. @throws Fault `missing` */
export async function costsAndUnits(caller: Caller, query: UnitEconomicsQuery, services: Services) {
  const metric = await metricOf(services.em, caller.orgId, query.metric)
  const days = rangeOf(query, services.now())
  const { granularity } = query
  const question = toCostQuestion(caller, query, metric.costScope ?? null, days, services)
  const [costs, [total], units] = await Promise.all([
    services.analytics(costByPeriod, { ...question, granularity }),
    services.analytics(costTotal, question),
    unitsOf(metric, days, granularity, services),
  ])
  return { metric, costs, totalCost: total?.cost_usd ?? '0', units }
}

/** @throws Fault `missing` */
async function metricOf(em: EntityManager, orgId: string, name: string): Promise<UnitMetric> {
  const byId = isUuid(name) ? await em.findOne(UnitMetric, { orgId, id: name }) : null
  const metric = byId ?? (await em.findOne(UnitMetric, { orgId, key: name }))
  if (!metric) throw Fault.missing('unit metric', name)
  return metric
}

/** What the costs are asked with: what was asked for, within what the metric accounts for. */
function toCostQuestion(
  caller: Caller,
  query: UnitEconomicsQuery,
  scope: CostScope | null,
  days: Range,
  services: Services,
) {
  const team_id = [...(query.team_id ?? []), ...(query.team ?? [])]
  const question = costQuestion(caller, { ...query, ...(team_id.length > 0 && { team_id }) }, days, services)
  if (!scope) return question
  const tags = Object.entries(scope.tags)
  return {
    ...question,
    providers: allowedByBoth(question.providers, scope.providers),
    teams: allowedByBoth(question.teams, scope.teamIDs),
    tag_keys: [...question.tag_keys, ...tags.map(([key]) => key)],
    tag_values: [...question.tag_values, ...tags.map(([, value]) => value)],
  }
}

/** Units by period; those of the whole range under ''. */
async function unitsOf(
  metric: UnitMetric,
  { fromDay, toDay }: Range,
  granularity: UnitEconomicsQuery['granularity'],
  { analytics }: Services,
) {
  const { seriesId: series, aggregation } = metric
  const rows = await analytics(unitMetricByPeriod, { series, from: fromDay, to: toDay, granularity, aggregation })
  return new Map(rows.map(({ period, units }) => [period, units]))
}

export const costPerUnit = (costUSD: number, units = 0) => ({
  costUSD,
  units,
  costPerUnitUSD: units === 0 ? null : costUSD / units,
})
