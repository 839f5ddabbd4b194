/** Requests to the policies of a plan. Each has absolute values, so a repeat changes nothing. */
import type { Turn } from '#engine/actor/turn.ts'
import { planRaised, planReleased, planReserved } from '#streams/autoscaling.ts'
import type { PlanTarget, ReadinessPlan } from './entity.ts'
import type { PolicyPlace } from './needs.ts'
import { log, planOf } from './tell.ts'
import { windowOf } from './window.ts'

export const orderOf = (row: ReadinessPlan, { policyId, cloudAccountId, targetUid }: PolicyPlace) => ({
  ...planOf(row),
  revision: row.revision,
  policyId,
  cloudAccountId,
  targetUid,
})

/** Changes the targets that `which` selects; never in place. */
export function setTargets(
  row: ReadinessPlan,
  change: Partial<PlanTarget> | ((target: PlanTarget) => Partial<PlanTarget>),
  which: (target: PlanTarget) => boolean = () => true,
): void {
  const changeOf = typeof change === 'function' ? change : () => change
  row.targets = row.targets.map((target) => (which(target) ? { ...target, ...changeOf(target) } : target))
}

function logIntent(row: ReadinessPlan, { policyId, targetUid }: PolicyPlace, what: string, turn: Turn): void {
  log(row, { kind: 'intent', message: `${what} ${targetUid} (revision ${row.revision})`, policyId }, turn)
}

/** Requests every policy to keep its target free for the window, and to report its counts. */
export function reserveAll(row: ReadinessPlan, turn: Turn): void {
  const { from, to } = windowOf(row)
  for (const target of row.targets) {
    logIntent(row, target, 'reserve', turn)
    turn.emit(planReserved, { ...orderOf(row, target), from: from.toISOString(), to: to.toISOString() })
  }
  setTargets(row, { state: 'reserving' })
}

/** No policy retries after the end of the event. */
export function raiseAll(row: ReadinessPlan, turn: Turn): void {
  const until = row.eventEnd.toISOString()
  for (const target of row.targets) {
    logIntent(row, target, 'scale up', turn)
    turn.emit(planRaised, { ...orderOf(row, target), multiplier: row.expectedMultiplier, until })
  }
  setTargets(row, { state: 'raising' })
}

/** Releases targets that have not been scaled up. */
export function release(row: ReadinessPlan, targets: readonly PolicyPlace[], turn: Turn): void {
  for (const target of targets) {
    logIntent(row, target, 'release', turn)
    turn.emit(planReleased, orderOf(row, target))
  }
}

export function releaseAll(row: ReadinessPlan, turn: Turn): void {
  release(row, row.targets, turn)
  setTargets(row, { state: 'idle' })
}
