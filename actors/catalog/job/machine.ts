/** The phases of a job, and what each message does in each phase. */
import { input, type Machine } from '#engine/actor/machine.ts'
import { Fault } from '#engine/value/fault.ts'
import {
  provisioningBegun,
  provisioningChanged,
  provisioningCommanded,
  provisioningDue,
  provisioningResealed,
  provisionReported,
  type ProvisioningPhase,
} from '#streams/catalog.ts'
import { advance } from './advance.ts'
import { begin, change, reseal, retry } from './begin.ts'
import type { ProvisioningJob } from '#actors/catalog/entity.ts'
import {
  abandon,
  deleteExpired,
  lookAgain,
  takeFailure,
  takeStep,
  takeUndo,
  takeWait,
  warn,
  whenExpired,
} from './reactions.ts'
import type { ProvisioningNeeds } from '#actors/catalog/needs.ts'
import { expireLater, expiry, remove, removeExpired } from './undo.ts'

const inputs = {
  begun: input(provisioningBegun, 'requested'),
  changed: input(provisioningChanged, 'changed'),
  retried: input(provisioningCommanded, 'retried', ({ verb }) => verb === 'retry'),
  removedByExpiry: input(provisioningCommanded, 'expired', ({ userId }) => userId === expiry),
  removed: input(provisioningCommanded, 'deleted'),
  done: input(provisionReported, 'step done', ({ status }) => status === 'done' || status === 'skipped'),
  waiting: input(provisionReported, 'the cloud is at it', ({ status }) => status === 'waiting'),
  failed: input(provisionReported, 'step failed', ({ status }) => status === 'failed'),
  again: input(provisioningDue, 'next call', ({ what }) => what === 'again'),
  abandoned: input(provisioningDue, 'six hours without a result', ({ what }) => what === 'abandoned'),
  warned: input(provisioningDue, 'a day before its end', ({ what }) => what === 'warn'),
  expired: input(provisioningDue, 'its end', ({ what }) => what === 'expired'),
  resealed: input(provisioningResealed, 'secrets sealed again'),
}

const refusal = (code: string, message: (row: ProvisioningJob) => string) => ({
  handle: (row: ProvisioningJob) => {
    throw Fault.conflict(code, message(row))
  },
})
const refuseBusy = refusal('job_active', () => 'The job is in progress. Wait until it has finished.')
const refuseRetry = refusal('invalid_transition', ({ phase }) => `A job in phase ${phase} cannot be retried.`)
const refuseMissing = {
  handle: (row: ProvisioningJob) => {
    throw Fault.missing('provisioning job', row.id)
  },
}

const there = {
  begun: refusal('already_exists', () => 'A job with this ID already exists.'),
  changed: { handle: change },
  retried: refuseRetry,
  resealed: { handle: reseal },
}
const active = {
  ...there,
  retried: refusal('job_active', () => 'The job is in progress.'),
  removed: refuseBusy,
  removedByExpiry: { handle: expireLater },
  warned: { handle: warn },
  expired: { handle: whenExpired(expireLater) },
}
const settled = <Next extends ProvisioningPhase>(...next: Next[]) => ({
  ...there,
  removed: { handle: remove, next },
  removedByExpiry: { handle: removeExpired, next },
  warned: { handle: warn },
  expired: { handle: whenExpired(deleteExpired) },
})

/** For phases in which a step is awaited. A phase never goes back. */
const working = <Next extends ProvisioningPhase>(...next: Next[]) => ({
  ...active,
  done: { handle: takeStep, next },
  waiting: { handle: takeWait },
  failed: { handle: takeFailure, next: ['failed'] as const },
  again: { handle: lookAgain },
  abandoned: { handle: abandon, next: ['failed'] as const },
})

type JobState = ProvisioningPhase | 'absent'

export const provisioningMachine: Machine<ProvisioningJob, ProvisioningNeeds, JobState, typeof inputs> = {
  name: 'provisioning',
  states: {
    absent: '',
    queued: 'Queued',
    validating: 'Validating',
    provisioning: 'Provisioning',
    configuring: 'Configuring',
    verifying: 'Verifying',
    ready: 'Ready',
    failed: 'Failed',
    deleting: 'Deleting',
    delete_failed: 'Delete failed',
    deleted: 'Deleted',
  },
  stateOf: ({ createdBy, phase }) => (createdBy === '' ? 'absent' : phase),
  inputs,
  transitions: {
    absent: {
      begun: { handle: begin, next: ['queued'] },
      changed: refuseMissing,
      retried: refuseMissing,
      removedByExpiry: refuseMissing,
      removed: refuseMissing,
    },
    queued: {
      ...active,
      // A retry continues with the failed step.
      again: {
        handle: (row, _, turn) => advance(row, turn),
        next: ['validating', 'provisioning', 'configuring', 'verifying'],
      },
    },
    validating: working('provisioning'),
    provisioning: working('configuring', 'verifying'),
    configuring: working('verifying', 'ready'),
    verifying: working('ready'),
    ready: settled('deleting'),
    failed: { ...settled('deleting', 'deleted'), retried: { handle: retry, next: ['queued'] } },
    deleting: {
      ...there,
      removed: refuseBusy,
      removedByExpiry: { handle: expireLater },
      done: { handle: takeUndo, next: ['deleted'] },
      waiting: { handle: takeWait },
      failed: { handle: takeFailure, next: ['delete_failed'] },
      again: { handle: lookAgain },
      abandoned: { handle: abandon, next: ['delete_failed'] },
    },
    delete_failed: settled('deleting'),
    deleted: { ...there, removed: refusal('invalid_transition', () => 'The job has been deleted.') },
  },
}
