import { textAt } from '#streams/cloud/kubernetes/api/json-access.ts'
import { findByCalls, findInLists, listedType } from '#streams/cloud/azure/discover/listed.ts'
import type { SubscriptionScan } from '#streams/cloud/azure/discover/finder.ts'
import { numberAt, orNull, timeAt } from '#streams/cloud/azure/map/resource.ts'
import { uidOf } from '#streams/cloud/azure/session/path.ts'
import type { Item } from '#streams/cloud/azure/session/session.ts'

const [workspaces, solutions] = [
  'Microsoft.OperationalInsights/workspaces',
  'Microsoft.OperationsManagement/solutions',
] as const
const version = '2023-09-01'

/** Azure writes some in lower case. */
const skus = ['PerGB2018', 'CapacityReservation', 'PerNode', 'Standalone', 'Standard', 'Premium', 'Free', 'LACluster']
const skuOf = (sku: string | undefined): string | undefined =>
  skus.find((one) => one.toLowerCase() === sku?.toLowerCase()) ?? sku

const workspace = listedType({
  type: 'azure-log-analytics',
  permissions: [`${workspaces}/read`, `${workspaces}/tables/read`, `${solutions}/read`],
  detail: async (item, place) => place.allBelow(item, 'tables', version),
  fields: ({ of }) => ({ instanceType: skuOf(textAt(of, 'sku', 'name')) }),
  specs: {
    created_at: ({ of }) => timeAt(of, 'createdDate'),
    sku: ({ of }) => skuOf(textAt(of, 'sku', 'name')),
    commitment_gb: ({ of }) => orNull(numberAt(of, 'sku', 'capacityReservationLevel')),
    retention_days: ({ of }) => numberAt(of, 'retentionInDays'),
    daily_cap_gb: ({ of }) => numberAt(of, 'workspaceCapping', 'dailyQuotaGb'),
    restored_table_count: ({ detail }) =>
      detail?.filter((one) => textAt(one, 'properties', 'schema', 'tableType') === 'RestoredLogs').length,
    sentinel: ({ item }) => item['hasSentinel'],
  },
})

/** Sentinel is a solution that names the workspace. */
async function* workspacePages(place: SubscriptionScan): AsyncGenerator<Item[]> {
  const all = await place.also(solutions, async () =>
    (await Array.fromAsync(place.list(solutions, '2015-11-01-preview'))).flat(),
  )
  const watched = all && new Set(all.filter(isSentinel).map(workspaceOf))
  for await (const page of place.list(workspaces, version))
    yield page.map((one) => ({ ...one, hasSentinel: watched?.has(uidOf(one.id)) }))
}

const isSentinel = ({ id }: Item): boolean => /\/solutions\/SecurityInsights\(/i.test(id)
const workspaceOf = (solution: Item): string => uidOf(textAt(solution, 'properties', 'workspaceResourceId') ?? '')

export const logWorkspaces = findByCalls(workspace, workspacePages)

export const appInsights = findInLists(
  listedType({
    type: 'azure-app-insights',
    permissions: ['Microsoft.Insights/components/read'],
    fields: ({ of }) => ({ parentUID: textAt(of, 'WorkspaceResourceId') }),
    specs: {
      created_at: ({ of }) => timeAt(of, 'CreationDate'),
      // Everything is kept unless a percentage is set.
      sampling_percent: ({ of }) => numberAt(of, 'SamplingPercentage') ?? 100,
      retention_days: ({ of }) => numberAt(of, 'RetentionInDays'),
    },
  }),
  ['Microsoft.Insights/components', '2020-02-02'],
)
