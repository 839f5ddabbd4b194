/** How far scale sets may grow within the quotas of their subscription. */
import { once } from '#engine/value/once.ts'
import type { CloudAccount, Quotas, ResourceRef } from '#streams/cloud/connector.ts'
import { textAt } from '#streams/cloud/kubernetes/api/json-access.ts'
import { azureSizes, namedAzure } from '#streams/cloud/reference/azure/sizes.ts'
import { listOf } from '#streams/cloud/kubernetes/api/json-access.ts'
import { kinds } from '#streams/cloud/azure/act/index.ts'
import { computeVersion } from '#streams/cloud/azure/discover/compute.ts'
import { atOf } from '#streams/cloud/azure/act/kind.ts'
import { numberAt, regionOf } from '#streams/cloud/azure/map/resource.ts'
import { openAzure } from '#streams/cloud/azure/session/open.ts'
import type { AzureOptions } from '#streams/cloud/azure/session/session.ts'

const sizes = once(azureSizes)

const quotaTypes: ReadonlySet<string> = new Set(['azure-vmss', 'azure-aks-nodepool'])

/**
 * Units for which the region's and the size family's quotas of virtual processors have room, plus the existing ones.
 */
export async function quotas(options: AzureOptions, account: CloudAccount, ref: ResourceRef): Promise<Quotas> {
  if (!quotaTypes.has(ref.type)) return {}
  const at = atOf(openAzure(account, options), ref)
  const { exists, capacity, instanceType = '' } = await kinds[ref.type]!.look(at)
  const vcpus = sizes().get(instanceType)?.vcpus
  if (!exists || !capacity || !vcpus || !regionOf(ref.region)) return {}
  const path = at.session.path(
    `/providers/Microsoft.Compute/locations/${encodeURIComponent(regionOf(ref.region))}/usages`,
  )
  const answer = await at.session.ask({
    path,
    query: { 'api-version': computeVersion },
    permission: 'Microsoft.Compute/locations/usages/read',
  })
  const names = ['cores', familyOf(instanceType)]
  const free = listOf(answer['value'])
    .filter((one) => names.includes((textAt(one, 'name', 'value') ?? '').toLowerCase()))
    .map((one) => (numberAt(one, 'limit') ?? 0) - (numberAt(one, 'currentValue') ?? 0))
  return free.length === 0 ? {} : { max: capacity.desired + Math.max(0, Math.floor(Math.min(...free) / vcpus)) }
}

/** `standarddsv3family` for `Standard_D2s_v3`: quotas are named after families, in any case. */
const familyOf = (size: string): string => `standard${namedAzure(size)?.family ?? ''}family`.toLowerCase()
