import { memberOf, textAt, textsOf } from '#streams/cloud/kubernetes/api/json-access.ts'
import { findByCalls, listedType } from '#streams/cloud/azure/discover/listed.ts'
import { groupPages, type SubscriptionScan } from '#streams/cloud/azure/discover/finder.ts'
import type { Item } from '#streams/cloud/azure/session/session.ts'
import { networkOf } from './network.ts'

const version = '2024-05-01'
const kind = 'Microsoft.Network/virtualNetworkGateways'

const gateway = listedType({
  type: 'azure-vnet-gateway',
  permissions: ['Microsoft.Resources/subscriptions/resourceGroups/read', `${kind}/read`, `${kind}/connections/read`],
  detail: async (item, place) => (await place.allBelow(item, 'connections', version))?.length,
  fields: ({ of, item }) => ({ instanceType: textAt(of, 'sku', 'name'), parentUID: networkOf(item) }),
  specs: {
    gateway_type: ({ of }) => textAt(of, 'gatewayType'),
    sku: ({ of }) => textAt(of, 'sku', 'name'),
    p2s_configured: ({ of }) =>
      textsOf(memberOf(of, 'vpnClientConfiguration', 'vpnClientAddressPool', 'addressPrefixes')).length > 0,
    connection_count: ({ detail }) => detail,
  },
})

/** Azure lists gateways of one resource group only. */
async function* gatewayPages(place: SubscriptionScan): AsyncGenerator<Item[]> {
  for await (const groups of groupPages(place))
    for (const { id } of groups) yield* place.below(id, `providers/${kind}`, version)
}

export const virtualGateways = findByCalls(gateway, gatewayPages)
