import { resourceSummary } from '#actors/resource/summary.ts'
import { costByProvider, costTotal } from '#analytics/cost.ts'
import { periodResources } from '#analytics/resource.ts'
import { t } from '#engine/schema.ts'
import { ProviderName } from '#http/field.ts'
import { badInput } from '#http/problem.ts'
import { dayOf, range, rangeOf } from '#http/range.ts'
import { resourceCount } from '#actors/resource/row.ts'
import { route, type Caller, type Route, type Services } from '#http/route.ts'
import {
  asked,
  costQuestion,
  narrowing,
  resourceCountMeaning,
  scopeOf,
  whichCost,
  type Narrowing,
} from '#http/report/filter.ts'
import { cents } from '#streams/figure.ts'
import { providers, type Provider } from '#streams/names.ts'

const fixed = { method: 'GET', permission: 'service.view', tags: ['Reports'] } as const

const AccountCount = t.Object({
  id: t.String(),
  name: t.String(),
  total: t.Integer(),
  byType: t.Record(t.String(), t.Integer()),
})

export const summaries: readonly Route[] = [
  route({
    ...fixed,
    path: '/reports/summary',
    summary: 'Cost and savings of a month, and how many resources it had',
    query: t.Object({
      period: t.Optional(t.String({ description: 'YYYY-MM; the current month unless given', examples: ['2026-01'] })),
      ...narrowing,
      ...whichCost,
    }),
    reply: t.Object({
      totalCostUSD: t.Number(),
      totalSavingsUSD: t.Number(),
      resourceCount: t.Integer({ description: resourceCountMeaning }),
      period: t.String(),
    }),
    handle: async ({ caller, query }, services) => {
      const month = monthOf(query.period ?? dayOf(services.now()).slice(0, 7))
      const { cost, ...of } = costQuestion(caller, query, month, services)
      const [[total], [counted]] = await Promise.all([
        services.analytics(costTotal, { cost, ...of }),
        services.analytics(periodResources, of),
      ])
      return {
        totalCostUSD: cents(total?.cost_usd ?? '0'),
        totalSavingsUSD: cents(total?.savings_usd ?? '0'),
        resourceCount: counted?.resources ?? 0,
        period: month.period,
      }
    },
  }),

  route({
    ...fixed,
    path: '/reports/providers/summary',
    summary: 'Resources and cost of each provider that has any',
    query: t.Object({ ...range, ...narrowing, ...whichCost }),
    reply: t.Record(ProviderName, t.Object({ count: t.Integer(), costUSD: t.Number() })),
    handle: async ({ caller, query }, services) => {
      const question = costQuestion(caller, query, rangeOf(query, services.now()), services)
      const wanted = providers.filter((provider) => !query.provider?.length || query.provider.includes(provider))
      const [costs, ...counts] = await Promise.all([
        services.analytics(costByProvider, question),
        ...wanted.map((provider) => present(services.em, caller, { ...query, provider: [provider] })),
      ])
      const found: [Provider, { count: number; costUSD: number }][] = []
      for (const [at, provider] of wanted.entries()) {
        const cost = costs.find((row) => row.provider === provider)
        const count = counts[at] ?? 0
        if (cost || count > 0) found.push([provider, { count, costUSD: Number(cost?.cost_usd ?? 0) }])
      }
      return Object.fromEntries(found)
    },
  }),

  route({
    ...fixed,
    path: '/reports/resources/summary',
    summary: 'How many resources there are now, by provider, account and type',
    reply: t.Object({
      providers: t.Array(t.Object({ name: ProviderName, total: t.Integer(), accounts: t.Array(AccountCount) })),
      total: t.Integer(),
    }),
    handle: async ({ caller }, { em }) => {
      const counted = await resourceSummary(em, caller.orgId, scopeOf(caller))
      return { providers: counted, total: counted.reduce((sum, provider) => sum + provider.total, 0) }
    },
  }),
]

/** The first and last day of a month. @throws Fault `invalid` when it is none of 1970 to 2100 */
function monthOf(period: string) {
  const [, year, month] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(period) ?? []
  if (!year || !month || Number(year) < 1970 || Number(year) > 2100) {
    throw badInput({ in: 'query', name: 'period', code: 'format', message: 'must be a month, YYYY-MM' })
  }
  const last = new Date(Date.UTC(Number(year), Number(month), 0))
  return { period, fromDay: `${period}-01`, toDay: dayOf(last) }
}

/** Present resources of the inventory. */
function present(em: Services['em'], caller: Caller, query: Narrowing): Promise<number> {
  return resourceCount(em, caller.orgId, {
    ...scopeOf(caller),
    ...(query.team_id && { teams: query.team_id }),
    ...(query.provider && { providers: query.provider }),
    ...(query.cloud_account_id && { cloudAccountIds: asked(query.cloud_account_id) }),
    ...(query.region && { regions: asked(query.region) }),
    ...(query.resource_type && { types: asked(query.resource_type) }),
  })
}
