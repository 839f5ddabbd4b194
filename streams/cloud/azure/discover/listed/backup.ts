import { listOf, memberOf, textAt, type Json } from '#streams/cloud/kubernetes/api/json-access.ts'
import { listedBelow, listedType } from '#streams/cloud/azure/discover/listed.ts'
import type { SubscriptionScan } from '#streams/cloud/azure/discover/finder.ts'
import { daysSince, isEnabled, numberAt } from '#streams/cloud/azure/map/resource.ts'
import { uidOf } from '#streams/cloud/azure/session/path.ts'
import type { Item } from '#streams/cloud/azure/session/session.ts'

const vaults = 'Microsoft.RecoveryServices/vaults'
const version = '2024-04-01'

const vault = listedType({
  type: 'azure-recovery-vault',
  permissions: [`${vaults}/read`, `${vaults}/backupProtectedItems/read`],
  detail: async (item, place) => place.allBelow(item, 'backupProtectedItems', version),
  fields: ({ item }) => ({ instanceType: textAt(item, 'sku', 'name') }),
  specs: {
    redundancy: ({ of }) => textAt(of, 'redundancySettings', 'standardTierStorageRedundancy'),
    protected_count: ({ detail }) => detail?.length,
    soft_delete: ({ of }) => {
      const state = textAt(of, 'securitySettings', 'softDeleteSettings', 'softDeleteState')
      return state === 'AlwaysON' ? true : isEnabled(state)
    },
  },
})

const backupItem = listedType({
  type: 'azure-backup-item',
  permissions: [`${vaults}/read`, `${vaults}/backupProtectedItems/read`, `${vaults}/backupPolicies/read`],
  fields: ({ of, parent }) => ({
    name: textAt(of, 'friendlyName'),
    parentUID: parent?.id,
    location: textAt(parent, 'location'),
  }),
  specs: {
    source_id: ({ of }) => uidOf(textAt(of, 'sourceResourceId') ?? '') || undefined,
    days_since_backup: ({ of, now }) => daysSince(textAt(of, 'lastBackupTime') ?? textAt(of, 'lastRecoveryPoint'), now),
    protection_state: ({ of }) => textAt(of, 'protectionState'),
    retention_days: ({ item }) => item['retentionDays'],
  },
})

/** With the retention of the policy of each. */
async function* backupItems(place: SubscriptionScan, { id }: Item): AsyncGenerator<Item[]> {
  const policies = await place.allBelow({ id }, 'backupPolicies', version)
  const days = new Map(policies?.map((one) => [uidOf(one.id), longestDays(one['properties'])]))
  for await (const page of place.below(id, 'backupProtectedItems', version))
    yield page.map((one) => ({
      ...one,
      retentionDays: days.get(uidOf(textAt(one, 'properties', 'policyId') ?? '')),
    }))
}

/** The longest daily retention of a policy, or of its parts for databases and their logs. */
function longestDays(policy: unknown): number | undefined {
  const parts: readonly Json[] = [policy as Json, ...listOf(memberOf(policy, 'subProtectionPolicy'))]
  const days = parts.flatMap((part) => {
    const daily = memberOf(part, 'retentionPolicy', 'dailySchedule', 'retentionDuration')
    return textAt(daily, 'durationType') === 'Days' ? (numberAt(daily, 'count') ?? []) : []
  })
  return days.length === 0 ? undefined : Math.max(...days)
}

export const recoveryVaults = listedBelow({
  list: [vaults, version],
  parent: vault,
  children: [[backupItem, backupItems]],
})

/** Uids of what is backed up in the subscription; undefined if that may not be seen. */
export async function backedUpIn(place: SubscriptionScan): Promise<ReadonlySet<string> | undefined> {
  const found = new Set<string>()
  const all = await place.also(vaults, async () => (await Array.fromAsync(place.list(vaults, version))).flat())
  for (const one of all ?? []) {
    const items = await place.allBelow(one, 'backupProtectedItems', version)
    if (!items) return undefined
    for (const { properties } of items) found.add(uidOf(textAt(properties, 'sourceResourceId') ?? ''))
  }
  return all ? found : undefined
}
