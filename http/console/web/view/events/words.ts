/** Plans for events in words, and where on their course they are. */
import type { Reply } from '../../api.ts'

export type Plans = Reply<'GET /event-readiness'>
export type Plan = Plans['items'][number]
export type Status = Plan['status']

export const statuses: Readonly<Record<Status, { text: string; look: string; says: string }>> = {
  draft: { text: 'draft', look: '', says: 'Nothing happens by itself: schedule it.' },
  scheduling: { text: 'being scheduled', look: '', says: 'Every policy is asked to keep its target free.' },
  scheduled: { text: 'scheduled', look: 'good', says: 'Its targets are reserved, and raised at their time.' },
  scaling_up: { text: 'being raised', look: 'warning', says: 'Its targets are being raised.' },
  active: { text: 'active', look: 'good', says: 'Its targets are raised, and put back behind the event.' },
  scaling_down: { text: 'being put back', look: 'warning', says: 'Its targets are being put back to what they were.' },
  completed: { text: 'completed', look: 'good', says: 'All is as it was before.' },
  failed: { text: 'failed', look: 'failed', says: 'What was raised is put back. The log says what went wrong.' },
  cancelled: { text: 'cancelled', look: '', says: 'What was raised is put back.' },
}

export const isUnderWay = (status: Status): boolean => ['scheduling', 'scaling_up', 'scaling_down'].includes(status)

export interface Phase {
  title: string
  from: string
  to: string
  state: 'done' | 'now' | 'to come'
}

const moved = (time: string, minutes: number): string => new Date(Date.parse(time) + minutes * 60_000).toISOString()

export const windowOf = ({ eventStart, eventEnd, preScaleMinutes, postEventMinutes }: Plan) => ({
  raisedAt: moved(eventStart, -preScaleMinutes),
  backAt: moved(eventEnd, postEventMinutes),
})

/** Before, during and after, by the time it is. */
export function phasesOf(plan: Plan, nowMs: number): Phase[] {
  const { raisedAt, backAt } = windowOf(plan)
  const of = (title: string, from: string, to: string): Phase => ({
    title,
    from,
    to,
    state: nowMs >= Date.parse(to) ? 'done' : nowMs >= Date.parse(from) ? 'now' : 'to come',
  })
  return [
    of('Before: raised, and ready', raisedAt, plan.eventStart),
    of('During the event', plan.eventStart, plan.eventEnd),
    of('After: held, then put back', plan.eventEnd, backAt),
  ]
}
