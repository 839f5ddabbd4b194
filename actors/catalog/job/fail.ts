/** A failed step: retried if the cloud is only busy, otherwise reported to those who can act on it. */
import type { ProvisioningNeeds } from '#actors/catalog/needs.ts'
import { pauseBefore } from '#engine/actor/retry.ts'
import type { Turn } from '#engine/actor/turn.ts'
import type { StepFailure } from '#streams/catalog.ts'
import { retries } from '#streams/retry.ts'
import { askLater, rest } from './advance.ts'
import { mailJob, type JobMail } from '#actors/catalog/effect.ts'
import type { JobError, ProvisioningJob } from '#actors/catalog/entity.ts'
import { enter, jobOf, remind, setStep } from './step.ts'

/** Maximum defects of ours stored with a job. */
const defectsMax = 20

export function errorOf({ bucket, message, fixHint, consoleUrl }: StepFailure, stepName: string): JobError {
  return {
    bucket,
    message,
    ...(fixHint !== undefined && { fixHint }),
    ...(consoleUrl !== undefined && { consoleUrl }),
    retryable: bucket === 'transient',
    stepName,
  }
}

export function fail(row: ProvisioningJob, failure: StepFailure, turn: Turn<ProvisioningNeeds>): void {
  const { awaited } = row
  if (!awaited) return
  const pause = failure.bucket === 'transient' ? pauseBefore(retries.provisioningStep, awaited.tries + 2) : undefined
  if (pause !== undefined) return askLater(row, { tries: awaited.tries + 1 }, pause, turn)
  const { step, isUndo } = awaited
  const error = errorOf(failure, step)
  if (!isUndo) setStep(row, step, { status: 'failed', error, completedAt: turn.now.toISOString() })
  row.error = error
  row.completedAt = turn.now
  rest(row, turn)
  enter(row, isUndo ? 'delete_failed' : 'failed', turn)
  if (isUndo && row.expiresAt && row.expiresAt <= turn.now) expireAgain(row, failure, turn)
  if (failure.bucket === 'system') note(row, failure, step, turn)
}

/** An expired job costs money while it exists: its deletion is retried without a request. */
function expireAgain(row: ProvisioningJob, { bucket }: StepFailure, turn: Turn): void {
  const ms = pauseBefore(bucket === 'system' ? retries.expiredDeletionDefect : retries.expiredDeletion, 2)!
  remind(row, 'expired', new Date(turn.now.getTime() + ms), turn)
}

/** Reports a defect to the operators. */
function note(row: ProvisioningJob, { code, message }: StepFailure, step: string, turn: Turn<ProvisioningNeeds>): void {
  row.defects = [...row.defects, { at: turn.now.toISOString(), step, code, message }].slice(-defectsMax)
  mailAdmins(row, 'provisioning.failed', `${row.attempts}/${row.calls}`, turn)
}

/** `about` distinguishes events that may occur more than once in a job. */
export function mailAdmins(
  row: ProvisioningJob,
  template: JobMail,
  about: string,
  turn: Turn<ProvisioningNeeds>,
): void {
  const { orgId } = turn.address
  for (const userId of turn.needs.admins(orgId)) {
    const key = [template, orgId, row.id, about, userId].join('/')
    turn.call(mailJob, key, { ...jobOf(row), template, userId })
  }
}
