/** The three lists: recommendations, and their sums by resource and by rule. */
import {
  resourceSummaries,
  ruleSummaries,
  severityAt,
  type ResourceSummaryRow,
  type RuleSummaryRow,
} from '#actors/recommendation/queries.ts'
import { recommendationPage, recommendationsOf } from '#actors/recommendation/row.ts'
import { ruleOf } from '#actors/recommendation/rule/catalogue.ts'
import { resourcesOfUids } from '#actors/resource/row.ts'
import { Fault } from '#engine/value/fault.ts'
import { t, type Static, type TSchema } from '#engine/value/schema.ts'
import { ProviderName } from '#http/edge/parameter/field.ts'
import { toPage, pageOf, slice } from '#http/edge/parameter/paging.ts'
import { route, type Route } from '#http/edge/route.ts'
import {
  filterOf,
  listQuery,
  Recommendation,
  severitiesShown,
  show,
  sightOf,
  sizeDefault,
} from '#http/recommendation/body.ts'
import { pageOfTwice } from '#http/tagging/sight.ts'
import { cents } from '#streams/figure.ts'
import { categories } from '#streams/recommendation.ts'

const open = 'over open ones with current data'

const ResourceSummary = t.Object(
  {
    resourceUid: t.String(),
    resourceName: t.String(),
    resourceType: t.String(),
    provider: ProviderName,
    cloudAccountId: t.String(),
    cloudAccountName: t.String(),
    recommendationCount: t.Integer({ description: 'number of matches' }),
    openCount: t.Integer({ description: open }),
    totalSavingsUsd: t.Number({ description: open }),
  },
  {
    title: 'RecommendationsOfResource',
    examples: [
      {
        resourceUid: 'i-0a1b2c3d4e5f60718',
        resourceName: 'shop-prod-web-1',
        resourceType: 'aws-ec2',
        provider: 'aws',
        cloudAccountId: 'acct-1',
        cloudAccountName: 'Production',
        recommendationCount: 2,
        openCount: 1,
        totalSavingsUsd: 69.12,
      },
    ],
  },
)

const RuleSummary = t.Object(
  {
    ruleId: t.String(),
    title: t.String({ description: 'title of the rule' }),
    category: t.Enum(categories),
    severity: t.Enum(severitiesShown, {
      description: 'highest severity of its open recommendations; if none are open, of all',
    }),
    resourceCount: t.Integer({ description: 'number of resources over all matches' }),
    openCount: t.Integer({ description: open }),
    totalSavingsUsd: t.Number({ description: open }),
  },
  {
    title: 'RecommendationsOfRule',
    examples: [
      {
        ruleId: 'RC-1001',
        title: 'Idle EC2 instance',
        category: 'idle',
        severity: 'high',
        resourceCount: 4,
        openCount: 3,
        totalSavingsUsd: 207.36,
      },
    ],
  },
)

const showResource = (row: ResourceSummaryRow): Static<typeof ResourceSummary> => ({
  resourceUid: row.resource_uid,
  resourceName: row.resource_name,
  resourceType: row.resource_type,
  provider: row.provider,
  cloudAccountId: row.cloud_account_id,
  cloudAccountName: row.account_name,
  recommendationCount: row.recommendations,
  openCount: row.open_count,
  totalSavingsUsd: cents(row.savings_usd),
})

const showRule = (row: RuleSummaryRow): Static<typeof RuleSummary> => ({
  ruleId: row.rule_id,
  title: ruleOf(row.rule_id)?.name ?? row.rule_id,
  category: row.category,
  severity: severityAt(row.severity_rank),
  resourceCount: row.resources,
  openCount: row.open_count,
  totalSavingsUsd: cents(row.savings_usd),
})

const routeBase = { method: 'GET', permission: 'service.view', tags: ['Recommendations'] } as const
const narrowedBy =
  'Several values of one filter are combined with OR, different filters with AND. A role that is limited to some ' +
  'accounts or teams sees only the recommendations of their resources.'

interface Listing<Row> {
  path: string
  summary: string
  description: string
  item: TSchema
  find: (...asked: Parameters<typeof recommendationPage>) => Promise<{ items: Row[]; total: number }>
  show: (row: Row) => object
}

/** A list that is narrowed, ordered and cut as all three are. */
const listing = <Row>({ item, find, show: shown, ...said }: Listing<Row>): Route =>
  route({
    ...routeBase,
    ...said,
    query: listQuery,
    reply: pageOf(item),
    handle: async ({ caller, query }, { em }) => {
      const page = pageOfTwice(query, sizeDefault)
      const order = { by: query.sort_by, direction: query.sort_order }
      const { items, total } = await find(em, caller.orgId, sightOf(caller), filterOf(query), order, slice(page))
      return toPage({ items: items.map(shown), total }, page)
    },
  })

export const recommendationLists: readonly Route[] = [
  listing({
    path: '/recommendations',
    summary: 'List recommendations, largest savings first',
    description: narrowedBy,
    item: Recommendation,
    find: recommendationPage,
    show,
  }),

  listing({
    path: '/recommendations/resources',
    summary: 'List resources with recommendations, largest savings first',
    description: `${narrowedBy} Sorted by the total savings of open recommendations, by the highest severity, or by the latest change.`,
    item: ResourceSummary,
    find: resourceSummaries,
    show: showResource,
  }),

  listing({
    path: '/recommendations/rules',
    summary: 'List rules with recommendations, largest savings first',
    description: `${narrowedBy} Sorted like resources.`,
    item: RuleSummary,
    find: ruleSummaries,
    show: showRule,
  }),

  route({
    ...routeBase,
    path: '/recommendations/resources/:resourceUID',
    summary: 'List all recommendations of a resource, largest savings first',
    description:
      'Deprecated: use GET /recommendations?resource_uid= instead. Returns 404 for a UID that neither has recommendations nor is in the inventory.',
    deprecated: { since: '2026-01-01', link: '/recommendations' },
    params: t.Object({ resourceUID: t.String({ description: 'resource UID, percent-encoded' }) }),
    reply: t.Array(Recommendation),
    handle: async ({ caller, params: { resourceUID } }, { em }) => {
      const found = await recommendationsOf(em, caller.orgId, sightOf(caller), resourceUID)
      const isSeen = async () => (await resourcesOfUids(em, caller.orgId, [resourceUID], sightOf(caller))).length > 0
      if (found.length === 0 && !(await isSeen())) throw Fault.missing('resource', resourceUID)
      return found.map(show)
    },
  }),
]
