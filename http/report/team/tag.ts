/** What tags cost (decision G-43): by key, by pair, by value, and the resources behind them. */
import { addDays, daysBetween } from '#engine/value/day.ts'
import { costByPeriod, costTotal, granularities } from '#analytics/cost/questions.ts'
import { tagKeys, tagPairs, tagSources, tagTotals, tagValues } from '#analytics/tagging/questions.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { ProviderParameter } from '#http/edge/parameter/field.ts'
import { askPage, list, toPage, pageOf, paging, slice } from '#http/edge/parameter/paging.ts'
import { badInput } from '#http/edge/problem.ts'
import { periodOf, range, type Range } from '#http/edge/parameter/range.ts'
import { comparedFields, whichComparison } from '#http/report/comparison/compare.ts'
import { besideOf, earlierPeriods, withGone, type Question } from '#http/report/comparison/earlier-costs.ts'
import { carrying, narrowing, whichCost, whichSavings } from '#http/report/filter/filter.ts'
import { steady } from '#http/report/filter/consistent-read.ts'
import { resourceCostPage, resourceCosts } from './team.ts'
import type { Route } from '#http/edge/route.ts'
import { costsAsked, report } from '#http/report/report.ts'
import type { Services } from '#http/edge/services.ts'
import { cents, percentOf, units, usd } from '#streams/figure.ts'

const common = { ...range, ...narrowing, ...whichCost }
const Key = t.String({ examples: ['env'] })

const KeyItem = t.Object({
  tagKey: t.String(),
  coverage: t.Object({
    tagged: t.Integer({ description: 'number of resources with the key' }),
    untagged: t.Integer({ description: 'number of other resources with costs or in the inventory in the range' }),
  }),
  costUSD: t.Number(),
  percentOfTotal: t.Optional(
    t.Number({ description: 'share of all costs, to two decimal places; omitted if these are not above 0' }),
  ),
  ...comparedFields,
})
const Keys = t.Object({ ...pageOf(KeyItem).properties, taggedCostUsd: t.Optional(t.Number()) }, { title: 'TagKeyPage' })

const PairItem = t.Object({
  tagKey: t.String(),
  tagValue: t.String(),
  tagSource: t.Enum(tagSources),
  costUsd: t.Number(),
  savingsUsd: t.Number(),
  resourceCount: t.Integer(),
  prevCostUsd: t.Number({ description: 'in the preceding range of the same length' }),
})
const Pairs = t.Object(
  {
    items: t.Array(PairItem),
    total: t.Integer(),
    page: t.Integer(),
    limit: t.Integer(),
    totalCostUsd: t.Number(),
    totalSavingsUsd: t.Number(),
    untaggedCostUsd: t.Number({
      description: 'of all untagged costs: resources without tags, and lines without a resource whose bill has none',
    }),
    untaggedCount: t.Integer(),
    period: t.String({ description: 'YYYY-MM, or from..to' }),
    hasBilling: t.Boolean(),
    costSourceLabel: t.Enum(['billing', 'estimated', 'mixed']),
  },
  { title: 'TagPairPage' },
)

async function keys(
  question: Question,
  before: Question | undefined,
  query: { page: number; limit: number },
  { analytics }: Services,
) {
  const [rows, totals, all, earlier] = await Promise.allSettled([
    analytics(tagKeys, question),
    analytics(tagTotals, question),
    analytics(costTotal, question),
    before ? analytics(tagKeys, before) : [],
  ])
  if (rows.status === 'rejected') throw rows.reason
  if (earlier.status === 'rejected') throw earlier.reason
  const then = besideOf(before !== undefined, earlier.value, keyOf)
  const found = withGone(rows.value, earlier.value, keyOf, keyEnded)
  const counted = totals.status === 'fulfilled' ? totals.value[0] : undefined
  const resources = counted ? counted.tagged + counted.untagged : undefined
  const total = all.status === 'fulfilled' ? all.value[0]?.cost_usd : undefined
  const { offset, limit } = slice(query)
  const items = found.slice(offset, offset + limit).map((row) => ({
    tagKey: row.tag_key,
    coverage: { tagged: row.tagged, untagged: (resources ?? row.tagged) - row.tagged },
    costUSD: usd(row.cost_usd),
    ...(total !== undefined && units(total) > 0n && { percentOfTotal: percentOf(units(row.cost_usd), units(total)) }),
    ...then?.(row),
  }))
  return {
    ...toPage({ items, total: found.length }, query),
    ...(counted && total !== undefined && { taggedCostUsd: cents(counted.tagged_usd) }),
  }
}

async function pairs(
  question: Question,
  asked: Range,
  query: { page: number; limit: number },
  { analytics }: Services,
): Promise<Static<typeof Pairs>> {
  const previous = daysBefore(asked)
  const [{ rows, total }, resources, costs] = await Promise.all([
    askPage(query, (cut) => analytics(tagPairs, { ...question, ...previous, ...cut })),
    analytics(tagTotals, question),
    analytics(costTotal, question),
  ])
  // Sums without groups are one row, of nothing too.
  const [totals, all] = [resources[0]!, costs[0]!]
  return {
    items: rows.map((row) => ({
      tagKey: row.tag_key,
      tagValue: row.tag_value,
      tagSource: row.tag_source,
      costUsd: usd(row.cost_usd),
      savingsUsd: usd(row.savings_usd),
      resourceCount: row.resources,
      prevCostUsd: usd(row.prev_usd),
    })),
    total,
    page: query.page,
    limit: query.limit,
    totalCostUsd: cents(all.cost_usd),
    totalSavingsUsd: cents(all.savings_usd),
    untaggedCostUsd: cents(units(all.cost_usd) - units(totals.tagged_usd)),
    untaggedCount: totals.untagged,
    period: periodOf(asked),
    ...sourceOf(all.all_lines, all.estimates),
  }
}

/** The days of the same number directly before a range. */
export function daysBefore({ fromDay, toDay }: Range): { prev_from: string; prev_to: string } {
  return { prev_from: addDays(fromDay, -1 - daysBetween(fromDay, toDay)), prev_to: addDays(fromDay, -1) }
}

function sourceOf(lines: number, estimates: number) {
  const hasBilling = lines > estimates
  const label = estimates === 0 ? 'billing' : hasBilling ? 'mixed' : 'estimated'
  return { hasBilling, costSourceLabel: label } as const
}

type KeyRow = Static<(typeof tagKeys)['row']>
const keyOf = ({ tag_key: key }: KeyRow): string => key
const keyEnded = ({ tag_key }: KeyRow): KeyRow => ({ tag_key, tagged: 0, cost_usd: '0' })

type Value = Static<(typeof tagValues)['row']>
const valueOf = ({ tag_value: value }: Value): string => value
const toZeroRow = ({ tag_value }: Value): Value => ({ tag_value, cost_usd: '0', resources: 0 })

export const tagReports: readonly Route[] = [
  report({
    path: '/reports/tags',
    summary: 'List tag keys with coverage and costs, or, with unit=pairs, keys with values',
    description:
      'Costs in US dollars between from and to, highest first. A resource with several keys counts in each, so the items add up to more than the total; taggedCostUsd counts each resource once.',
    query: t.Object({
      ...common,
      ...whichSavings,
      ...whichComparison,
      unit: t.Optional(
        t.Enum(['keys', 'pairs'], { description: 'pairs include prevCostUsd and cannot be combined with compare' }),
      ),
      ...paging(20, 100),
    }),
    reply: t.Union([Pairs, Keys]),
    example: {
      items: [{ tagKey: 'env', coverage: { tagged: 380, untagged: 41 }, costUSD: 11920.4, percentOfTotal: 95.51 }],
      total: 1,
      page: 1,
      limit: 20,
      hasMore: false,
      taggedCostUsd: 11920.4,
    },
    handle: async ({ caller, query }, services) => {
      const { days: asked, question, before } = costsAsked(caller, query, services)
      if (query.unit !== 'pairs') return steady(question, services, (q) => keys(q, before, query, services))
      if (before)
        throw badInput({ in: 'query', name: 'compare', code: 'unit', message: 'cannot be combined with unit=pairs' })
      return steady(question, services, (q) => pairs(q, asked, query, services), daysBefore(asked).prev_from)
    },
  }),

  report({
    path: '/reports/tags/trends',
    summary: 'Get daily costs of tagged resources',
    description:
      'In US dollars. Without tag_key, the costs of all resources; with only tag_key, of all resources with the key, with any value. Weeks are ISO 8601 weeks.',
    query: t.Object({
      ...common,
      ...whichComparison,
      tag_key: t.Optional(t.String({ minLength: 1, description: 'resources with this key' })),
      tag_value: t.Optional(t.String({ description: 'value of tag_key' })),
      type: t.Optional(list(t.String({ alias: true }), { description: 'alias of resource_type' })),
      provider: t.Optional(list(ProviderParameter)),
      granularity: t.Enum(granularities, { default: 'daily' }),
    }),
    reply: t.Object({ items: t.Array(t.Object({ date: t.String(), costUSD: t.Number(), ...comparedFields })) }),
    example: { items: [{ date: '2026-01-15', costUSD: 384.5 }] },
    handle: async ({ caller, query }, services) => {
      const { type, tag_key: key, tag_value: value } = query
      const resource_type = [...(query.resource_type ?? []), ...(type ?? [])]
      const narrowed = { ...query, ...(resource_type.length > 0 && { resource_type }) }
      const meant = (question: Question) => (key === undefined ? question : carrying(question, key, value ?? ''))
      const { question, before } = costsAsked(caller, narrowed, services)
      const [rows, then] = await Promise.all([
        services.analytics(costByPeriod, { ...meant(question), granularity: query.granularity }),
        earlierPeriods(before && meant(before), query.granularity, services),
      ])
      return { items: rows.map((row, at) => ({ date: row.period, costUSD: usd(row.cost_usd), ...then?.(row, at) })) }
    },
  }),

  report({
    path: '/reports/tags/:tagKey',
    summary: 'List the values of a tag key with their costs, highest first',
    description: 'For a key named trends, use /reports/tags/%74rends.',
    params: t.Object({ tagKey: Key }),
    query: t.Object({ ...common, ...whichComparison }),
    reply: t.Array(
      t.Object({ tagValue: t.String(), costUSD: t.Number(), ...comparedFields, resourceCount: t.Integer() }),
    ),
    example: [{ tagValue: 'prod', costUSD: 9800.2, resourceCount: 260 }],
    handle: async ({ caller, params, query }, services) => {
      const { question, before } = costsAsked(caller, query, services)
      const [rows, earlier] = await Promise.all([
        services.analytics(tagValues, { ...question, key: params.tagKey }),
        before ? services.analytics(tagValues, { ...before, key: params.tagKey }) : [],
      ])
      const then = besideOf(before !== undefined, earlier, valueOf)
      return withGone(rows, earlier, valueOf, toZeroRow).map((row) => ({
        tagValue: row.tag_value,
        costUSD: usd(row.cost_usd),
        ...then?.(row),
        resourceCount: row.resources,
      }))
    },
  }),

  report({
    path: '/reports/tags/:tagKey/values/:tagValue/resources',
    summary: 'List the resources with a tag and their costs, highest first',
    description: 'In US dollars between from and to. Includes deleted resources. Key and value are percent-encoded.',
    params: t.Object({ tagKey: Key, tagValue: t.String({ examples: ['prod'] }) }),
    query: t.Object({ ...common, ...whichComparison, ...paging(20, 100) }),
    ...resourceCostPage,
    handle: async ({ caller, params, query }, services) => {
      const meant = (question: Question) => carrying(question, params.tagKey, params.tagValue)
      const { question, before } = costsAsked(caller, query, services)
      return resourceCosts(meant(question), before && meant(before), query, services)
    },
  }),
]
