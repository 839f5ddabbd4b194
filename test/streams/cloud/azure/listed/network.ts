import { idOf, root } from '../world.ts'
import { below, location, one, uid, vnet, type ListedCase } from './case.ts'

const subnet = { id: `${vnet}/subnets/AzureBastionSubnet` }

export const network: readonly ListedCase[] = [
  one({
    type: 'azure-bastion',
    kind: 'Microsoft.Network/bastionHosts',
    item: {
      sku: { name: 'Standard' },
      properties: { scaleUnits: 2, ipConfigurations: [{ name: 'conf', properties: { subnet } }] },
    },
    fields: { instanceType: 'Standard', parentUID: uid(vnet) },
    specs: { sku: 'Standard', scale_units: 2 },
  }),
  one({
    type: 'azure-er-circuit',
    kind: 'Microsoft.Network/expressRouteCircuits',
    item: {
      sku: { name: 'Standard_MeteredData', tier: 'Standard', family: 'MeteredData' },
      properties: {
        serviceProviderProvisioningState: 'NotProvisioned',
        serviceProviderProperties: { serviceProviderName: 'Equinix', bandwidthInMbps: 200 },
      },
    },
    fields: { instanceType: 'Standard_MeteredData' },
    specs: { provider_state: 'NotProvisioned', bandwidth_mbps: 200, data_plan: 'MeteredData' },
  }),
  {
    type: 'azure-vnet-gateway',
    answers: {
      '/resourcegroups': { value: [{ id: `${root}/resourceGroups/Shop`, name: 'Shop' }] },
      '/resourceGroups/Shop/providers/Microsoft.Network/virtualNetworkGateways': {
        value: [
          {
            id: idOf('Microsoft.Network/virtualNetworkGateways', 'gw'),
            name: 'gw',
            location,
            properties: {
              gatewayType: 'Vpn',
              sku: { name: 'VpnGw1', tier: 'VpnGw1', capacity: 2 },
              ipConfigurations: [{ properties: { subnet: { id: `${vnet}/subnets/GatewaySubnet` } } }],
              vpnClientConfiguration: { vpnClientAddressPool: { addressPrefixes: ['10.9.0.0/24'] } },
            },
          },
        ],
      },
      [below(idOf('Microsoft.Network/virtualNetworkGateways', 'gw'), 'connections')]: {
        value: [{ id: idOf('Microsoft.Network/connections', 'branch') }],
      },
    },
    wanted: [
      {
        resourceUid: uid(idOf('Microsoft.Network/virtualNetworkGateways', 'gw')),
        name: 'gw',
        region: location,
        resourceGroup: 'Shop',
        instanceType: 'VpnGw1',
        parentUID: uid(vnet),
        specs: { gateway_type: 'Vpn', sku: 'VpnGw1', p2s_configured: true, connection_count: 1 },
      },
    ],
  },
  {
    type: 'azure-front-door',
    answers: {
      '/providers/Microsoft.Cdn/profiles': {
        value: [
          { id: idOf('Microsoft.Cdn/profiles', 'afd'), location: 'Global', sku: { name: 'Standard_AzureFrontDoor' } },
          { id: idOf('Microsoft.Cdn/profiles', 'cdn'), location: 'Global', sku: { name: 'Standard_Microsoft' } },
        ],
      },
      [below(idOf('Microsoft.Cdn/profiles', 'afd'), 'afdEndpoints')]: {
        value: [{ id: `${idOf('Microsoft.Cdn/profiles', 'afd')}/afdEndpoints/e` }],
      },
      '/providers/Microsoft.Network/frontDoors': {
        value: [
          {
            id: idOf('Microsoft.Network/frontDoors', 'old'),
            location: 'Global',
            properties: { frontendEndpoints: [{ name: 'a' }, { name: 'b' }] },
          },
        ],
      },
    },
    wanted: [
      {
        resourceUid: uid(idOf('Microsoft.Cdn/profiles', 'afd')),
        name: 'afd',
        region: 'global',
        resourceGroup: 'Shop',
        instanceType: 'Standard_AzureFrontDoor',
        specs: { sku: 'Standard_AzureFrontDoor', endpoint_count: 1, profile_count_subscription: 1 },
      },
      {
        resourceUid: uid(idOf('Microsoft.Network/frontDoors', 'old')),
        name: 'old',
        region: 'global',
        resourceGroup: 'Shop',
        instanceType: 'Classic',
        specs: { sku: 'Classic', endpoint_count: 2, profile_count_subscription: 1 },
      },
    ],
  },
  one({
    type: 'azure-traffic-manager',
    kind: 'Microsoft.Network/trafficManagerProfiles',
    item: { location: 'global', properties: { profileStatus: 'Enabled', endpoints: [] } },
    fields: { region: 'global' },
    specs: { endpoint_count: 0 },
  }),
  one({
    type: 'azure-private-endpoint',
    kind: 'Microsoft.Network/privateEndpoints',
    item: {
      properties: {
        subnet: { id: `${vnet}/subnets/data` },
        privateLinkServiceConnections: [],
        manualPrivateLinkServiceConnections: [
          { properties: { privateLinkServiceConnectionState: { status: 'Disconnected', description: '' } } },
        ],
      },
    },
    fields: { parentUID: uid(vnet) },
    specs: { connection_state: 'Disconnected' },
  }),
  one({
    type: 'azure-private-dns-zone',
    kind: 'Microsoft.Network/privateDnsZones',
    item: { location: 'global', properties: { numberOfRecordSets: 3, numberOfVirtualNetworkLinks: 0 } },
    fields: { region: 'global' },
    specs: { link_count: 0 },
  }),
  one({
    type: 'azure-ddos-plan',
    kind: 'Microsoft.Network/ddosProtectionPlans',
    item: { properties: { provisioningState: 'Succeeded', virtualNetworks: [{ id: vnet }] } },
    specs: { vnet_count: 1 },
  }),
]
