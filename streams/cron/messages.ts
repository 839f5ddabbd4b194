/**
 * Cron rules of five fields (minute, hour, day of month, month, day of week) in the local time of a zone. A minute that
 * a clock change skips runs in the first minute after the gap; one that occurs twice runs the first time; nothing runs
 * twice in one minute.
 */
import { minuteMs } from '#engine/value/day.ts'
import { dayMinutes, zoneOf, type Zone } from '#streams/cron/zone.ts'
import { Fault } from '#engine/value/fault.ts'

export { isZone } from '#streams/cron/zone.ts'

export interface CronRule {
  /** Minutes of the day, ascending. */
  readonly times: readonly number[]
  /** Indexed by month, 1 to 12; by day, 1 to 31; by weekday, 0 (Sunday) to 6. */
  readonly months: readonly boolean[]
  readonly daysOfMonth: readonly boolean[]
  readonly daysOfWeek: readonly boolean[]
  /** Both kinds of days are restricted: a day that matches either of them is included. */
  readonly isEither: boolean
}

interface Field {
  name: string
  min: number
  max: number
  /** Names of the values, starting at `min`. */
  names?: readonly string[]
}

const fields: readonly Field[] = [
  { name: 'minute', min: 0, max: 59 },
  { name: 'hour', min: 0, max: 23 },
  { name: 'day of month', min: 1, max: 31 },
  { name: 'month', min: 1, max: 12, names: 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ') },
  // 7 is Sunday too.
  { name: 'day of week', min: 0, max: 7, names: 'sun mon tue wed thu fri sat'.split(' ') },
]

const invalid = (message: string) => Fault.invalid('cron_invalid', message)

/** Parsed rules by their text; large enough for several thousand schedules. */
const parsedRules = new Map<string, CronRule>()
const parsedMax = 10_000

/**
 * Parses a rule: `*`, numbers, lists, ranges and steps of ranges; months and weekdays also by name.
 * @throws Fault `invalid` `cron_invalid` with the reason, `cron_never` for a rule that matches no day in any year
 */
export function parse(text: string): CronRule {
  const known = parsedRules.get(text)
  if (known) return known
  const rule = read(text)
  if (parsedRules.size >= parsedMax) parsedRules.clear()
  parsedRules.set(text, rule)
  return rule
}

function read(text: string): CronRule {
  const parts = text.trim().split(/\s+/)
  if (parts.length !== 5)
    throw invalid(`has ${parts.length} fields, not minute, hour, day of month, month, day of week`)
  const [minutes, hours, daysOfMonth, months, weekdays] = fields.map((field, i) => values(field, parts[i]!))
  const numbers = (flags: readonly boolean[]) => [...flags.keys()].filter((n) => flags[n])
  const times = numbers(hours!).flatMap((hour) => numbers(minutes!).map((minute) => hour * 60 + minute))
  const daysOfWeek = weekdays!.map((is, n) => is || (n === 0 && weekdays![7] === true)).slice(0, 7)
  const isEither = parts[2] !== '*' && parts[4] !== '*'
  if (!isEither && !hasDay(months!, daysOfMonth!))
    throw Fault.invalid('cron_never', 'never runs: none of its months has such a day')
  return { times, months: months!, daysOfMonth: daysOfMonth!, daysOfWeek, isEither }
}

/** Days of each month in a leap year, from index 1. */
const lengths = [0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

const hasDay = (months: readonly boolean[], days: readonly boolean[]) =>
  lengths.some((length, month) => months[month] && days.slice(1, length + 1).includes(true))

/** Which values of the field match the text, indexed by value. */
function values(field: Field, text: string): boolean[] {
  const flags = Array<boolean>(field.max + 1).fill(false)
  for (const part of text.split(',')) {
    const { from, to, step } = rangeOf(field, part)
    for (let value = from; value <= to; value += step) flags[value] = true
  }
  return flags
}

const shape = /^(?:(?<all>\*)|(?<from>\w+)(?:-(?<to>\w+))?)(?:\/(?<step>\d{1,4}))?$/

function rangeOf(field: Field, part: string): { from: number; to: number; step: number } {
  const { name, min, max } = field
  const groups = shape.exec(part)?.groups
  if (!groups) throw invalid(`${name}: "${part}" is not a number, range, list, step or *`)
  const step = Number(groups['step'] ?? 1)
  if (step === 0) throw invalid(`${name}: "${part}" has no step`)
  // With `*`, Sunday is 0 only, not also 7.
  if (groups['all']) return { from: min, to: max === 7 ? 6 : max, step }
  if (groups['step'] !== undefined && groups['to'] === undefined)
    throw invalid(`${name}: "${part}" has a step without a range; write ${groups['from']}-${max}/${step}`)
  return { ...endsOf(field, part, groups['from']!, groups['to']), step }
}

function endsOf(field: Field, part: string, first: string, last = first): { from: number; to: number } {
  const from = valueOf(field, first)
  const end = valueOf(field, last)
  // A range of weekdays that ends on Sunday.
  const to = field.max === 7 && end === 0 && from > 0 && last !== first ? 7 : end
  if (to < from) throw invalid(`${field.name}: "${part}" ends before it begins`)
  return { from, to }
}

function valueOf({ name, min, max, names = [] }: Field, text: string): number {
  const known = names.indexOf(text.toLowerCase())
  if (known >= 0) return min + known
  const value = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN
  if (value >= min && value <= max) return value
  const also = names.length > 0 ? ` or ${names[0]} to ${names.at(-1)}` : ''
  throw invalid(`${name}: "${text}" is not ${min} to ${max}${also}`)
}

/** Maximum days to search: enough for 29 February if the next ones are skipped. */
const daysMax = 40 * 366

const noDates: ReadonlySet<string> = new Set()

/**
 * The first run after `after`, a whole minute; undefined if there is none in 40 years. No runs on `skipDates`
 * (YYYY-MM-DD, the local date at the time of the run). @throws Fault `invalid` for an unknown zone
 */
export function next(rule: CronRule, zone: string, after: Date, skipDates = noDates): Date | undefined {
  const clock = zoneOf(zone)
  let wall = clock.reached(Math.floor(after.getTime() / minuteMs)) + 1
  const last = wall + daysMax * dayMinutes
  for (;;) {
    const match = matchFrom(rule, wall, last)
    if (match === undefined) return undefined
    const shown = clock.first(match)
    if (!isSkipped(shown.wall, skipDates)) return new Date(shown.utc * minuteMs)
    wall = clock.before(startOfDay(shown.wall) + dayMinutes) + 1
  }
}

/** The last run at or before `at`, by the rules of `next`; undefined if there is none in 40 years. */
export function previous(rule: CronRule, zone: string, at: Date, skipDates = noDates): Date | undefined {
  const clock: Zone = zoneOf(zone)
  let wall = clock.reached(Math.floor(at.getTime() / minuteMs))
  const first = wall - daysMax * dayMinutes
  for (;;) {
    const match = matchUpTo(rule, wall, first)
    if (match === undefined) return undefined
    const shown = clock.first(match)
    if (!isSkipped(shown.wall, skipDates)) return new Date(shown.utc * minuteMs)
    wall = clock.before(startOfDay(shown.wall))
  }
}

const startOfDay = (wall: number) => wall - minuteOfDay(wall)
const minuteOfDay = (wall: number) => ((wall % dayMinutes) + dayMinutes) % dayMinutes

const isSkipped = (wall: number, dates: ReadonlySet<string>) =>
  dates.size > 0 && dates.has(new Date(wall * minuteMs).toISOString().slice(0, 10))

/** The first local minute from `wall` on that matches the rule. */
function matchFrom(rule: CronRule, wall: number, last: number): number | undefined {
  const now = minuteOfDay(wall)
  const { times } = rule
  let day = startOfDay(wall)
  const time = isDay(rule, day) ? times.find((one) => one >= now) : undefined
  if (time !== undefined) return day + time
  do {
    day += dayMinutes
    if (day > last) return undefined
  } while (!isDay(rule, day))
  return day + times[0]!
}

function matchUpTo(rule: CronRule, wall: number, first: number): number | undefined {
  const now = minuteOfDay(wall)
  const { times } = rule
  let day = startOfDay(wall)
  const time = isDay(rule, day) ? times.findLast((one) => one <= now) : undefined
  if (time !== undefined) return day + time
  do {
    day -= dayMinutes
    if (day < first) return undefined
  } while (!isDay(rule, day))
  return day + times.at(-1)!
}

function isDay(rule: CronRule, startsAt: number): boolean {
  const date = new Date(startsAt * minuteMs)
  if (!rule.months[date.getUTCMonth() + 1]) return false
  const isOfMonth = rule.daysOfMonth[date.getUTCDate()]!
  const isOfWeek = rule.daysOfWeek[date.getUTCDay()]!
  return rule.isEither ? isOfMonth || isOfWeek : isOfMonth && isOfWeek
}
