/** When a saved view is mailed. */
import type { ReportSchedule } from '#actors/saved-view/entity.ts'
import { next, parse } from '#streams/cron/messages.ts'

export type ReportTimes = Pick<ReportSchedule, 'every' | 'weekday' | 'day' | 'hour' | 'timezone'>

/**
 * The first due moment behind `after`, by the clock of the zone: an hour that it jumps over is due at the first minute behind
 * the gap, one that it shows twice the first time.
 */
export function nextReport({ every, weekday, day, hour, timezone }: ReportTimes, after: Date): Date {
  const rule = every === 'week' ? `0 ${hour} * * ${weekday}` : `0 ${hour} ${day} * *`
  return next(parse(rule), timezone, after)!
}
