/** What a job hears: of its calls, of the clock, and of people. */
import type { ProvisioningNeeds } from '#actors/catalog/needs.ts'
import type { Static } from '#engine/value/schema.ts'
import type { Turn } from '#engine/actor/turn.ts'
import {
  provisioningCommanded,
  type provisioningDue,
  type ProvisioningDueKind,
  type provisionReported,
} from '#streams/catalog.ts'
import { abandonedMs, advance, ask, askLater, succeed } from './advance.ts'
import { checkThere, retry } from './begin.ts'
import type { AwaitedStep, ProvisioningJob } from '#actors/catalog/entity.ts'
import { fail, mailAdmins } from './fail.ts'
import { isActive, jobOf, remind, setStep, stepOf } from './step.ts'
import { expiry, expireLater, remove, undone } from './undo.ts'

/** Milliseconds between looks at what a cloud is at. */
const lookMs = 15_000

/** Milliseconds without a look behind which nobody can have been there to look. */
const unseenMs = 10 * 60_000

/** Milliseconds that such a step is given once it is looked at again. */
const graceMs = 15 * 60_000

type StepReport = Static<typeof provisionReported.schema>

/** What answers another call, attempt or step than the one that is awaited means nothing. */
export function report(row: ProvisioningJob, data: StepReport, turn: Turn<ProvisioningNeeds>): void {
  if (!isAwaited(row, data)) return
  const { step, status, failure } = data
  if (status === 'waiting') return askLater(row, { tries: 0 }, lookMs, turn)
  if (status === 'failed') return fail(row, failure ?? unexplainedFailure, turn)
  if (row.awaited?.isUndo) return undone(row, data, turn)
  if (data.secrets !== undefined) row.secrets = data.secrets
  if (status === 'skipped') setStep(row, step, { status: 'skipped', completedAt: turn.now.toISOString() })
  else succeed(row, step, data.output ?? {}, turn)
  advance(row, turn)
}

const isAwaited = (row: ProvisioningJob, { step, attempt, call }: StepReport): boolean =>
  row.awaited?.call === call && row.awaited.step === step && stepOf(row, step)?.attempts === attempt

const unexplainedFailure = {
  bucket: 'system',
  code: 'unexplained',
  message: 'The step failed without giving a reason.',
} as const

export function command(
  row: ProvisioningJob,
  { verb, userId }: Static<typeof provisioningCommanded.schema>,
  turn: Turn<ProvisioningNeeds>,
): void {
  checkThere(row)
  turn.reply({ jobId: row.id })
  if (verb === 'retry') retry(row, turn)
  else remove(row, userId, turn)
}

const dues: Readonly<Record<ProvisioningDueKind, (row: ProvisioningJob, turn: Turn<ProvisioningNeeds>) => void>> = {
  again: (row, turn) => {
    if (row.phase === 'queued' && !row.awaited) advance(row, turn)
    else if (row.awaited && isUnseen(row, row.awaited, turn.now)) lookOnceMore(row, row.awaited, turn)
    else if (row.awaited?.call === '') ask(row, turn)
  },
  abandoned: (row, turn) => {
    if (!row.awaited) return
    const end = endOf(row.awaited)
    // A reminder is sent by another clock than that of turns, and is gone once it came.
    if (turn.now < end) return remind(row, 'abandoned', end, turn)
    if (isUnseen(row, row.awaited, turn.now)) return lookOnceMore(row, row.awaited, turn)
    const { step } = row.awaited
    fail(
      row,
      { bucket: 'system', code: 'abandoned', message: `The step ${step} did not finish within six hours.` },
      turn,
    )
  },
  warn: (row, turn) => {
    if (isPassing(row)) mailAdmins(row, 'provisioning.expiring', row.expiresAt?.toISOString() ?? '', turn)
  },
  expired: (row, turn) => {
    if (!isPassing(row) || !row.expiresAt) return
    if (row.expiresAt > turn.now) return remind(row, 'expired', row.expiresAt, turn)
    if (isActive(row)) expireLater(row, turn)
    else turn.emit(provisioningCommanded, { ...jobOf(row), verb: 'delete', userId: expiry })
  },
}

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

const isPassing = ({ phase }: ProvisioningJob): boolean => phase !== 'deleting' && phase !== 'deleted'

export const due = (
  row: ProvisioningJob,
  { what }: Static<typeof provisioningDue.schema>,
  turn: Turn<ProvisioningNeeds>,
): void => dues[what](row, turn)
