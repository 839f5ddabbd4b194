/** When a schedule fires. */
import type { PowerAction } from '#streams/action/messages.ts'
import { next, parse } from '#streams/cron/messages.ts'
import type { ScheduleTerms } from '#streams/schedule.ts'

export type ScheduleTimes = Pick<ScheduleTerms, 'timezone' | 'rules' | 'skipDates'>

export interface Fire {
  at: Date
  action: PowerAction
}

/**
 * The first firing after a time; undefined if there is none. If a start and a stop fall into one minute, only the start
 * fires.
 */
export type NextFire = (after: Date) => Fire | undefined

/** @throws Fault `invalid` for an unknown time zone or an invalid rule */
export function firesOf({ timezone, rules, skipDates }: ScheduleTimes): NextFire {
  const skipped = new Set(skipDates)
  const parsed = rules.map(({ action, cron }) => ({ action, rule: parse(cron) }))
  return (after) => {
    let first: Fire | undefined
    for (const { action, rule } of parsed) {
      const at = next(rule, timezone, after, skipped)
      if (at === undefined) continue
      const ms = first ? at.getTime() - first.at.getTime() : -1
      if (ms < 0 || (ms === 0 && action === 'start')) first = { at, action }
    }
    return first
  }
}

/** The next firings after `after`, at most `count`. */
export function nextFires(times: ScheduleTimes, after: Date, count: number): Fire[] {
  const nextFire = firesOf(times)
  const found: Fire[] = []
  for (let fire = nextFire(after); fire && found.length < count; fire = nextFire(fire.at)) found.push(fire)
  return found
}
