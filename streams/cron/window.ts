/**
 * Windows of the week, as the clock of their zone shows them: an hour that it jumps over is in no window, one that it shows twice is
 * in its window both times.
 */
import { dayMinutes, isZone, minuteMs, zoneOf } from '#streams/cron/zone.ts'

/** One that ends before it begins goes over midnight, and is of the day on which it begins. */
export interface WeekWindow {
  /** 1 is Monday. */
  days: readonly number[]
  /** HH:MM; 24:00 as an end is midnight. */
  from: string
  to: string
  /** IANA zone. */
  timezone: string
}

/** Whether a moment, in milliseconds since 1970, lies in the window. In one of a zone that is not known any more nothing does. */
export function isOpen({ days, from, to, timezone }: WeekWindow, at: number): boolean {
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

/** When the window opens or shuts next behind `now`, milliseconds since 1970; undefined for one that never does. */
export function nextEdge({ days, from, to, timezone }: WeekWindow, now: number): number | undefined {
  if (!isZone(timezone) || days.length === 0) return undefined
  const zone = zoneOf(timezone)
  const today = Math.floor(zone.wall(Math.floor(now / minuteMs)) / dayMinutes)
  const [first, end] = [minuteOf(from), minuteOf(to)]
  const until = first <= end ? end : end + dayMinutes
  const moments: number[] = []
  // From yesterday on, whose window may go over midnight, to the same day of next week.
  for (let day = today - 1; day <= today + 8; day++) {
    if (!days.includes(weekdayOf(day))) continue
    for (const minute of [first, until]) moments.push(zone.first(day * dayMinutes + minute).utc * minuteMs)
  }
  const ahead = moments.filter((at) => at > now)
  return ahead.length === 0 ? undefined : Math.min(...ahead)
}

export const minuteOf = (clock: string): number => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3))

/** 1 is Monday; the first day of 1970 was a Thursday. */
const weekdayOf = (day: number): number => ((day + 3) % 7) + 1
