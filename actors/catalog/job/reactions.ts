/** How a job reacts to its calls, to reminders and to people. */
import type { ProvisioningNeeds } from '#actors/catalog/needs.ts'
import type { Static } from '#engine/value/schema.ts'
import type { Turn } from '#engine/actor/turn.ts'
import { provisioningCommanded, type provisionReported } from '#streams/catalog.ts'
import { abandonedMs, advance, ask, askLater, succeed } from './advance.ts'
import type { AwaitedStep, ProvisioningJob } from '#actors/catalog/entity.ts'
import { fail, mailAdmins } from './fail.ts'
import { jobOf, remind, setStep, stepOf } from './step.ts'
import { expiry, undone } from './undo.ts'

/** Milliseconds between checks of an operation in progress in the cloud. */
const lookMs = 15_000

/** Milliseconds without a check after which no process can have been running. */
const unseenMs = 10 * 60_000

/** Milliseconds that such a step gets in addition. */
const graceMs = 15 * 60_000

type StepReport = Static<typeof provisionReported.schema>

type Reaction<M> = (row: ProvisioningJob, message: M, turn: Turn<ProvisioningNeeds>) => void

/** Ignores answers to any other call, attempt or step than the awaited one. */
const ofAwaited =
  (react: Reaction<StepReport>): Reaction<StepReport> =>
  (row, data, turn) => {
    if (isAwaited(row, data)) react(row, data, turn)
  }

/** Keeps the output so far, such as operations in progress, for the next call; a retry begins without it. */
export const takeWait = ofAwaited((row, { step, output }, turn) => {
  const isUndo = row.awaited?.isUndo === true
  if (output !== undefined && !isUndo) setStep(row, step, { output })
  askLater(row, { tries: 0, ...(output !== undefined && isUndo && { progress: output }) }, lookMs, turn)
})

export const takeFailure = ofAwaited((row, { failure = unexplainedFailure }, turn) => fail(row, failure, turn))

export const takeStep = ofAwaited((row, { step, status, output = {}, secrets }, turn) => {
  if (secrets !== undefined) row.secrets = secrets
  if (status === 'skipped') setStep(row, step, { status: 'skipped', completedAt: turn.now.toISOString() })
  else succeed(row, step, output, turn)
  advance(row, turn)
})

export const takeUndo = ofAwaited(undone)

const isAwaited = (row: ProvisioningJob, { step, attempt, call }: StepReport): boolean =>
  row.awaited?.call === call && row.awaited.step === step && stepOf(row, step)?.attempts === attempt

const unexplainedFailure = {
  bucket: 'system',
  code: 'unexplained',
  message: 'The step failed without giving a reason.',
} as const

export const lookAgain: Reaction<object> = (row, _, turn) => {
  if (row.awaited && isUnseen(row, row.awaited, turn.now)) lookOnceMore(row, row.awaited, turn)
  else if (row.awaited?.call === '') ask(row, turn)
}

export const abandon: Reaction<object> = (row, _, turn) => {
  if (!row.awaited) return
  const end = endOf(row.awaited)
  // The clock of reminders differs from that of turns, and a delivered reminder is gone.
  if (turn.now < end) return remind(row, 'abandoned', end, turn)
  if (isUnseen(row, row.awaited, turn.now)) return lookOnceMore(row, row.awaited, turn)
  const message = `The step ${row.awaited.step} did not finish within six hours.`
  fail(row, { bucket: 'system', code: 'abandoned', message }, turn)
}

export const warn: Reaction<object> = (row, _, turn) =>
  mailAdmins(row, 'provisioning.expiring', row.expiresAt?.toISOString() ?? '', turn)

export const whenExpired =
  (then: Reaction<object>): Reaction<object> =>
  (row, message, turn) => {
    if (!row.expiresAt) return
    if (row.expiresAt > turn.now) return remind(row, 'expired', row.expiresAt, turn)
    then(row, message, turn)
  }

export const deleteExpired: Reaction<object> = (row, _, turn) =>
  turn.emit(provisioningCommanded, { ...jobOf(row), verb: 'delete', userId: expiry })

const endOf = ({ since, graceUntil }: AwaitedStep): Date => new Date(graceUntil ?? Date.parse(since) + abandonedMs)

/**
 * Its time has ended, but it was not checked for longer than any step goes without a check, so no process was running.
 * False if that has already been granted once without effect.
 */
function isUnseen({ updatedAt }: ProvisioningJob, awaited: AwaitedStep, now: Date): boolean {
  const { graceUntil } = awaited
  const isSilent = graceUntil !== undefined && updatedAt.getTime() <= Date.parse(graceUntil) - graceMs
  return now >= endOf(awaited) && now.getTime() - updatedAt.getTime() > unseenMs && !isSilent
}

/** The state of the step is not known: gives it more time and checks it. */
function lookOnceMore(row: ProvisioningJob, awaited: AwaitedStep, turn: Turn): void {
  const end = new Date(turn.now.getTime() + graceMs)
  row.awaited = { ...awaited, graceUntil: end.toISOString() }
  turn.forget('again')
  remind(row, 'abandoned', end, turn)
  ask(row, turn)
}
