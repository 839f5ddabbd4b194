/** Decisions about plans, and reports of an executor about them (decision G-82). */
import { foundPlan } from '#actors/readiness/queries.ts'
import { Fault } from '#engine/value/fault.ts'
import { t } from '#engine/value/schema.ts'
import { badInput } from '#http/edge/problem.ts'
import { route, type Route } from '#http/edge/route.ts'
import { Plan, show } from '#http/readiness/body.ts'
import { exampleIds } from '#http/readiness/example.ts'
import { routeBase, params } from '#http/readiness/plan.ts'
import { askerOf, planIdOf, recordAndShow, recordPlan, seerOf } from '#http/readiness/record.ts'
import { Counts } from '#streams/autoscaling.ts'
import { planCalledBack, planStatuses, readinessCommanded, readinessScheduled, targetsMax } from '#streams/readiness.ts'
import { text } from '#streams/text.ts'

const conflicts =
  'Returns 409 policy_window_conflict if another active plan uses a policy at that time, and 422 event_in_past if the event is over.'

const RetryBody = t.Object(
  {
    to: t.Optional(
      t.Enum(['draft', 'scheduling'], {
        default: 'scheduling',
        description: 'default scheduling: schedule it again; draft: edit it first',
      }),
    ),
  },
  { examples: [{ to: 'scheduling' }] },
)

const CallbackBody = t.Object(
  {
    status: t.Enum(planStatuses),
    revision: t.Integer({
      minimum: 0,
      description: 'revision of the plan; reports for older revisions change nothing',
    }),
    occurredAt: t.String({ format: 'date-time', maxLength: 64 }),
    message: t.Optional(text({ maxLength: 2000 })),
    results: t.Optional(
      t.Array(t.Object({ policyId: text({ minLength: 1, maxLength: 256 }), ...Counts.properties }), {
        maxItems: targetsMax,
        description: 'number of units of the targets: with scheduled, before the event; with active, during it',
      }),
    ),
  },
  {
    examples: [
      {
        status: 'active',
        revision: 1,
        occurredAt: '2030-11-29T13:31:00Z',
        results: [{ policyId: exampleIds.policy, min: 5, max: 22, desired: 9 }],
      },
    ],
  },
)

const planCommand = (
  verb: 'cancel' | 'reopen',
  done: 'plan_cancelled' | 'plan_reopened',
  summary: string,
  description: string,
): Route =>
  route({
    ...routeBase,
    method: 'POST',
    path: `/event-readiness/:eventID/${verb}`,
    summary,
    description,
    permission: 'service.update',
    params,
    reply: Plan,
    refuses: { 409: ['invalid_transition'] },
    handle: async (request, services) => {
      const planId = await planIdOf(request, services)
      await services.ask(readinessCommanded, { planId, verb, userId: askerOf(request.caller) })
      return recordAndShow(request, services, done, planId)
    },
  })

export const courses: readonly Route[] = [
  route({
    ...routeBase,
    method: 'POST',
    path: '/event-readiness/:eventID/schedule',
    summary: 'Schedule a draft: reserves its targets now and scales them up at the planned time',
    description: `If the time to scale up has already come, scaling starts immediately. ${conflicts}`,
    permission: 'service.update',
    status: 202,
    bare: true,
    params,
    reply: t.Object(
      { message: t.String(), eventId: t.String() },
      { examples: [{ message: 'The plan is being scheduled.', eventId: exampleIds.plan }] },
    ),
    refuses: { 409: ['invalid_transition', 'policy_window_conflict'], 422: ['event_in_past'] },
    handle: async (request, services) => {
      const eventID = await planIdOf(request, services)
      const asked = { planId: eventID, from: 'draft' as const, userId: askerOf(request.caller) }
      await services.ask(readinessScheduled, asked)
      await recordPlan(request, services, 'plan_scheduled', eventID)
      return { message: 'The plan is being scheduled.', eventId: eventID }
    },
  }),

  planCommand(
    'cancel',
    'plan_cancelled',
    'Cancel a plan and restore scaled-up capacity',
    'Possible in every status except cancelled, which returns 409 invalid_transition.',
  ),

  route({
    ...routeBase,
    method: 'POST',
    path: '/event-readiness/:eventID/retry',
    summary: 'Schedule a failed plan again, or move it back to draft',
    description: `Returns 409 invalid_transition if the plan has not failed. ${conflicts}`,
    permission: 'service.update',
    status: 202,
    params,
    body: RetryBody,
    reply: Plan,
    refuses: { 409: ['invalid_transition', 'policy_window_conflict'], 422: ['event_in_past'] },
    handle: async (request, services) => {
      const planId = await planIdOf(request, services)
      const userId = askerOf(request.caller)
      if (request.body.to === 'draft') await services.ask(readinessCommanded, { planId, verb: 'draft', userId })
      else await services.ask(readinessScheduled, { planId, from: 'failed', userId })
      return recordAndShow(request, services, 'plan_retried', planId)
    },
  }),

  planCommand(
    'reopen',
    'plan_reopened',
    'Move a completed plan back to draft, for the next event',
    'Returns 409 invalid_transition if the plan is not completed.',
  ),

  route({
    ...routeBase,
    method: 'POST',
    path: '/internal/event-readiness/:eventID/status',
    summary: 'Report the progress of a plan as its executor',
    description:
      'Reports that are already known, or for an older revision, return 200 and are logged; an invalid transition returns 409 invalid_transition.',
    permission: 'internal',
    params,
    body: CallbackBody,
    reply: Plan,
    refuses: { 403: ['organization_required'], 409: ['invalid_transition'] },
    handle: async ({ caller, params: { eventID }, body }, { ask, em }) => {
      if (caller.orgId === '')
        throw Fault.forbidden('organization_required', 'The token does not name an organization in org_id.')
      if (Number.isNaN(Date.parse(body.occurredAt)))
        throw badInput({ in: 'body', name: '/occurredAt', code: 'format', message: 'is not a valid time' })
      const occurredAt = new Date(body.occurredAt).toISOString()
      const { id } = await foundPlan(em, seerOf(caller), eventID)
      await ask(planCalledBack, { planId: id, ...body, occurredAt })
      return show(await foundPlan(em, seerOf(caller), id))
    },
  }),
]
