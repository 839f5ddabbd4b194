/** Schedules for starting and stopping resources (decision G-21). */
import { foundSchedule, isFull, listSchedules, unknownGroups } from '#actors/schedule/queries.ts'
import { Fault } from '#engine/value/fault.ts'
import { t } from '#engine/value/schema.ts'
import { actorReply } from '#http/edge/request/decode.ts'
import { Timestamp } from '#http/edge/parameter/field.ts'
import { toPage, pageOf, paging, slice } from '#http/edge/parameter/paging.ts'
import { badInput } from '#http/edge/problem.ts'
import { route, type Request, type Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import { recordEvent } from '#http/identity/organization/audit.ts'
import {
  changesOf,
  CreateBody,
  nextRuns,
  PatchBody,
  PreviewBody,
  problemsOf,
  schedulesMax,
  show,
  ScheduleView,
  termsOf,
} from '#http/schedule/body.ts'
import { reply } from '#http/store/reply.ts'
import { powerActions } from '#streams/action/messages.ts'
import { scheduleRemoved, scheduleSaved, type ScheduleTerms } from '#streams/schedule.ts'

/** `groups`: as given. @throws Fault `invalid` with every invalid member */
async function checkTerms<T extends Partial<ScheduleTerms>>(
  terms: T,
  groups: readonly string[] = [],
  { em }: Services,
  orgId: string,
): Promise<T> {
  const unknown = await unknownGroups(em, orgId, groups)
  const problems = problemsOf(terms)
  for (const [i, id] of groups.entries()) {
    if (!unknown.has(id)) continue
    const message = 'is not a resource group of the organization'
    problems.push({ in: 'body', name: `/resourceGroupIDs/${i}`, code: 'unknown', message })
  }
  if (problems.length > 0) throw badInput(...problems)
  return terms
}

type Requester = Pick<Request<unknown, unknown, unknown>, 'caller' | 'client'>

/** Records a change of a schedule; a repeat with the same Idempotency-Key records it once. */
async function recordChange(
  { caller: { orgId, userId, principal }, client }: Requester,
  { em, now, newId }: Services,
  detail: { scheduleID: string; change: 'created' | 'changed' | 'deleted' },
): Promise<void> {
  const happened = { id: newId(), type: 'schedule_changed', orgId, userId, principal, detail } as const
  await em.transactional((tx) => recordEvent(tx, happened, client, now()))
}

const Runs = t.Array(t.Object({ action: t.Enum(powerActions), at: Timestamp }))
const runsCount = t.Integer({ minimum: 1, maximum: 100, default: 5, description: 'maximum number' })

const readReply = actorReply(t.Object({ id: t.String() }))
const routeBase = { tags: ['Schedules'] } as const
const params = t.Object({ scheduleID: t.String({ description: 'as in GET /schedules' }) })

export const schedules: readonly Route[] = [
  route({
    ...routeBase,
    method: 'POST',
    path: '/schedules/next-runs',
    readOnly: true,
    summary: 'Preview the next runs of schedule rules; nothing is stored',
    description: 'Invalid rules are rejected as in POST /schedules.',
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
    ...routeBase,
    method: 'POST',
    path: '/schedules',
    summary: 'Create a schedule',
    description:
      'Its rules have five cron fields in local time of its time zone. A time skipped by a clock change runs at the first ' +
      'minute after the gap, a repeated time runs once. A run up to 15 minutes late is still executed; an older one is ' +
      'recorded as missed.',
    permission: 'service.create',
    status: 201,
    headers: { Location: 'URL of the new schedule' },
    body: CreateBody,
    reply: ScheduleView,
    refuses: { 422: ['too_many_schedules'] },
    handle: async (request, services) => {
      const {
        body,
        caller: { orgId },
      } = request
      const terms = await checkTerms(termsOf(body), body.resourceGroupIDs, services, orgId)
      if (await isFull(services.em, orgId, schedulesMax))
        throw Fault.refused('too_many_schedules', `An organization can have at most ${schedulesMax} schedules.`)
      const asked = { scheduleId: services.newId(), isNew: true as const, terms }
      const { id } = readReply(await services.ask(scheduleSaved, asked))
      await recordChange(request, services, { scheduleID: id, change: 'created' })
      return reply(show(await foundSchedule(services.em, orgId, id)), { headers: { Location: `/schedules/${id}` } })
    },
  }),

  route({
    ...routeBase,
    method: 'GET',
    path: '/schedules',
    summary: 'List schedules, sorted by name',
    description: 'Includes their rules, resources and groups. Includes disabled schedules, unless enabled is given.',
    permission: 'service.view',
    query: t.Object({
      search: t.Optional(t.String({ description: 'part of the name, case-insensitive' })),
      enabled: t.Optional(t.Boolean({ description: 'true: only enabled schedules; false: only disabled ones' })),
      resource_uid: t.Optional(
        t.String({
          maxLength: 1024,
          description: 'only schedules of this resource, directly or through one of its groups',
        }),
      ),
      ...paging(20, 100),
    }),
    reply: pageOf(ScheduleView),
    handle: async ({ caller, query }, { em }) => {
      const { search, enabled, resource_uid: resourceUid } = query
      const { items, total } = await listSchedules(em, caller.orgId, { search, enabled, resourceUid }, slice(query))
      return toPage({ items: items.map(show), total }, query)
    },
  }),

  route({
    ...routeBase,
    method: 'GET',
    path: '/schedules/:scheduleID',
    summary: 'Get a schedule',
    description: 'Includes its rules, its resources and groups, and its time zone.',
    permission: 'service.view',
    params,
    reply: ScheduleView,
    handle: async ({ caller, params: { scheduleID } }, { em }) =>
      show(await foundSchedule(em, caller.orgId, scheduleID)),
  }),

  route({
    ...routeBase,
    method: 'PATCH',
    path: '/schedules/:scheduleID',
    summary: 'Update a schedule; given rules, resources and groups replace the existing ones',
    description:
      'Omitted fields are unchanged. Changes apply to future runs; resources that were already started or stopped stay as they are.',
    permission: 'service.update',
    params,
    body: PatchBody,
    reply: ScheduleView,
    handle: async (request, services) => {
      const { caller, params, body } = request
      const { id } = await foundSchedule(services.em, caller.orgId, params.scheduleID)
      const terms = await checkTerms(changesOf(body), body.resourceGroupIDs, services, caller.orgId)
      await services.ask(scheduleSaved, { scheduleId: id, isNew: false, terms })
      await recordChange(request, services, { scheduleID: id, change: 'changed' })
      return show(await foundSchedule(services.em, caller.orgId, id))
    },
  }),

  route({
    ...routeBase,
    method: 'DELETE',
    path: '/schedules/:scheduleID',
    summary: 'Delete a schedule; its history is kept',
    description: 'Its events and the history of what it started and stopped are kept. Stopped resources stay stopped.',
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
    ...routeBase,
    method: 'GET',
    path: '/schedules/:scheduleID/next-runs',
    summary: 'Get the next runs of a schedule; none while it is disabled',
    description: 'The next run times with their actions. Nothing is run or changed.',
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
