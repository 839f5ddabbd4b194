/** Reports of one figure or a few: month to date, providers, potential savings, the inventory. */
import type { ResourceFilter } from '#actors/resource/queries.ts'
import { resourceSummary } from '#actors/resource/summary.ts'
import { costByProvider, costTotal } from '#analytics/cost/questions.ts'
import { periodResources } from '#analytics/resource/questions.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { CostProviderName, ProviderName } from '#http/edge/parameter/field.ts'
import { monthOrDays, periodOf, range } from '#http/edge/parameter/range.ts'
import { resourcesOfProviders } from '#actors/resource/row.ts'
import type { Route } from '#http/edge/route.ts'
import { costsAsked, report } from '#http/report/report.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import { against, comparedFields, earlierQuestion, whichComparison } from '#http/report/comparison/compare.ts'
import {
  costQuestion,
  narrowing,
  resourceCountMeaning,
  scopeOf,
  valuesAsked,
  whichCost,
  whichSavings,
  type Narrowing,
} from '#http/report/filter/filter.ts'
import { cents, units, usd } from '#streams/figure.ts'
import { costProviders, isProvider, type CostProvider } from '#streams/names.ts'
import { everyFilter, isFiltered, narrowedBy } from '#http/report/filter/dimension.ts'

const AccountCount = t.Object({
  id: t.String(),
  name: t.String(),
  total: t.Integer(),
  byType: t.Record(t.String(), t.Integer()),
})

type ProviderCost = Static<(typeof costByProvider)['row']>
const ProviderSums = t.Object({ count: t.Integer(), costUSD: t.Number(), ...comparedFields })
type ProviderSums = Static<typeof ProviderSums>

export const summaries: readonly Route[] = [
  report({
    path: '/reports/summary',
    summary: 'Get cost, savings and number of resources of a month',
    description: 'With from or to instead of period, covers other days.',
    query: t.Object({
      period: t.Optional(t.String({ description: 'YYYY-MM; default: the current month', examples: ['2026-01'] })),
      ...range,
      ...narrowing,
      ...whichCost,
      ...whichSavings,
      ...whichComparison,
      ...everyFilter,
    }),
    reply: t.Object({
      totalCostUSD: t.Number(),
      ...comparedFields,
      totalSavingsUSD: t.Number({
        description:
          'with the basis in savings; default: for each day observed savings, otherwise estimated ones. For savings verified by bills, see /reports/savings',
      }),
      resourceCount: t.Integer({
        description: `${resourceCountMeaning}; with filter[...], only resources in the matching bills`,
      }),
      period: t.String({ description: 'YYYY-MM, or from..to for other days' }),
    }),
    example: { totalCostUSD: 12480.55, totalSavingsUSD: 930.12, resourceCount: 421, period: '2026-01' },
    handle: async ({ caller, query }, services) => {
      const days = monthOrDays(query, services.now())
      const { cost, ...of } = narrowedBy(costQuestion(caller, query, days, services), query)
      const { compare } = query
      const before = earlierQuestion(caller, query, days, services)
      const billed_only = Number(isFiltered(query))
      const [[total], [counted], [then]] = await Promise.all([
        services.analytics(costTotal, { cost, ...of }),
        services.analytics(periodResources, { ...of, billed_only }),
        before ? services.analytics(costTotal, narrowedBy(before, query)) : [],
      ])
      const totalCostUSD = cents(total?.cost_usd ?? '0')
      return {
        totalCostUSD,
        ...(compare && against(units(totalCostUSD), units(cents(then?.cost_usd ?? '0')))),
        totalSavingsUSD: cents(total?.savings_usd ?? '0'),
        resourceCount: counted?.resources ?? 0,
        period: periodOf(days),
      }
    },
  }),

  report({
    path: '/reports/providers/summary',
    summary: 'Get resources and costs by provider',
    description:
      'An object with a member for each of aws, gcp, azure and other that has resources or costs; other only has costs. Costs in US dollars between from and to; resources as of now.',
    query: t.Object({ ...range, ...narrowing, ...whichCost, ...whichComparison }),
    reply: t.Record(CostProviderName, ProviderSums),
    example: { aws: { count: 421, costUSD: 12480.55 } },
    handle: async ({ caller, query }, services) => {
      const { question, before } = costsAsked(caller, query, services)
      const wanted = costProviders.filter((provider) => !query.provider?.length || query.provider.includes(provider))
      const [costs, then, counts] = await Promise.all([
        services.analytics(costByProvider, question),
        before && services.analytics(costByProvider, before),
        resourcesOfProviders(services, caller.orgId, inventoryOf(caller, query)),
      ])
      const found: [CostProvider, ProviderSums][] = []
      for (const provider of wanted) {
        const of = sumsOf(provider, isProvider(provider) ? (counts.get(provider) ?? 0) : 0, costs, then)
        if (of) found.push([provider, of])
      }
      return Object.fromEntries(found)
    },
  }),

  report({
    path: '/reports/resources/summary',
    summary: 'Count current resources by provider, account and type',
    description: 'Counts the current inventory, regardless of dates. Accounts without resources are omitted.',
    query: t.Object(narrowing),
    reply: t.Object({
      providers: t.Array(t.Object({ name: ProviderName, total: t.Integer(), accounts: t.Array(AccountCount) })),
      total: t.Integer(),
    }),
    example: {
      providers: [
        {
          name: 'aws',
          total: 421,
          accounts: [{ id: 'acct-1', name: 'Production', total: 421, byType: { 'aws-ec2': 96, 'aws-ebs': 325 } }],
        },
      ],
      total: 421,
    },
    handle: async ({ caller, query }, { em }) => {
      const counted = await resourceSummary(em, caller.orgId, inventoryOf(caller, query))
      return { providers: counted, total: counted.reduce((sum, provider) => sum + provider.total, 0) }
    },
  }),
]

/** Undefined for a provider that has nothing, and had nothing. */
function sumsOf(
  provider: CostProvider,
  count: number,
  costs: readonly ProviderCost[],
  then: readonly ProviderCost[] | undefined,
): ProviderSums | undefined {
  const [cost, earlier] = [costs, then].map((rows) => rows?.find((row) => row.provider === provider)?.cost_usd)
  if (cost === undefined && earlier === undefined && count === 0) return undefined
  const costUSD = usd(cost ?? '0')
  return { count, costUSD, ...(then && against(units(cost ?? '0'), units(earlier ?? '0'))) }
}

/** What is asked for of the inventory, within what the caller's role may see. */
const inventoryOf = (caller: Caller, query: Narrowing): ResourceFilter => ({
  ...scopeOf(caller),
  ...(query.team_id && { teams: query.team_id }),
  ...(query.provider && { providers: query.provider }),
  ...(query.cloud_account_id && { cloudAccountIds: valuesAsked(query.cloud_account_id) }),
  ...(query.region && { regions: valuesAsked(query.region) }),
  ...(query.resource_type && { types: valuesAsked(query.resource_type) }),
})
