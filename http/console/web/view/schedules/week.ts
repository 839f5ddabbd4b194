/** Rules as hours of a week: what people read instead of cron, where the rules say no more than that. Pure. */
import type { ScheduleAction } from './labels.ts'

export interface ScheduleRule {
  action: ScheduleAction
  cron: string
}

/** A rule at one time of some days; 0 is Monday. */
interface WeeklyRule {
  action: ScheduleAction
  days: readonly number[]
  /** Minutes since midnight. */
  minute: number
}

export const dayNames = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const
const words = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']
const weekDays = [0, 1, 2, 3, 4]
const wholeWeek = [...weekDays, 5, 6]

/** A day of cron: 0 and 7 are Sunday, or its name. */
function dayOf(text: string): number | undefined {
  const named = words.indexOf(text.toLowerCase())
  if (named >= 0) return named
  return /^[0-7]$/.test(text) ? (Number(text) + 6) % 7 : undefined
}

/** `1-5`, `1,3`, `*`; undefined for what is more than that. */
function daysOf(field: string): number[] | undefined {
  if (field === '*' || field === '?') return wholeWeek
  const days = field.split(',').flatMap((part) => {
    const [from, to = from] = part.split('-').map(dayOf)
    if (from === undefined || to === undefined || part.split('-').length > 2) return [Number.NaN]
    return Array.from({ length: ((to - from + 7) % 7) + 1 }, (_, at) => (from + at) % 7)
  })
  return days.some(Number.isNaN) ? undefined : [...new Set(days)].toSorted()
}

/** Undefined where a rule is more than one time on some days of each week. */
export function weeklyOf({ action, cron }: ScheduleRule): WeeklyRule | undefined {
  const [minute = '', hour = '', dayOfMonth, month, weekDay = '', ...more] = cron.trim().split(/\s+/)
  const isPlain = dayOfMonth === '*' && month === '*' && more.length === 0
  if (!isPlain || !/^\d{1,2}$/.test(minute) || !/^\d{1,2}$/.test(hour)) return undefined
  const days = daysOf(weekDay)
  const at = Number(hour) * 60 + Number(minute)
  return days && Number(hour) < 24 && Number(minute) < 60 ? { action, days, minute: at } : undefined
}

const two = (value: number): string => String(value).padStart(2, '0')
const clockOf = (minute: number): string => `${two(Math.floor(minute / 60))}:${two(minute % 60)}`

/** weekdays, every day, Mon and Wed. */
function daysText(days: readonly number[]): string {
  const key = days.join()
  if (key === wholeWeek.join()) return 'every day'
  if (key === weekDays.join()) return 'weekdays'
  if (key === '5,6') return 'weekends'
  return days.map((day) => dayNames[day]).join(', ')
}

/** A start and a stop on the same days are one sentence; what is no weekly time is shown as cron. */
export function rulesText(rules: readonly ScheduleRule[]): string[] {
  const weekly = rules.map(weeklyOf)
  const used = new Set<number>()
  return rules.flatMap((rule, at) => {
    const one = weekly[at]
    if (used.has(at)) return []
    if (!one) return [`${rule.action === 'start' ? 'Start' : 'Stop'} ${rule.cron}`]
    const other = weekly.findIndex(
      (two, to) => to > at && !used.has(to) && two && two.action !== rule.action && two.days.join() === one.days.join(),
    )
    if (other < 0) return [`${rule.action === 'start' ? 'Start' : 'Stop'} ${daysText(one.days)} ${clockOf(one.minute)}`]
    used.add(other)
    const [start, stop] = [one, weekly[other]!].toSorted((a) => (a.action === 'start' ? -1 : 1))
    const next = stop!.minute <= start!.minute ? ' the next day' : ''
    return [`On ${daysText(one.days)} ${clockOf(start!.minute)} to ${clockOf(stop!.minute)}${next}`]
  })
}

const cronOf = (minute: number, days: readonly number[]): string => {
  const isAll = days.length === 7
  const isWeek = days.join() === weekDays.join()
  return `${minute % 60} ${Math.floor(minute / 60)} * * ${isAll ? '*' : isWeek ? '1-5' : days.map((day) => (day + 1) % 7).join(',')}`
}

export interface WeekHours {
  days: readonly number[]
  /** HH:MM. */
  from: string
  to: string
}

/** The hours that two rules describe; undefined where it is more than that. */
export function hoursOf(rules: readonly ScheduleRule[]): WeekHours | undefined {
  const weekly = rules.map(weeklyOf)
  const start = weekly.find((one) => one?.action === 'start')
  const stop = weekly.find((one) => one?.action === 'stop')
  if (rules.length !== 2 || !start || !stop || start.days.join() !== stop.days.join() || stop.minute <= start.minute)
    return undefined
  return { days: start.days, from: clockOf(start.minute), to: clockOf(stop.minute) }
}

const minuteOf = (clock: string): number => {
  const [hour = 0, minute = 0] = clock.split(':').map(Number)
  return hour * 60 + minute
}

export const rulesOf = ({ days, from, to }: WeekHours): ScheduleRule[] => [
  { action: 'stop', cron: cronOf(minuteOf(to), days) },
  { action: 'start', cron: cronOf(minuteOf(from), days) },
]

/** Whether targets are on in each hour of the week, from Monday 00:00 on; undefined where no rule says. */
export function weekGrid(rules: readonly ScheduleRule[]): (boolean | undefined)[] | undefined {
  const weekly = rules.map(weeklyOf)
  if (weekly.includes(undefined) || weekly.length === 0) return undefined
  const turns = weekly
    .flatMap((one) => one!.days.map((day) => ({ at: day * 1440 + one!.minute, isOn: one!.action === 'start' })))
    .toSorted((a, b) => a.at - b.at)
  const last = turns.at(-1)
  return Array.from({ length: 168 }, (_, hour) => {
    const before = turns.filter(({ at }) => at < (hour + 1) * 60).at(-1) ?? last
    return before?.isOn
  })
}
