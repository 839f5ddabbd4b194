import { schedulerEventTable } from '#analytics/schedule/tables.ts'
import { SchedulerEvent } from '#actors/schedule/entity.ts'
import { defineActor } from '#engine/actor/actor.ts'
import type { Turn } from '#engine/actor/turn.ts'
import { schedulerMemberEnded } from '#streams/action/messages.ts'
import { schedulerEventRecorded, schedulerEventSized } from '#streams/schedule.ts'

const eventKey = ({ eventId }: { eventId: string }) => eventId

/** Maximum resources that one event names; further members of its groups are only counted. */
const namedMax = 10_000

/**
 * What one schedule did at one of its times, from the firing to the last end of its actions. Messages of an event
 * arrive in any order: ends are counted before their expected number is known, and the event ends only when everything
 * has been reported.
 */
export const schedulerEventActor = defineActor({
  kind: 'scheduler-event',
  entity: SchedulerEvent,
  address: { orgId: 'orgId', place: 'scheduleId', key: 'id' },
  initial: () => ({
    action: 'stop' as const,
    triggeredAt: null,
    resources: [],
    status: 'triggered' as const,
    ...nothing,
    updatedAt: new Date(0),
  }),
  reactions: (on) => [
    on(schedulerEventRecorded, eventKey, (event, told, turn) => {
      const { status, wanted = 0, failed = 0, hasGroups = false } = told
      if (status === '') return
      const isFirst = !event.triggeredAt
      const resources = [...new Set(told.resourceUids)]
      const named = new Set(resources)
      const others = event.resources.filter((uid) => !named.has(uid))
      markChanged(event, new Date(told.at))
      event.action = told.action
      event.triggeredAt = new Date(told.triggeredAt)
      event.status = status
      if (wanted === 0 && !hasGroups) Object.assign(event, nothing)
      event.wanted += wanted
      event.failed += failed
      event.hasGroups = hasGroups
      // Members of groups may have been reported before the firing itself.
      event.resources = isFirst ? [...resources, ...others] : resources
      conclude(event)
      if (!isFirst) append(event, others, '', turn)
      append(event, event.resources, event.status, turn)
      turn.reply({ id: event.id, resources: event.resources })
    }),

    on(schedulerEventSized, eventKey, (event, { uids, members, of }, turn) => {
      markChanged(event, turn.now)
      event.wanted += members
      event.portions += 1
      event.portionsOf = of
      const known = new Set(event.resources)
      const more = [...new Set(uids)].filter((uid) => !known.has(uid)).slice(0, namedMax - event.resources.length)
      event.resources = [...event.resources, ...more]
      append(event, conclude(event) ? event.resources : more, event.status, turn)
    }),

    on(schedulerMemberEnded, eventKey, (event, { outcome }, turn) => {
      markChanged(event, turn.now)
      event[outcome] += 1
      if (conclude(event)) append(event, event.resources, event.status, turn)
    }),
  ],
})

const nothing = { wanted: 0, succeeded: 0, failed: 0, blocked: 0, hasGroups: false, portions: 0, portionsOf: 0 }

/** Each change gets a later time than the one before, whatever the clocks of the senders say. */
function markChanged(event: SchedulerEvent, at: Date): void {
  event.updatedAt = new Date(Math.max(at.getTime(), event.updatedAt.getTime() + 1))
}

/** Ends the event once everything expected has ended; returns whether it has. */
function conclude(event: SchedulerEvent): boolean {
  if (!event.triggeredAt || event.status !== 'triggered') return false
  const { wanted, succeeded, failed, blocked, hasGroups, portions, portionsOf } = event
  if (hasGroups ? portionsOf === 0 || portions < portionsOf : wanted === 0) return false
  if (succeeded + failed + blocked < wanted) return false
  // Actions blocked by an override are neither.
  event.status = failed === 0 ? 'completed' : succeeded === 0 ? 'failed' : 'partial'
  return true
}

/**
 * Appends one row for each resource, at most one per message: the version distinguishes messages, not rows of one
 * message. Appends nothing until the time of the event is known: the firing appends everything.
 */
function append(event: SchedulerEvent, uids: readonly string[], status: string, turn: Turn): void {
  const { orgId, triggeredAt, scheduleId, action, id, updatedAt } = event
  if (!triggeredAt) return
  for (const uid of uids) {
    const row = {
      org_id: orgId,
      resource_uid: uid,
      triggered_at: triggeredAt.toISOString(),
      schedule_id: scheduleId,
      action,
      status,
      event_id: id,
    }
    turn.append(schedulerEventTable, row, updatedAt)
  }
}
