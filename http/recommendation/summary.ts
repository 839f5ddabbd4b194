/** Sums of all recommendations, and the values they can be filtered by. */
import { providerSums, recommendationSums } from '#actors/recommendation/queries.ts'
import { t } from '#engine/value/schema.ts'
import { ProviderName } from '#http/edge/parameter/field.ts'
import { route, type Route } from '#http/edge/route.ts'
import { filterOf, severitiesShown, sightOf, sumFilters } from '#http/recommendation/body.ts'
import { cents } from '#streams/figure.ts'
import { providers } from '#streams/names.ts'
import { categories, recommendationStatuses } from '#streams/recommendation.ts'

const count = (description?: string) => t.Integer({ minimum: 0, ...(description && { description }) })
const usd = (description: string) => t.Number({ description, money: true })

const Summary = t.Object(
  {
    totalOpen: count('recommendations without current data are not included in figures of open ones'),
    totalOpenCost: usd('cost of the resources with an open recommendation, each counted once; US dollars for 30 days'),
    totalSavings: usd('of open ones, US dollars for 30 days'),
    criticalCount: count('number of open ones'),
    highCount: count('number of open ones'),
    resourceCount: count('number of resources with an open recommendation'),
    awsResources: count(),
    gcpResources: count(),
    azureResources: count(),
    appliedCount: count(),
    dismissedCount: count(),
    optimisedCount: count(),
    ruleRetiredCount: count(),
  },
  {
    title: 'RecommendationSummary',
    examples: [
      {
        totalOpen: 18,
        totalOpenCost: 2140.8,
        totalSavings: 913.4,
        criticalCount: 1,
        highCount: 5,
        resourceCount: 16,
        awsResources: 9,
        gcpResources: 4,
        azureResources: 3,
        appliedCount: 7,
        dismissedCount: 2,
        optimisedCount: 5,
        ruleRetiredCount: 0,
      },
    ],
  },
)

const ProviderBreakdown = t.Object(
  {
    provider: ProviderName,
    totalOpen: count(),
    totalSavings: usd('of open ones, US dollars for 30 days'),
    criticalCount: count('number of open ones'),
    highCount: count('number of open ones'),
  },
  {
    title: 'RecommendationsOfProvider',
    examples: [{ provider: 'aws', totalOpen: 10, totalSavings: 620.15, criticalCount: 1, highCount: 3 }],
  },
)

const routeBase = { method: 'GET', permission: 'service.view', tags: ['Recommendations'] } as const
const nothingOpen = { open_count: 0, savings_usd: '0', critical: 0, high: 0 }

export const recommendationSummaries: readonly Route[] = [
  route({
    ...routeBase,
    path: '/recommendations/summary',
    summary: 'Get totals over all recommendations',
    description: "Limited to what the caller's role may see, and to the given filters.",
    query: t.Object(sumFilters),
    reply: Summary,
    handle: async ({ caller, query }, { em }) => {
      const sums = await recommendationSums(em, caller.orgId, sightOf(caller), filterOf(query))
      const { aws = 0, gcp = 0, azure = 0 } = sums.resources
      return {
        totalOpen: sums.open_count,
        totalOpenCost: cents(sums.cost_usd),
        totalSavings: cents(sums.savings_usd),
        criticalCount: sums.critical,
        highCount: sums.high,
        resourceCount: aws + gcp + azure,
        awsResources: aws,
        gcpResources: gcp,
        azureResources: azure,
        appliedCount: sums.applied,
        dismissedCount: sums.dismissed,
        optimisedCount: sums.optimised,
        ruleRetiredCount: sums.rule_retired,
      }
    },
  }),

  route({
    ...routeBase,
    path: '/recommendations/summary/providers',
    summary: 'Get totals of open recommendations by provider',
    description: 'All providers, in the order aws, gcp, azure: their figures add up to those of the summary.',
    query: t.Object(sumFilters),
    reply: t.Array(ProviderBreakdown),
    handle: async ({ caller, query }, { em }) => {
      const sums = await providerSums(em, caller.orgId, sightOf(caller), filterOf(query))
      return providers.map((provider) => {
        const own = sums.find((one) => one.provider === provider) ?? nothingOpen
        return {
          provider,
          totalOpen: own.open_count,
          totalSavings: cents(own.savings_usd),
          criticalCount: own.critical,
          highCount: own.high,
        }
      })
    },
  }),

  route({
    ...routeBase,
    path: '/recommendations/filter-fields',
    summary: 'List the values for the list filters',
    description: 'All possible values, most serious severity first, regardless of existing recommendations.',
    reply: t.Object({
      statuses: t.Array(t.Enum(recommendationStatuses)),
      severities: t.Array(t.Enum(severitiesShown)),
      categories: t.Array(t.Enum(categories)),
      providers: t.Array(ProviderName),
    }),
    example: {
      statuses: ['open', 'applied'],
      severities: ['critical', 'high'],
      categories: ['idle', 'rightsizing'],
      providers: ['aws'],
    },
    handle: async () => ({
      statuses: [...recommendationStatuses],
      severities: [...severitiesShown],
      categories: [...categories],
      providers: [...providers],
    }),
  }),
]
