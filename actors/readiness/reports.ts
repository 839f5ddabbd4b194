/** Reports to a plan: from the policies of its targets, and from an executor outside this process. */
import { Fault } from '#engine/value/fault.ts'
import type { Static } from '#engine/value/schema.ts'
import type { Turn } from '#engine/actor/turn.ts'
import type { Counts } from '#streams/autoscaling.ts'
import type { planCalledBack, planReported, PlanStatus } from '#streams/readiness.ts'
import { checkThere } from './schedule.ts'
import { fail } from './end.ts'
import type { PlanTarget, ReadinessPlan } from './entity.ts'
import { takeRestoreReport } from './restore.ts'
import { setTargets } from './target.ts'
import { executor, log, move, planOf, wrongMove } from './tell.ts'
import { accept, awaitRaised, goDown, goUp } from './scale-up-down.ts'
import { windowOf } from './window.ts'

type Report = Static<typeof planReported.schema>
type Callback = Static<typeof planCalledBack.schema>

const ofPolicy = (policyId: string) => (target: PlanTarget) => target.policyId === policyId

/** A report of a policy, with the revision of the request it answers. */
export function report(row: ReadinessPlan, said: Report, turn: Turn): void {
  const { phase, status, policyId, message, revision } = said
  const text = `${phase}${uidOf(row, policyId)}: ${status}${message ? `: ${message}` : ''}${ofRevision(row, revision)}`
  log(row, { kind: 'callback', message: text, actor: executor, policyId }, turn)
  if (phase === 'restored') return takeRestoreReport(row, said, turn)
  if (row.deletedAt !== null || revision !== row.revision) return
  const target = row.targets.find(ofPolicy(policyId))
  if (target) phaseHandlers[phase](row, target, said, turn)
}

/** The uid of a target of the plan, or of one that still has to be restored. */
function uidOf({ targets, owed }: ReadinessPlan, policyId: string): string {
  const found = [...targets, ...owed].find((one) => one.policyId === policyId)
  return found ? ` ${found.targetUid}` : ''
}

const ofRevision = (row: ReadinessPlan, revision: number): string =>
  revision === row.revision ? '' : ` (for revision ${revision}; the plan is at revision ${row.revision})`

const phaseHandlers = { reserved: takeReserved, raised: takeRaised } as const

const failureOf = (target: PlanTarget, { message }: Report) => ({
  reason: `Target ${target.targetUid}: ${message ?? 'the policy rejected the request without giving a reason.'}`,
  actor: executor,
  of: target,
})

/** The counts before the plan, unless an earlier run left the target scaled up: then its originals stay. */
const originalsOf = ({ isKept, originals }: PlanTarget, told: Counts | undefined): Counts | null =>
  isKept && originals ? originals : (told ?? originals)

function takeReserved(row: ReadinessPlan, target: PlanTarget, said: Report, turn: Turn): void {
  const isAwaited = row.status === 'scheduling' || row.status === 'scheduled'
  if (!isAwaited || said.status === 'running') return
  if (said.status === 'failed') return fail(row, failureOf(target, said), turn)
  const originals = originalsOf(target, said.originals ?? said.counts)
  setTargets(row, { state: 'reserved', originals }, ofPolicy(target.policyId))
  if (row.targets.every(({ state }) => state === 'reserved')) accept(row, turn, executor)
}

function takeRaised(row: ReadinessPlan, target: PlanTarget, said: Report, turn: Turn): void {
  if (row.status !== 'scaling_up' && row.status !== 'active') return
  if (said.status === 'failed') return fail(row, failureOf(target, said), turn)
  const originals = originalsOf(target, said.originals)
  if (said.status === 'running') {
    if (row.status === 'scaling_up') awaitRaised(row, turn)
    return setTargets(row, { originals }, ofPolicy(target.policyId))
  }
  setTargets(row, { state: 'raised', originals, scaled: said.counts ?? target.scaled }, ofPolicy(target.policyId))
  if (row.status === 'scaling_up' && row.targets.every(({ state }) => state === 'raised')) activate(row, turn)
}

function activate(row: ReadinessPlan, turn: Turn): void {
  turn.forget('ack')
  move(row, 'active', 'All targets are scaled up.', turn, executor)
}

type CallbackHandler = (row: ReadinessPlan, said: Callback, turn: Turn) => void

const failedBy: CallbackHandler = (row, { message }, turn) =>
  fail(row, { reason: message || 'The executor reported a failure.', actor: executor }, turn)

/**
 * Statuses that an executor may report, by the plan's status. The two scaling phases cannot start before their time.
 */
const callbacks: Readonly<Partial<Record<PlanStatus, Readonly<Partial<Record<PlanStatus, CallbackHandler>>>>>> = {
  scheduling: { scheduled: scheduledBy, failed: failedBy },
  scheduled: { scaling_up: scalingUpBy, failed: failedBy },
  scaling_up: { active: activeBy, failed: failedBy },
  active: { scaling_down: scalingDownBy, failed: failedBy },
  scaling_down: { completed: completedBy, failed: failedBy },
}

/** @throws Fault `missing`, `conflict` `invalid_transition` */
export function callBack(row: ReadinessPlan, said: Callback, turn: Turn): void {
  checkThere(row)
  turn.reply(planOf(row))
  const { status, revision, message } = said
  const text = `${status}${message ? `: ${message}` : ''}${ofRevision(row, revision)}`
  const apply = callbacks[row.status]?.[status]
  const isNothingNew = revision < row.revision || row.status === status
  if (revision > row.revision)
    throw Fault.conflict(
      'invalid_transition',
      `The plan is at revision ${row.revision} and has not reached revision ${revision} yet.`,
    )
  if (!isNothingNew && !apply) throw wrongMove(row.status, status)
  log(row, { kind: 'callback', message: text, actor: executor }, turn)
  if (!isNothingNew) apply?.(row, said, turn)
}

type Results = Callback['results']

const countsOf = (results: Results, policyId: string): Counts | undefined => {
  const found = results?.find((one) => one.policyId === policyId)
  return found && { min: found.min, max: found.max, desired: found.desired }
}

function scheduledBy(row: ReadinessPlan, { results }: Callback, turn: Turn): void {
  setTargets(row, (target) => ({
    state: 'reserved',
    originals: originalsOf(target, countsOf(results, target.policyId)),
  }))
  accept(row, turn, executor)
}

function scalingUpBy(row: ReadinessPlan, { status }: Callback, turn: Turn): void {
  if (turn.now < windowOf(row).from) throw wrongMove(row.status, status)
  goUp(row, turn, executor)
}

function activeBy(row: ReadinessPlan, { results }: Callback, turn: Turn): void {
  setTargets(row, (target) => ({ state: 'raised', scaled: countsOf(results, target.policyId) ?? target.scaled }))
  activate(row, turn)
}

function scalingDownBy(row: ReadinessPlan, { status }: Callback, turn: Turn): void {
  if (turn.now < windowOf(row).to) throw wrongMove(row.status, status)
  goDown(row, turn, executor)
}

/** The executor has restored the targets: none is left to restore. */
function completedBy(row: ReadinessPlan, _: Callback, turn: Turn): void {
  row.owed = []
  turn.forget('restore')
  move(row, 'completed', 'All targets are restored.', turn, executor)
}
