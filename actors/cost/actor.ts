import { defineActor } from '#engine/actor/actor.ts'
import type { Turn } from '#engine/actor/turn.ts'
import { costOverlaps } from '#analytics/rollup/stale-day/cost-link.ts'
import { costChanged, costConsolidated, costCounted, costSettled } from '#streams/cost.ts'
import { jobRequested, type JobName } from '#streams/job.ts'
import { CostWatch } from './entity.ts'

/**
 * Milliseconds until today's costs have settled: bills arrive in many messages, and half a bill must not raise an
 * alarm.
 */
const settleMs = 20_000
/** Milliseconds between two savings runs: bills of past days are not urgent. */
const countMs = 3_600_000

const key = () => 'all'

/**
 * Requests a budget evaluation when costs of this month change, and an anomaly check once today's costs have settled,
 * at most one per `settleMs`.
 */
export const costWatchActor = defineActor({
  kind: 'cost-watch',
  entity: CostWatch,
  address: { orgId: 'orgId', key: 'key' },
  initial: () => ({ isWaiting: false, isCounting: false }),
  reactions: (on) => [
    on(costChanged, key, (watch, { today, month = true }, turn) => {
      countLater(watch, turn)
      if (!month) return
      request('budget-evaluation', turn)
      if (!today || watch.isWaiting) return
      watch.isWaiting = true
      turn.remind('settled', new Date(turn.now.getTime() + settleMs), costSettled, {})
    }),
    on(costConsolidated, key, (_watch, _data, turn) => {
      turn.mark(costOverlaps, 'all')
      turn.reply({})
    }),
    on(costSettled, key, (watch, _, turn) => {
      watch.isWaiting = false
      request('anomaly-check', turn)
    }),
    on(costCounted, key, (watch, _, turn) => {
      watch.isCounting = false
      // Changes during a run in progress are covered by another run after it.
      turn.emit(jobRequested, { job: 'savings', runId: turn.id(), after: true })
    }),
  ],
})

function countLater(watch: CostWatch, turn: Turn): void {
  if (watch.isCounting) return
  watch.isCounting = true
  turn.remind('counted', new Date(turn.now.getTime() + countMs), costCounted, {})
}

function request(job: JobName, turn: Turn): void {
  turn.emit(jobRequested, { job, runId: turn.id() })
}
