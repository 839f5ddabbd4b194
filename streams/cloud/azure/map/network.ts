/** Maps addresses, network interfaces, load balancers and gateways. */
import type { DiscoveredResource } from '#streams/cloud/connector.ts'
import { isTrueAt, listOf, memberOf, textAt, textsOf, type Json } from '#streams/cloud/kubernetes/api/json-access.ts'
import { rowsOf } from '#streams/cloud/reference/table.ts'
import type { Item } from '#streams/cloud/azure/session/session.ts'
import { numberAt, orNull, propertiesOf, resource, timesUsd } from './resource.ts'

const countOf = (properties: Json, ...names: readonly string[]): number =>
  names.reduce((sum, name) => sum + listOf(properties[name]).length, 0)

export function networkInterface(item: Item): DiscoveredResource[] {
  const properties = propertiesOf(item)
  const holder = textAt(properties, 'virtualMachine', 'id')
  const endpoint = textAt(properties, 'privateEndpoint', 'id')
  const addresses = listOf(properties['ipConfigurations']).filter((one) =>
    memberOf(one, 'properties', 'publicIPAddress'),
  )
  return resource('azure-nic', item, {
    parentUID: holder,
    specs: {
      attached: holder !== undefined || endpoint !== undefined,
      public_ip_count: addresses.length,
      accelerated: isTrueAt(properties, 'enableAcceleratedNetworking'),
    },
  })
}

/** Returns the interface `…/networkInterfaces/n` for `…/networkInterfaces/n/ipConfigurations/c`. */
const holderOf = (configuration: string | undefined): string | undefined =>
  /^(.*\/networkInterfaces\/[^/]+)\//i.exec(configuration ?? '')?.[1]

export function address(item: Item): DiscoveredResource[] {
  const properties = propertiesOf(item)
  const configuration = textAt(properties, 'ipConfiguration', 'id')
  const gateway = textAt(properties, 'natGateway', 'id')
  return resource('azure-public-ip', item, {
    parentUID: holderOf(configuration),
    specs: {
      sku: textAt(item, 'sku', 'name') ?? 'Basic',
      associated: configuration !== undefined || gateway !== undefined,
      public_ipv4: textAt(properties, 'ipAddress'),
      allocation: textAt(properties, 'publicIPAllocationMethod'),
      ddos_mode: textAt(properties, 'ddosSettings', 'protectionMode'),
      held_by: orNull(configuration ?? gateway),
    },
  })
}

let ruleUsd: number | undefined

/** The first five rules have one price; without rules there is no price. */
function balancerUsd(sku: string, rules: number): number | undefined {
  if (sku !== 'Standard' || rules === 0) return undefined
  ruleUsd ??= Number(rowsOf('unit-price').find(({ key }) => key === 'azure.load_balancer.rule_hour')?.['usd'] ?? 0)
  return timesUsd(ruleUsd, 1)
}

export function balancer(item: Item): DiscoveredResource[] {
  const properties = propertiesOf(item)
  const sku = textAt(item, 'sku', 'name') ?? 'Basic'
  const rules = countOf(properties, 'loadBalancingRules', 'inboundNatRules', 'outboundRules')
  const pools = listOf(properties['backendAddressPools'])
  const members = pools.map(({ properties: of }) =>
    Math.max(
      listOf(memberOf(of, 'backendIPConfigurations')).length,
      listOf(memberOf(of, 'loadBalancerBackendAddresses')).length,
    ),
  )
  return resource('azure-load-balancer', item, {
    instanceType: sku,
    hourlyRateUSD: balancerUsd(sku, rules),
    specs: {
      sku,
      rule_count: rules,
      pool_count: pools.length,
      backend_count: members.reduce((sum, count) => sum + count, 0),
    },
  })
}

export function applicationGateway(item: Item): DiscoveredResource[] {
  const properties = propertiesOf(item)
  const pools = listOf(properties['backendAddressPools']).map((one) => propertiesOf(one))
  const scaled = memberOf(properties, 'autoscaleConfiguration')
  return resource('azure-app-gateway', item, {
    state: stateWord(textAt(properties, 'operationalState')),
    instanceType: textAt(properties, 'sku', 'tier'),
    specs: {
      sku: textAt(properties, 'sku', 'tier'),
      capacity: orNull(numberAt(properties, 'sku', 'capacity')),
      autoscale: scaled !== undefined && scaled !== null,
      min_capacity: numberAt(scaled, 'minCapacity'),
      backend_count: pools.reduce((sum, one) => sum + countOf(one, 'backendAddresses', 'backendIPConfigurations'), 0),
      state: textAt(properties, 'operationalState'),
    },
  })
}

/** In the list of types the member's name precedes the first state. */
const stateWord = (state: string | undefined): string | undefined =>
  state === 'Running' ? 'operationalState Running' : state

export const natGateway = (item: Item): DiscoveredResource[] =>
  resource('azure-nat-gateway', item, { specs: { subnet_count: countOf(propertiesOf(item), 'subnets') } })

/** `hasFlowLogs` is unknown without permission to list them. */
export function virtualNetwork(item: Item, hasFlowLogs?: boolean): DiscoveredResource[] {
  const properties = propertiesOf(item)
  return resource('azure-vnet', item, {
    specs: {
      ddos_plan: isTrueAt(properties, 'enableDdosProtection'),
      address_prefixes: textsOf(memberOf(properties, 'addressSpace', 'addressPrefixes')),
      subnet_count: countOf(properties, 'subnets'),
      flow_logs: hasFlowLogs,
    },
  })
}

/** `hasPremiumFeature`: whether its policy uses one; undefined: unknown. */
export function firewall(item: Item, hasPremiumFeature?: boolean): DiscoveredResource[] {
  const properties = propertiesOf(item)
  return resource('azure-firewall', item, {
    status: firewallStatus(properties),
    instanceType: textAt(properties, 'sku', 'tier'),
    specs: {
      tier: textAt(properties, 'sku', 'tier'),
      premium_features: hasPremiumFeature,
      state: textAt(properties, 'provisioningState'),
    },
  })
}

/** A firewall without an address in a network is not charged. */
function firewallStatus(properties: Json): 'running' | 'stopped' | 'pending' {
  const isHub = memberOf(properties, 'hubIPAddresses') !== undefined
  if (['Updating', 'Deleting'].includes(textAt(properties, 'provisioningState') ?? '')) return 'pending'
  return isHub || listOf(properties['ipConfigurations']).length > 0 ? 'running' : 'stopped'
}

const admin = [22, 3389]
const databases = [1433, 3306, 5432, 6379, 27017]

export function securityGroup(item: Item): DiscoveredResource[] {
  const properties = propertiesOf(item)
  const rules = listOf(properties['securityRules']).map((one) => memberOf(one, 'properties'))
  const open = (ports: readonly number[]) => ports.filter((port) => isOpen(rules, port))
  return resource('azure-nsg', item, {
    specs: {
      open_admin_ports: open(admin),
      open_database_ports: open(databases),
      attached: countOf(properties, 'subnets', 'networkInterfaces') > 0,
    },
  })
}

/** Of the rules that apply to everybody and to the port, the one with the lowest number decides. */
function isOpen(rules: readonly unknown[], port: number): boolean {
  const inbound = rules
    .filter((one) => textAt(one, 'direction') === 'Inbound' && isEverybody(one) && speaksOf(one, port))
    .filter((one) => ['*', 'tcp'].includes((textAt(one, 'protocol') ?? '*').toLowerCase()))
    .toSorted((one, other) => (numberAt(one, 'priority') ?? 0) - (numberAt(other, 'priority') ?? 0))
  return textAt(inbound[0], 'access') === 'Allow'
}

const everybody = new Set(['*', '0.0.0.0/0', 'internet', 'any', '::/0'])
const wordsAt = (rule: unknown, one: string, many: string): string[] =>
  [textAt(rule, one) ?? '', ...textsOf(memberOf(rule, many))].filter(Boolean)

const isEverybody = (rule: unknown): boolean =>
  wordsAt(rule, 'sourceAddressPrefix', 'sourceAddressPrefixes').some((word) => everybody.has(word.toLowerCase()))

const speaksOf = (rule: unknown, port: number): boolean =>
  wordsAt(rule, 'destinationPortRange', 'destinationPortRanges').some((range) => {
    if (range === '*') return true
    const [from = NaN, to = from] = range.split('-').map(Number)
    return from <= port && port <= to
  })
