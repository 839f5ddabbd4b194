/** What tags are predicted and derived from, out of what was discovered or what the inventory holds. */
import { hash } from 'node:crypto'
import type { Facts } from '#actors/policy/selector.ts'
import { toRealNames } from '#actors/resource/observation-order.ts'
import type { Static } from '#engine/value/schema.ts'
import { isProvider, providers } from '#streams/names.ts'
import type { resourceDiscovered } from '#streams/resource/messages.ts'
import type { TagFacts as TagFactsSchema } from '#streams/tagging.ts'

export type TagFacts = Static<typeof TagFactsSchema>
type ResourceObservation = Static<typeof resourceDiscovered.schema>

/** Of an observation that can be taken; `network` is what was known before, for one that says nothing of it. */
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
  // Where there is a group nobody asks for the network, and an observation may leave it out.
  const within = resourceGroup === '' ? network : ''
  return { name, type, provider, region, instanceType, resourceGroup, network: within, parentUid, tags }
}

/** How clouds and producers call the network that a resource is in, the widest first. */
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

/** Characters; no cloud's group or network is called longer, and an index holds it. */
const neighbourhoodMax = 400

/** Empty where nothing names one; what cannot be one is passed over, as specs may hold anything. */
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

/** The network that a neighbourhood is; empty for a group. */
export const networkIn = (neighbourhood: string): string =>
  neighbourhood.startsWith('network:') ? neighbourhood.slice('network:'.length) : ''

/** The same for the same facts, in whatever order their tags are. */
export function hashOf(facts: TagFacts): string {
  const { name, type, region, provider, instanceType, resourceGroup, network, parentUid, tags } = facts
  const pairs = Object.keys(tags)
    .toSorted()
    .map((key) => [key, tags[key]])
  const text = JSON.stringify([name, type, provider, region, instanceType, resourceGroup, network, parentUid, pairs])
  return hash('sha256', text, 'base64url').slice(0, 22)
}

/** As selectors and values of policies see it; the tags are the cloud's alone. */
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
