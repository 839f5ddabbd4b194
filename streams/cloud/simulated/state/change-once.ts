/**
 * A call that changes something once, however often it is made. The call and its effect are one line of the journal.
 */
import { bucketOf } from '#streams/cloud/connector.ts'
import { outcomeOf, type Far } from './cloud-state.ts'
import { plannedFault, type Call } from './faults.ts'
import type { Effect, Entry } from './ledger.ts'

export interface Changing<T> {
  call: Call & { id: string }
  /** Milliseconds it takes. */
  lasts: number
  /** The answer if it already took effect; otherwise undefined. */
  found: () => T | undefined
  /** The error if the change is not possible, independent of the fault plan. */
  refused: () => unknown
  make: () => { answer: T; effect: Omit<Effect, 'account' | 'id'> }
}

/** Exactly one of `answer`, `error` and `held`. */
interface ChangeResult<T> {
  entry: Entry
  answer?: T
  error?: unknown
  /** Milliseconds until it takes effect or fails as planned; the fault is already counted. */
  held?: number
  planned?: string | undefined
}

/** @throws the planned fault, or the error of `refused` */
export async function changing<T extends {}>(far: Far, change: Changing<T>): Promise<T> {
  let done = far.ledger.note(() => attempt(far, change))
  if (done.held !== undefined) {
    const { held, planned } = done
    await far.sleep(held)
    done = far.ledger.note(() => again(far, change) ?? performChange(far, change, planned))
  }
  if (done.answer !== undefined) return done.answer
  throw done.error
}

function attempt<T extends {}>(far: Far, change: Changing<T>): ChangeResult<T> {
  const before = again(far, change)
  if (before) return before
  const { struck, delayMs, error } = far.ledger.aimAt(change.call)
  const strike = struck && { struck }
  const held = delayMs + (error === undefined && change.refused() === undefined ? change.lasts : 0)
  if (held > 0) return { entry: { at: far.now(), ...strike }, held, planned: error }
  const done = performChange(far, change, error)
  return { ...done, entry: { ...done.entry, ...strike } }
}

function again<T extends {}>(far: Far, { call, found }: Changing<T>): ChangeResult<T> | undefined {
  const answer = found()
  return answer && { entry: { at: far.now(), call: { ...call, outcome: 'ok', repeated: true } }, answer }
}

function performChange<T extends {}>(
  far: Far,
  { call, refused, make }: Changing<T>,
  planned: string | undefined,
): ChangeResult<T> {
  const at = far.now()
  const error = planned === undefined ? refused() : plannedFault(planned)
  if (error !== undefined) {
    const outcome = outcomeOf(call, { delayMs: 0, settleMs: 0, error: planned })
    return { entry: { at, call: { ...call, outcome: outcome === 'ok' ? bucketOf(error) : outcome } }, error }
  }
  const { answer, effect } = make()
  const whole = { ...effect, account: call.cloudAccountId, id: call.id }
  return { entry: { at, call: { ...call, outcome: 'ok' }, effect: whole }, answer }
}
