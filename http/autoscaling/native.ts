/** Scaling policies that targets have in their cloud, as it reports them. */
import { seenByCloud } from '#actors/account/connection/cloud.ts'
import type { CloudAccount as Row } from '#actors/account/entity.ts'
import type { Resource } from '#actors/resource/entity.ts'
import { Fault } from '#engine/value/fault.ts'
import type { FoundTarget } from '#http/autoscaling/target.ts'
import type { Services } from '#http/edge/services.ts'
import type { Adoption } from '#streams/autoscaling.ts'
import type { NativePolicy } from '#streams/cloud/connector.ts'
import { kubernetesKind } from '#streams/cloud/resource/resource-type.ts'
import { isProvider, type Provider } from '#streams/names.ts'

/** The cloud of an account. @throws Fault `refused` `capability_missing` while it is unknown */
export function providerOf({ provider }: Pick<Row, 'provider'>): Provider {
  if (isProvider(provider)) return provider
  throw Fault.refused('capability_missing', 'The cloud of this account is not known yet.')
}

/** @throws Fault `refused` `capability_missing` if the account is disabled; what the connector throws */
export async function nativePolicies(
  account: Row,
  { uid: resourceUid, type, region, specs }: Resource,
  services: Services,
): Promise<readonly NativePolicy[]> {
  if (account.status === 'disabled') throw Fault.refused('capability_missing', 'The account is disabled.')
  const seen = seenByCloud(account, providerOf(account), services)
  return services.cloudOf(seen).policies(seen, { resourceUid, type, region, specs })
}

/** Whether the existing policies may be replaced: those managed by others are kept. */
export const adviceOf = (policies: readonly NativePolicy[]): Adoption =>
  policies.every(({ managedBy }) => managedBy === 'tidemark') ? 'replace' : 'adopt'

/**
 * An autoscaler within a cluster may only be removed by its owner.
 * @throws Fault `refused` `capability_missing` if replacing would remove that of a workload
 */
export async function checkAdoption(
  { account, resource }: FoundTarget,
  adoption: Adoption | null,
  type: string,
  services: Services,
): Promise<void> {
  if (adoption !== 'replace' || resource === null || kubernetesKind(type) === undefined) return
  const policies = await nativePolicies(account, resource, services)
  if (adviceOf(policies) === 'replace') return
  throw Fault.refused('capability_missing', 'The target has a horizontal pod autoscaler. Adopt it or remove it first.')
}
