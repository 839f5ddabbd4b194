import { listOf, memberOf, textAt } from '#streams/cloud/kubernetes/api/json-access.ts'
import { findInLists, listedType } from '#streams/cloud/azure/discover/listed.ts'
import { lengthAt, numberAt } from '#streams/cloud/azure/map/resource.ts'

const version = '2024-05-01'

export const bastions = findInLists(
  listedType({
    type: 'azure-bastion',
    permissions: ['Microsoft.Network/bastionHosts/read'],
    fields: ({ item }) => ({ instanceType: textAt(item, 'sku', 'name'), parentUID: networkOf(item) }),
    specs: {
      // Older hosts have no sku; they are Basic.
      sku: ({ item }) => textAt(item, 'sku', 'name') ?? 'Basic',
      scale_units: ({ of }) => numberAt(of, 'scaleUnits'),
    },
  }),
  ['Microsoft.Network/bastionHosts', version],
)

/** The network of the first configuration: `…/virtualNetworks/n` for `…/virtualNetworks/n/subnets/s`. */
export function networkOf(item: unknown): string | undefined {
  const [configuration] = listOf(memberOf(item, 'properties', 'ipConfigurations'))
  return partOf(textAt(configuration, 'properties', 'subnet', 'id'))
}

const partOf = (subnet: string | undefined): string | undefined => /^(.*)\/subnets\/[^/]+$/i.exec(subnet ?? '')?.[1]

export const circuits = findInLists(
  listedType({
    type: 'azure-er-circuit',
    permissions: ['Microsoft.Network/expressRouteCircuits/read'],
    fields: ({ item }) => ({ instanceType: textAt(item, 'sku', 'name') }),
    specs: {
      provider_state: ({ of }) => textAt(of, 'serviceProviderProvisioningState'),
      // Circuits of ExpressRoute Direct have no provider.
      bandwidth_mbps: ({ of }) => {
        const gbps = numberAt(of, 'bandwidthInGbps')
        return numberAt(of, 'serviceProviderProperties', 'bandwidthInMbps') ?? (gbps && gbps * 1000)
      },
      data_plan: ({ item }) => textAt(item, 'sku', 'family'),
    },
  }),
  ['Microsoft.Network/expressRouteCircuits', version],
)

export const trafficManagers = findInLists(
  listedType({
    type: 'azure-traffic-manager',
    permissions: ['Microsoft.Network/trafficManagerProfiles/read'],
    specs: { endpoint_count: ({ of }) => lengthAt(of, 'endpoints') },
  }),
  ['Microsoft.Network/trafficManagerProfiles', '2022-04-01'],
)

export const privateEndpoints = findInLists(
  listedType({
    type: 'azure-private-endpoint',
    permissions: ['Microsoft.Network/privateEndpoints/read'],
    fields: ({ of }) => ({ parentUID: partOf(textAt(of, 'subnet', 'id')) }),
    specs: {
      connection_state: ({ of }) => {
        const [one] = ['privateLinkServiceConnections', 'manualPrivateLinkServiceConnections'].flatMap((name) =>
          listOf(of[name]),
        )
        return textAt(one, 'properties', 'privateLinkServiceConnectionState', 'status')
      },
    },
  }),
  ['Microsoft.Network/privateEndpoints', version],
)

export const privateZones = findInLists(
  listedType({
    type: 'azure-private-dns-zone',
    permissions: ['Microsoft.Network/privateDnsZones/read'],
    specs: { link_count: ({ of }) => numberAt(of, 'numberOfVirtualNetworkLinks') },
  }),
  ['Microsoft.Network/privateDnsZones', '2020-06-01'],
)

export const ddosPlans = findInLists(
  listedType({
    type: 'azure-ddos-plan',
    permissions: ['Microsoft.Network/ddosProtectionPlans/read'],
    specs: {
      // Azure leaves out an empty list of a plan that is there.
      vnet_count: ({ of }) => lengthAt(of, 'virtualNetworks') ?? (textAt(of, 'provisioningState') ? 0 : undefined),
    },
  }),
  ['Microsoft.Network/ddosProtectionPlans', version],
)
