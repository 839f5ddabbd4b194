/** How an action ends, and how the next one starts. */
import { actionSubmissionTable, stateHistoryTable, type historySteps } from '#analytics/action/tables.ts'
import { uuidOf } from '#engine/value/id.ts'
import type { Turn } from '#engine/actor/turn.ts'
import { actionWaited, changedByOf, powerRested, type ActionRecord } from '#streams/action/messages.ts'
import { notification, raise } from '#streams/notification/messages.ts'
import type { PendingAction, Live, Power } from '#actors/action/entity.ts'
import { stateOf, tellRecord, tellResource, tellSource, type OutcomeDetails, type ActionResult } from './record.ts'

type Step = (typeof historySteps)[number]

export interface Failure {
  message: string
  step: Step
  /** Whether another try might have helped if one had been left. */
  isRetryable: boolean
  /** Why the workflow that requested it may not act. */
  refusal?: 'unapproved' | 'halted'
}

/** Milliseconds for which the last ended action stays in the row. */
const restMs = 60_000

export const addressOf = (turn: Turn) => ({ cloudAccountId: turn.address.place, resourceUid: turn.address.key })

/** Records that an action starts. */
export function appendSubmission({ actionId, action, reason, source }: ActionRecord, turn: Turn): void {
  const { orgId, place, key } = turn.address
  const row = {
    org_id: orgId,
    resource_uid: key,
    at: turn.now.toISOString(),
    action_id: actionId,
    cloud_account_id: place,
    action,
    reason: reason ?? '',
    changed_by: changedByOf(source),
  }
  turn.append(actionSubmissionTable, row, turn.now)
}

/** Ends an action that was carried out. `observed` is the state that the cloud reported. */
export function succeed(row: Power, live: Live, observed: 'running' | 'stopped', turn: Turn): void {
  const { record } = live
  close(record, 'succeeded', null, turn)
  if (record.action === 'start') row.before = null
  else if (live.before !== null) row.before = live.before
  row.seen = { state: observed, at: turn.now.toISOString() }
  appendHistory(record, 'done', turn)
  tellAll(live, 'succeeded', null, turn)
  tellResource(row, record.actionId, { shows: null, observed }, turn)
  raiseEnd(live, record.action === 'start' ? 'started' : 'stopped', turn)
  leave(row, record, turn)
}

export function fail(row: Power, live: Live, { message, step, isRetryable, refusal }: Failure, turn: Turn): void {
  const { record } = live
  // The stop may have taken effect although it failed, so its counts are kept; the next stop that finds counts replaces
  // them.
  if (record.action === 'stop' && live.before) row.before = live.before
  close(record, 'failed', message, turn)
  appendHistory(record, step, turn)
  const isUnmade = record.startedAt === null
  tellAll(live, 'failed', message, turn, {
    isTaken: step === 'wait_state',
    ...(isUnmade && { isUnmade }),
    ...(refusal && { refusal }),
  })
  if (record.startedAt !== null) tellResource(row, record.actionId, { shows: null }, turn)
  raiseEnd(live, 'failed', turn)
  if (isRetryable) raiseEnd(live, 'retry_exhausted', turn)
  leave(row, record, turn)
}

/**
 * Ends an action for which no call was made: the resource was already in that state, or something prevented it. Writes
 * no history and raises no notification.
 */
export function endUnmade(record: ActionRecord, outcome: ActionResult, message: string | null, turn: Turn): void {
  close(record, outcome === 'succeeded' ? 'succeeded' : 'failed', message, turn)
  tellSource(record, outcome, message, turn, outcome === 'succeeded' ? { isSo: true } : {})
}

/** Ends the waiting action without starting it: `by` takes its place. */
export function supersede({ record }: PendingAction, by: ActionRecord['source'], turn: Turn): void {
  endUnmade(record, 'failed', `superseded by ${changedByOf(by)}`, turn)
}

export function keepWaiting(row: Power, held: PendingAction | null): void {
  row.waiting = held
  row.waitingId = held?.record.actionId ?? null
}

/**
 * Ends the action in progress. A waiting action is started by a message of its own, and the turn of that message
 * checks again what may prevent it.
 */
function leave(row: Power, record: ActionRecord, turn: Turn): void {
  for (const reminder of ['look', 'limit', 'retry']) turn.forget(reminder)
  row.live = null
  row.liveId = null
  keepLast(row, record, turn)
  if (row.waiting) proceedLater(row, turn)
}

/** Starts the waiting action with a message of its own. */
export function proceedLater({ waiting }: Power, turn: Turn): void {
  turn.emit(actionWaited, { ...addressOf(turn), actionId: waiting!.record.actionId })
}

export function keepLast(row: Power, record: ActionRecord, turn: Turn): void {
  row.last = record
  row.lastId = record.actionId
  turn.remind('rest', new Date(turn.now.getTime() + restMs), powerRested, addressOf(turn))
}

function close(record: ActionRecord, status: 'succeeded' | 'failed', message: string | null, turn: Turn): void {
  Object.assign(record, { status, errorMessage: message, nextAttemptAt: null, endedAt: turn.now.toISOString() })
  tellRecord(record, turn)
}

function tellAll(
  { record, also }: Live,
  outcome: ActionResult,
  message: string | null,
  turn: Turn,
  heard?: OutcomeDetails,
): void {
  for (const asked of [record, ...also]) tellSource(asked, outcome, message, turn, heard)
}

function appendHistory(record: ActionRecord, step: Step, turn: Turn): void {
  const { orgId, place, key } = turn.address
  const { source, errorMessage, action } = record
  const status = step === 'done' ? 'succeeded' : 'failed'
  const row = {
    org_id: orgId,
    resource_uid: key,
    cloud_account_id: place,
    action_id: record.actionId,
    state: step === 'done' ? stateOf[action] : 'failed',
    changed_at: turn.now.toISOString(),
    changed_by: changedByOf(source),
    changed_by_type: source.type,
    schedule_id: source.type === 'schedule' ? source.id : '',
    step,
    status,
    error_message: errorMessage ?? '',
    action,
    attempts: record.attempt,
  } as const
  turn.append(stateHistoryTable, row, turn.now)
}

const titles = {
  started: 'was started',
  stopped: 'was stopped',
  failed: 'could not be',
  retry_exhausted: 'could not be',
} as const

function raiseEnd({ record, resourceName }: Live, what: keyof typeof titles, turn: Turn): void {
  const { action, actionId, source, attempt, errorMessage } = record
  const { orgId, place, key } = turn.address
  const verb = action === 'start' ? 'started' : 'stopped'
  const isFailure = what === 'failed' || what === 'retry_exhausted'
  const name = resourceName || key
  const tries = what === 'retry_exhausted' ? ` after ${attempt} tries` : ''
  const event = notification(`resource.${what}`, {
    id: uuidOf('event', orgId, `resource.${what}`, actionId),
    orgID: orgId,
    occurredAt: turn.now,
    title: `${name} ${titles[what]}${isFailure ? ` ${verb}${tries}` : ''}`,
    summary: `Requested by ${changedByOf(source)}${isFailure ? `: ${errorMessage}` : '.'}`,
    scope: { type: 'resource', id: key },
    data: {
      actionID: actionId,
      action,
      resourceUid: key,
      resourceName: name,
      resourceType: record.resourceType,
      provider: record.provider,
      cloudAccountID: place,
      region: record.region,
      source: source.type,
      changedBy: changedByOf(source),
      ...(source.userId && { userID: source.userId }),
      attempts: attempt,
      ...(isFailure && { errorMessage }),
    },
  })
  raise(turn, event)
}
