import { listOf, memberOf, textAt } from '#streams/cloud/kubernetes/api/json-access.ts'
import { findByCalls, findInLists, listedType } from '#streams/cloud/azure/discover/listed.ts'
import type { SubscriptionScan } from '#streams/cloud/azure/discover/finder.ts'
import { isEnabled, lengthAt, numberAt, timeAt } from '#streams/cloud/azure/map/resource.ts'
import type { Item } from '#streams/cloud/azure/session/session.ts'

const [accounts, registries] = ['Microsoft.NetApp/netAppAccounts', 'Microsoft.ContainerRegistry/registries']
const [netAppVersion, registryVersion] = ['2023-11-01', '2023-07-01'] as const
const gib = 2 ** 30

const gbAt = (value: unknown, name: string): number | undefined => {
  const bytes = numberAt(value, name)
  return bytes === undefined ? undefined : Math.round(bytes / gib)
}

const netAppPool = listedType({
  type: 'azure-netapp-pool',
  permissions: [`${accounts}/read`, `${accounts}/capacityPools/read`, `${accounts}/capacityPools/volumes/read`],
  detail: async (item, place) => place.allBelow(item, 'volumes', netAppVersion),
  fields: ({ of }) => ({ instanceType: textAt(of, 'serviceLevel'), sizeGB: gbAt(of, 'size') }),
  specs: {
    created_at: ({ item }) => timeAt(item, 'systemData', 'createdAt'),
    service_level: ({ of }) => textAt(of, 'serviceLevel'),
    qos_type: ({ of }) => textAt(of, 'qosType'),
    volume_quota_gb: ({ detail }) =>
      detail?.reduce((sum, one) => sum + (gbAt(memberOf(one, 'properties'), 'usageThreshold') ?? 0), 0),
  },
})

async function* poolPages(place: SubscriptionScan): AsyncGenerator<Item[]> {
  for await (const page of place.list(accounts!, netAppVersion))
    for (const { id } of page) yield* place.below(id, 'capacityPools', netAppVersion)
}

export const netAppPools = findByCalls(netAppPool, poolPages)

export const registriesOfImages = findInLists(
  listedType({
    type: 'azure-acr',
    permissions: [`${registries}/read`, `${registries}/replications/read`],
    detail: async (item, place) => place.allBelow(item, 'replications', registryVersion),
    fields: ({ item }) => ({ instanceType: textAt(item, 'sku', 'name') }),
    specs: {
      created_at: ({ of }) => timeAt(of, 'creationDate'),
      sku: ({ item }) => textAt(item, 'sku', 'name'),
      admin_user: ({ of }) => memberOf(of, 'adminUserEnabled'),
      // A registry has a replication in its own region.
      premium_features: ({ of, detail }) => hasPremiumFeature(of) || (detail && detail.length > 1),
      retention_policy: ({ of }) => isEnabled(textAt(of, 'policies', 'retentionPolicy', 'status')),
    },
  }),
  [registries!, registryVersion],
)

/** What the Standard tier does not have. */
function hasPremiumFeature(of: unknown): boolean {
  const statuses = [
    textAt(of, 'policies', 'retentionPolicy', 'status'),
    textAt(of, 'policies', 'trustPolicy', 'status'),
    textAt(of, 'policies', 'quarantinePolicy', 'status'),
    textAt(of, 'encryption', 'status'),
    textAt(of, 'zoneRedundancy'),
  ]
  return (
    statuses.some((one) => isEnabled(one)) ||
    (lengthAt(of, 'privateEndpointConnections') ?? 0) > 0 ||
    memberOf(of, 'dataEndpointEnabled') === true ||
    textAt(of, 'publicNetworkAccess') === 'Disabled' ||
    textAt(of, 'networkRuleSet', 'defaultAction') === 'Deny' ||
    listOf(memberOf(of, 'networkRuleSet', 'ipRules')).length > 0
  )
}
