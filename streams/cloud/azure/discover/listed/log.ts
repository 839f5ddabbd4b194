import { dayMs } from '#engine/value/day.ts'
import { queryWorkspace } from '#streams/cloud/azure/measure/log-workspace.ts'
import { guidShape } from '#streams/cloud/azure/permission/principal.ts'
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

const days = 30

/** Tables of Azure that the basic plan is for. Of custom tables it is for all that a collection rule feeds. */
const basicTables = new Set(['AKSAudit', 'AKSAuditAdmin', 'AKSControlPlane', 'ContainerLogV2'])

function isEligible(table: Item): boolean {
  const name = textAt(table, 'name') ?? ''
  const isFed = textAt(table, 'properties', 'schema', 'tableSubType') === 'DataCollectionRuleBased'
  return (
    textAt(table, 'properties', 'plan') === 'Analytics' && ((isFed && name.endsWith('_CL')) || basicTables.has(name))
  )
}

/** Undefined if the tables or what they took in may not be read, or if nothing was taken in. */
async function eligibleGbOf(
  item: Item,
  tables: readonly Item[] | undefined,
  { session, now }: SubscriptionScan,
): Promise<number | undefined> {
  const id = textAt(item, 'properties', 'customerId') ?? ''
  if (!tables || !guidShape.test(id)) return undefined
  const query = `Usage
| where IsBillable
| summarize gb = sum(Quantity) / 1000.0 by table = DataType`
  const span = { from: now - days * dayMs, to: now }
  const rows = await queryWorkspace(session, { uid: uidOf(item.id), id }, query, span)
  if (rows.length === 0) return undefined
  const eligible = new Set(tables.filter(isEligible).map(({ name }) => name))
  const gb = rows.map((row) => (eligible.has(String(row('table'))) ? Number(row('gb')) : 0))
  return Number(gb.reduce((sum, one) => sum + one, 0).toFixed(3))
}

const workspace = listedType({
  type: 'azure-log-analytics',
  permissions: [
    `${workspaces}/read`,
    `${workspaces}/tables/read`,
    `${workspaces}/query/read`,
    `${workspaces}/query/Usage/read`,
    `${solutions}/read`,
  ],
  detail: async (item, place) => {
    const tables = await place.allBelow(item, 'tables', version)
    return { tables, eligibleGb: await place.also('Usage', () => eligibleGbOf(item, tables, place)) }
  },
  fields: ({ of }) => ({ instanceType: skuOf(textAt(of, 'sku', 'name')) }),
  specs: {
    created_at: ({ of }) => timeAt(of, 'createdDate'),
    sku: ({ of }) => skuOf(textAt(of, 'sku', 'name')),
    commitment_gb: ({ of }) => orNull(numberAt(of, 'sku', 'capacityReservationLevel')),
    retention_days: ({ of }) => numberAt(of, 'retentionInDays'),
    daily_cap_gb: ({ of }) => numberAt(of, 'workspaceCapping', 'dailyQuotaGb'),
    restored_table_count: ({ detail }) =>
      detail?.tables?.filter((one) => textAt(one, 'properties', 'schema', 'tableType') === 'RestoredLogs').length,
    basic_eligible_gb_30d: ({ detail }) => detail?.eligibleGb,
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
