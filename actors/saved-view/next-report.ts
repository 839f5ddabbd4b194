/** When a saved view is mailed. */
import type { ReportSchedule } from '#actors/saved-view/entity.ts'
import { next, parse } from '#streams/cron/messages.ts'

export type ReportTimes = Pick<ReportSchedule, 'every' | 'weekday' | 'day' | 'hour' | 'timezone'>

/**
 * The first due time after `after`, in the time zone: an hour skipped by daylight saving time is due at the first
 * minute after the gap, an hour that occurs twice the first time.
 */
export function nextReport({ every, weekday, day, hour, timezone }: ReportTimes, after: Date): Date {
  const rule = every === 'week' ? `0 ${hour} * * ${weekday}` : `0 ${hour} ${day} * *`
  return next(parse(rule), timezone, after)!
}
