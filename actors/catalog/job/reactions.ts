/** What a job hears: of its calls, of the clock, and of people. */
import type { ProvisioningNeeds } from '#actors/catalog/needs.ts'
import type { Static } from '#engine/value/schema.ts'
import type { Turn } from '#engine/actor/turn.ts'
import { provisioningCommanded, type provisionReported } from '#streams/catalog.ts'
import { abandonedMs, advance, ask, askLater, succeed } from './advance.ts'
import type { AwaitedStep, ProvisioningJob } from '#actors/catalog/entity.ts'
import { fail, mailAdmins } from './fail.ts'
import { jobOf, remind, setStep, stepOf } from './step.ts'
import { expiry, undone } from './undo.ts'

/** Milliseconds between looks at what a cloud is at. */
const lookMs = 15_000

/** Milliseconds without a look behind which nobody can have been there to look. */
const unseenMs = 10 * 60_000

/** Milliseconds that such a step is given once it is looked at again. */
const graceMs = 15 * 60_000

type StepReport = Static<typeof provisionReported.schema>

type Reaction<M> = (row: ProvisioningJob, message: M, turn: Turn<ProvisioningNeeds>) => void

/** What answers another call, attempt or step than the one that is awaited means nothing. */
const ofAwaited =
  (react: Reaction<StepReport>): Reaction<StepReport> =>
  (row, data, turn) => {
    if (isAwaited(row, data)) react(row, data, turn)
  }

export const takeWait = ofAwaited((row, _, turn) => askLater(row, { tries: 0 }, lookMs, turn))

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
  // A reminder is sent by another clock than that of turns, and is gone once it came.
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

/** Its time is over, and nobody has looked for longer than any step goes without a look: we were away. Not where that last look came to nothing. */
function isUnseen({ updatedAt }: ProvisioningJob, awaited: AwaitedStep, now: Date): boolean {
  const { graceUntil } = awaited
  const isSilent = graceUntil !== undefined && updatedAt.getTime() <= Date.parse(graceUntil) - graceMs
  return now >= endOf(awaited) && now.getTime() - updatedAt.getTime() > unseenMs && !isSilent
}

/** What came of the step meanwhile is not known. */
function lookOnceMore(row: ProvisioningJob, awaited: AwaitedStep, turn: Turn): void {
  const end = new Date(turn.now.getTime() + graceMs)
  row.awaited = { ...awaited, graceUntil: end.toISOString() }
  turn.forget('again')
  remind(row, 'abandoned', end, turn)
  ask(row, turn)
}
