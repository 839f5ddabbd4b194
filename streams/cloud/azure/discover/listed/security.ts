import { textAt } from '#streams/cloud/kubernetes/api/json-access.ts'
import { findInLists, listedType } from '#streams/cloud/azure/discover/listed.ts'
import type { SubscriptionScan } from '#streams/cloud/azure/discover/finder.ts'
import { isAt, isEnabled, numberAt, timeAt } from '#streams/cloud/azure/map/resource.ts'
import type { Item } from '#streams/cloud/azure/session/session.ts'

const vaults = 'Microsoft.KeyVault/vaults'
const version = '2023-07-01'
/** Seconds before its end at which an item counts as expiring. */
const expiringSeconds = 30 * 86_400

interface VaultDetail {
  items: readonly Item[] | undefined
}

const keyVault = listedType<VaultDetail>({
  type: 'azure-key-vault',
  permissions: [`${vaults}/read`, `${vaults}/secrets/read`, `${vaults}/keys/read`],
  detail: async (item, place) => ({ items: await itemsOf(item, place) }),
  fields: ({ of }) => ({ instanceType: textAt(of, 'sku', 'name') }),
  specs: {
    created_at: ({ item }) => timeAt(item, 'systemData', 'createdAt'),
    // Azure leaves it out where it was never set.
    purge_protection: ({ of }) => isAt(of, 'enablePurgeProtection') ?? false,
    public_access: ({ of }) =>
      (isEnabled(textAt(of, 'publicNetworkAccess')) ?? true) && textAt(of, 'networkAcls', 'defaultAction') !== 'Deny',
    expiring_items: ({ detail, now }) => detail?.items && expiringIn(detail.items, now),
  },
})

/** Descriptions of secrets and keys, never their values; certificates are among both. */
async function itemsOf(vault: Item, place: SubscriptionScan): Promise<Item[] | undefined> {
  const [secrets, keys] = [
    await place.allBelow(vault, 'secrets', version),
    await place.allBelow(vault, 'keys', version),
  ]
  return secrets && keys && [...secrets, ...keys]
}

/** Names of enabled items that end soon or never; null without any. */
function expiringIn(items: readonly Item[], now: number): string[] | null {
  const expiring = items.filter((one) => {
    const end = numberAt(one, 'properties', 'attributes', 'exp')
    const isOn = isAt(one, 'properties', 'attributes', 'enabled') ?? true
    return isOn && (end === undefined || end < now / 1000 + expiringSeconds)
  })
  const names = [...new Set(expiring.map((one) => textAt(one, 'name') ?? one.id))].toSorted()
  return names.length === 0 ? null : names
}

export const keyVaults = findInLists(keyVault, [vaults, version])

export const managedHsms = findInLists(
  listedType({
    type: 'azure-managed-hsm',
    permissions: ['Microsoft.KeyVault/managedHSMs/read'],
    fields: ({ item }) => ({ instanceType: textAt(item, 'sku', 'name') }),
    specs: {
      created_at: ({ item }) => timeAt(item, 'systemData', 'createdAt'),
      state: ({ of }) =>
        textAt(of, 'securityDomainProperties', 'activationStatus') === 'Active' ? 'Activated' : 'NotActivated',
    },
  }),
  ['Microsoft.KeyVault/managedHSMs', version],
)
