/** Policies in words. */
import type { Reply } from '../../api.ts'

export type Policies = Reply<'GET /autoscaler-policies'>
export type Policy = Policies['items'][number]
export type Trigger = Policy['triggers'][number]
export type Mode = Policy['mode']

export const modes: Readonly<Record<Mode, { title: string; does: string }>> = {
  monitor: { title: 'monitor', does: 'It says what it would do and changes nothing.' },
  recommend: { title: 'recommend', does: 'It says what it would do, and does it once somebody applies it.' },
  autopilot: {
    title: 'autopilot',
    does: 'It changes the number of units by itself, within its bounds, at what a unit costs.',
  },
}

export const statuses: Readonly<Record<Policy['status'], { text: string; look: string }>> = {
  active: { text: 'active', look: 'good' },
  paused: { text: 'paused', look: 'warning' },
  event_hold: { text: 'held by an event', look: 'warning' },
  error: { text: 'in error', look: 'failed' },
  pending_infrastructure: { text: 'waits for its infrastructure', look: 'warning' },
  removed: { text: 'removed', look: '' },
}

const dayNames = ['', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']

export function triggerText({ preset, timezone, days, start, end, minCapacity }: Trigger): string {
  const when = [days?.map((day) => dayNames[day]).join(' '), start && end && `${start}–${end}`]
    .filter(Boolean)
    .join(' ')
  const to = minCapacity === undefined ? '' : `, at least ${minCapacity}`
  return `${preset}${when && ` (${when})`}${to}, ${timezone}`
}
