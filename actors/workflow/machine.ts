/** The states of a workflow, and what each message does in each state. */
import { input, type Machine } from '#engine/actor/machine.ts'
import {
  factsJudged,
  guardAnswered,
  operationReported,
  workflowCancelled,
  workflowDecided,
  workflowDone,
  workflowDue,
  workflowForgotten,
  workflowWanted,
  type DueKind,
} from '#streams/workflow.ts'
import {
  awaitExecutor,
  completeCall,
  confirmLater,
  failCall,
  lookAtCall,
  lookAtResult,
  missResult,
  noteLate,
  passLimit,
  refuseCall,
  retryCall,
  retryRestart,
  seeResult,
  takeRestart,
} from './call/carry-out.ts'
import {
  allow,
  approve,
  cancelDone,
  completeDone,
  declineGrant,
  expireApproval,
  expireLater,
  expireResult,
  expireStep,
  forbid,
  judgeBefore,
  judgeFresh,
  lackFacts,
  refuseDecision,
  refuseMissing,
  refuseStop,
  reject,
  repeat,
  stop,
  waitForGuard,
  want,
} from './decide.ts'
import { isGate, settle } from './end.ts'
import type { WorkflowJob } from './entity.ts'
import type { WorkflowNeeds } from './needs.ts'
import { askGuard } from './step.ts'
import { stepOf } from './tell.ts'

/** The states from `asking` to `restarting` belong to the step that makes calls. */
const states = {
  absent: 'No workflow',
  checking: 'Checking the precondition',
  approving: 'Waiting for approval',
  asking: 'Waiting for the guard',
  preparing: 'Preparing a call',
  calling: 'Calling',
  restarting: 'Starting the machine again',
  validating: 'Checking the result',
  settling: 'Notifying the recommendation',
  succeeded: 'Succeeded',
  failed: 'Failed',
  cancelled: 'Cancelled',
} as const
type WorkflowState = keyof typeof states

function stateOf(row: WorkflowJob): WorkflowState {
  const { createdAt, status, ops, undo, n, grantN } = row
  if (createdAt.getTime() === 0) return 'absent'
  if (status === 'awaiting_user') return 'approving'
  if (status !== 'running' && status !== 'pending') return status
  const step = stepOf(row)
  if (!step) return 'settling'
  if (!isGate(step)) return step.kind === 'precondition' ? 'checking' : 'validating'
  if (undo) return 'restarting'
  if (ops.some(({ state }) => state === 'running')) return 'calling'
  // A grant increases the count by one; the next question increases it again.
  return grantN > 0 && grantN === n - 1 ? 'preparing' : 'asking'
}

const due = (label: string, kind: DueKind) => input(workflowDue, label, ({ what }) => what === kind)

const inputs = {
  wanted: input(workflowWanted, 'requested'),
  approved: input(workflowDecided, 'approved', ({ verdict }) => verdict === 'approve'),
  rejected: input(workflowDecided, 'rejected', ({ verdict }) => verdict === 'reject'),
  stopped: input(workflowCancelled, 'cancelled'),
  done: input(workflowDone, 'done by people'),
  judged: input(factsJudged, 'facts judged'),
  allowed: input(guardAnswered, 'the guard says yes', ({ answer }) => answer === 'yes'),
  postponed: input(guardAnswered, 'the guard says later', ({ answer }) => answer === 'later'),
  forbidden: input(guardAnswered, 'the guard says no', ({ answer }) => answer === 'no'),
  ordered: input(operationReported, 'call ordered from an executor', ({ status }) => status === 'ordered'),
  running: input(operationReported, 'call accepted', ({ status }) => status === 'running'),
  succeeded: input(operationReported, 'call succeeded', ({ status }) => status === 'succeeded'),
  failed: input(operationReported, 'call failed', ({ status }) => status === 'failed'),
  refused: input(operationReported, 'call refused', ({ status }) => status === 'refused'),
  expires: due('the approval expires', 'expires'),
  guard: due('time to ask the guard', 'guard'),
  facts: due('facts not collected in time', 'facts'),
  retry: due('the pause has ended', 'retry'),
  look: due('time to look', 'look'),
  limit: due('timed out', 'limit'),
  settled: due('recommendation notified', 'settled'),
  forgotten: input(workflowForgotten, 'kept long enough'),
}

/** Reactions in every state except `absent`. */
const always = {
  wanted: { handle: repeat },
  approved: { handle: refuseDecision },
  rejected: { handle: refuseDecision },
  allowed: { handle: declineGrant },
} as const

/** Reactions in every state with a current step. */
const live = { ...always, stopped: { handle: stop, next: ['cancelled'] } } as const

/** Reactions in every state after the end. */
const ended = { ...always, stopped: { handle: refuseStop }, forgotten: { handle: remove, next: ['absent'] } } as const

function remove(_row: WorkflowJob, _message: unknown, turn: { remove: () => void }): void {
  turn.remove()
}

export const workflowMachine: Machine<WorkflowJob, WorkflowNeeds, WorkflowState, typeof inputs> = {
  name: 'workflow',
  states,
  stateOf,
  inputs,
  transitions: {
    absent: {
      wanted: { handle: want, next: ['checking'] },
      approved: { handle: refuseMissing },
      rejected: { handle: refuseMissing },
      stopped: { handle: refuseMissing },
    },
    checking: {
      ...live,
      judged: { handle: judgeBefore, next: ['approving', 'asking', 'validating', 'settling', 'failed'] },
      done: { handle: cancelDone, next: ['cancelled'] },
      expires: { handle: expireApproval, next: ['cancelled'] },
      facts: { handle: lackFacts, next: ['failed'] },
    },
    approving: {
      ...live,
      approved: { handle: approve, next: ['checking', 'asking', 'validating'] },
      rejected: { handle: reject, next: ['cancelled'] },
      done: { handle: cancelDone, next: ['cancelled'] },
      expires: { handle: expireStep, next: ['cancelled'] },
    },
    asking: {
      ...live,
      allowed: { handle: allow, next: ['preparing', 'calling'] },
      postponed: { handle: waitForGuard },
      forbidden: { handle: forbid, next: ['restarting', 'failed'] },
      guard: { handle: askGuard },
      expires: { handle: expireApproval, next: ['cancelled'] },
    },
    preparing: {
      ...live,
      judged: { handle: judgeFresh, next: ['calling', 'validating', 'failed'] },
      facts: { handle: lackFacts, next: ['failed'] },
      retry: { handle: retryCall, next: ['calling'] },
      guard: { handle: askGuard, next: ['asking'] },
      expires: { handle: expireApproval, next: ['cancelled'] },
    },
    calling: {
      ...live,
      ordered: { handle: awaitExecutor },
      running: { handle: confirmLater },
      succeeded: { handle: completeCall, next: ['validating'] },
      failed: { handle: failCall, next: ['preparing', 'validating', 'restarting', 'failed'] },
      refused: { handle: refuseCall, next: ['preparing', 'restarting', 'failed'] },
      look: { handle: lookAtCall },
      limit: { handle: passLimit, next: ['validating', 'restarting', 'failed'] },
      expires: { handle: expireLater },
    },
    restarting: {
      ...live,
      succeeded: { handle: takeRestart, next: ['failed'] },
      failed: { handle: takeRestart, next: ['failed'] },
      refused: { handle: takeRestart, next: ['failed'] },
      retry: { handle: retryRestart },
      expires: { handle: expireLater },
    },
    validating: {
      ...live,
      succeeded: { handle: seeResult, next: ['settling'] },
      done: { handle: completeDone, next: ['settling'] },
      look: { handle: lookAtResult },
      limit: { handle: missResult, next: ['failed'] },
      expires: { handle: expireResult, next: ['cancelled'] },
    },
    settling: {
      ...always,
      stopped: { handle: refuseStop },
      settled: { handle: settle, next: ['succeeded'] },
    },
    succeeded: ended,
    failed: ended,
    cancelled: {
      ...ended,
      succeeded: { handle: noteLate },
      failed: { handle: noteLate },
      refused: { handle: noteLate },
    },
  },
}
