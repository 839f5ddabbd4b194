/** What is decided about plans, and what an executor tells of them (decision G-82). */
import { foundPlan } from '#actors/readiness/queries.ts'
import { Fault } from '#engine/fault.ts'
import { t } from '#engine/schema.ts'
import { badInput } from '#http/edge/problem.ts'
import { route, type Route } from '#http/edge/route.ts'
import { Plan, show } from '#http/readiness/body.ts'
import { exampleIds } from '#http/readiness/example.ts'
import { fixed, params } from '#http/readiness/plan.ts'
import { askerOf, planIdOf, recorded, recordPlan, seerOf } from '#http/readiness/record.ts'
import { Counts } from '#streams/autoscaling.ts'
import { planCalledBack, planStatuses, readinessCommanded, readinessScheduled, targetsMax } from '#streams/readiness.ts'
import { text } from '#streams/text.ts'

const conflicts =
  '409 policy_window_conflict where another live plan holds a policy at that time, 422 event_in_past once the event is over.'

const RetryBody = t.Object(
  {
    to: t.Optional(
      t.Enum(['draft', 'scheduling'], {
        default: 'scheduling',
        description: 'scheduling unless given: it is scheduled again; draft: to be changed first',
      }),
    ),
  },
  { examples: [{ to: 'scheduling' }] },
)

const CallbackBody = t.Object(
  {
    status: t.Enum(planStatuses),
    revision: t.Integer({ minimum: 0, description: 'of the plan; what is said of an older one changes nothing' }),
    occurredAt: t.String({ format: 'date-time', maxLength: 64 }),
    message: t.Optional(text({ maxLength: 2000 })),
    results: t.Optional(
      t.Array(t.Object({ policyId: text({ minLength: 1, maxLength: 256 }), ...Counts.properties }), {
        maxItems: targetsMax,
        description: 'how many units targets have: with scheduled before the event, with active during it',
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

export const courses: readonly Route[] = [
  route({
    ...fixed,
    method: 'POST',
    path: '/event-readiness/:eventID/schedule',
    summary: 'Schedule a draft: its targets are reserved now, and raised at their time',
    description: `One whose time to be raised has come begins at once. ${conflicts}`,
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

  route({
    ...fixed,
    method: 'POST',
    path: '/event-readiness/:eventID/cancel',
    summary: 'Cancel a plan; what it has raised is put back',
    description: 'From every status but cancelled, which answers 409 invalid_transition.',
    permission: 'service.update',
    params,
    reply: Plan,
    refuses: { 409: ['invalid_transition'] },
    handle: async (request, services) => {
      const eventID = await planIdOf(request, services)
      await services.ask(readinessCommanded, { planId: eventID, verb: 'cancel', userId: askerOf(request.caller) })
      return recorded(request, services, 'plan_cancelled', eventID)
    },
  }),

  route({
    ...fixed,
    method: 'POST',
    path: '/event-readiness/:eventID/retry',
    summary: 'Schedule a failed plan again, or take it back to draft',
    description: `409 invalid_transition for one that has not failed. ${conflicts}`,
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
      return recorded(request, services, 'plan_retried', planId)
    },
  }),

  route({
    ...fixed,
    method: 'POST',
    path: '/event-readiness/:eventID/reopen',
    summary: 'Take a completed plan back to draft, for the next event',
    description: '409 invalid_transition for one that is not completed.',
    permission: 'service.update',
    params,
    reply: Plan,
    refuses: { 409: ['invalid_transition'] },
    handle: async (request, services) => {
      const eventID = await planIdOf(request, services)
      await services.ask(readinessCommanded, { planId: eventID, verb: 'reopen', userId: askerOf(request.caller) })
      return recorded(request, services, 'plan_reopened', eventID)
    },
  }),

  route({
    ...fixed,
    method: 'POST',
    path: '/internal/event-readiness/:eventID/status',
    summary: 'Say how far a plan is, as whoever carries it out',
    description:
      'What is known already, or said of an older revision, is answered with 200 and written down; 409 invalid_transition for what may not follow.',
    permission: 'internal',
    params,
    body: CallbackBody,
    reply: Plan,
    refuses: { 403: ['organization_required'], 409: ['invalid_transition'] },
    handle: async ({ caller, params: { eventID }, body }, { ask, em }) => {
      if (caller.orgId === '')
        throw Fault.forbidden('organization_required', 'The token names no organization in org_id.')
      if (Number.isNaN(Date.parse(body.occurredAt)))
        throw badInput({ in: 'body', name: '/occurredAt', code: 'format', message: 'is not a time' })
      const occurredAt = new Date(body.occurredAt).toISOString()
      const { id } = await foundPlan(em, seerOf(caller), eventID)
      await ask(planCalledBack, { planId: id, ...body, occurredAt })
      return show(await foundPlan(em, seerOf(caller), id))
    },
  }),
]
