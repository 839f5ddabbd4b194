/** What a schedule does when it is changed, and when it fires. */
import type { Schedule } from '#actors/schedule/entity.ts'
import { recordMissed, run, type Accounts } from '#actors/schedule/fire.ts'
import { firesOf, type NextFire } from '#actors/schedule/times.ts'
import { sameData } from '#engine/actor/row.ts'
import type { Static } from '#engine/value/schema.ts'
import type { Turn } from '#engine/actor/turn.ts'
import { scheduleDue, type scheduleSaved, type ScheduleTerms } from '#streams/schedule.ts'

/** Milliseconds after which a late firing no longer runs, but is recorded as missed. */
const lateMs = 15 * 60_000
/** Maximum missed firings recorded at once; the rest of an outage is skipped. */
const missedMax = 100

type ScheduleChange = Static<typeof scheduleSaved.schema>

export function create(schedule: Schedule, { scheduleId, terms }: ScheduleChange, turn: Turn): void {
  Object.assign(schedule, terms)
  schedule.createdAt = schedule.updatedAt = turn.now
  rearm(schedule, turn)
  turn.reply({ id: scheduleId })
}

export function change(schedule: Schedule, { scheduleId, terms }: ScheduleChange, turn: Turn<Accounts>): void {
  const before = timesOf(schedule)
  const isOther = !sameData(before, timesOf({ ...before, ...terms }))
  // Firings due by the old times are handled with them.
  if (isOther && schedule.enabled) catchUp(schedule, firesOf(schedule), turn.now, turn)
  Object.assign(schedule, terms)
  schedule.updatedAt = turn.now
  if (isOther) rearm(schedule, turn)
  turn.reply({ id: scheduleId })
}

export function remove(_: Schedule, { scheduleId }: { scheduleId: string }, turn: Turn): void {
  turn.forget('due')
  turn.remove()
  turn.reply({ id: scheduleId })
}

export function fire(schedule: Schedule, due: Static<typeof scheduleDue.schema>, turn: Turn<Accounts>): void {
  // The lane's clock may be slightly behind the clock of the reminder. A reminder for old times only says that
  // something may be due: what is due is computed again, and the reminder that it used up is set again.
  const isOfThese = schedule.revision === due.revision
  const now = new Date(Math.max(turn.now.getTime(), isOfThese ? Date.parse(due.fire) : 0))
  const nextFire = firesOf(schedule)
  catchUp(schedule, nextFire, now, turn)
  arm(schedule, nextFire, turn)
}

type Terms = Pick<ScheduleTerms, 'timezone' | 'rules' | 'skipDates' | 'enabled'>
const timesOf = ({ timezone, rules, skipDates, enabled }: Terms): Terms => ({ timezone, rules, skipDates, enabled })

/** Its times have changed: it counts from now on, and nothing from before is made up for. */
function rearm(schedule: Schedule, turn: Turn): void {
  schedule.revision += 1
  schedule.through = new Date(Math.max(turn.now.getTime(), schedule.through?.getTime() ?? 0))
  arm(schedule, firesOf(schedule), turn)
}

function arm(schedule: Schedule, nextFire: NextFire, turn: Turn): void {
  const fire = schedule.enabled ? nextFire(schedule.through!) : undefined
  schedule.nextRunAt = fire?.at ?? null
  if (!fire) return turn.forget('due')
  const { id: scheduleId, revision } = schedule
  turn.remind('due', fire.at, scheduleDue, { scheduleId, revision, fire: fire.at.toISOString() })
}

/** Handles all firings up to `now`, oldest first. */
function catchUp(schedule: Schedule, nextFire: NextFire, now: Date, turn: Turn<Accounts>): void {
  const runsFrom = now.getTime() - lateMs
  let written = 0
  for (let fire = nextFire(schedule.through!); fire && fire.at <= now; fire = nextFire(schedule.through!)) {
    schedule.through = fire.at
    if (fire.at.getTime() >= runsFrom) {
      schedule.lastRunAt = fire.at
      run(schedule, fire, turn)
    } else if (written < missedMax) {
      written += 1
      recordMissed(schedule, fire, turn)
    } else {
      schedule.through = new Date(runsFrom - 1)
    }
  }
}
