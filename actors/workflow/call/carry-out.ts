/**
 * Executes the operations of a plan, one after another. Each has one id for all its tries, so that the cloud does it
 * once. Also checks their results.
 */
import type { WorkflowNeeds } from '#actors/workflow/needs.ts'
import { uuidOf } from '#engine/value/id.ts'
import { pauseBefore } from '#engine/actor/retry.ts'
import type { Turn } from '#engine/actor/turn.ts'
import { actionWanted } from '#streams/action/messages.ts'
import { retries } from '#streams/retry.ts'
import type { OperationReport, WorkflowRefusal } from '#streams/workflow.ts'
import { lookOperation, operate } from './effect.ts'
import { awaitPickUp, lateOrder } from './order.ts'
import { fail, free } from '#actors/workflow/end.ts'
import type { Op, Undo, WorkflowJob } from '#actors/workflow/entity.ts'
import { completeStep, hold, lookLater, wait } from '#actors/workflow/step.ts'
import { jobOf, remind, stepOf, tellRecommendation, write } from '#actors/workflow/tell.ts'
import { hasBegun } from '#actors/workflow/plan/warrant.ts'

/** Milliseconds until the next try while the kill switch is on. */
const haltedMs = 30_000

/** Starting and stopping go through the resource's power actor, which has its own tries, checks and history. */
const isPowered = ({ plan }: WorkflowJob, index: number): boolean =>
  plan.ops[index]?.kind === 'start' || plan.ops[index]?.kind === 'stop'

function setOp(row: WorkflowJob, index: number, change: Partial<Op>): void {
  row.ops = row.ops.map((op, i) => (i === index ? { ...op, ...change } : op))
}

/** Starts the first operation that is not done; all are done if there is none. */
export function beginNext(row: WorkflowJob, turn: Turn<WorkflowNeeds>): void {
  const index = row.ops.findIndex(({ state }) => state !== 'done')
  if (index === -1) {
    free(row, turn)
    return completeStep(row, turn)
  }
  if (row.ops.every(({ tries }) => tries === 0)) tellRecommendation(row, 'executing', turn)
  hold(row, turn)
  begin(row, index, turn)
}

function begin(row: WorkflowJob, index: number, turn: Turn<WorkflowNeeds>): void {
  const step = stepOf(row)!
  const tries = row.ops[index]!.tries + 1
  const call = `${step.id}/${index}/${tries}`
  row.looks = 0
  const { order: _, ...op } = row.ops[index]!
  row.ops = row.ops.with(index, { ...op, state: 'running', tries, call })
  write(row, 'call_begun', turn, { step, reason: call })
  if (isPowered(row, index)) {
    const actionId = uuidOf('workflow', turn.address.orgId, row.id, call)
    setOp(row, index, { actionId })
    return wantPower(row, { action: row.plan.ops[index]!.kind as 'start' | 'stop', actionId, call }, turn)
  }
  turn.call(operate, `op/${turn.address.orgId}/${row.id}/${call}`, { ...jobOf(row), call, index, tries })
}

interface PowerRequest {
  action: 'start' | 'stop'
  actionId: string
  call: string
}

function wantPower(row: WorkflowJob, { action, actionId, call }: PowerRequest, turn: Turn<WorkflowNeeds>): void {
  const { createdBy, resourceUid, cloudAccountId, plan } = row
  const source = { type: 'manual' as const, id: createdBy, userId: createdBy, workflow: { jobId: row.id, call } }
  turn.emit(actionWanted, { actionId, cloudAccountId, resourceUid, action, reason: `workflow: ${plan.title}`, source })
}

type ReportHandler = (row: WorkflowJob, index: number, said: OperationReport, turn: Turn<WorkflowNeeds>) => void

/** Runs the handler only for the call in progress; reports of others are ignored. */
const ofCall =
  (handle: ReportHandler) =>
  (row: WorkflowJob, said: OperationReport, turn: Turn<WorkflowNeeds>): void => {
    const index = row.ops.findIndex(({ call, state }) => call === said.call && state === 'running')
    if (index !== -1) handle(row, index, said, turn)
  }

type EndStatus = Exclude<OperationReport['status'], 'running' | 'ordered'>

/** Runs the handler and records the result in the plan. */
const ofEnd = (handle: ReportHandler) =>
  ofCall((row, index, said, turn) => {
    turn.forget('look')
    turn.forget('limit')
    write(row, `call_${said.status as EndStatus}`, turn, reasonOf(row, wordOf(said)))
    handle(row, index, said, turn)
  })

/** Milliseconds within which an accepted call must be seen to be done. */
const confirmMs = 15 * 60_000

/** The cloud has accepted the call and has not finished. */
export const confirmLater = ofCall((row, index, _, turn) => {
  if (isPowered(row, index)) return
  remind(row, 'limit', confirmMs, turn)
  if (!row.ops[index]!.order) lookLater(row, turn)
})

/** An external executor should make the call. */
export const awaitExecutor = ofCall((row, index, _, turn) => setOp(row, index, awaitPickUp(row, row.ops[index]!, turn)))

/** A started operation is completed, however old its approval is by then. */
export const completeCall = ofEnd((row, index, { isSo = false }, turn) => {
  setOp(row, index, { state: 'done', isUnmade: isUnmade(row, index, isSo) })
  if (hasBegun(row)) turn.forget('expires')
  beginNext(row, turn)
})

/** Whether the operation made no call, in this try or an earlier one. */
const isUnmade = ({ ops }: WorkflowJob, index: number, is: boolean): boolean => is && ops[index]!.isUnmade !== false

const wordOf = ({ isSo, errorMessage, refusal, call }: OperationReport): string =>
  refusal ?? errorMessage ?? (isSo ? 'it was already in the requested state' : call)

const reasonOf = (row: WorkflowJob, reason: string) => {
  const step = stepOf(row)
  return { reason, ...(step && { step }) }
}

/** A report that arrives after the end of the workflow is recorded with its step. */
export const noteLate = ofEnd((row, index, { status, errorMessage }) => {
  setOp(row, index, { state: status === 'succeeded' ? 'done' : 'failed' })
  const id = row.steps.find(({ kind }) => kind === 'execute' || kind === 'pause_service')?.id
  const outcome = { status, ...(errorMessage !== undefined && { message: errorMessage }) }
  row.steps = row.steps.map((step) =>
    step.id === id ? { ...step, output: { ...step.output, afterCancel: outcome } } : step,
  )
})

const isLast = (row: WorkflowJob, index: number): boolean => index === row.ops.length - 1

export const failCall = ofEnd((row, index, said, turn) => {
  const message = said.errorMessage || 'The cloud rejected the call without giving a reason.'
  const { failures } = row.ops[index]!
  setOp(row, index, { isUnmade: isUnmade(row, index, said.isUnmade === true) })
  const pause = said.retryable ? pauseBefore(retries.workflowCall, failures + 2) : undefined
  // The cloud has accepted the call, or may have: the validation finds out whether it is done.
  if (pause === undefined && said.isTaken && isLast(row, index)) {
    setOp(row, index, { state: 'done' })
    return beginNext(row, turn)
  }
  if (pause === undefined) return giveUp(row, index, 'operation_failed', message, turn)
  setOp(row, index, { state: 'pending', failures: failures + 1 })
  row.reason = message
  remind(row, 'retry', pause, turn)
})

const sentences: Readonly<Record<Exclude<WorkflowRefusal, 'halted'>, string>> = {
  unapproved: 'Nothing was changed: the current plan has not been approved by anyone who may approve it.',
  changed: 'Nothing was changed: the resource has changed since this step was approved.',
  unknown:
    'It is unknown whether the previous call was made, so no further call was made. Check the resource and start a new workflow.',
}

const codes = { unapproved: 'unapproved', changed: 'changed_since_approval', unknown: 'unknown_outcome' } as const

export const refuseCall = ofEnd((row, index, { refusal = 'unapproved' }, turn) => {
  if (refusal !== 'halted') return giveUp(row, index, codes[refusal], sentences[refusal], turn)
  setOp(row, index, { state: 'pending' })
  wait(row, haltedUntil(turn), turn)
})

const haltedUntil = (turn: Turn<WorkflowNeeds>) => ({
  code: 'halted',
  message: 'The kill switch of the organization is on.',
  retryAt: new Date(turn.now.getTime() + haltedMs),
})

/** If the plan has stopped the machine and then failed, the machine is started again, as the approved plan says. */
export function giveUp(
  row: WorkflowJob,
  index: number,
  code: string,
  message: string,
  turn: Turn<WorkflowNeeds>,
): void {
  setOp(row, index, { state: 'failed' })
  const stopped = row.plan.ops.findIndex(({ kind }) => kind === 'stop')
  const isToStart = row.plan.ops.slice(index + 1).some(({ kind }) => kind === 'start')
  // A failed stop may have stopped the machine all the same; a refused one has not been called.
  const isOff = stopped !== -1 && isStopped(row.ops[stopped]!, stopped === index && code === 'operation_failed')
  const isLeftOff = isOff && row.plan.ops[index]!.kind === 'start'
  if (isLeftOff)
    return fail(
      row,
      code,
      `${message} The planned change was made, but the resource could not be started again. It is stopped.`,
      turn,
    )
  if (!isOff || !isToStart) return fail(row, code, message, turn)
  row.undo = { call: '', actionId: '', message, code, tries: 0 }
  restart(row, row.undo, turn)
}

/** Whether a call of this workflow has stopped it: what others have stopped stays stopped. */
const isStopped = ({ state, isUnmade: is }: Op, hasFailed: boolean): boolean => !is && (hasFailed || state === 'done')

function restart(row: WorkflowJob, undo: Undo, turn: Turn<WorkflowNeeds>): void {
  const tries = undo.tries + 1
  const call = `${stepOf(row)!.id}/undo/${tries}`
  const actionId = uuidOf('workflow', turn.address.orgId, row.id, call)
  row.undo = { ...undo, tries, call, actionId }
  if (tries === 1) write(row, 'call_begun', turn, reasonOf(row, call))
  wantPower(row, { action: 'start', actionId, call }, turn)
}

export function takeRestart(row: WorkflowJob, said: OperationReport, turn: Turn<WorkflowNeeds>): void {
  const { call, message, code, tries } = row.undo!
  const { status, refusal, errorMessage, retryable = false } = said
  if (said.call !== call) return
  if (refusal === 'halted') return remind(row, 'retry', haltedMs, turn)
  const pause = status === 'failed' && retryable ? pauseBefore(retries.workflowRestart, tries + 1) : undefined
  if (pause !== undefined) return remind(row, 'retry', pause, turn)
  row.undo = null
  if (status === 'succeeded')
    return fail(row, code, `${message} The resource was started again without the change.`, turn)
  fail(
    row,
    code,
    `${message} The resource could not be started again either: ${errorMessage ?? refusal ?? 'no reason given'}`,
    turn,
  )
}

export const retryRestart = (row: WorkflowJob, _: unknown, turn: Turn<WorkflowNeeds>): void =>
  restart(row, row.undo!, turn)

export const retryCall = (row: WorkflowJob, _: unknown, turn: Turn<WorkflowNeeds>): void => beginNext(row, turn)

const runningIndex = ({ ops }: WorkflowJob): number => ops.findIndex(({ state }) => state === 'running')

/** A call that the cloud accepted was not seen to be done in time. */
export function passLimit(row: WorkflowJob, _: unknown, turn: Turn<WorkflowNeeds>): void {
  const index = runningIndex(row)
  if (isPowered(row, index)) return
  turn.forget('look')
  const late = lateOrder(row.ops[index]!)
  if (late !== undefined) return giveUp(row, index, 'not_confirmed', late, turn)
  if (isLast(row, index)) {
    setOp(row, index, { state: 'done' })
    return beginNext(row, turn)
  }
  giveUp(row, index, 'not_confirmed', 'The cloud accepted the call but did not finish it within 15 minutes.', turn)
}

/** Checks once, and again later unless the result has been reported. */
function look(row: WorkflowJob, call: string, index: number | null, turn: Turn<WorkflowNeeds>): void {
  row.looks += 1
  const key = `op/${turn.address.orgId}/${row.id}/${call}/look/${row.looks}`
  turn.call(lookOperation, key, { ...jobOf(row), call, index })
  lookLater(row, turn)
}

export function lookAtCall(row: WorkflowJob, _: unknown, turn: Turn<WorkflowNeeds>): void {
  const index = runningIndex(row)
  look(row, row.ops[index]!.call, index, turn)
}

const resultCall = (row: WorkflowJob): string => `${row.stepId}/look`

export const lookAtResult = (row: WorkflowJob, _: unknown, turn: Turn<WorkflowNeeds>): void =>
  look(row, resultCall(row), null, turn)

export function seeResult(row: WorkflowJob, { call }: OperationReport, turn: Turn<WorkflowNeeds>): void {
  if (call === resultCall(row)) completeStep(row, turn)
}

export function missResult(row: WorkflowJob, _: unknown, turn: Turn<WorkflowNeeds>): void {
  const message =
    row.template === 'manual'
      ? 'Nobody marked it as done, and the finding is still open.'
      : 'The cloud does not show the planned result. Check the resource.'
  fail(row, 'not_as_planned', message, turn)
}
