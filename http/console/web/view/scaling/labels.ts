/** Policies in words. */
import type { Reply } from '../../api.ts'

type Policies = Reply<'GET /autoscaler-policies'>
export type Policy = Policies['items'][number]
export type Trigger = Policy['triggers'][number]
export type Mode = Policy['mode']

export const modes: Readonly<Record<Mode, { title: string; does: string }>> = {
  monitor: { title: 'monitor', does: 'Reports what it would do and changes nothing.' },
  recommend: { title: 'recommend', does: 'Recommends changes, which are made when someone applies them.' },
  autopilot: {
    title: 'autopilot',
    does: 'Changes the number of units automatically within its limits; each unit incurs its cost.',
  },
}

export const statuses: Readonly<Record<Policy['status'], { text: string; look: string }>> = {
  active: { text: 'active', look: 'good' },
  paused: { text: 'paused', look: 'warning' },
  event_hold: { text: 'locked by an event', look: 'warning' },
  error: { text: 'error', look: 'failed' },
  pending_infrastructure: { text: 'waiting for infrastructure', look: 'warning' },
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
