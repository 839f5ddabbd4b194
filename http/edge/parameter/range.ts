/** The time range of a report (decision G-07). All boundaries are UTC. */
import { dayMs, dayOf } from '#engine/value/day.ts'
import { t } from '#engine/value/schema.ts'
import { badInput } from '#http/edge/problem.ts'

/** 36 months with a leap day. */
const daysMax = 1096
/** Complete days of the default range, in addition to today. */
const daysDefault = 30

/** The two parameters, for a route's `query`; read them with `rangeOf`. */
export const range = {
  from: t.Optional(
    t.String({ maxLength: 64, description: 'first day, YYYY-MM-DD, or ISO 8601 timestamp', examples: ['2026-01-01'] }),
  ),
  to: t.Optional(
    t.String({
      maxLength: 64,
      description: 'last day (inclusive), YYYY-MM-DD, or ISO 8601 timestamp (exclusive)',
      examples: ['2026-01-31'],
    }),
  ),
}

export interface Range {
  readonly from: Date
  /** Exclusive. */
  readonly to: Date
  /** The first and last day in the range, YYYY-MM-DD. An empty range ends on the day it starts. */
  readonly fromDay: string
  readonly toDay: string
}

/** Parameters that select days. */
export interface DaysAsked {
  from?: string
  to?: string
  /** YYYY-MM */
  period?: string
  /** The last day, YYYY-MM-DD, if `to` is not given; default: today. */
  through?: string
}

/** Days are included at both ends, timestamps half-open. @throws Fault `invalid` `validation_failed` */
export function rangeOf(query: Omit<DaysAsked, 'period'>, now: Date): Range {
  const last = query.through === undefined ? now : new Date(`${query.through}T00:00:00Z`)
  const to = query.to === undefined ? nextDay(last) : moment('to', query.to, dayMs)
  const lastDay = Math.floor((to.getTime() - 1) / dayMs) * dayMs
  const from = query.from === undefined ? new Date(lastDay - daysDefault * dayMs) : moment('from', query.from, 0)
  const ms = to.getTime() - from.getTime()
  if (ms < 0 || (ms === 0 && isDay(query.to))) throw wrong('from', 'range', 'must not be after "to"')
  if (ms > daysMax * dayMs) throw wrong('from', 'range', `must be at most ${daysMax} days before "to"`)
  const lastMoment = new Date(Math.max(from.getTime(), to.getTime() - 1))
  return { from, to, fromDay: dayOf(from), toDay: dayOf(lastMoment) }
}

/** The selected days: those of a month, or of a range. @throws Fault `invalid`, also if both are given */
export function daysOf(query: DaysAsked, now: Date): Pick<Range, 'fromDay' | 'toDay'> {
  if (query.period === undefined) return rangeOf(query, now)
  const month = upTo(query.through, monthRange(query.period))
  if (query.from === undefined && query.to === undefined) return month
  throw wrong('period', 'range', 'cannot be combined with "from" and "to"')
}

function upTo<D extends Pick<Range, 'fromDay' | 'toDay'>>(through: string | undefined, days: D): D {
  return through !== undefined && through >= days.fromDay && through < days.toDay ? { ...days, toDay: through } : days
}

/** The first and last day of a month, YYYY-MM. @throws Fault `invalid` if it is not within 1970 to 2100 */
export function monthRange(period: string) {
  const [, year, month] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(period) ?? []
  if (!year || !month || Number(year) < 1970 || Number(year) > 2100) {
    throw wrong('period', 'format', 'must be a month, YYYY-MM')
  }
  return { period, fromDay: `${period}-01`, toDay: dayOf(new Date(Date.UTC(Number(year), Number(month), 0))) }
}

/**
 * The name of a range of days: YYYY-MM if it is one month, otherwise the first and the last day joined by `..`
 * (decision G-43).
 */
export function periodOf({ fromDay, toDay }: Pick<Range, 'fromDay' | 'toDay'>): string {
  const month = fromDay.slice(0, 7)
  const next = new Date(Date.parse(toDay) + dayMs)
  const isMonth = fromDay.endsWith('-01') && toDay.startsWith(month) && dayOf(next).endsWith('-01')
  return isMonth ? month : `${fromDay}..${toDay}`
}

/** The days of a monthly report; default: the current month. @throws as `daysOf` */
export const monthOrDays = (query: Parameters<typeof daysOf>[0], now: Date): ReturnType<typeof daysOf> =>
  query.from === undefined && query.to === undefined
    ? upTo(query.through, monthRange(query.period ?? dayOf(now).slice(0, 7)))
    : daysOf(query, now)

const nextDay = (now: Date) => new Date((Math.floor(now.getTime() / dayMs) + 1) * dayMs)

const dayShape = /^(\d{4})-(\d{2})-(\d{2})$/
/** A `+` that was not percent-encoded arrives as a space. A time without a zone is UTC. */
const timeShape = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(Z|[+ -]\d{2}:\d{2})?$/i

const isDay = (text: string | undefined) => text === undefined || dayShape.test(text)

/** A day as its start plus `dayEndMs`; a timestamp as its moment. */
function moment(name: 'from' | 'to', text: string, dayEndMs: number): Date {
  const day = dayShape.exec(text)
  const at = day ? calendar(day) : timestamp(timeShape.exec(text))
  if (!at || at.getUTCFullYear() < 1970 || at.getUTCFullYear() > 2100) {
    throw wrong(name, 'format', 'must be an existing day, YYYY-MM-DD, or an ISO 8601 timestamp')
  }
  return day ? new Date(at.getTime() + dayEndMs) : at
}

function calendar([, year, month, day]: RegExpExecArray): Date | undefined {
  const at = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)))
  return dayOf(at) === `${year}-${month}-${day}` ? at : undefined
}

function timestamp(match: RegExpExecArray | null): Date | undefined {
  const start = match && calendar(match)
  if (!start) return undefined
  const [hours, minutes, seconds] = [match[4], match[5], match[6] ?? '0'].map(Number) as [number, number, number]
  if (hours > 23 || minutes > 59 || seconds > 59) return undefined
  const zone = zoneMs(match[8] ?? 'Z')
  if (zone === undefined) return undefined
  const fraction = Number((match[7] ?? '0').padEnd(3, '0').slice(0, 3))
  return new Date(start.getTime() + ((hours * 60 + minutes) * 60 + seconds) * 1000 + fraction - zone)
}

function zoneMs(zone: string): number | undefined {
  if (zone.toUpperCase() === 'Z') return 0
  const [hours, minutes] = zone.slice(1).split(':').map(Number) as [number, number]
  if (hours > 14 || minutes > 59) return undefined
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000
}

const wrong = (name: 'from' | 'to' | 'period', code: string, message: string) =>
  badInput({ in: 'query', name, code, message })
