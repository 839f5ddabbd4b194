/** Starting, changing and retrying jobs. */
import type { ProvisioningNeeds } from '#actors/catalog/needs.ts'
import { Fault } from '#engine/value/fault.ts'
import type { Static } from '#engine/value/schema.ts'
import type { Turn } from '#engine/actor/turn.ts'
import {
  liveJobsMax,
  provisioningDue,
  type provisioningBegun,
  type provisioningChanged,
  type provisioningResealed,
} from '#streams/catalog.ts'
import type { ProvisioningJob } from '#actors/catalog/entity.ts'
import { type SpaceStanding } from '#actors/catalog/needs.ts'
import { enter, freshSteps, jobOf, remind } from './step.ts'

/** Milliseconds before its expiry at which administrators are notified. */
const warnMs = 24 * 3_600_000

type BeginRequest = Static<typeof provisioningBegun.schema>

/** @throws Fault as `provisioningBegun` says */
export function begin(row: ProvisioningJob, said: BeginRequest, turn: Turn<ProvisioningNeeds>): void {
  const { space, live } = turn.needs
  checkSpace(space, said)
  if (live >= liveJobsMax)
    throw Fault.refused('too_many_jobs', `An organization can have at most ${liveJobsMax} jobs that are not deleted.`)
  const { spaceId, provider, region, clusterUid, kind, name, config, tags, expiresAt, userId } = said
  Object.assign(row, { spaceId, provider, region, clusterUid, kind, name, config, tags })
  Object.assign(row, { steps: freshSteps(kind), attempts: 1, createdBy: userId || 'system' })
  row.createdAt = turn.now
  setExpiry(row, expiresAt, turn)
  queue(row, turn)
  turn.reply({ jobId: row.id })
}

/** What the edge has checked may have changed since. @throws Fault `missing`, `conflict` `space_disabled` */
function checkSpace(
  space: SpaceStanding | undefined,
  { spaceId, cloudAccountId, region, clusterUid }: BeginRequest,
): void {
  const isPlace = space?.cloudAccountId === cloudAccountId && space.region === region && space.clusterUid === clusterUid
  if (!space || !isPlace) throw Fault.missing('space', spaceId)
  if (space.status === 'disabled') throw Fault.conflict('space_disabled', 'The space is disabled.')
}

function queue(row: ProvisioningJob, turn: Turn): void {
  enter(row, 'queued', turn)
  turn.emit(provisioningDue, { ...jobOf(row), what: 'again' })
}

export function change(row: ProvisioningJob, said: Static<typeof provisioningChanged.schema>, turn: Turn): void {
  const { name, tags, expiresAt } = said
  if (name !== undefined) row.name = name
  if (tags !== undefined) row.tags = tags
  if (expiresAt !== undefined) setExpiry(row, expiresAt, turn)
  row.updatedAt = turn.now
  turn.reply({ jobId: row.id })
}

function setExpiry(row: ProvisioningJob, expiresAt: string | null, turn: Turn): void {
  row.expiresAt = expiresAt === null ? null : new Date(expiresAt)
  turn.forget('warn')
  turn.forget('expired')
  if (!row.expiresAt || row.phase === 'deleted') return
  // If it expires in less than a day, administrators are notified at once.
  remind(row, 'warn', new Date(Math.max(row.expiresAt.getTime() - warnMs, turn.now.getTime())), turn)
  remind(row, 'expired', row.expiresAt, turn)
}

/** Continues from the first step that has not succeeded. @throws Fault `conflict` `not_retryable` */
export function retry(row: ProvisioningJob, _: object, turn: Turn): void {
  if (row.error?.bucket === 'system')
    throw Fault.conflict('not_retryable', 'A retry does not help: the failure is inside the service.')
  row.attempts += 1
  row.error = null
  row.completedAt = null
  queue(row, turn)
  turn.reply({ jobId: row.id })
}

export function reseal(row: ProvisioningJob, { was, sealed }: Static<typeof provisioningResealed.schema>): void {
  if (row.secrets === was) row.secrets = sealed
}
