/** When events that are not urgent are sent. */
import { minuteMs } from '#engine/value/day.ts'
import { next, parse } from '#streams/cron/messages.ts'
import { dayMinutes, zoneOf } from '#streams/cron/zone.ts'
import type { ChannelOptions } from '#streams/notification/channel.ts'

const everyHour = parse('0 * * * *')
const everyDay = parse('0 9 * * *')

/** The next full hour, or the next 9:00 in the channel's zone; undefined without a digest. */
export function digestAt({ digest, timezone = 'UTC' }: ChannelOptions, now: Date): Date | undefined {
  if (!digest) return undefined
  return digest === 'hourly' ? next(everyHour, 'UTC', now) : next(everyDay, timezone, now)
}

/** The end of the current quiet hours; undefined outside of quiet hours. */
export function quietUntil({ quietHours }: ChannelOptions, now: Date): Date | undefined {
  if (!quietHours) return undefined
  const { timezone, from, to } = quietHours
  const minute = zoneOf(timezone).reached(Math.floor(now.getTime() / minuteMs))
  const shown = ((minute % dayMinutes) + dayMinutes) % dayMinutes
  const [begin, end] = [minuteOf(from), minuteOf(to)]
  const isQuiet = begin < end ? shown >= begin && shown < end : shown >= begin || shown < end
  const [hour, rest] = to.split(':')
  return isQuiet ? next(parse(`${Number(rest)} ${Number(hour)} * * *`), timezone, now) : undefined
}

function minuteOf(time: string): number {
  const [hour, minute] = time.split(':')
  return Number(hour) * 60 + Number(minute)
}
