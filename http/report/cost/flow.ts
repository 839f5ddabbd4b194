import { costFlow, costFlowResources, flowDims, type FlowDim } from '#analytics/cost/questions.ts'
import type { tagColumns } from '#analytics/store/slice.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { badInput } from '#http/edge/problem.ts'
import { range } from '#http/edge/parameter/range.ts'
import { comparedFields, whichComparison } from '#http/report/comparison/compare.ts'
import type { Question } from '#http/report/comparison/earlier-costs.ts'
import { checkDimension, Dimension, everyFilter, labelsOf } from '#http/report/filter/dimension.ts'
import { filterQuestion, narrowing, whichCost } from '#http/report/filter/filter.ts'
import { flowOf, type Leaf } from './sankey.ts'
import { namesOf } from '#http/report/filter/name.ts'
import type { Route } from '#http/edge/route.ts'
import { costsAsked, report } from '#http/report/report.ts'
import type { Services } from '#http/edge/services.ts'

/** Resources shown under one parent; the rest are one node `(other)`. */
const resourcesMax = 200

const Query = t.Object({
  group_by: t.Array(Dimension, {
    formerly: 'dims',
    minItems: 1,
    maxItems: 6,
    uniqueItems: true,
    description:
      'levels of the flow, in order; tag:KEY is the value of a tag, resource_uid is only allowed as the last level and with a filter',
    examples: [['provider'], ['provider', 'tag:team']],
  }),
  ...range,
  ...narrowing,
  ...whichCost,
  ...whichComparison,
  ...everyFilter,
})
type Query = Static<typeof Query>

const Node = t.Object({
  id: t.String({ description: 'the values along the path joined by |; % and | in a value are escaped as %25 and %7C' }),
  dim: Dimension,
  label: t.Optional(t.String()),
  valueUSD: t.Number(),
  ...comparedFields,
})
const Link = t.Object({ source: t.String(), target: t.String(), valueUSD: t.Number(), ...comparedFields })

export const flows: readonly Route[] = [
  report({
    path: '/reports/costs/breakdown',
    summary: 'Get the cost flow between dimensions',
    description:
      'totalUSD is rounded to the cent; nodes and links are exact and add up to it. With invoice_id, costs come from the current bill lines and asOf is not supported; tags are the current tags of the resources.',
    query: Query,
    reply: t.Object({ nodes: t.Array(Node), links: t.Array(Link), totalUSD: t.Number(), ...comparedFields }),
    example: {
      nodes: [
        { id: 'aws', dim: 'provider', valueUSD: 12480.55 },
        {
          id: 'aws|Amazon Elastic Compute Cloud',
          dim: 'service_name',
          label: 'Amazon Elastic Compute Cloud',
          valueUSD: 12480.55,
        },
      ],
      links: [{ source: 'aws', target: 'aws|Amazon Elastic Compute Cloud', valueUSD: 12480.55 }],
      totalUSD: 12480.55,
    },
    handle: async (request, services) => {
      const { caller, query } = request
      checkDims(query)
      const { question, before } = costsAsked(caller, query, services)
      const [leaves, earlier] = await Promise.all([
        leavesOf(question, query, services),
        before && leavesOf(before, query, services),
      ])
      const valuesOf = (dim: Dimension) => {
        const at = query.group_by.indexOf(dim)
        return at === -1 ? [] : [...leaves, ...(earlier ?? [])].map(({ path }) => path[at] ?? '')
      }
      const shown = {
        cloud_account_id: valuesOf('cloud_account_id'),
        billing_account: valuesOf('billing_account'),
        sub_account: valuesOf('sub_account'),
        team_id: valuesOf('team_id'),
        cluster: valuesOf('cluster'),
      }
      const names = await namesOf(shown, caller.orgId, services)
      return flowOf(query.group_by, leaves, names, earlier)
    },
  }),
]

/** @throws Fault `invalid` for what is no dimension, and for resources that are not last or have no filter */
function checkDims(query: Query): void {
  for (const dim of query.group_by) checkDimension(dim, { in: 'query', name: 'group_by' })
  const at = query.group_by.indexOf('resource_uid')
  if (at === -1) return
  if (at !== query.group_by.length - 1) throw badDims('resource_uid must be the last')
  const isNarrowed = query.filter !== undefined || flowDims.some((dim) => query[`filter[${dim}]`]?.length)
  if (!isNarrowed) throw badDims('resource_uid requires a filter[...]')
  // Which resources are not among the dearest is another question at each time.
  if (query.compare === undefined) return
  const message =
    'cannot be combined with resource_uid: /reports/drivers and /reports/costs/resources compare resources'
  throw badInput({ in: 'query', name: 'compare', code: 'resource_uid', message })
}

const badDims = (message: string) => badInput({ in: 'query', name: 'group_by', code: 'resource_uid', message })

async function leavesOf(question: Question, query: Query, services: Services): Promise<Leaf[]> {
  const { uids, ...narrowed } = filterQuestion(question, query)
  const byResource = query.group_by.includes('resource_uid')
  const labels = labelsOf(query.group_by, query, { in: 'query', name: 'group_by' })
  const columns = labels.columns.filter((column) => column !== 'resource_uid')
  const asking = { ...narrowed, ...labels.question }
  const count = columns.length
  const [d1, d2, d3, d4, d5, d6] = [...columns, ...nothing] as Levels
  if (!byResource && uids.length === 0) {
    const rows = await services.analytics(costFlow, { ...asking, d1, d2, d3, d4, d5, d6 })
    return rows.map((row) => ({ path: values(row).slice(0, count), cost: row.cost_usd }))
  }
  if (count > 5)
    throw badInput({ in: 'query', name: 'group_by', code: 'maxItems', message: 'at most 5 with filter[resource_uid]' })
  const last = byResource ? ('resource_uid' as const) : ('nothing' as const)
  const rows = await services.analytics(costFlowResources, {
    ...asking,
    uids,
    d1,
    d2,
    d3,
    d4,
    d5,
    d6: last,
    top: resourcesMax,
  })
  return rows.map((row) => ({
    path: [...values(row).slice(0, count), ...(byResource ? [row.d6] : [])],
    cost: row.cost_usd,
    ...(row.name && row.d6 !== '(other)' && { name: row.name }),
  }))
}

type Level = Exclude<FlowDim, 'resource_uid'> | (typeof tagColumns)[number] | 'nothing'
type Levels = [Level, Level, Level, Level, Level, Level]
const nothing: Levels = ['nothing', 'nothing', 'nothing', 'nothing', 'nothing', 'nothing']

const values = (row: Record<'d1' | 'd2' | 'd3' | 'd4' | 'd5' | 'd6', string>): string[] => [
  row.d1,
  row.d2,
  row.d3,
  row.d4,
  row.d5,
  row.d6,
]
