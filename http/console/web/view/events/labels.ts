/** Plans for events in words, and where on their course they are. */
import type { Reply } from '../../api.ts'

type Plans = Reply<'GET /event-readiness'>
export type ReadinessPlan = Plans['items'][number]
export type PlanStatus = ReadinessPlan['status']

export const statuses: Readonly<Record<PlanStatus, { text: string; look: string; says: string }>> = {
  draft: { text: 'draft', look: '', says: 'Nothing happens until you schedule it.' },
  scheduling: { text: 'scheduling', look: '', says: 'Reserving the target of each policy.' },
  scheduled: { text: 'scheduled', look: 'good', says: 'Its targets are reserved and will scale up on time.' },
  scaling_up: { text: 'scaling up', look: 'warning', says: 'Its targets are scaling up.' },
  active: { text: 'active', look: 'good', says: 'Its targets are scaled up and will be restored after the event.' },
  scaling_down: {
    text: 'scaling down',
    look: 'warning',
    says: 'Its targets are being restored to their previous size.',
  },
  completed: { text: 'completed', look: 'good', says: 'All targets are restored.' },
  failed: { text: 'failed', look: 'failed', says: 'Scaled-up targets are restored. See the log for the cause.' },
  cancelled: { text: 'canceled', look: '', says: 'Scaled-up targets are restored.' },
}

export const isUnderWay = (status: PlanStatus): boolean => ['scheduling', 'scaling_up', 'scaling_down'].includes(status)

export interface Phase {
  title: string
  from: string
  to: string
  state: 'done' | 'now' | 'to come'
}

const addMinutes = (time: string, minutes: number): string =>
  new Date(Date.parse(time) + minutes * 60_000).toISOString()

export const windowOf = ({ eventStart, eventEnd, preScaleMinutes, postEventMinutes }: ReadinessPlan) => ({
  raisedAt: addMinutes(eventStart, -preScaleMinutes),
  backAt: addMinutes(eventEnd, postEventMinutes),
})

/** Before, during and after, by the time it is. */
export function phasesOf(plan: ReadinessPlan, nowMs: number): Phase[] {
  const { raisedAt, backAt } = windowOf(plan)
  const of = (title: string, from: string, to: string): Phase => ({
    title,
    from,
    to,
    state: nowMs >= Date.parse(to) ? 'done' : nowMs >= Date.parse(from) ? 'now' : 'to come',
  })
  return [
    of('Before: scaled up and ready', raisedAt, plan.eventStart),
    of('During the event', plan.eventStart, plan.eventEnd),
    of('After: kept, then restored', plan.eventEnd, backAt),
  ]
}
