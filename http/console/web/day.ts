/** Days, all UTC, as YYYY-MM-DD. */
import { signal } from '@preact/signals'

const dayMs = 86_400_000

export const today = (): string => new Date().toISOString().slice(0, 10)
export const addDays = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * dayMs).toISOString().slice(0, 10)
export const daysBetween = (from: string, to: string): number =>
  Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / dayMs)
export const firstOf = (day: string): string => `${day.slice(0, 7)}-01`
export const mondayOf = (day: string): string => addDays(day, -((new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7))
export const addMonths = (month: string, months: number): string => {
  const [year = 0, number = 1] = month.split('-').map(Number)
  return new Date(Date.UTC(year, number - 1 + months, 1)).toISOString().slice(0, 7)
}
export const lastOf = (month: string): string => addDays(`${addMonths(month, 1)}-01`, -1)
export const isDay = (text: string | undefined): text is string =>
  text !== undefined &&
  /^\d{4}-\d{2}-\d{2}$/.test(text) &&
  !Number.isNaN(Date.parse(`${text}T00:00:00Z`)) &&
  addDays(text, 0) === text

const language = (): string | undefined => (typeof navigator === 'undefined' ? 'en-US' : navigator.language)
const createFormat = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(language(), { timeZone: 'UTC', ...options })
const dayFormat = createFormat({ day: 'numeric', month: 'short', year: 'numeric' })
const shortFormat = createFormat({ day: 'numeric', month: 'short' })
const monthFormat = createFormat({ month: 'long', year: 'numeric' })
const monthShort = createFormat({ month: 'short', year: 'numeric' })
const timeFormat = createFormat({
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
})

const at = (text: string): Date => new Date(text.length === 10 ? `${text}T00:00:00Z` : text)

const isTime = (text: string): boolean => (text.length === 10 ? isDay(text) : !Number.isNaN(Date.parse(text)))

/** 20 Nov 2026. What is no day stays as it is. */
export const dayText = (day: string): string => (isTime(day) ? dayFormat.format(at(day)) : day)
export const dayShort = (day: string): string => shortFormat.format(at(day))
export const monthText = (month: string): string => monthFormat.format(at(`${month.slice(0, 7)}-01`))
/** With the hour, UTC. What is no time stays as it is. */
export const timeText = (time: string): string => (isTime(time) ? `${timeFormat.format(at(time))} UTC` : time)
const clockFormat = createFormat({ hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' })
/** The time of a day, UTC, of milliseconds since 1970. */
export const clockText = (at: number): string => `${clockFormat.format(at)} UTC`
export const rangeText = (from: string, to: string): string =>
  from === to
    ? dayText(from)
    : `${from.slice(0, 4) === to.slice(0, 4) ? dayShort(from) : dayText(from)} – ${dayText(to)}`

const ticks = signal(0)
/** Whatever says how long ago something was says it anew every ten seconds. */
export const tick = (): unknown => setInterval(() => (ticks.value += 1), 10_000)
/** Whoever draws by it is drawn again by the clock. */
const nowTicking = (): number => (ticks.value, Date.now())

/** How long ago, roughly. */
export function ago(time: string, nowMs = nowTicking()): string {
  const seconds = Math.round((nowMs - Date.parse(time)) / 1000)
  const words = new Intl.RelativeTimeFormat(language(), { numeric: 'auto' })
  for (const [unit, size] of [
    ['day', 86_400],
    ['hour', 3600],
    ['minute', 60],
  ] as const)
    if (Math.abs(seconds) >= size) return words.format(-Math.round(seconds / size), unit)
  return words.format(-seconds, 'second')
}

/** Of one moment in the order they come in. A day is before its hours. */
export const newestFirst = <T extends { at: string }>(events: readonly T[]): T[] =>
  events.toSorted((a, b) => (a.at === b.at ? 0 : a.at < b.at ? 1 : -1))

/** The days of a period of a report: 2026-01-31, 2026-W05 or 2026-01. */
export function daysOfPeriod(period: string): { from: string; to: string } {
  const [, year, week] = /^(\d{4})-W(\d{2})$/.exec(period) ?? []
  if (year === undefined || week === undefined)
    return period.length === 7 ? { from: `${period}-01`, to: lastOf(period) } : { from: period, to: period }
  // The fourth of January is in the first week of its year.
  const from = addDays(mondayOf(`${year}-01-04`), (Number(week) - 1) * 7)
  return { from, to: addDays(from, 6) }
}

/** As it stands at an axis. */
export const periodShort = (period: string): string =>
  period.includes('W')
    ? `W${period.slice(-2)} ${dayShort(daysOfPeriod(period).from)}`
    : period.length === 7
      ? monthShort.format(at(`${period}-01`))
      : dayShort(period)
