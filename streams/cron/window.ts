/**
 * Weekly windows in the local time of a zone. An hour that a clock change skips is in no window; one that occurs twice
 * is in its window both times.
 */
import { minuteMs } from '#engine/value/day.ts'
import { dayMinutes, isZone, zoneOf } from '#streams/cron/zone.ts'

/** A window that ends before it begins extends past midnight and belongs to the day on which it begins. */
export interface WeekWindow {
  /** 1 is Monday. */
  days: readonly number[]
  /** HH:MM; 24:00 as an end is midnight. */
  from: string
  to: string
  /** IANA time zone. */
  timezone: string
}

/** Whether a time (milliseconds since 1970) is in the window. Always false if the zone is no longer known. */
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

/**
 * The first whole minute after `now` for which `holds` is true, at most `withinMs` ahead; `now + withinMs` if there is
 * none.
 */
export function firstMinute(now: number, withinMs: number, holds: (at: number) => boolean): number {
  for (let at = (Math.floor(now / minuteMs) + 1) * minuteMs; at < now + withinMs; at += minuteMs)
    if (holds(at)) return at
  return now + withinMs
}

/** Days within which every window opens or closes, unless it never does. */
const aheadDays = 8

/** When the window next opens or closes after `now`, milliseconds since 1970; undefined if it never does. */
export function nextEdge(window: WeekWindow, now: number): number | undefined {
  if (!isZone(window.timezone) || window.days.length === 0) return undefined
  const edges = [...momentsOf(window, Math.floor(now / minuteMs))]
    .map((minute) => minute * minuteMs)
    .filter((at) => at > now && isOpen(window, at) !== isOpen(window, at - minuteMs))
  return edges.length === 0 ? undefined : Math.min(...edges)
}

/**
 * Minutes at which it may open or close: when the clock shows its first minute or the one after its last, and at clock
 * changes.
 */
function momentsOf({ days, from, to, timezone }: WeekWindow, now: number): Set<number> {
  const zone = zoneOf(timezone)
  const today = Math.floor(zone.wall(now) / dayMinutes)
  const [first, end] = [minuteOf(from), minuteOf(to)]
  const until = first <= end ? end : end + dayMinutes
  const changes = zone.changes(now - dayMinutes, now + (aheadDays + 1) * dayMinutes)
  const moments = new Set(changes)
  // From yesterday, whose window may extend past midnight, to the same day next week.
  for (let day = today - 1; day <= today + aheadDays; day++) {
    if (!days.includes(weekdayOf(day))) continue
    for (const wall of [day * dayMinutes + first, day * dayMinutes + until]) {
      moments.add(zone.first(wall).utc)
      // After a clock change, the same minute may be shown again.
      for (const change of changes) moments.add(wall - (zone.wall(change) - change))
    }
  }
  return moments
}

const minuteOf = (clock: string): number => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3))

/** 1 is Monday; the first day of 1970 was a Thursday. */
const weekdayOf = (day: number): number => ((day + 3) % 7) + 1
