/** One policy, and its events. */
import { findPolicy, type PolicyRow } from '#actors/autoscaling/row.ts'
import { policyEventPage } from '#analytics/autoscaling/questions.ts'
import { Fault } from '#engine/value/fault.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { Policy, policyParams, show } from '#http/autoscaling/body.ts'
import { eventExample } from '#http/autoscaling/example.ts'
import { orNull, Timestamp } from '#http/edge/parameter/field.ts'
import { askPage, pageHeaders, paging } from '#http/edge/parameter/paging.ts'
import { route, type Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import { sightOf } from '#http/recommendation/body.ts'
import { reply } from '#http/store/reply.ts'
import { autoscalerEventKinds } from '#streams/autoscaling.ts'

/**
 * @throws Fault `missing` if it does not exist, the caller may not see it, or it is removed and `withRemoved` is not
 * set
 */
export async function policySeen(
  caller: Caller,
  id: string,
  { em }: Pick<Services, 'em'>,
  withRemoved = false,
): Promise<PolicyRow> {
  const row = await findPolicy(em, caller.orgId, sightOf(caller), id, withRemoved)
  if (!row) throw Fault.missing('autoscaler policy', id)
  return row
}

const unitBound = orNull(t.Integer())

const Event = t.Object(
  {
    id: t.String(),
    kind: t.Enum(autoscalerEventKinds, {
      description:
        'recommendation: a recommended change; apply: a recommendation applied by a user; write: a load-based change; ' +
        'schedule: a scheduled change; failure: a change that the cloud rejected',
    }),
    fromMin: unitBound,
    fromMax: unitBound,
    toMin: unitBound,
    toMax: unitBound,
    reason: t.String(),
    appliedBy: orNull(t.String({ description: 'who did it; null for the service itself' })),
    createdAt: Timestamp,
  },
  {
    title: 'AutoscalerPolicyEvent',
    description: 'bounds are null for events without bounds',
    examples: [eventExample],
  },
)
export type AutoscalerEvent = Static<typeof Event>

const showEvent = (row: Static<typeof policyEventPage.row>): AutoscalerEvent => ({
  id: row.event_id,
  kind: row.kind,
  fromMin: row.from_min,
  fromMax: row.from_max,
  toMin: row.to_min,
  toMax: row.to_max,
  reason: row.reason,
  appliedBy: row.applied_by || null,
  createdAt: new Date(row.at_ms).toISOString(),
})

const routeBase = {
  method: 'GET',
  permission: 'service.view',
  tags: ['Autoscaler policies'],
  params: policyParams,
} as const

export const policyReads: readonly Route[] = [
  route({
    ...routeBase,
    path: '/autoscaler-policies/:policyID/events',
    summary: 'List the events of a policy, oldest first, including removed policies',
    description: 'Kept for 400 days. The X-Total-Count header has the total.',
    query: t.Object(paging(20, 100)),
    reply: t.Array(Event),
    refuses: { 422: ['report_too_large'] },
    handle: async ({ caller, params: { policyID }, query, url }, services) => {
      const { policy_id: policy } = await policySeen(caller, policyID, services, true)
      const { rows, total } = await askPage(query, (cut) => services.analytics(policyEventPage, { policy, ...cut }))
      return reply(rows.map(showEvent), { headers: pageHeaders(url, total, query) })
    },
  }),

  route({
    ...routeBase,
    path: '/autoscaler-policies/:policyID',
    summary: 'Get a policy with its recommendation and the known state of its target',
    description:
      "The state of the target is the last observed one; the cloud is not queried. Returns 404 if the caller's role cannot see the policy, and for a removed policy unless include_removed is true.",
    query: t.Object({
      include_removed: t.Boolean({ default: false, description: 'true: also return a removed policy' }),
    }),
    reply: Policy,
    handle: async ({ caller, params: { policyID }, query }, services) =>
      show(caller.orgId, await policySeen(caller, policyID, services, query.include_removed)),
  }),
]
