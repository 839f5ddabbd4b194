/** What a job hears: of its calls, of the clock, and of people. */
import type { Static } from '#engine/schema.ts'
import type { Turn } from '#engine/turn.ts'
import {
  provisioningCommanded,
  type provisioningDue,
  type ProvisioningDueKind,
  type provisionReported,
} from '#streams/catalog.ts'
import { abandonedMs, advance, ask, askLater, succeed } from './advance.ts'
import { checkThere, retry } from './begin.ts'
import type { ProvisioningJob } from './entity.ts'
import { fail, mailAdmins } from './fail.ts'
import { isActive, jobOf, setStep, stepOf } from './step.ts'
import { expiry, expireLater, remove, undone } from './undo.ts'

/** Milliseconds between looks at what a cloud is at. */
const lookMs = 15_000

type Reported = Static<typeof provisionReported.schema>

/** What answers another call, attempt or step than the one that is awaited means nothing. */
export function report(row: ProvisioningJob, data: Reported, turn: Turn): void {
  if (!isAwaited(row, data)) return
  const { step, status, failure } = data
  if (status === 'waiting') return askLater(row, { tries: 0 }, lookMs, turn)
  if (status === 'failed') return fail(row, failure ?? unexplained, turn)
  if (row.awaited?.isUndo) return undone(row, step, turn)
  if (data.secrets !== undefined) row.secrets = data.secrets
  if (status === 'skipped') setStep(row, step, { status: 'skipped', completedAt: turn.now.toISOString() })
  else succeed(row, step, data.output ?? {}, turn)
  advance(row, turn)
}

const isAwaited = (row: ProvisioningJob, { step, attempt, call }: Reported): boolean =>
  row.awaited?.call === call && row.awaited.step === step && stepOf(row, step)?.attempts === attempt

const unexplained = {
  bucket: 'system',
  code: 'unexplained',
  message: 'The step failed; nothing more was said.',
} as const

export function command(
  row: ProvisioningJob,
  { verb, userId }: Static<typeof provisioningCommanded.schema>,
  turn: Turn,
): void {
  checkThere(row)
  turn.reply({ jobId: row.id })
  if (verb === 'retry') retry(row, turn)
  else remove(row, userId, turn)
}

const dues: Readonly<Record<ProvisioningDueKind, (row: ProvisioningJob, turn: Turn) => void>> = {
  again: (row, turn) => {
    if (row.phase === 'queued' && !row.awaited) advance(row, turn)
    else if (row.awaited?.call === '') ask(row, turn)
  },
  abandoned: (row, turn) => {
    if (!row.awaited || turn.now.getTime() - Date.parse(row.awaited.since) < abandonedMs) return
    const { step } = row.awaited
    fail(row, { bucket: 'system', code: 'abandoned', message: `The step ${step} came to nothing in six hours.` }, turn)
  },
  warn: (row, turn) => {
    if (isPassing(row)) mailAdmins(row, 'provisioning.expiring', row.expiresAt?.toISOString() ?? '', turn)
  },
  expired: (row, turn) => {
    if (!isPassing(row) || !row.expiresAt || row.expiresAt > turn.now) return
    if (isActive(row)) expireLater(row, turn)
    else turn.emit(provisioningCommanded, { ...jobOf(row), verb: 'delete', userId: expiry })
  },
}

const isPassing = ({ phase }: ProvisioningJob): boolean => phase !== 'deleting' && phase !== 'deleted'

export const due = (row: ProvisioningJob, { what }: Static<typeof provisioningDue.schema>, turn: Turn): void =>
  dues[what](row, turn)
