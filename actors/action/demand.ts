import type { PowerAction } from '#streams/action.ts'
import type { ScheduleRule } from '#streams/schedule.ts'

/** What the schedules demand at a moment: what the last of their rules to fire said; undefined where none has. */
export function demanded(
  _schedules: readonly { timezone: string; rules: readonly ScheduleRule[]; skipDates: readonly string[] }[],
  _at: Date,
): PowerAction | undefined {
  return undefined
}
