/** Whether something can be provisioned in a space, checked before a job exists. */
import { seenByCloud } from '#actors/account/connection/cloud.ts'
import type { CloudAccount as AccountRow } from '#actors/account/entity.ts'
import { findAccount } from '#actors/account/queries.ts'
import type { Configs } from '#actors/catalog/config/config.ts'
import type { Space } from '#actors/catalog/entity.ts'
import { Fault } from '#engine/value/fault.ts'
import { componentFound } from '#http/catalog/config.ts'
import { checkExistingServer } from '#http/catalog/existing-server.ts'
import type { Services } from '#http/edge/services.ts'
import type { CloudAccount, Connector } from '#streams/cloud/connector.ts'
import type { Provisioner, ProvisioningKind } from '#streams/cloud/provision.ts'
import { isProvider, type Provider } from '#streams/names.ts'

/** @throws Fault `missing` */
export async function accountFound({ em }: Pick<Services, 'em'>, orgId: string, id: string): Promise<AccountRow> {
  const account = await findAccount(em, orgId, id)
  if (!account) throw Fault.missing('cloud account', id)
  return account
}

/** The cloud of an account. @throws Fault `refused` `capability_missing` while it is unknown */
export function providerOf({ provider, name }: Pick<AccountRow, 'provider' | 'name'>): Provider {
  if (isProvider(provider)) return provider
  throw Fault.refused('capability_missing', `The cloud of account ${name} is not known yet.`)
}

type AccountProvisioner = Provisioner<CloudAccount>

/** A cloud supports all of provisioning or none of it. */
type Cloud = Omit<Connector, keyof AccountProvisioner> & Partial<AccountProvisioner>

export interface Offer {
  cloud: Cloud
  /** With its credentials decrypted. */
  account: CloudAccount
}

/** @throws Fault `missing` if the account is gone, `refused` `capability_missing` if it is disabled */
export async function offerOf(services: Services, orgId: string, cloudAccountId: string): Promise<Offer> {
  const row = await accountFound(services, orgId, cloudAccountId)
  if (row.status === 'disabled') throw Fault.refused('capability_missing', `Account ${row.name} is disabled.`)
  const account = seenByCloud(row, providerOf(row), services)
  return { cloud: services.cloudOf(account) as Cloud, account }
}

interface ProvisionRequest {
  kind: ProvisioningKind
  config: Readonly<Record<string, unknown>>
}

function checkComponent(space: Space, { componentID }: Pick<Configs['component'], 'componentID'>): void {
  if (space.kind !== 'cluster')
    throw Fault.refused(
      'not_a_cluster',
      `Space ${space.name} is not a cluster. Components can only be installed into clusters.`,
    )
  const { name, clouds } = componentFound(componentID)
  if (!clouds.some((one) => one === space.provider))
    throw Fault.refused('unsupported_provisioning', `${name} is not available for clusters of ${space.provider}.`)
}

/**
 * @throws Fault `conflict` `space_disabled`; `refused` `not_a_cluster`, `unsupported_provisioning`,
 * `capability_missing`; `missing` if the account is gone; as `checkExistingServer`
 */
export async function checkOffered(
  services: Services,
  space: Space,
  { kind, config }: ProvisionRequest,
): Promise<void> {
  if (kind === 'component') checkComponent(space, config as Configs['component'])
  if (space.status === 'disabled')
    throw Fault.conflict('space_disabled', `Space ${space.name} is disabled. Nothing new can be provisioned in it.`)
  const { cloud } = await offerOf(services, space.orgId, space.cloudAccountId)
  if (!cloud.provisions?.includes(kind))
    throw Fault.refused('unsupported_provisioning', `Kind ${kind} is not available for ${space.provider} yet.`)
  if (kind === 'existing_datastore') await checkExistingServer(services, space, config as Configs['existing_datastore'])
}
