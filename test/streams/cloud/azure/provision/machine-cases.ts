/** Pools of machines and load balancers. */
import { group, ownName, tags, type ProvisionCase } from './case.ts'

const location = 'westeurope'
const within = (type: string): string => `${group}/providers/${type}/${ownName}`
const network = within('Microsoft.Network/virtualNetworks')
const firewall = within('Microsoft.Network/networkSecurityGroups')
const set = within('Microsoft.Compute/virtualMachineScaleSets')
const balancer = within('Microsoft.Network/loadBalancers')
const balancerUid = balancer.toLowerCase()

const shop = '/subscriptions/11111111-2222-3333-4444-555555555555/resourcegroups/shop/providers'
const shopSubnet = `${shop}/microsoft.network/virtualnetworks/shop/subnets/dns`
const dns = `${shop}/microsoft.compute/virtualmachinescalesets/dns`

const rule = (protocol: string, port: number, backendPort: number) => ({
  name: `${protocol.toLowerCase()}-${port}`,
  properties: {
    protocol,
    frontendPort: port,
    backendPort,
    frontendIPConfiguration: { id: `${balancer}/frontendIPConfigurations/frontend` },
    backendAddressPool: { id: `${balancer}/backendAddressPools/backend` },
    probe: { id: `${balancer}/probes/probe` },
  },
})
const probe = (port: number) => ({
  name: 'probe',
  properties: { protocol: 'Tcp', port, intervalInSeconds: 15, probeThreshold: 2 },
})

const scaling = (direction: string, operator: string, threshold: number) => ({
  metricTrigger: {
    metricName: 'Percentage CPU',
    metricResourceUri: set,
    timeGrain: 'PT1M',
    statistic: 'Average',
    timeWindow: 'PT5M',
    timeAggregation: 'Average',
    operator,
    threshold,
  },
  scaleAction: { direction, type: 'ChangeCount', value: '1', cooldown: 'PT5M' },
})

const card = (subnet: string, pools: readonly object[] | undefined) => ({
  name: 'primary',
  properties: {
    primary: true,
    ipConfigurations: [
      {
        name: 'primary',
        properties: {
          primary: true,
          subnet: { id: subnet },
          ...(pools && { loadBalancerBackendAddressPools: pools }),
        },
      },
    ],
  },
})

/** A scale set of somebody else, whose machines are upgraded when their owner says so. */
export const manualSet = (...cards: readonly object[]) => ({
  location,
  sku: { name: 'Standard_D2s_v5', capacity: 2 },
  properties: {
    orchestrationMode: 'Uniform',
    upgradePolicy: { mode: 'Manual' },
    virtualMachineProfile: { networkProfile: { networkInterfaceConfigurations: cards } },
  },
})

const otherPool = { id: `${shop}/microsoft.network/loadbalancers/other/backendaddresspools/all` }

export const machineCases: readonly ProvisionCase[] = [
  {
    title: 'a pool of machines',
    kind: 'vm_pool',
    config: {
      name: 'web',
      instanceType: 'Standard_D2ps_v5',
      min: 2,
      max: 6,
      createLoadBalancer: true,
      listenerPorts: [80, 443],
    },
    created: [
      `networkSecurityGroups/${ownName}`,
      `virtualNetworks/${ownName}`,
      `virtualMachineScaleSets/${ownName}`,
      `autoscaleSettings/${ownName}`,
      `publicIPAddresses/${ownName}`,
      `loadBalancers/${ownName}`,
    ],
    bodies: {
      [`networkSecurityGroups/${ownName}`]: {
        location,
        tags,
        properties: {
          securityRules: [
            {
              name: 'load-balancer',
              properties: {
                priority: 100,
                direction: 'Inbound',
                access: 'Allow',
                protocol: 'Tcp',
                sourceAddressPrefix: 'Internet',
                sourcePortRange: '*',
                destinationAddressPrefix: '*',
                destinationPortRanges: ['80', '443'],
              },
            },
          ],
        },
      },
      [`virtualNetworks/${ownName}`]: {
        location,
        tags,
        properties: {
          addressSpace: { addressPrefixes: ['10.0.0.0/16'] },
          subnets: [
            {
              name: 'machines',
              properties: {
                addressPrefix: '10.0.0.0/16',
                defaultOutboundAccess: false,
                networkSecurityGroup: { id: firewall },
              },
            },
          ],
        },
      },
      [`virtualMachineScaleSets/${ownName}`]: {
        location,
        tags,
        sku: { name: 'Standard_D2ps_v5', tier: 'Standard', capacity: 2 },
        properties: {
          orchestrationMode: 'Uniform',
          upgradePolicy: { mode: 'Automatic' },
          overprovision: false,
          singlePlacementGroup: false,
          virtualMachineProfile: {
            osProfile: {
              computerNamePrefix: 'tidemark',
              adminUsername: 'tidemark',
              linuxConfiguration: {
                disablePasswordAuthentication: true,
                ssh: { publicKeys: [{ path: '/home/tidemark/.ssh/authorized_keys', keyData: '(key)' }] },
              },
            },
            storageProfile: {
              imageReference: { publisher: 'Debian', offer: 'debian-12', sku: '12-arm64', version: 'latest' },
              osDisk: {
                createOption: 'FromImage',
                caching: 'ReadWrite',
                managedDisk: { storageAccountType: 'StandardSSD_LRS' },
              },
            },
            networkProfile: { networkInterfaceConfigurations: [card(`${network}/subnets/machines`, undefined)] },
          },
        },
      },
      [`autoscaleSettings/${ownName}`]: {
        location,
        tags,
        properties: {
          name: ownName,
          enabled: true,
          targetResourceUri: set,
          targetResourceLocation: location,
          profiles: [
            {
              name: 'tidemark',
              capacity: { minimum: '2', maximum: '6', default: '2' },
              // Seven tenths of 60.
              rules: [scaling('Increase', 'GreaterThan', 60), scaling('Decrease', 'LessThan', 42)],
            },
          ],
        },
      },
      [`publicIPAddresses/${ownName}`]: {
        location,
        tags,
        sku: { name: 'Standard' },
        properties: { publicIPAllocationMethod: 'Static' },
      },
      [`loadBalancers/${ownName}`]: {
        location,
        tags,
        sku: { name: 'Standard' },
        properties: {
          frontendIPConfigurations: [
            {
              name: 'frontend',
              properties: { publicIPAddress: { id: within('Microsoft.Network/publicIPAddresses') } },
            },
          ],
          backendAddressPools: [{ name: 'backend' }],
          probes: [probe(80)],
          loadBalancingRules: [rule('Tcp', 80, 80), rule('Tcp', 443, 443)],
        },
      },
    },
    outputs: {
      template: { networkUid: network.toLowerCase(), name: ownName },
      group: { groupUid: set.toLowerCase(), name: ownName },
      load_balancer: { loadBalancerUid: balancerUid, address: '20.1.2.3' },
    },
    gone: [network.toLowerCase(), set.toLowerCase(), balancerUid],
  },
  {
    title: 'an internal load balancer',
    kind: 'load_balancer',
    config: {
      name: 'front',
      scheme: 'internal',
      listeners: [
        { port: 53, protocol: 'UDP', targetPort: 5353 },
        { port: 80, protocol: 'http', targetPort: 8080 },
      ],
      targetUID: dns,
    },
    before: {
      [`${shop}/microsoft.network/virtualnetworks/shop`]: { location, properties: { subnets: [{ name: 'dns' }] } },
      [otherPool.id.replace(/\/backend.*/, '')]: {
        location,
        properties: { frontendIPConfigurations: [{ properties: {} }] },
      },
      [dns]: manualSet(card(shopSubnet, [otherPool])),
    },
    created: [`loadBalancers/${ownName}`],
    bodies: {
      [`loadBalancers/${ownName}`]: {
        location,
        tags,
        sku: { name: 'Standard' },
        properties: {
          frontendIPConfigurations: [
            { name: 'frontend', properties: { privateIPAllocationMethod: 'Dynamic', subnet: { id: shopSubnet } } },
          ],
          backendAddressPools: [{ name: 'backend' }],
          probes: [probe(8080)],
          loadBalancingRules: [rule('Udp', 53, 5353), rule('Tcp', 80, 8080)],
        },
      },
      'patch virtualmachinescalesets/dns': {
        properties: {
          virtualMachineProfile: {
            networkProfile: {
              networkInterfaceConfigurations: [
                card(shopSubnet, [otherPool, { id: `${balancer}/backendAddressPools/backend` }]),
              ],
            },
          },
        },
      },
    },
    outputs: { create: { loadBalancerUid: balancerUid, address: '10.0.0.9' } },
    gone: [balancerUid],
  },
]
