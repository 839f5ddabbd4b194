import {
  costByColumn,
  costByPeriod,
  costByResource,
  costResourceDayDetails,
  costResourceDays,
  daySorts,
  granularities,
  resourceSorts,
} from '#analytics/cost/questions.ts'
import { portions } from '#analytics/store/query.ts'
import { resourceNames } from '#analytics/resource/questions.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { didYouMean } from '#http/edge/request/nearest.ts'
import { askPage, toPage, pageOf, paging, slice } from '#http/edge/parameter/paging.ts'
import { badInput } from '#http/edge/problem.ts'
import { range } from '#http/edge/parameter/range.ts'
import { anomaliesByDay, TrendAnomaly } from '#http/report/trend/anomaly.ts'
import { everyFilter, labelsOf, narrowedBy } from '#http/report/filter/dimension.ts'
import { isTag } from '#http/report/filter/tag-dimension.ts'
import { comparedFields, whichComparison } from '#http/report/comparison/compare.ts'
import {
  besideOf,
  earlierPeriods,
  earlierResources,
  withGone,
  type Question,
} from '#http/report/comparison/earlier-costs.ts'
import { filters, narrowing, orNone, whichCost, whichSavings } from '#http/report/filter/filter.ts'
import type { Route } from '#http/edge/route.ts'
import { costsAsked, report } from '#http/report/report.ts'
import type { Services } from '#http/edge/services.ts'
import { usd } from '#streams/figure.ts'
import { costProviderOf } from '#streams/names.ts'

const common = { ...range, ...narrowing, ...whichCost, ...whichSavings, ...whichComparison }

const costGrains = [
  'resource',
  'service_provider',
  'purchase_type',
  'resource_type',
  'charge_category',
  'invoice_id',
  'billing_account',
  'sub_account',
  'cluster',
  'namespace',
] as const

const Costs = t.Object({
  ...common,
  group_by: t.Optional(
    t.String({
      maxLength: 516,
      description: `${costGrains.join(', ')}, or tag:KEY for the values of a tag; default: one row per resource and day; requires from and to`,
    }),
  ),
  ...everyFilter,
  sort_by: t.Enum(daySorts, { default: 'cost_usd', description: 'date only without group_by' }),
  sort_order: t.Enum(['asc', 'desc'], { default: 'desc' }),
  ...paging(20, 100),
})
type Costs = Static<typeof Costs>

const ResourceDay = t.Object(
  {
    date: t.String(),
    resourceUid: t.String(),
    resourceName: t.String(),
    resourceType: t.String(),
    provider: t.String(),
    cloudAccountId: t.String(),
    region: t.String(),
    purchaseType: t.String(),
    costUSD: t.Number(),
    savingsUSD: t.Number(),
  },
  { description: 'if the charges of a resource and day differ, the value of the most expensive one' },
)
const GroupCost = t.Object({
  key: t.String(),
  label: t.String(),
  costUSD: t.Number(),
  ...comparedFields,
  savingsUSD: t.Number(),
  resourceCount: t.Integer(),
})
type FoundPage<T> = Promise<{ items: T[]; total: number }>

export const costReports: readonly Route[] = [
  report({
    path: '/reports/trends',
    summary: 'Get cost and savings by day, oldest first',
    query: t.Object({ ...common, ...everyFilter, granularity: t.Enum(granularities, { default: 'daily' }) }),
    description:
      'A day includes the anomaly for exactly the requested costs: all costs, one account or one team. Weeks and months include none.',
    reply: t.Object({
      items: t.Array(
        t.Object({
          date: t.String(),
          costUSD: t.Number(),
          ...comparedFields,
          savingsUSD: t.Number(),
          anomaly: t.Optional(TrendAnomaly),
        }),
      ),
    }),
    example: { items: [{ date: '2026-01-15', costUSD: 402.6, savingsUSD: 30 }] },
    handle: async ({ caller, query }, services) => {
      const { days, question, before } = costsAsked(caller, query, services)
      const [rows, then, anomalies] = await Promise.all([
        services.analytics(costByPeriod, { ...narrowedBy(question, query), granularity: query.granularity }),
        earlierPeriods(before && narrowedBy(before, query), query.granularity, services),
        anomaliesByDay(caller, query, days, services),
      ])
      return {
        items: rows.map((row, at) => ({
          date: row.period,
          costUSD: usd(row.cost_usd),
          ...then?.(row, at),
          savingsUSD: usd(row.savings_usd),
          ...(anomalies.has(row.period) && { anomaly: anomalies.get(row.period)! }),
        })),
      }
    },
  }),

  report({
    path: '/reports/cost-history',
    summary: 'Get cost and savings by day, ISO week or month, oldest first',
    description:
      'Weeks start on Monday and are named like 2026-W05. The first and last periods only cover the days within the range.',
    query: t.Object({ ...common, ...everyFilter, granularity: t.Enum(granularities, { default: 'daily' }) }),
    reply: t.Object({
      granularity: t.Enum(granularities),
      items: t.Array(t.Object({ period: t.String(), costUSD: t.Number(), ...comparedFields, savingsUSD: t.Number() })),
    }),
    example: { granularity: 'monthly', items: [{ period: '2026-01', costUSD: 12480.55, savingsUSD: 930.12 }] },
    handle: async ({ caller, query }, services) => {
      const { granularity } = query
      const { question, before } = costsAsked(caller, query, services)
      const [rows, then] = await Promise.all([
        services.analytics(costByPeriod, { ...narrowedBy(question, query), granularity }),
        earlierPeriods(before && narrowedBy(before, query), granularity, services),
      ])
      return {
        granularity,
        items: rows.map((row, at) => ({
          period: row.period,
          costUSD: usd(row.cost_usd),
          ...then?.(row, at),
          savingsUSD: usd(row.savings_usd),
        })),
      }
    },
  }),

  report({
    path: '/reports/costs/resources',
    summary: 'Get cost by resource and day, or by resource, type, charge category, invoice or tag value',
    description: 'filter[...] and where narrow the costs of each resource and are only allowed with group_by=resource.',
    query: Costs,
    reply: t.Union([
      t.Object(pageOf(ResourceDay).properties, { title: 'ResourceDayPage' }),
      t.Object(pageOf(GroupCost).properties, { title: 'GroupCostPage' }),
    ]),
    example: {
      items: [
        {
          key: 'Amazon Elastic Compute Cloud',
          label: 'Amazon Elastic Compute Cloud',
          costUSD: 12480.55,
          savingsUSD: 930.12,
          resourceCount: 421,
        },
      ],
      total: 1,
      page: 1,
      limit: 20,
      hasMore: false,
    },
    handle: async ({ caller, query }, services) => {
      if (query.group_by !== undefined) checkGrouping(query, query.group_by)
      else if (query.compare !== undefined)
        throw badInput({ in: 'query', name: 'compare', code: 'required', message: 'requires group_by' })
      checkFilters(query)
      const { question, before } = costsAsked(caller, query, services)
      if (query.group_by === undefined) return toPage(await resourceDays(question, query, services), query)
      if (query.group_by === 'resource')
        return toPage(
          await resources(narrowedBy(question, query), before && narrowedBy(before, query), query, services),
          query,
        )
      return toPage(await columns(question, before, query.group_by, query, services), query)
    },
  }),
]

/** @throws Fault `invalid` for what is no group, each end of the range that is missing, and an order that groups do not have */
function checkGrouping(query: Costs, group: string): void {
  if (!isTag(group) && !costGrains.some((grain) => grain === group)) {
    const known = [...costGrains, 'tag:KEY']
    const message = `must be one of ${known.join(', ')}${didYouMean(group, known)}`
    throw badInput({ in: 'query', name: 'group_by', code: 'enum', message })
  }
  const missing = (['from', 'to'] as const).filter((name) => query[name] === undefined)
  const errors = missing.map((name) => ({
    in: 'query' as const,
    name,
    code: 'required',
    message: 'is required with group_by',
  }))
  if (errors.length > 0) throw badInput(...errors)
  if (query.sort_by === 'date') {
    throw badInput({ in: 'query', name: 'sort_by', code: 'enum', message: 'date is not a sort key for groups' })
  }
}

/** @throws Fault `invalid` naming each filter that the rows asked for do not take */
function checkFilters(query: Costs): void {
  if (query.group_by === 'resource') return
  const tags = Object.keys(query.filter ?? {}).map((name) => `filter[${name}]`)
  const plain = (Object.keys(filters) as (keyof typeof filters)[]).filter((name) => query[name]?.length)
  const given = [...plain, ...tags, ...(query.where === undefined ? [] : ['where'])]
  const message = 'requires group_by=resource; /reports/costs/breakdown supports it with any dimension'
  const errors = given.map((name) => ({ in: 'query' as const, name, code: 'group_by', message }))
  if (errors.length > 0) throw badInput(...errors)
}

type Narrow = ReturnType<typeof narrowedBy<Question>>

/** The page first, then what is shown beside its costs: only the rows of a page are worth looking up. */
async function resourceDays(
  question: Question,
  query: Costs,
  { analytics }: Services,
): FoundPage<Static<typeof ResourceDay>> {
  const order = { sort: query.sort_by, asc: isAscending(query) }
  const { rows, total } = await askPage(query, (cut) => analytics(costResourceDays, { ...question, ...order, ...cut }))
  const known = new Map<string, Static<(typeof costResourceDayDetails)['row']>>()
  for (const some of portions(rows, toRowKey)) {
    const details = await analytics(costResourceDayDetails, {
      days: distinct(some.map((row) => row.day)),
      accounts: distinct(some.map((row) => row.cloud_account_id)),
      uids: distinct(some.map((row) => row.resource_uid)),
    })
    for (const row of details) known.set(toRowKey(row), row)
  }
  const items = rows.map((row) => {
    const detail = known.get(toRowKey(row))
    return {
      date: row.day,
      resourceUid: orNone(row.resource_uid),
      resourceName: detail?.name || orNone(row.resource_uid),
      resourceType: orNone(detail?.resource_type ?? ''),
      provider: costProviderOf(detail?.provider ?? ''),
      cloudAccountId: row.cloud_account_id,
      region: orNone(detail?.region ?? ''),
      purchaseType: orNone(detail?.purchase_type ?? ''),
      costUSD: usd(row.cost_usd),
      savingsUSD: usd(row.savings_usd),
    }
  })
  return { items, total }
}

async function resources(
  question: Narrow,
  before: Narrow | undefined,
  query: Costs,
  { analytics }: Services,
): FoundPage<Static<typeof GroupCost>> {
  const sort = resourceSorts.find((name) => name === query.sort_by) ?? 'cost_usd'
  const order = { sort, asc: isAscending(query) }
  const { rows, total } = await askPage(query, (cut) => analytics(costByResource, { ...question, ...order, ...cut }))
  const names = new Map<string, string>()
  for (const some of portions(rows, (row) => row.resource_uid)) {
    const named = await analytics(resourceNames, { uids: some.map((row) => row.resource_uid) })
    for (const row of named) names.set(row.resource_uid, row.name)
  }
  const then = await earlierResources(before, rows, { analytics })
  const items = rows.map((row) => ({
    key: orNone(row.resource_uid),
    label: names.get(row.resource_uid) || orNone(row.resource_uid),
    costUSD: usd(row.cost_usd),
    ...then?.({ resource_uid: row.resource_uid, cost_usd: row.cost_usd }),
    savingsUSD: usd(row.savings_usd),
    resourceCount: row.resource_uid === '' ? 0 : 1,
  }))
  return { items, total }
}

/** Groups that are no resources are few: they are ordered and cut here. */
async function columns(
  question: Question,
  before: Question | undefined,
  group: string,
  query: Costs,
  { analytics }: Services,
): FoundPage<Static<typeof GroupCost>> {
  const labels = labelsOf([group], query, { in: 'query', name: 'group_by' })
  const [column] = labels.columns as [Column]
  const [now, earlier] = await Promise.all([
    analytics(costByColumn, { ...question, ...labels.question, column }),
    before ? analytics(costByColumn, { ...before, ...labels.question, column }) : [],
  ])
  const then = besideOf(before !== undefined, earlier, valueOf)
  const rows = withGone(now, earlier, valueOf, toZeroRow)
  const sign = query.sort_order === 'asc' ? 1 : -1
  const items = rows
    .map((row) => {
      const key = orNone(row.value)
      const [costUSD, savingsUSD] = [usd(row.cost_usd), usd(row.savings_usd)]
      return { key, label: key, costUSD, ...then?.(row), savingsUSD, resourceCount: row.resources }
    })
    .toSorted((a, b) => {
      const byName = a.key < b.key ? -1 : Number(a.key > b.key)
      if (query.sort_by === 'name') return sign * byName
      const figure = query.sort_by === 'cost_usd' ? 'costUSD' : 'savingsUSD'
      return sign * (a[figure] - b[figure]) || byName
    })
  const { offset, limit } = slice(query)
  return { items: items.slice(offset, offset + limit), total: items.length }
}

type Grain = Static<(typeof costByColumn)['row']>

const valueOf = ({ value }: Grain): string => value
const toZeroRow = ({ value }: Grain): Grain => ({ value, cost_usd: '0', savings_usd: '0', resources: 0 })

type Column = Exclude<(typeof costGrains)[number], 'resource'> | 'tag1'

const isAscending = (query: Costs): number => Number(query.sort_order === 'asc')
const distinct = (values: readonly string[]): string[] => [...new Set(values)]
const toRowKey = (row: { day: string; cloud_account_id: string; resource_uid: string }): string =>
  JSON.stringify([row.day, row.cloud_account_id, row.resource_uid])
