/**
 * What following a cloud organization would change: the accounts that the cloud lists, compared with the connected
 * ones.
 */
import { createHash } from 'node:crypto'
import { seenByCloud, type Opener } from '#actors/account/connection/cloud.ts'
import type { CloudAccount } from '#actors/account/entity.ts'
import { rowLimits } from '#actors/row-limit.ts'
import type { Tools } from '#actors/tools.ts'
import { Fault } from '#engine/value/fault.ts'
import type { CloudAccount as Seen, Connector, OrganizationListing } from '#streams/cloud/connector.ts'
import { isProvider } from '#streams/names.ts'
import { roleNameOf, type CloudOrganization } from '#streams/account/organization.ts'
import { planOrganization, type KnownAccount, type OrganizationPlan } from './plan.ts'

type LookTools = Pick<Tools, 'cloudOf'> & Opener

/** The account that manages the organization, as stored. */
export type ManagerRow = Pick<
  CloudAccount,
  'id' | 'orgId' | 'provider' | 'externalId' | 'name' | 'regions' | 'credentials' | 'billingExport'
>

export interface Manager {
  id: string
  account: Seen
  organization: CloudOrganization
  roleName: string
  reader: NonNullable<Connector['organization']>
}

/** @throws Fault `refused` `capability_missing` if organizations of this cloud cannot be followed */
export function managerOf(row: ManagerRow, organization: CloudOrganization, tools: LookTools): Manager {
  const account = isProvider(row.provider) ? seenByCloud(row, row.provider, tools) : undefined
  const reader = account && tools.cloudOf(account).organization
  if (!account || !reader)
    throw Fault.refused('capability_missing', 'Only accounts with credentials can have their organization synced.')
  const roleName = reader.sharesCredentials ? fingerprintOf(account) : roleNameOf(organization)
  return { id: row.id, account, organization, roleName, reader }
}

/** Changes with the credentials, and reveals nothing about them. */
const fingerprintOf = ({ credentials }: Seen): string =>
  createHash('sha256').update(JSON.stringify(credentials)).digest('hex').slice(0, 16)

/** `withTags`: read tags even if that takes one call for each account. */
export const listOrganization = (
  { reader, account, organization: { parent } }: Manager,
  withTags: boolean,
  signal?: AbortSignal,
): Promise<OrganizationListing> => reader.list(account, { withTags, parent }, signal)

/** `known`: all accounts of the organization, including disconnected ones and those of other providers. */
export function planListing(
  manager: Manager,
  listing: OrganizationListing,
  known: readonly (KnownAccount & Pick<CloudAccount, 'provider'>)[],
): OrganizationPlan {
  const present = known.filter(({ status }) => status !== 'deleted').length
  const own = known.filter(({ provider }) => provider === manager.account.provider)
  return planOrganization(manager, listing, own, rowLimits.cloud_account[0] - present)
}
