/** Schedules in words. */
import type { Reply } from '../../api.ts'
import { timeText } from '../../day.ts'
import { pluralize } from '../../figure.ts'

/** Of a dashboard, or of a view: what they have in common. */
export type Schedule = Omit<Reply<'GET /saved-views/:savedViewID/schedules'>[number], 'viewID'>
export type Schedules = readonly Schedule[]

export const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const

export interface MailTimes {
  every: 'week' | 'month'
  weekday: number
  day: number
  hour: number
  timezone: string
}

const hourText = (hour: number): string => `${String(hour).padStart(2, '0')}:00`

/** Every Monday at 08:00, Europe/Berlin */
export const whenText = ({ every, weekday, day, hour, timezone }: MailTimes): string =>
  `${every === 'week' ? `Every ${weekdays[weekday - 1]}` : `On day ${day} of each month`} at ${hourText(hour)}, ${timezone}`

export const nextText = ({ isOn, nextDueAt }: { isOn: boolean; nextDueAt: string | null }): string =>
  isOn && nextDueAt !== null ? `next ${timeText(nextDueAt)}` : 'disabled'

export interface Last {
  dueAt: string
  reason: string
  mails: readonly { email: string; state: string; message: string }[]
}

const states: Readonly<Record<string, string>> = {
  waiting: 'pending',
  sent: 'sent',
  failed: 'not delivered',
  left: 'no longer a member',
  unsubscribed: 'unsubscribed',
}

/** What became of the last due moment, a line for each thing to know. */
export function lastText(last: Last | null): string[] {
  if (last === null) return ['not yet']
  const { dueAt, reason, mails } = last
  if (reason !== '') return [timeText(dueAt), `not sent: ${reason}`]
  const sent = mails.filter(({ state }) => state === 'sent').length
  const others = mails
    .filter(({ state }) => state !== 'sent')
    .map(({ email, state, message }) => `${email}: ${states[state] ?? state}${message && `, ${message}`}`)
  return [timeText(dueAt), `sent to ${pluralize(sent, 'address', 'addresses')}`, ...others]
}
