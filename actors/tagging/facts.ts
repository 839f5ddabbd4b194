/** The facts that tags are predicted and derived from, taken from a discovery or from the inventory. */
import { hash } from 'node:crypto'
import type { Facts } from '#actors/policy/selector.ts'
import { toRealNames } from '#actors/resource/observation-order.ts'
import type { Static } from '#engine/value/schema.ts'
import { isProvider, providers } from '#streams/names.ts'
import type { resourceDiscovered } from '#streams/resource/messages.ts'
import type { TagFacts as TagFactsSchema } from '#streams/tagging.ts'

export type TagFacts = Static<typeof TagFactsSchema>
type ResourceObservation = Static<typeof resourceDiscovered.schema>

/** From a valid observation. `network`: the known network, in case the observation has none. */
export function factsOf(found: ResourceObservation, network: string): TagFacts {
  const { provider, type } = toRealNames(found)
  const { name, region, instanceType = '', parentUID: parentUid = '', resourceGroup = '', tags = {}, specs } = found
  return factsFrom(
    { name, type, provider, region, instanceType, resourceGroup, parentUid, tags },
    specs ? networkOf(specs) : network,
  )
}

/** A row of the inventory. */
export interface InventoryRow extends Omit<TagFacts, 'provider' | 'network'> {
  provider: string
  specs: Readonly<Record<string, unknown>>
}

export const factsOfRow = ({ specs, ...row }: InventoryRow): TagFacts => factsFrom(row, networkOf(specs))

function factsFrom(row: Omit<InventoryRow, 'specs'>, network: string): TagFacts {
  const { name, type, region, instanceType, parentUid, tags } = row
  const provider = isProvider(row.provider) ? row.provider : providers[0]
  const resourceGroup = provider === 'azure' ? row.resourceGroup.toLowerCase() : ''
  // With a resource group the network is not used, and observations may leave it out.
  const within = resourceGroup === '' ? network : ''
  return { name, type, provider, region, instanceType, resourceGroup, network: within, parentUid, tags }
}

/** Specs with the network of a resource in different clouds, widest first. */
const networkNames = [
  'vpc_id',
  'vpcId',
  'vpc',
  'network_id',
  'networkId',
  'network',
  'vnet_id',
  'vnetId',
  'vnet',
  'virtual_network_id',
  'virtualNetworkId',
  'virtual_network',
  'subnet_id',
  'subnetId',
  'subnet',
  'subnetwork',
] as const

/** Maximum characters: longer than any group or network name of a cloud, and short enough for an index. */
const neighbourhoodMax = 400

/** Empty if no spec names a network; invalid values are skipped, since specs may contain anything. */
export function networkOf(specs: Readonly<Record<string, unknown>>): string {
  for (const name of networkNames) {
    const value = specs[name]
    if (typeof value === 'string' && value !== '' && value.length <= neighbourhoodMax) return value
  }
  return ''
}

export function neighbourhoodOf({ resourceGroup, network }: Pick<TagFacts, 'resourceGroup' | 'network'>): string {
  const one = resourceGroup !== '' ? `group:${resourceGroup}` : network !== '' ? `network:${network}` : ''
  return one.length > neighbourhoodMax ? '' : one
}

/** The network of a neighbourhood; empty if it is a group. */
export const networkIn = (neighbourhood: string): string =>
  neighbourhood.startsWith('network:') ? neighbourhood.slice('network:'.length) : ''

/** The same for the same facts, whatever the order of tags. */
export function hashOf(facts: TagFacts): string {
  const { name, type, region, provider, instanceType, resourceGroup, network, parentUid, tags } = facts
  const pairs = Object.keys(tags)
    .toSorted()
    .map((key) => [key, tags[key]])
  const text = JSON.stringify([name, type, provider, region, instanceType, resourceGroup, network, parentUid, pairs])
  return hash('sha256', text, 'base64url').slice(0, 22)
}

/** The facts that selectors and values of policies read, with the cloud's tags only. */
export const selectable = (facts: TagFacts, cloudAccountId: string): Facts => ({
  of: {
    'res.provider': facts.provider,
    'res.type': facts.type,
    'res.region': facts.region,
    'res.name': facts.name,
    'res.instance_type': facts.instanceType,
    'res.resource_group': facts.resourceGroup,
    'res.cloud_account_id': cloudAccountId,
  },
  tags: facts.tags,
})
