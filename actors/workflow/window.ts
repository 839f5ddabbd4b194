/**
 * Windows of the week in which changes may be made, as the clock of their zone shows them: an hour that it jumps over is in no
 * window, one that it shows twice is in its window both times.
 */
import type { SpecError } from '#actors/capability.ts'
import { dayMinutes, isZone, minuteMs, zoneOf } from '#streams/cron/zone.ts'
import type { ChangeWindow } from '#streams/workflow.ts'

/** What the shape of a window cannot say; `at` is where it stands in its spec. */
export function windowErrors({ from, to, timezone }: ChangeWindow, at: string): SpecError[] {
  const errors: SpecError[] = []
  if (from === to) errors.push({ path: `${at}/to`, code: 'range', message: 'must be another time than from' })
  if (!isZone(timezone))
    errors.push({ path: `${at}/timezone`, code: 'format', message: 'is no time zone of IANA, such as Europe/Berlin' })
  return errors
}

/** Whether a moment, in milliseconds since 1970, lies in the window. In one of a zone that is not known any more nothing does. */
export function isOpen({ days, from, to, timezone }: ChangeWindow, at: number): boolean {
  if (!isZone(timezone)) return false
  const wall = zoneOf(timezone).wall(Math.floor(at / minuteMs))
  const day = Math.floor(wall / dayMinutes)
  const minute = wall - day * dayMinutes
  const [first, end] = [minuteOf(from), minuteOf(to)]
  const isDay = (one: number): boolean => days.includes(weekdayOf(one))
  if (first <= end) return isDay(day) && minute >= first && minute < end
  return (isDay(day) && minute >= first) || (isDay(day - 1) && minute < end)
}

/** The first whole minute behind `now` for which `holds` says yes, at most `withinMs` ahead; the end of that where there is none. */
export function firstMinute(now: number, withinMs: number, holds: (at: number) => boolean): number {
  for (let at = (Math.floor(now / minuteMs) + 1) * minuteMs; at < now + withinMs; at += minuteMs)
    if (holds(at)) return at
  return now + withinMs
}

const minuteOf = (clock: string): number => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3))

/** 1 is Monday; the first day of 1970 was a Thursday. */
const weekdayOf = (day: number): number => ((day + 3) % 7) + 1

const dayNames = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']
/** Windows that a sentence names. */
const namedMax = 3

/** Windows as sentences have them. */
export function windowsText(windows: readonly ChangeWindow[]): string {
  const named = windows.slice(0, namedMax).map(windowText).join('; ')
  return windows.length > namedMax ? `${named}; and ${windows.length - namedMax} more` : named
}

function windowText({ days, from, to, timezone }: ChangeWindow): string {
  const names = dayNames.filter((_, i) => days.includes(i + 1)).join(', ')
  return `${names} ${from} to ${to} ${timezone}`
}
