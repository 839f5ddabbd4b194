/** The tries of an action: one call each, the pauses between them, and checks until the cloud has finished. */
import type { PowerNeeds } from './needs.ts'
import { uuidOf } from '#engine/value/id.ts'
import type { Static } from '#engine/value/schema.ts'
import { pauseBefore } from '#engine/actor/retry.ts'
import type { Turn } from '#engine/actor/turn.ts'
import type { Provider } from '#streams/names.ts'
import {
  actionLimitReached,
  actionLookDue,
  actionRetryDue,
  type actionReported,
  type Capacity,
} from '#streams/action/messages.ts'
import { retries } from '#streams/retry.ts'
import { execIntent, intentIdOf } from '#streams/action/exec.ts'
import { executeAction, lookAction, type TryInput } from '#actors/action/call/effect.ts'
import type { Live, Power } from '#actors/action/entity.ts'
import { addressOf, fail, succeed, type Failure } from './end.ts'
import { lackOf, lacking } from './approval.ts'
import { factsOf } from './needs.ts'
import { shownDuring, shownMs, stateOf, tellRecord, tellResource } from './record.ts'

/** Maximum milliseconds of a try after it was picked up. */
const limitMs = 10 * 60_000
/** Milliseconds within which an executor must pick it up. */
const pickUpMs = 60 * 60_000
/** Milliseconds before each check whether the cloud has finished; the last value repeats. */
const looksMs = [5000, 10_000, 20_000, 40_000, 60_000] as const

export type Report = Omit<Static<typeof actionReported.schema>, 'cloudAccountId' | 'resourceUid'>

const later = (turn: Turn, ms: number): Date => new Date(turn.now.getTime() + ms)

const inputOf = (row: Power, { record, intentId }: Live): TryInput => ({
  intentId,
  cloudAccountId: record.cloudAccountId,
  provider: record.provider as Provider,
  resourceUid: record.resourceUid,
  type: record.resourceType,
  region: record.region,
  action: record.action,
  before: record.action === 'start' ? (row.before ?? null) : null,
})

/** Requests the call of the next try. */
export function beginTry(row: Power, live: Live, turn: Turn): void {
  const { record } = live
  record.attempt += 1
  record.nextAttemptAt = null
  live.intentId = intentIdOf(uuidOf('intent', record.actionId, String(record.attempt)), record.resourceUid)
  live.isTaken = false
  live.looks = 0
  tellRecord(record, turn)
  const input = inputOf(row, live)
  const { min, max, desired } = input.before ?? {}
  turn.post(execIntent, live.intentId, {
    intentId: live.intentId,
    kind: record.action,
    ...addressOf(turn),
    params: min === undefined ? {} : { min, max: max!, desired: desired! },
    source: { type: record.source.type, id: record.source.id },
    revision: record.attempt,
    dueAt: turn.now.toISOString(),
    attempt: record.attempt,
  })
  turn.call(executeAction, effectKey(live, turn), input)
  limit(live, pickUpMs, turn)
}

const effectKey = ({ intentId }: Live, turn: Turn): string => `exec/${turn.address.orgId}/${intentId}`

const limit = ({ intentId }: Live, ms: number, turn: Turn): void =>
  turn.remind('limit', later(turn, ms), actionLimitReached, { ...addressOf(turn), intentId })

/** Runs the handler only if the report or reminder is about the current try. */
const ofTry =
  <Message extends { intentId: string }, Needs>(
    handle: (row: Power, live: Live, message: Message, turn: Turn<Needs>) => void,
  ) =>
  (row: Power, message: Message, turn: Turn<Needs>): void => {
    if (row.live?.intentId === message.intentId) handle(row, row.live, message, turn)
  }

type ReportHandler = (row: Power, live: Live, said: Report, turn: Turn) => void

const ofReport = (handle: ReportHandler) =>
  ofTry((row, live, said: Report, turn: Turn) => {
    keepBefore(live, said.before)
    handle(row, live, said, turn)
  })

/** The first report counts: after a call the counts may be those that it left. */
function keepBefore(live: Live, found: Capacity | undefined): void {
  if (found && found.desired > 0) live.before ??= found
}

/** Only keeps the capacity. */
export const keepCapacity = ofReport(() => {})

/** Also accepts the success of a try that has timed out: it is still true. */
export const succeedAttempt = ofReport((row, live, said, turn) => {
  live.record.startedAt ??= turn.now.toISOString()
  succeed(row, live, said.observedState ?? stateOf[live.record.action], turn)
})

export const pickUp = ofReport((row, live, _, turn) => showRunning(row, live, turn))

export const confirmLater = ofReport((_row, live, _, turn) => remindToLook(live, turn))

/** The report that it was picked up is late or lost. */
export const beginConfirming = ofReport((row, live, _, turn) => {
  showRunning(row, live, turn)
  remindToLook(live, turn)
})

export const failAttempt = ofReport((row, live, said, turn) => {
  const { isUnmade = false, retryable: isRetryable = false, errorMessage, refusal } = said
  const message = errorMessage || 'The cloud rejected the call without giving a reason.'
  if (!isUnmade) live.record.startedAt ??= turn.now.toISOString()
  const step = isUnmade ? 'queued' : stepOf(live)
  failTry(row, live, { message, isRetryable, step, ...(refusal && { refusal }) }, turn)
})

function showRunning(row: Power, live: Live, turn: Turn): void {
  const { record } = live
  record.status = 'running'
  record.startedAt ??= turn.now.toISOString()
  tellRecord(record, turn)
  const until = later(turn, shownMs).toISOString()
  tellResource(row, record.actionId, { shows: shownDuring[record.action], until }, turn)
  limit(live, limitMs, turn)
}

function remindToLook(live: Live, turn: Turn): void {
  live.isTaken = true
  const pause = looksMs[Math.min(live.looks, looksMs.length - 1)]!
  turn.remind('look', later(turn, pause), actionLookDue, { ...addressOf(turn), intentId: live.intentId })
}

/** The history step of a try that has been picked up. */
const stepOf = ({ isTaken }: Live) => (isTaken ? 'wait_state' : 'cloud_call')

function failTry(row: Power, live: Live, failure: Failure, turn: Turn): void {
  const { record } = live
  const pause = failure.isRetryable ? pauseBefore(retries.action, record.attempt + 1) : undefined
  if (pause === undefined) return fail(row, live, failure, turn)
  turn.forget('look')
  turn.forget('limit')
  const at = later(turn, pause)
  record.status = 'pending'
  record.nextAttemptAt = at.toISOString()
  tellRecord(record, turn)
  turn.remind('retry', at, actionRetryDue, { ...addressOf(turn), intentId: live.intentId })
}

interface TryReminder {
  intentId: string
}

export const look = ofTry((row, live, _: TryReminder, turn: Turn) => {
  live.looks += 1
  turn.call(lookAction, `${effectKey(live, turn)}/look/${live.looks}`, inputOf(row, live))
})

export const passPickUp = ofTry((row, live, _: TryReminder, turn: Turn) =>
  failTry(row, live, { message: 'no executor picked it up within an hour', isRetryable: true, step: 'queued' }, turn),
)

export const passLimit = ofTry((row, live, _: TryReminder, turn: Turn) =>
  failTry(row, live, { message: 'no result in 10 minutes', isRetryable: true, step: stepOf(live) }, turn),
)

export const retry = ofTry((row, live, _: TryReminder, turn: Turn<PowerNeeds>) => {
  const refusal = lackOf(live.record, factsOf(turn), turn)
  const message = goneMessage(turn) ?? heldMessage(live, turn) ?? (refusal && lacking[refusal])
  const failure = { step: 'queued' as const, isRetryable: false, ...(refusal && { refusal }) }
  if (message !== undefined) return fail(row, live, { message, ...failure }, turn)
  beginTry(row, live, turn)
})

/** A schedule does not act on a resource for which an override has become active. */
const heldMessage = ({ record }: Live, turn: Turn<PowerNeeds>): string | undefined =>
  record.source.type === 'schedule' && factsOf(turn).overrides.length > 0
    ? 'an override is active for the resource'
    : undefined

/** Why no call can be made any more. */
function goneMessage(turn: Turn<PowerNeeds>): string | undefined {
  const { resource, account } = factsOf(turn)
  if (!resource || resource.deleted_at !== null) return 'the resource no longer exists'
  if (!account || account.status === 'deleted') return 'the account no longer exists'
  return account.status === 'disabled' ? 'the account is disabled' : undefined
}
