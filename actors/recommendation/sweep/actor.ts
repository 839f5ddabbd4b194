/** When the sweep of an account has ended, and when a sweep is due after changes of policies. */
import { defineActor } from '#engine/actor/actor.ts'
import { jobRequested } from '#streams/job.ts'
import { sweepDue, sweepEnded, sweepWanted } from '#streams/recommendation.ts'
import { AccountSweep, SweepWatch } from './entity.ts'

/**
 * How far the sweep of an account is. All facts that a sweep sent are processed before its first end, which runs alone
 * after them. All findings of the audits are processed before the second end, which is sent after them.
 */
export const accountSweepActor = defineActor({
  kind: 'account-sweep',
  entity: AccountSweep,
  address: { orgId: 'orgId', place: 'cloudAccountId', key: 'cloudAccountId' },
  initial: () => ({ settledRunId: '' }),
  reactions: (on) => [
    on(
      sweepEnded,
      (data) => data.cloudAccountId,
      (sweep, { cloudAccountId, runId, isBehindFindings }, turn) => {
        if (isBehindFindings) sweep.settledRunId = runId
        else turn.emit(sweepEnded, { cloudAccountId, runId, isBehindFindings: true })
      },
      { barrier: true },
    ),
  ],
})

/** Milliseconds to wait for further changes, so that one sweep covers several. */
const settleMs = 5000

export const sweepWatchActor = defineActor({
  kind: 'sweep-watch',
  entity: SweepWatch,
  address: { orgId: 'orgId', key: 'key' },
  initial: () => ({ isWaiting: false }),
  reactions: (on) => [
    on(
      sweepWanted,
      () => 'all',
      (watch, _, turn) => {
        if (watch.isWaiting) return
        watch.isWaiting = true
        turn.remind('due', new Date(turn.now.getTime() + settleMs), sweepDue, {})
      },
    ),
    on(
      sweepDue,
      () => 'all',
      (watch, _, turn) => {
        watch.isWaiting = false
        turn.emit(jobRequested, { job: 'recommendation-sweep', runId: turn.id(), after: true })
      },
    ),
  ],
})
