/** Schedule events (decision G-63): reported by our own services, read by people. */
import { SchedulerEvent } from '#actors/schedule/entity.ts'
import { eventIdOf } from '#actors/schedule/fire.ts'
import { Fault } from '#engine/value/fault.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { actorReply } from '#http/edge/request/decode.ts'
import { Timestamp } from '#http/edge/parameter/field.ts'
import { pageHeaders, paging, slice } from '#http/edge/parameter/paging.ts'
import { badInput } from '#http/edge/problem.ts'
import { range, rangeOf } from '#http/edge/parameter/range.ts'
import { reply } from '#http/store/reply.ts'
import { route, type Route } from '#http/edge/route.ts'
import { ResourceUid, resourcesMax } from '#streams/attribution.ts'
import { text } from '#streams/text.ts'
import { scheduleActions, schedulerEventRecorded, scheduleStatuses } from '#streams/schedule.ts'

const SchedulerEventView = t.Object(
  {
    id: t.String(),
    scheduleID: t.String(),
    action: t.Enum(scheduleActions),
    triggeredAt: Timestamp,
    resources: t.Array(t.String({ description: 'uid' })),
    status: t.Enum(scheduleStatuses),
  },
  {
    title: 'SchedulerEvent',
    examples: [
      {
        id: '7e0f6f0e-1e4a-8a36-9a43-0f9f2b9f6a01',
        scheduleID: '5e0f6f0e-1e4a-4a36-9a43-0f9f2b9f6a01',
        action: 'stop',
        triggeredAt: '2026-01-15T19:00:00.000Z',
        resources: ['i-0a1b2c3d4e5f60718'],
        status: 'completed',
      },
    ],
  },
)
type SchedulerEventView = Static<typeof SchedulerEventView>

const Body = t.Object(
  {
    scheduleID: text({ minLength: 1, maxLength: 256, description: 'for a schedule that runs elsewhere' }),
    action: t.Enum(scheduleActions),
    triggeredAt: t.String({ format: 'date-time', description: 'run time' }),
    resources: t.Array(ResourceUid, {
      maxItems: resourcesMax,
      description: 'UIDs of the resources it started or stopped',
    }),
    status: t.Enum(scheduleStatuses),
  },
  {
    examples: [
      {
        scheduleID: 'night',
        action: 'stop',
        triggeredAt: '2030-01-07T19:00:00Z',
        resources: ['i-1', 'i-2'],
        status: 'completed',
      },
    ],
  },
)

/** Only events that have been reported are read. */
const show = (e: SchedulerEvent): SchedulerEventView => ({
  id: e.id,
  scheduleID: e.scheduleId,
  action: e.action,
  triggeredAt: e.triggeredAt!.toISOString(),
  resources: e.resources,
  status: e.status,
})

/** Within what ClickHouse tables can store. */
function moment(given: string): string {
  const at = new Date(given)
  if (at.getUTCFullYear() >= 1970 && at.getUTCFullYear() <= 2100) return at.toISOString()
  throw badInput({ in: 'body', name: '/triggeredAt', code: 'range', message: 'must be between 1970 and 2100' })
}

const readReply = actorReply(t.Object({ id: t.String(), resources: t.Array(t.String()) }))

const routeBase = { path: '/events', tags: ['Schedules'] } as const

export const schedulerEvents: readonly Route[] = [
  route({
    ...routeBase,
    method: 'GET',
    summary: 'List schedule runs, newest first',
    description: 'Without from and to, all are returned; with only one of them, the range is as in reports.',
    permission: 'service.view',
    query: t.Object({
      schedule_id: t.Optional(t.String({ maxLength: 256, description: 'only this schedule' })),
      ...range,
      ...paging(20, 100),
    }),
    reply: t.Array(SchedulerEventView),
    handle: async ({ caller, query, url }, { em, now }) => {
      const isRanged = query.from !== undefined || query.to !== undefined
      const { from, to } = rangeOf(query, now())
      const where = {
        orgId: caller.orgId,
        ...(query.schedule_id !== undefined && { scheduleId: query.schedule_id }),
        triggeredAt: isRanged ? { $gte: from, $lt: to } : { $ne: null },
      }
      const order = { triggeredAt: 'desc', id: 'asc' } as const
      const [rows, total] = await em.findAndCount(SchedulerEvent, where, { orderBy: order, ...slice(query) })
      return reply(rows.map(show), { headers: pageHeaders(url, total, query) })
    },
  }),

  route({
    ...routeBase,
    method: 'POST',
    summary: 'Record a schedule run; the same schedule, time and action replaces the earlier record',
    description: 'Only for internal services, for the organization in their token. It starts and stops nothing.',
    permission: 'internal',
    status: 201,
    body: Body,
    reply: SchedulerEventView,
    refuses: { 403: ['organization_required'] },
    handle: async ({ caller: { orgId }, body }, { ask, now }) => {
      if (orgId === '')
        throw Fault.forbidden('organization_required', 'The token does not name an organization in org_id.')
      const { scheduleID: scheduleId, action, status, resources: resourceUids } = body
      const triggeredAt = moment(body.triggeredAt)
      const eventId = eventIdOf(orgId, scheduleId, triggeredAt, action)
      const told = { eventId, scheduleId, action, status, triggeredAt, resourceUids, wanted: 0 }
      const { id, resources } = readReply(await ask(schedulerEventRecorded, { ...told, at: now().toISOString() }))
      return { ...body, triggeredAt, id, resources }
    },
  }),
]
