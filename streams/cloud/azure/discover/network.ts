/** Parts of networks that need more than their list: firewalls with their policies, networks with their flow logs. */
import { listOf, memberOf, textAt } from '#streams/cloud/kubernetes/api/json-access.ts'
import { mapConcurrently } from '#streams/cloud/bill/merge.ts'
import { firewall, virtualNetwork } from '#streams/cloud/azure/map/network.ts'
import { isIdOf, uidOf } from '#streams/cloud/azure/session/path.ts'
import type { Item } from '#streams/cloud/azure/session/session.ts'
import { callsAtOnce, type Finder, type SubscriptionScan } from './finder.ts'

const version = '2024-05-01'

export const firewalls: Finder = {
  types: ['azure-firewall'],
  async *find(place) {
    for await (const page of place.list('Microsoft.Network/azureFirewalls', version))
      yield (
        await mapConcurrently(page, callsAtOnce, async (one) => firewall(one, await hasPremiumFeature(one, place)))
      ).flat()
  },
}

/** A firewall without a policy has none; that of a policy of another subscription is not known. */
async function hasPremiumFeature(one: Item, place: SubscriptionScan): Promise<boolean | undefined> {
  const id = textAt(one, 'properties', 'firewallPolicy', 'id')
  if (id === undefined) return false
  if (!isIdOf(place.session.account.externalId, id)) return undefined
  const policy = await place.also('firewallPolicies', () => place.ask({ path: id, version }))
  if (!policy || memberOf(policy, 'properties', 'basePolicy') !== undefined) return undefined
  const mode = textAt(policy, 'properties', 'intrusionDetection', 'mode') ?? 'Off'
  if (mode !== 'Off' || memberOf(policy, 'properties', 'transportSecurity') !== undefined) return true
  return (await place.allBelow({ id }, 'ruleCollectionGroups', version))?.some(hasPremiumRule)
}

/** Rules for addresses of pages or their categories, or that look into TLS. */
const hasPremiumRule = ({ properties }: Item): boolean =>
  listOf(memberOf(properties, 'ruleCollections'))
    .flatMap((one) => listOf(one['rules']))
    .some(
      (rule) => listIn(rule, 'targetUrls') || listIn(rule, 'webCategories') || memberOf(rule, 'terminateTLS') === true,
    )

function listIn(rule: unknown, name: string): boolean {
  const all = memberOf(rule, name)
  return Array.isArray(all) && all.length > 0
}

export const virtualNetworks: Finder = {
  types: ['azure-vnet'],
  async *find(place) {
    const logged = await loggedNetworks(place)
    for await (const page of place.list('Microsoft.Network/virtualNetworks', version))
      yield page.flatMap((one) => virtualNetwork(one, logged?.has(uidOf(one.id))))
  },
}

/** Uids of what flow logs are written of; undefined if that may not be seen. */
async function loggedNetworks(place: SubscriptionScan): Promise<ReadonlySet<string> | undefined> {
  const kind = 'Microsoft.Network/networkWatchers'
  const watchers = await place.also(kind, async () => (await Array.fromAsync(place.list(kind, version))).flat())
  const found = new Set<string>()
  for (const one of watchers ?? []) {
    const logs = await place.allBelow(one, 'flowLogs', version)
    if (!logs) return undefined
    for (const { properties } of logs)
      if (memberOf(properties, 'enabled') === true) found.add(uidOf(textAt(properties, 'targetResourceId') ?? ''))
  }
  return watchers ? found : undefined
}
