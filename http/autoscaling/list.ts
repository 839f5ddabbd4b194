/** Lists, counts and filter values of existing policies (decision G-76). */
import { policyCounts, policyPage, policyWords, sorts, type PolicyFilter } from '#actors/autoscaling/row.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { Policy, show } from '#http/autoscaling/body.ts'
import { ProviderParameter } from '#http/edge/parameter/field.ts'
import { list, toPage, pageOf, paging, slice } from '#http/edge/parameter/paging.ts'
import { route, type Route } from '#http/edge/route.ts'
import { sightOf } from '#http/recommendation/body.ts'
import { autoscalerModes, autoscalerStatuses } from '#streams/autoscaling.ts'

const short = { maxLength: 1024 }
const many = { maxItems: 1000 }

const filters = {
  status: t.Optional(list(t.Enum(autoscalerStatuses))),
  mode: t.Optional(list(t.Enum(autoscalerModes), { description: 'the requested mode' })),
  provider: t.Optional(list(ProviderParameter)),
  target_type: t.Optional(list(t.String({ ...short, alias: true }), many)),
  cloud_account_id: t.Optional(list(t.String(short), many)),
  search: t.Optional(t.String({ maxLength: 2048, description: "part of the target's name or UID, case-insensitive" })),
  include_removed: t.Boolean({
    default: false,
    description: 'true: include removed policies; so does filtering by status removed',
  }),
}
const Filters = t.Object(filters)

const filterOf = (q: Static<typeof Filters>): PolicyFilter => ({
  statuses: q.status,
  modes: q.mode,
  providers: q.provider,
  targetTypes: q.target_type,
  cloudAccountIds: q.cloud_account_id,
  search: q.search,
  withRemoved: q.include_removed || (q.status?.includes('removed') ?? false),
})

const routeBase = { method: 'GET', permission: 'service.view', tags: ['Autoscaler policies'] } as const
const count = t.Integer()
const shownStatuses = autoscalerStatuses.filter((status) => status !== 'removed')

export const policyLists: readonly Route[] = [
  route({
    ...routeBase,
    path: '/autoscaler-policies',
    summary: 'List policies',
    description: 'A role that is limited to some accounts or teams sees only the policies of their resources.',
    query: t.Object({
      ...filters,
      ...paging(20, 100),
      sort_by: t.Enum(sorts, { default: 'name' }),
      sort_order: t.Enum(['asc', 'desc'], { default: 'asc' }),
    }),
    reply: pageOf(Policy),
    handle: async ({ caller, query }, { em }) => {
      const order = { by: query.sort_by, direction: query.sort_order }
      const found = await policyPage(em, caller.orgId, sightOf(caller), filterOf(query), order, slice(query))
      return toPage({ items: found.items.map((row) => show(caller.orgId, row)), total: found.total }, query)
    },
  }),

  route({
    ...routeBase,
    path: '/autoscaler-policies/count',
    summary: 'Count the policies that match the list filters, by status',
    description:
      'Takes the filters of GET /autoscaler-policies and counts what that list would return; a limited role counts only what it sees.',
    query: Filters,
    reply: t.Object({
      active: count,
      paused: count,
      event_hold: count,
      error: count,
      pending_infrastructure: count,
      removed: t.Optional(t.Integer({ description: 'only if requested' })),
    }),
    example: { active: 3, paused: 1, event_hold: 0, error: 0, pending_infrastructure: 0 },
    handle: async ({ caller, query }, { em }) => {
      const filter = filterOf(query)
      const counts = await policyCounts(em, caller.orgId, sightOf(caller), filter)
      const of = (status: (typeof autoscalerStatuses)[number]) => counts.get(status) ?? 0
      const found = Object.fromEntries(shownStatuses.map((status) => [status, of(status)]))
      return {
        ...(found as Record<(typeof shownStatuses)[number], number>),
        ...(filter.withRemoved && { removed: of('removed') }),
      }
    },
  }),

  route({
    ...routeBase,
    path: '/autoscaler-policies/filters',
    summary: 'List filter values: modes, target types and accounts of existing policies',
    description:
      'Lists only values of at least one policy that the caller sees, for the filters of GET /autoscaler-policies.',
    reply: t.Object({
      modes: t.Array(t.Enum(autoscalerModes)),
      targets: t.Array(t.String({ description: 'a value for target_type' })),
      cloudAccounts: t.Array(t.Object({ id: t.String(), name: t.String() })),
    }),
    example: {
      modes: ['recommend', 'autopilot'],
      targets: ['aws-asg'],
      cloudAccounts: [{ id: 'acct-1', name: 'Production' }],
    },
    handle: async ({ caller }, { em }) => {
      const { modes, ...words } = await policyWords(em, caller.orgId, sightOf(caller))
      return { modes: autoscalerModes.filter((mode) => modes.includes(mode)), ...words }
    },
  }),
]
