/** What schedules did (decision G-63): told by our own services, read by people. */
import { SchedulerEvent } from '#actors/schedule/entity.ts'
import { Fault } from '#engine/fault.ts'
import { uuidOf } from '#engine/id.ts'
import { t, type Static } from '#engine/schema.ts'
import { Timestamp } from '#http/edge/field.ts'
import { pageHeaders, paging, slice } from '#http/edge/paging.ts'
import { badInput } from '#http/edge/problem.ts'
import { range, rangeOf } from '#http/edge/range.ts'
import { reply, type Reply } from '#http/store/reply.ts'
import { route, type Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import { ResourceUid, resourcesMax } from '#streams/attribution.ts'
import { text } from '#streams/text.ts'
import { scheduleActions, schedulerEventRecorded, scheduleStatuses } from '#streams/scheduler-event.ts'

const Shown = t.Object(
  {
    id: t.String(),
    scheduleID: t.String(),
    action: t.Enum(scheduleActions),
    triggeredAt: Timestamp,
    resources: t.Array(t.String({ description: 'uid' })),
    status: t.Enum(scheduleStatuses),
  },
  { title: 'SchedulerEvent' },
)
type Shown = Static<typeof Shown>

const Body = t.Object({
  scheduleID: text({ minLength: 1, maxLength: 256 }),
  action: t.Enum(scheduleActions),
  triggeredAt: t.String({ format: 'date-time' }),
  resources: t.Array(ResourceUid, { maxItems: resourcesMax }),
  status: t.Enum(scheduleStatuses),
})

const show = (e: SchedulerEvent): Shown => ({
  id: e.id,
  scheduleID: e.scheduleId,
  action: e.action,
  triggeredAt: e.triggeredAt.toISOString(),
  resources: e.resources,
  status: e.status,
})

// Holds the row until the transaction ends, whether it was there or not, and returns the resources from before.
const upsertSql = `
  insert into scheduler_event (org_id, id, schedule_id, action, triggered_at, resources, status, updated_at)
  values (?, ?, ?, ?, ?::timestamptz, '[]', ?, ?::timestamptz)
  on conflict (org_id, id) do update set status = excluded.status,
    updated_at = greatest(excluded.updated_at, scheduler_event.updated_at + interval '1 millisecond')
  returning resources, updated_at`

/** Writes the event down; one of the same schedule, time and action takes its place. */
function record(orgId: string, event: Shown, { change, now }: Services): Promise<Reply<Shown>> {
  const { id, scheduleID: scheduleId, action, triggeredAt, resources, status } = event
  return change(async (em, tell) => {
    const values = [orgId, id, scheduleId, action, triggeredAt, status, now().toISOString()]
    const [row] = await em.execute<{ resources: string[]; updated_at: string }[]>(upsertSql, values)
    const { resources: before, updated_at } = row!
    await em.execute('update scheduler_event set resources = ?::jsonb where org_id = ? and id = ?', [
      JSON.stringify(resources),
      orgId,
      id,
    ])
    const told = { eventId: id, scheduleId, action, triggeredAt, at: new Date(updated_at).toISOString() }
    const named = new Set(resources)
    const dropped = before.filter((uid) => !named.has(uid))
    if (dropped.length > 0) await tell(schedulerEventRecorded, { ...told, status: '', resourceUids: dropped })
    if (resources.length > 0) await tell(schedulerEventRecorded, { ...told, status, resourceUids: resources })
    return reply(event, {})
  })
}

/** What the tables of ClickHouse can hold. */
function moment(given: string): string {
  const at = new Date(given)
  if (at.getUTCFullYear() >= 1970 && at.getUTCFullYear() <= 2100) return at.toISOString()
  throw badInput({ in: 'body', name: '/triggeredAt', code: 'range', message: 'must be between 1970 and 2100' })
}

const fixed = { path: '/events', tags: ['Schedules'] } as const

export const events: readonly Route[] = [
  route({
    ...fixed,
    method: 'GET',
    summary: 'What schedules did, newest first',
    description: 'All of it, unless from or to is given; one of them alone stands for a range as in reports.',
    permission: 'service.view',
    query: t.Object({ schedule_id: t.Optional(t.String({ maxLength: 256 })), ...range, ...paging(20, 100) }),
    reply: t.Array(Shown),
    headers: { 'X-Total-Count': 'how many events match', Link: 'the next and the previous page' },
    handle: async ({ caller, query, url }, { em, now }) => {
      const isRanged = query.from !== undefined || query.to !== undefined
      const { from, to } = rangeOf(query, now())
      const where = {
        orgId: caller.orgId,
        ...(query.schedule_id !== undefined && { scheduleId: query.schedule_id }),
        ...(isRanged && { triggeredAt: { $gte: from, $lt: to } }),
      }
      const order = { triggeredAt: 'desc', id: 'asc' } as const
      const [rows, total] = await em.findAndCount(SchedulerEvent, where, { orderBy: order, ...slice(query) })
      return reply(rows.map(show), { headers: pageHeaders(url, total, query) })
    },
  }),

  route({
    ...fixed,
    method: 'POST',
    summary: 'Write down what a schedule did; the same schedule, time and action again replaces it',
    permission: 'internal',
    status: 201,
    body: Body,
    reply: Shown,
    handle: async ({ caller: { orgId }, body }, services) => {
      if (orgId === '') throw Fault.forbidden('organization_required', 'The token names no organization in org_id.')
      const triggeredAt = moment(body.triggeredAt)
      const id = uuidOf('scheduler-event', orgId, body.scheduleID, triggeredAt, body.action)
      const event = { ...body, id, triggeredAt, resources: [...new Set(body.resources)] }
      return record(orgId, event, services)
    },
  }),
]
