/** Spans of time outside an organization's business hours, in its own time zone. */
import { minuteMs } from '#engine/value/day.ts'
import { dayMinutes, zoneOf } from '#streams/cron/zone.ts'
import type { GatherAbout } from './context.ts'
import type { TimeSpan } from './timeline.ts'

const minutesOf = (at: string): number => Number(at.slice(0, 2)) * 60 + Number(at.slice(3))

/** Milliseconds since 1970, oldest first; `from` and `to` are whole minutes. */
export function offHours({ from, to }: TimeSpan, { businessHours, timezone }: GatherAbout['governance']): TimeSpan[] {
  const zone = zoneOf(timezone)
  const [begin, end] = [minutesOf(businessHours.from), minutesOf(businessHours.to)]
  const isBusiness = (minute: number): boolean => {
    const wall = zone.wall(minute)
    const [day, at] = [Math.floor(wall / dayMinutes), wall % dayMinutes]
    return businessHours.days.includes(weekdayOf(day)) && at >= begin && at < end
  }
  const spans: TimeSpan[] = []
  for (let at = from; at < to; at += minuteMs) {
    if (isBusiness(at / minuteMs)) continue
    const last = spans.at(-1)
    if (last?.to === at) last.to += minuteMs
    else spans.push({ from: at, to: at + minuteMs })
  }
  return spans
}

/** 1 is Monday; `day` counts days since 1970, which began on a Thursday. */
const weekdayOf = (day: number): number => ((day + 3) % 7) + 1
