/** The subscription itself, with what its services say of its costs, its security and its quotas. */
import { listOf, memberOf, textAt } from '#streams/cloud/kubernetes/api/json-access.ts'
import { findByCalls, listedType } from '#streams/cloud/azure/discover/listed.ts'
import type { SubscriptionScan } from '#streams/cloud/azure/discover/finder.ts'
import { numberAt, regionOf } from '#streams/cloud/azure/map/resource.ts'
import type { Item } from '#streams/cloud/azure/session/session.ts'

const read = 'Microsoft.Resources/subscriptions/read'
const usages = 'Microsoft.Compute/locations/usages'
const computeVersion = '2024-07-01'
/** Of the role Owner, in every tenant. */
const ownerRole = '8e3af657-a8ff-443c-a75c-2fe8c4bcb635'

interface Quota {
  percent: number
  name: string
}

interface SubscriptionDetail {
  of: unknown
  budgets: Item[] | undefined
  exports: Item[] | undefined
  settings: Item[] | undefined
  owners: Item[] | undefined
  policies: Item[] | undefined
  plansOff: string[] | undefined
  quota: Quota | null | undefined
  group: boolean | undefined
}

export const subscriptions = findByCalls(
  listedType<SubscriptionDetail>({
    type: 'azure-subscription',
    permissions: [
      read,
      'Microsoft.Consumption/budgets/read',
      'Microsoft.CostManagement/exports/read',
      'Microsoft.Insights/diagnosticSettings/read',
      'Microsoft.Authorization/roleAssignments/read',
      'Microsoft.Authorization/policyAssignments/read',
      'Microsoft.Security/pricings/read',
      `${usages}/read`,
    ],
    detail,
    fields: ({ item, detail: told }) => ({ name: textAt(told?.of, 'displayName') ?? textAt(item, 'name') }),
    specs: {
      offer: ({ detail: told }) => textAt(told?.of, 'subscriptionPolicies', 'quotaId'),
      budget_count: ({ detail: told }) => told?.budgets?.length,
      cost_export_count: ({ detail: told }) => told?.exports?.filter(isActive).length,
      activity_log_exported: ({ detail: told }) => told?.settings?.some(exportsLog),
      owner_count: ({ detail: told }) => told?.owners?.filter(isOwner).length,
      tag_policy: ({ detail: told }) => told?.policies?.some(isAboutTags),
      defender_plans_off: ({ detail: told }) => told?.plansOff && (told.plansOff.length > 0 ? told.plansOff : null),
      management_group: ({ detail: told }) => told?.group,
      quota_peak_percent: ({ detail: told }) => told?.quota && told.quota.percent,
      quota_peak_name: ({ detail: told }) => told?.quota && told.quota.name,
    },
  }),
  async function* ({ session }) {
    yield [{ id: session.path(), name: session.account.name }]
  },
)

async function detail(item: Item, place: SubscriptionScan): Promise<SubscriptionDetail> {
  const listOfAll = (kind: string, version: string, query: Readonly<Record<string, string>> = {}) =>
    place.also(kind, async () => (await Array.fromAsync(place.list(kind, version, query))).flat())
  const all = async (...list: Parameters<typeof listOfAll>) => (await listOfAll(...list)) ?? undefined
  return {
    of: await place.also(read, () => place.ask({ path: item.id, version: '2022-12-01' })),
    budgets: await all('Microsoft.Consumption/budgets', '2023-05-01'),
    exports: await all('Microsoft.CostManagement/exports', '2023-08-01'),
    settings: await all('Microsoft.Insights/diagnosticSettings', '2021-05-01-preview'),
    owners: await all('Microsoft.Authorization/roleAssignments', '2022-04-01', { $filter: 'atScope()' }),
    policies: await all('Microsoft.Authorization/policyAssignments', '2023-04-01'),
    plansOff: await plansOff(place, await all('Microsoft.Security/pricings', '2024-01-01')),
    quota: await peakQuota(place),
    group: await isInGroup(place),
  }
}

const isActive = (one: Item): boolean => textAt(one, 'properties', 'schedule', 'status') !== 'Inactive'

const exportsLog = (one: Item): boolean =>
  listOf(memberOf(one, 'properties', 'logs')).some((log) => memberOf(log, 'enabled') === true)

const isOwner = (one: Item): boolean =>
  (textAt(one, 'properties', 'roleDefinitionId') ?? '').toLowerCase().endsWith(ownerRole)

/** Azure's own policies for tags have a parameter with the tag's name. */
function isAboutTags(one: Item): boolean {
  const parameters = Object.keys((memberOf(one, 'properties', 'parameters') as object | undefined) ?? {})
  return (
    parameters.some((name) => /^tagname/i.test(name)) ||
    /\btags?\b/i.test(textAt(one, 'properties', 'displayName') ?? '')
  )
}

/** What each plan of Defender protects. */
const protectedKinds: Readonly<Record<string, readonly [kind: string, version: string]>> = {
  VirtualMachines: ['Microsoft.Compute/virtualMachines', computeVersion],
  SqlServers: ['Microsoft.Sql/servers', '2023-08-01'],
  AppServices: ['Microsoft.Web/sites', '2023-12-01'],
  StorageAccounts: ['Microsoft.Storage/storageAccounts', '2023-05-01'],
  Containers: ['Microsoft.ContainerService/managedClusters', '2024-09-01'],
  KeyVaults: ['Microsoft.KeyVault/vaults', '2023-07-01'],
  CosmosDbs: ['Microsoft.DocumentDB/databaseAccounts', '2024-05-15'],
  OpenSourceRelationalDatabases: ['Microsoft.DBforPostgreSQL/flexibleServers', '2022-12-01'],
}

/** Plans at the free tier, of which the subscription has something to protect. */
async function plansOff(place: SubscriptionScan, pricings: Item[] | undefined): Promise<string[] | undefined> {
  if (!pricings) return undefined
  const off: string[] = []
  for (const one of pricings) {
    const name = textAt(one, 'name') ?? ''
    const list = Object.hasOwn(protectedKinds, name) ? protectedKinds[name] : undefined
    if (!list || textAt(one, 'properties', 'pricingTier') !== 'Free') continue
    if (await place.also(list[0], () => hasAny(place, ...list))) off.push(name)
  }
  return off.toSorted()
}

async function hasAny(place: SubscriptionScan, kind: string, version: string): Promise<boolean> {
  for await (const page of place.list(kind, version)) if (page.length > 0) return true
  return false
}

/** The most used quota of processors, of the regions in which there are machines; null without machines. */
async function peakQuota(place: SubscriptionScan): Promise<Quota | null | undefined> {
  const machines = await place.also('Microsoft.Compute/virtualMachines', async () =>
    (await Array.fromAsync(place.list('Microsoft.Compute/virtualMachines', computeVersion))).flat(),
  )
  if (!machines) return undefined
  const regions = new Set(machines.map((one) => regionOf(textAt(one, 'location'))).filter(Boolean))
  const quotas: Quota[] = []
  for (const region of regions) {
    const path = place.session.path(`/providers/Microsoft.Compute/locations/${encodeURIComponent(region)}/usages`)
    const answer = await place.also(usages, () =>
      place.ask({ path, version: computeVersion, permission: `${usages}/read` }),
    )
    if (!answer) return undefined
    quotas.push(...listOf(answer['value']).flatMap((one) => quotaIn(one, region)))
  }
  return quotas.toSorted((one, other) => other.percent - one.percent)[0] ?? null
}

function quotaIn(usage: unknown, region: string): Quota[] {
  const [used, limit] = [numberAt(usage, 'currentValue'), numberAt(usage, 'limit')]
  if (used === undefined || limit === undefined || limit <= 0) return []
  return [{ percent: Math.round((1000 * used) / limit) / 10, name: `${textAt(usage, 'name', 'value')} in ${region}` }]
}

/** Whether its group is another one than the root of the tenant, which has the tenant's own id. */
async function isInGroup(place: SubscriptionScan): Promise<boolean | undefined> {
  const query = `resourcecontainers
| where type == 'microsoft.resources/subscriptions'
| project tenantId, groups = properties.managementGroupAncestorsChain`
  const answer = await place.also('management groups', () =>
    place.ask({
      method: 'POST',
      path: '/providers/Microsoft.ResourceGraph/resources',
      version: '2021-03-01',
      permission: read,
      body: { subscriptions: [place.session.account.externalId], query, options: { resultFormat: 'objectArray' } },
    }),
  )
  const [row] = listOf(answer?.['data'])
  const [nearest] = listOf(row?.['groups'])
  const name = textAt(nearest, 'name')
  return name === undefined ? undefined : name !== textAt(row, 'tenantId')
}
