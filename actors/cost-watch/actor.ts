import { defineActor } from '#engine/actor.ts'
import { costChanged, costSettled } from '#streams/cost-change.ts'
import { jobRequested, type JobName } from '#streams/job.ts'
import type { Turn } from '#engine/turn.ts'
import { CostWatch } from './entity.ts'

/** How long changes are let settle: bills come in many messages, and half of one is no reason to alarm anybody. */
const settleMs = 20_000

const key = () => 'all'

/** Has budgets and the running day looked at soon after costs changed: once for all changes of twenty seconds. */
export const costWatchActor = defineActor({
  kind: 'cost-watch',
  entity: CostWatch,
  address: { orgId: 'orgId', key: 'key' },
  initial: () => ({ isWaiting: false, isToday: false }),
  reactions: (on) => [
    on(costChanged, key, (watch, { today }, turn) => {
      watch.isToday ||= today
      if (watch.isWaiting) return
      watch.isWaiting = true
      turn.remind('settled', new Date(turn.now.getTime() + settleMs), costSettled, {})
    }),
    on(costSettled, key, (watch, _, turn) => {
      request('budget-evaluation', turn)
      if (watch.isToday) request('anomaly-check', turn)
      watch.isWaiting = false
      watch.isToday = false
    }),
  ],
})

function request(job: JobName, turn: Turn): void {
  turn.emit(jobRequested, { job, runId: turn.id() })
}
