import type { Accounts } from './fire.ts'
import { Schedule } from '#actors/schedule/entity.ts'
import { fireNeeds, recordMissed, run } from '#actors/schedule/fire.ts'
import { firesOf, type NextFire } from '#actors/schedule/times.ts'
import { defineActor } from '#engine/actor/actor.ts'
import { Fault } from '#engine/value/fault.ts'
import { sameData } from '#engine/actor/row.ts'
import type { Turn } from '#engine/actor/turn.ts'
import { scheduleDue, scheduleRemoved, scheduleSaved, type ScheduleTerms } from '#streams/schedule.ts'

const scheduleKey = ({ scheduleId }: { scheduleId: string }) => scheduleId

/** A fire that is later than this does not run any more; it is written down as missed. */
const lateMs = 15 * 60_000
/** Missed fires that are written down at once; the rest of an outage is passed over. */
const missedMax = 100

/** Starts and stops resources at the times of its rules: one reminder stands, for the next of them. */
export const scheduleActor = defineActor({
  kind: 'schedule',
  entity: Schedule,
  address: { orgId: 'orgId', place: 'id', key: 'id' },
  initial: () => ({
    name: '',
    description: null,
    timezone: 'UTC',
    rules: [],
    resourceUids: [],
    resourceGroupIds: [],
    skipDates: [],
    enabled: false,
    revision: 0,
    through: null,
    lastRunAt: null,
    nextRunAt: null,
  }),
  needs: fireNeeds,
  reactions: (on) => [
    on(scheduleSaved, scheduleKey, (schedule, { scheduleId, isNew, terms }, turn) => {
      if (isNew && schedule.revision > 0)
        throw Fault.conflict('already_exists', 'A schedule with this ID already exists.')
      if (!isNew && schedule.revision === 0) throw Fault.missing('schedule', scheduleId)
      if (isNew) schedule.createdAt = turn.now
      const before = timesOf(schedule)
      const after = timesOf({ ...before, ...terms })
      const isOther = isNew || !sameData(before, after)
      // What is due by the times of before is dealt with by them.
      if (isOther && schedule.enabled) catchUp(schedule, firesOf(schedule), turn.now, turn)
      Object.assign(schedule, terms)
      schedule.updatedAt = turn.now
      if (isOther) rearm(schedule, turn)
      turn.reply({ id: scheduleId })
    }),

    on(scheduleRemoved, scheduleKey, (schedule, { scheduleId }, turn) => {
      if (schedule.revision === 0) throw Fault.missing('schedule', scheduleId)
      turn.forget('due')
      turn.remove()
      turn.reply({ id: scheduleId })
    }),

    on(
      scheduleDue,
      scheduleKey,
      (schedule, { revision, fire }, turn) => {
        if (!schedule.enabled) return
        // The clock of the lane may stand a little before that by which the reminder came. One of other times says no more
        // than that it may be time: what is due is looked up anew, and the reminder set again that it has used up.
        const isOfThese = schedule.revision === revision
        const now = new Date(Math.max(turn.now.getTime(), isOfThese ? Date.parse(fire) : 0))
        const nextFire = firesOf(schedule)
        catchUp(schedule, nextFire, now, turn)
        arm(schedule, nextFire, turn)
      },
      { existing: true },
    ),
  ],
})

type Terms = Pick<ScheduleTerms, 'timezone' | 'rules' | 'skipDates' | 'enabled'>
const timesOf = ({ timezone, rules, skipDates, enabled }: Terms): Terms => ({ timezone, rules, skipDates, enabled })

/** What it fires at is another: from now on, so nothing of before is made up for. */
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

/** Deals with all fires up to `now`, oldest first. */
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
