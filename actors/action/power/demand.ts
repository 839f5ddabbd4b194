import { dayMs } from '#engine/value/day.ts'
import type { PowerAction } from '#streams/action/messages.ts'
import { parse, previous } from '#streams/cron/messages.ts'
import type { ScheduleRule } from '#streams/schedule.ts'

/** An enabled schedule that names a resource, directly or through a group. */
export interface DemandingSchedule {
  timezone: string
  rules: readonly ScheduleRule[]
  skipDates: readonly string[]
}

/** A rule that fired longer ago no longer counts. */
const daysBack = 400

/**
 * The state that the schedules demand of a resource at `at`: that of the latest firing of all their rules. If a start
 * and a stop fire in the same minute, the start wins. Undefined if none fired in the last 400 days.
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
