/** Plans that prepare capacity for an event: creating, changing, listing, deleting (decisions G-82, G-85). */
import { foundPlan, planCount, planPage, statusesOf, wasPlanned } from '#actors/readiness/queries.ts'
import { checkRowLimit } from '#actors/row-limit.ts'
import { planLogPage } from '#analytics/readiness/questions.ts'
import { Fault } from '#engine/value/fault.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { Timestamp } from '#http/edge/parameter/field.ts'
import { askPage, list, toPage, pageOf, paging, slice } from '#http/edge/parameter/paging.ts'
import { inputFault } from '#http/edge/problem.ts'
import { route, type Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import { changesOf, CreateBody, PatchBody, Plan, show, termsOf } from '#http/readiness/body.ts'
import { exampleIds, logExample } from '#http/readiness/example.ts'
import { readPlanReply, askerOf, planIdOf, recordAndShow, recordPlan, seerOf } from '#http/readiness/record.ts'
import { checkTargets } from '#http/readiness/target.ts'
import { reply } from '#http/store/reply.ts'
import { planLogKinds, planStatuses, readinessCommanded, readinessSaved, type PlanStatus } from '#streams/readiness.ts'

export const routeBase = { tags: ['Event readiness'] } as const
export const params = t.Object({
  eventID: t.String({ description: 'of the plan, as in GET /event-readiness', examples: [exampleIds.plan] }),
})

const filter = {
  status: t.Optional(list(t.Enum(planStatuses), { description: 'filter by status' })),
  search: t.Optional(
    t.String({ maxLength: 256, description: 'part of the name or the description, case-insensitive' }),
  ),
}

const LogLine = t.Object(
  {
    id: t.String(),
    kind: t.Enum(planLogKinds, {
      description: 'a status change, a command to the target of a policy, or the response to one',
    }),
    from: t.Optional(t.Enum(planStatuses)),
    to: t.Optional(t.Enum(planStatuses)),
    message: t.String(),
    actor: t.String({ description: 'user ID, system or executor' }),
    policyId: t.Optional(t.String({ description: 'for lines about one target' })),
    createdAt: Timestamp,
  },
  { title: 'ReadinessLogLine', examples: [logExample] },
)
export type PlanLogLine = Static<typeof LogLine>

const shownLine = (row: Static<typeof planLogPage.row>): PlanLogLine => ({
  id: row.log_id,
  kind: row.kind,
  ...(row.from_status !== '' && { from: row.from_status as PlanStatus }),
  ...(row.to_status !== '' && { to: row.to_status as PlanStatus }),
  message: row.message,
  actor: row.actor,
  ...(row.policy_id !== '' && { policyId: row.policy_id }),
  createdAt: new Date(row.at_ms).toISOString(),
})

/** Sends the plan to its actor. Errors refer to the body. */
async function savePlan(data: Static<typeof readinessSaved.schema>, { ask }: Services): Promise<string> {
  try {
    return readPlanReply(await ask(readinessSaved, data)).planId
  } catch (error) {
    throw inputFault(error, 'body')
  }
}

export const plans: readonly Route[] = [
  route({
    ...routeBase,
    method: 'POST',
    path: '/event-readiness',
    summary: 'Create a plan that scales capacity up before an event and restores it afterwards',
    description: 'The plan is a draft until it is scheduled: nothing happens automatically.',
    permission: 'service.create',
    status: 201,
    headers: { Location: 'URL of the new plan' },
    body: CreateBody,
    reply: Plan,
    refuses: { 422: ['limit_reached'] },
    handle: async (request, services) => {
      const terms = termsOf(request.body)
      await checkTargets(terms.policyIds, request.caller, services)
      await checkRowLimit(services.em, 'readiness_plan', request.caller.orgId)
      const asked = { planId: services.newId(), isNew: true as const, terms, userId: askerOf(request.caller) }
      const id = await savePlan(asked, services)
      const plan = await recordAndShow(request, services, 'plan_created', id)
      return reply(plan, { headers: { Location: `/event-readiness/${id}` } })
    },
  }),

  route({
    ...routeBase,
    method: 'GET',
    path: '/event-readiness',
    summary: 'List plans, newest first',
    description: 'A role that is limited to some accounts or teams gets only the plans that it can see.',
    permission: 'service.view',
    query: t.Object({ ...filter, ...paging(20, 100) }),
    reply: pageOf(Plan),
    handle: async ({ caller, query }, { em }) => {
      const found = await planPage(em, seerOf(caller), { statuses: query.status, search: query.search }, slice(query))
      return toPage({ items: found.items.map(show), total: found.total }, query)
    },
  }),

  route({
    ...routeBase,
    method: 'GET',
    path: '/event-readiness/count',
    summary: 'Count plans',
    description: 'Takes the filters of GET /event-readiness and counts what that list would return.',
    permission: 'service.view',
    query: t.Object(filter),
    reply: t.Object({ count: t.Integer() }, { examples: [{ count: 3 }] }),
    handle: async ({ caller, query }, { em }) => ({
      count: await planCount(em, seerOf(caller), { statuses: query.status, search: query.search }),
    }),
  }),

  route({
    ...routeBase,
    method: 'GET',
    path: '/event-readiness/filters',
    summary: 'List the statuses of existing plans',
    description: 'Only statuses of at least one plan that the caller sees, for the status filter.',
    permission: 'service.view',
    reply: t.Object(
      { statuses: t.Array(t.Enum(planStatuses)) },
      { examples: [{ statuses: ['draft', 'scheduled', 'completed'] }] },
    ),
    handle: async ({ caller }, { em }) => {
      const found = await statusesOf(em, seerOf(caller))
      return { statuses: planStatuses.filter((status) => found.has(status)) }
    },
  }),

  route({
    ...routeBase,
    method: 'GET',
    path: '/event-readiness/:eventID',
    summary: 'Get a plan with the original capacity of its targets',
    description:
      "The original capacity is present after scaling up. Also returns 404 for a plan that the caller's role cannot see, and for a deleted one.",
    permission: 'service.view',
    params,
    reply: Plan,
    handle: async ({ caller, params: { eventID } }, { em }) => show(await foundPlan(em, seerOf(caller), eventID)),
  }),

  route({
    ...routeBase,
    method: 'PATCH',
    path: '/event-readiness/:eventID',
    summary: 'Update a plan whose capacity has not been scaled up yet',
    description:
      'A scheduled plan keeps its status and reserves its targets again. Returns 409 plan_not_schedulable from scaling_up ' +
      'on, 409 policy_window_conflict if another active plan uses a policy at that time, and 422 event_in_past.',
    permission: 'service.update',
    params,
    body: PatchBody,
    reply: Plan,
    refuses: { 409: ['policy_window_conflict', 'plan_not_schedulable'], 422: ['event_in_past'] },
    handle: async (request, services) => {
      const eventID = await planIdOf(request, services)
      const terms = changesOf(request.body)
      if (terms.policyIds) await checkTargets(terms.policyIds, request.caller, services)
      await savePlan({ planId: eventID, isNew: false, terms, userId: askerOf(request.caller) }, services)
      return recordAndShow(request, services, 'plan_changed', eventID)
    },
  }),

  route({
    ...routeBase,
    method: 'DELETE',
    path: '/event-readiness/:eventID',
    summary: 'Delete a plan; its log is kept',
    description:
      'A scheduled plan is cancelled first. Returns 409 plan_in_progress from scaling_up to scaling_down: cancel it first.',
    permission: 'service.delete',
    status: 204,
    params,
    refuses: { 409: ['plan_in_progress'] },
    handle: async (request, services) => {
      const eventID = await planIdOf(request, services)
      await services.ask(readinessCommanded, { planId: eventID, verb: 'delete', userId: askerOf(request.caller) })
      await recordPlan(request, services, 'plan_deleted', eventID)
    },
  }),

  route({
    ...routeBase,
    method: 'GET',
    path: '/event-readiness/:eventID/logs',
    summary: 'Get the log of a plan, oldest first, including deleted plans',
    description: 'Lines are only appended, never changed.',
    permission: 'service.view',
    params,
    query: t.Object(paging(20, 100)),
    reply: pageOf(LogLine),
    refuses: { 422: ['report_too_large'] },
    handle: async ({ caller, params: { eventID }, query }, { em, analytics }) => {
      if (!(await wasPlanned(em, seerOf(caller), eventID))) throw Fault.missing('plan', eventID)
      const { rows, total } = await askPage(query, (cut) => analytics(planLogPage, { plan: eventID, ...cut }))
      return toPage({ items: rows.map(shownLine), total }, query)
    },
  }),
]
