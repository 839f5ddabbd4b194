import { dayMs } from '#engine/value/day.ts'
import type { PowerAction } from '#streams/action/messages.ts'
import { parse, previous } from '#streams/cron/messages.ts'
import type { ScheduleRule } from '#streams/schedule.ts'

/** A schedule that is enabled and names a resource, by itself or by a group. */
export interface DemandingSchedule {
  timezone: string
  rules: readonly ScheduleRule[]
  skipDates: readonly string[]
}

/** A fire longer ago demands nothing any more. */
const daysBack = 400

/**
 * What the schedules demand of a resource at `at`: what the latest fire of all their rules said, a start before a stop of the
 * same minute; undefined where none fired in the last 400 days.
 */
export function findDemand(schedules: readonly DemandingSchedule[], at: Date): PowerAction | undefined {
  const since = at.getTime() - daysBack * dayMs
  let latest = -Infinity
  let action: PowerAction | undefined
  for (const { timezone, rules, skipDates } of schedules) {
    const skipped = new Set(skipDates)
    for (const rule of rules) {
      const fire = previous(parse(rule.cron), timezone, at, skipped)?.getTime() ?? -Infinity
      if (fire < since || fire < latest || (fire === latest && rule.action === 'stop')) continue
      latest = fire
      action = rule.action
    }
  }
  return action
}
