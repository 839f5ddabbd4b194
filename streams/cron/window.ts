/**
 * Windows of the week, as the clock of their zone shows them: an hour that it jumps over is in no window, one that it shows twice is
 * in its window both times.
 */
import { minuteMs } from '#engine/value/day.ts'
import { dayMinutes, isZone, zoneOf } from '#streams/cron/zone.ts'

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

/** Days in which a window that ever opens or shuts does so. */
const aheadDays = 8

/** When the window opens or shuts next behind `now`, milliseconds since 1970; undefined for one that never does. */
export function nextEdge(window: WeekWindow, now: number): number | undefined {
  if (!isZone(window.timezone) || window.days.length === 0) return undefined
  const edges = [...momentsOf(window, Math.floor(now / minuteMs))]
    .map((minute) => minute * minuteMs)
    .filter((at) => at > now && isOpen(window, at) !== isOpen(window, at - minuteMs))
  return edges.length === 0 ? undefined : Math.min(...edges)
}

/** The minutes at which it may open or shut: where its clock shows the first of its minutes or the one behind the last, and where that is put forward or back. */
function momentsOf({ days, from, to, timezone }: WeekWindow, now: number): Set<number> {
  const zone = zoneOf(timezone)
  const today = Math.floor(zone.wall(now) / dayMinutes)
  const [first, end] = [minuteOf(from), minuteOf(to)]
  const until = first <= end ? end : end + dayMinutes
  const changes = zone.changes(now - dayMinutes, now + (aheadDays + 1) * dayMinutes)
  const moments = new Set(changes)
  // From yesterday on, whose window may go over midnight, to the same day of next week.
  for (let day = today - 1; day <= today + aheadDays; day++) {
    if (!days.includes(weekdayOf(day))) continue
    for (const wall of [day * dayMinutes + first, day * dayMinutes + until]) {
      moments.add(zone.first(wall).utc)
      // Behind a change the clock may show the same minute again.
      for (const change of changes) moments.add(wall - (zone.wall(change) - change))
    }
  }
  return moments
}

const minuteOf = (clock: string): number => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3))

/** 1 is Monday; the first day of 1970 was a Thursday. */
const weekdayOf = (day: number): number => ((day + 3) % 7) + 1
