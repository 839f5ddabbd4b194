/** When resources are started and stopped (decision G-21). */
import { foundSchedule, isFull, listSchedules, unknownGroups } from '#actors/schedule/queries.ts'
import { Fault } from '#engine/fault.ts'
import { t } from '#engine/schema.ts'
import { actorReply } from '#http/edge/decode.ts'
import { Timestamp } from '#http/edge/field.ts'
import { paged, pageOf, paging, slice } from '#http/edge/paging.ts'
import { badInput } from '#http/edge/problem.ts'
import { route, type Request, type Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import { recordEvent } from '#http/identity/audit.ts'
import {
  changesOf,
  CreateBody,
  nextRuns,
  PatchBody,
  PreviewBody,
  problemsOf,
  schedulesMax,
  show,
  Shown,
  termsOf,
} from '#http/schedule/body.ts'
import { reply } from '#http/store/reply.ts'
import { powerActions } from '#streams/action.ts'
import { scheduleRemoved, scheduleSaved, type ScheduleTerms } from '#streams/schedule.ts'

/** `groups` as they were given. @throws Fault `invalid` naming every member that cannot be */
async function checked<T extends Partial<ScheduleTerms>>(
  terms: T,
  groups: readonly string[] = [],
  { em }: Services,
  orgId: string,
): Promise<T> {
  const unknown = await unknownGroups(em, orgId, groups)
  const problems = problemsOf(terms)
  for (const [i, id] of groups.entries()) {
    if (!unknown.has(id)) continue
    const message = 'is no resource group of the organization'
    problems.push({ in: 'body', name: `/resourceGroupIDs/${i}`, code: 'unknown', message })
  }
  if (problems.length > 0) throw badInput(...problems)
  return terms
}

type Asking = Pick<Request<unknown, unknown, unknown>, 'caller' | 'client'>

/** Writes down what became of a schedule; a repeat under the same Idempotency-Key does so once. */
async function recordChange(
  { caller: { orgId, userId, principal }, client }: Asking,
  { em, now, newId }: Services,
  detail: { scheduleID: string; change: 'created' | 'changed' | 'deleted' },
): Promise<void> {
  const happened = { id: newId(), type: 'schedule_changed', orgId, userId, principal, detail } as const
  await em.transactional((tx) => recordEvent(tx, happened, client, now()))
}

const Runs = t.Array(t.Object({ action: t.Enum(powerActions), at: Timestamp }))
const runsCount = t.Integer({ minimum: 1, maximum: 100, default: 5, description: 'how many at most' })

const saved = actorReply(t.Object({ id: t.String() }))
const fixed = { tags: ['Schedules'] } as const
const params = t.Object({ scheduleID: t.String({ description: 'as GET /schedules names it' }) })

export const schedules: readonly Route[] = [
  route({
    ...fixed,
    method: 'POST',
    path: '/schedules/next-runs',
    readOnly: true,
    summary: 'When a schedule of such rules would fire next; nothing is kept',
    description: 'What cannot be is refused as POST /schedules refuses it.',
    permission: 'service.view',
    body: PreviewBody,
    reply: Runs,
    example: [{ action: 'stop', at: '2026-01-15T19:00:00.000Z' }],
    handle: async ({ body: { timezone, rules, skipDates = [], count = 5 } }, { now }) => {
      const terms = { timezone, rules, skipDates }
      const problems = problemsOf(terms)
      if (problems.length > 0) throw badInput(...problems)
      return nextRuns({ ...terms, enabled: true }, now(), count)
    },
  }),

  route({
    ...fixed,
    method: 'POST',
    path: '/schedules',
    summary: 'Make a schedule',
    description:
      'Its rules have five fields on the wall clock of its zone. A time that the clock jumps over fires at the first minute ' +
      'behind the gap, one that it shows twice fires once. A fire up to 15 minutes late still runs; an older one is recorded ' +
      'as missed.',
    permission: 'service.create',
    status: 201,
    headers: { Location: 'where the schedule is' },
    body: CreateBody,
    reply: Shown,
    refuses: { 422: ['too_many_schedules'] },
    handle: async (request, services) => {
      const {
        body,
        caller: { orgId },
      } = request
      const terms = await checked(termsOf(body), body.resourceGroupIDs, services, orgId)
      if (await isFull(services.em, orgId, schedulesMax))
        throw Fault.refused('too_many_schedules', `An organization has at most ${schedulesMax} schedules.`)
      const asked = { scheduleId: services.newId(), isNew: true as const, terms }
      const { id } = saved(await services.ask(scheduleSaved, asked))
      await recordChange(request, services, { scheduleID: id, change: 'created' })
      return reply(show(await foundSchedule(services.em, orgId, id)), { headers: { Location: `/schedules/${id}` } })
    },
  }),

  route({
    ...fixed,
    method: 'GET',
    path: '/schedules',
    summary: 'List the schedules, by name',
    description: 'With their rules, resources and groups. Disabled ones too, unless enabled says which.',
    permission: 'service.view',
    query: t.Object({
      search: t.Optional(t.String({ description: 'part of the name, in any case' })),
      enabled: t.Optional(t.Boolean({ description: 'only those that are, or are not' })),
      resource_uid: t.Optional(
        t.String({
          maxLength: 1024,
          description: 'only those that name this resource, by itself or by one of its groups',
        }),
      ),
      ...paging(20, 100),
    }),
    reply: pageOf(Shown),
    handle: async ({ caller, query }, { em }) => {
      const { search, enabled, resource_uid: resourceUid } = query
      const { items, total } = await listSchedules(em, caller.orgId, { search, enabled, resourceUid }, slice(query))
      return paged({ items: items.map(show), total }, query)
    },
  }),

  route({
    ...fixed,
    method: 'GET',
    path: '/schedules/:scheduleID',
    summary: 'One schedule',
    description: 'With its rules, its resources and groups, and its time zone.',
    permission: 'service.view',
    params,
    reply: Shown,
    handle: async ({ caller, params: { scheduleID } }, { em }) =>
      show(await foundSchedule(em, caller.orgId, scheduleID)),
  }),

  route({
    ...fixed,
    method: 'PATCH',
    path: '/schedules/:scheduleID',
    summary: 'Change a schedule; rules, resources and groups given replace those it has',
    description:
      'What is left out stays. It holds for the runs to come; what has been started or stopped stays as it is.',
    permission: 'service.update',
    params,
    body: PatchBody,
    reply: Shown,
    handle: async (request, services) => {
      const { caller, params, body } = request
      const { id } = await foundSchedule(services.em, caller.orgId, params.scheduleID)
      const terms = await checked(changesOf(body), body.resourceGroupIDs, services, caller.orgId)
      await services.ask(scheduleSaved, { scheduleId: id, isNew: false, terms })
      await recordChange(request, services, { scheduleID: id, change: 'changed' })
      return show(await foundSchedule(services.em, caller.orgId, id))
    },
  }),

  route({
    ...fixed,
    method: 'DELETE',
    path: '/schedules/:scheduleID',
    summary: 'Delete a schedule; what it did stays',
    description: 'Its events and the history of what it started and stopped stay. What is stopped stays stopped.',
    permission: 'service.delete',
    status: 204,
    params,
    handle: async (request, services) => {
      const { id } = await foundSchedule(services.em, request.caller.orgId, request.params.scheduleID)
      await services.ask(scheduleRemoved, { scheduleId: id })
      await recordChange(request, services, { scheduleID: id, change: 'deleted' })
    },
  }),

  route({
    ...fixed,
    method: 'GET',
    path: '/schedules/:scheduleID/next-runs',
    summary: 'When a schedule fires next; never while it is not enabled',
    description: 'The coming times, each with its action. Nothing is run or changed by asking.',
    permission: 'service.view',
    params,
    query: t.Object({ count: runsCount }),
    reply: Runs,
    example: [
      { action: 'stop', at: '2026-01-15T19:00:00.000Z' },
      { action: 'start', at: '2026-01-16T06:00:00.000Z' },
    ],
    handle: async ({ caller, params: { scheduleID }, query }, { em, now }) =>
      nextRuns(await foundSchedule(em, caller.orgId, scheduleID), now(), query.count),
  }),
]
