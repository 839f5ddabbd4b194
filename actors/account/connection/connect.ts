/** Creates an account: for a person, or for the organization that lists it. */
import type { Static } from '#engine/value/schema.ts'
import type { Turn } from '#engine/actor/turn.ts'
import type { accountConnected } from '#streams/account/messages.ts'
import { jobRequested, jobWanted, usualJobs } from '#streams/job.ts'
import type { CloudAccount } from '#actors/account/entity.ts'
import { link } from './link.ts'

export const isConnected = ({ createdAt, status }: CloudAccount): boolean =>
  createdAt.getTime() !== 0 && status !== 'deleted'

export function beginAccount(account: CloudAccount, data: Static<typeof accountConnected.schema>, turn: Turn): void {
  const { name, provider, externalId, credentials, regions, billingExport, organization = null } = data
  Object.assign(account, { name, provider, externalId, credentials, regions, billingExport, organization })
  account.status = 'pending'
  account.permissionVerdict = 'unknown'
  account.missingPermissions = []
  account.message = null
  account.refusal = null
  account.firstSyncDue = true
  account.organizationState = null
  account.membership = null
  account.createdAt = turn.now
  account.updatedAt = turn.now
  link(account, turn)
  wantJobs(turn)
  if (organization) followOrganization(turn)
}

/** Creates the default jobs of the organization, with its first account. */
export function wantJobs(turn: Turn): void {
  for (const job of usualJobs) turn.emit(jobWanted, { job })
}

/** Lists the members of the cloud organization now, and then every hour. */
export function followOrganization(turn: Turn): void {
  turn.emit(jobWanted, { job: 'organization-sync' })
  turn.emit(jobRequested, { job: 'organization-sync', runId: turn.id(), after: true })
}
