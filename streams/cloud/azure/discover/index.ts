/** All finders, in chains: later finders of a chain depend on results of earlier ones. */
import { dayMs } from '#engine/value/day.ts'
import { mapConcurrently } from '#streams/cloud/bill/merge.ts'
import { textAt } from '#streams/cloud/kubernetes/api/json-access.ts'
import type { DiscoveredResource } from '#streams/cloud/connector.ts'
import * as database from '#streams/cloud/azure/map/database.ts'
import * as network from '#streams/cloud/azure/map/network.ts'
import { containerApp, containerGroup, plain } from '#streams/cloud/azure/map/switchable.ts'
import { hostPool, instance, runtime } from '#streams/cloud/azure/discover/runtimes-and-pools.ts'
import { numberAt } from '#streams/cloud/azure/map/resource.ts'
import { resourceGroup } from '#streams/cloud/azure/map/group.ts'
import { storageAccount, type StorageDetail } from '#streams/cloud/azure/map/storage.ts'
import { plan, site } from '#streams/cloud/azure/map/web.ts'
import { uidOf } from '#streams/cloud/azure/session/path.ts'
import type { Item } from '#streams/cloud/azure/session/session.ts'
import { inside, workspace } from '#streams/cloud/azure/map/databricks.ts'
import { insideTypes, itemsIn, runsIn, workspaceVersion } from '#streams/cloud/azure/session/workspace.ts'
import { computeFinders } from './compute.ts'
import { callsAtOnce, groupPages, listFinder, nestedFinder, type Finder, type SubscriptionScan } from './finder.ts'
import { factory } from './factory.ts'
import { clusterFinder } from './kubernetes.ts'
import { firewalls, virtualNetworks } from './network.ts'
import { listedChains } from './listed/index.ts'

export const networkVersion = '2024-05-01'
export const sqlVersion = '2023-08-01'
export const webVersion = '2023-12-01'
const storageVersion = '2023-05-01'

const networkFinder = (type: string, kind: string, map: (item: Item) => DiscoveredResource[]): Finder =>
  listFinder(type, `Microsoft.Network/${kind}`, networkVersion, map)

const groups: Finder = {
  types: ['azure-resource-group'],
  async *find(place) {
    const locks = await place.also(lockKind, async () =>
      (await Array.fromAsync(place.list(lockKind, '2016-09-01'))).flat(),
    )
    const locked = locks && new Set(locks.map(({ id }) => lockedBy(id)))
    for await (const page of groupPages(place))
      yield page.flatMap((one) => resourceGroup(one, locked && isLocked(one, place, locked)))
  },
}

const lockKind = 'Microsoft.Authorization/locks'

/** The uid of what a lock is set on. */
const lockedBy = (id: string): string => uidOf(id.replace(/\/providers\/Microsoft\.Authorization\/locks\/[^/]+$/i, ''))

/** Locks of the subscription apply to its groups. */
const isLocked = ({ id }: Item, { session }: SubscriptionScan, locked: ReadonlySet<string>): boolean =>
  locked.has(uidOf(id)) || locked.has(uidOf(session.path()))

const encryptionOf = (one: Item, place: SubscriptionScan) =>
  place.oneBelow(one, 'transparentDataEncryption/current', sqlVersion)

const sqlServer = async (one: Item, place: SubscriptionScan) =>
  database.sqlServer(one, {
    firewallRules: await place.allBelow(one, 'firewallRules', sqlVersion),
    auditing: await place.oneBelow(one, 'auditingSettings/default', sqlVersion),
  })

/** With the number of databases in each. */
async function* elasticPools(place: SubscriptionScan, server: Item): AsyncGenerator<Item[]> {
  for await (const page of place.below(server.id, 'elasticPools', sqlVersion)) {
    const all = page.length === 0 ? [] : await place.allBelow(server, 'databases', sqlVersion)
    const countOf = ({ id }: Item) =>
      all?.filter((one) => uidOf(textAt(one, 'properties', 'elasticPoolId') ?? '') === uidOf(id)).length
    yield page.map((one) => ({ ...one, databaseCount: countOf(one) }))
  }
}

const sql = () =>
  nestedFinder({
    list: 'Microsoft.Sql/servers',
    version: sqlVersion,
    parent: { type: 'azure-sql-server', map: sqlServer },
    children: [
      {
        type: 'azure-sql-elastic-pool',
        kind: 'elasticPools',
        list: elasticPools,
        map: (one, { id }) => database.elasticPool(one, id),
      },
      {
        type: 'azure-sql-database',
        kind: 'databases',
        map: async (one, { id }, place) =>
          database.sqlDatabase(one, id, database.isSystem(one.id) ? undefined : await encryptionOf(one, place)),
      },
    ],
  })

/** Combines two services with separate lists that are one type for us. */
const both = (
  type: string,
  lists: readonly (readonly [string, string])[],
  map: (item: Item, place: SubscriptionScan, version: string) => DiscoveredResource[] | Promise<DiscoveredResource[]>,
): Finder => ({
  types: [type],
  async *find(place) {
    for (const [list, version] of lists)
      for await (const page of place.list(list, version))
        yield (await mapConcurrently(page, callsAtOnce, async (one) => map(one, place, version))).flat()
  },
})

/** Single servers, which are being retired, have other settings. */
const flexibleServer =
  (map: typeof database.postgres) =>
  async (one: Item, place: SubscriptionScan, version: string): Promise<DiscoveredResource[]> =>
    /\/flexibleServers\//i.test(one.id)
      ? map(one, {
          requiresTls: await place.oneBelow(one, 'configurations/require_secure_transport', version),
          firewallRules: await place.allBelow(one, 'firewallRules', version),
        })
      : map(one)

const web: Finder = {
  types: ['azure-web-app', 'azure-function-app'],
  async *find(place) {
    for await (const page of place.list('Microsoft.Web/sites', webVersion))
      yield page.flatMap((one) =>
        site(one, place.known.planTiers?.get(uidOf(textAt(one, 'properties', 'serverFarmId') ?? ''))),
      )
  },
}

/** Leaves the tiers of plans for the apps in them. */
const plans: Finder = {
  types: ['azure-app-service-plan'],
  async *find(place) {
    const tiers = new Map<string, string>()
    for await (const page of place.list('Microsoft.Web/serverfarms', webVersion)) {
      for (const one of page) tiers.set(uidOf(one.id), textAt(one, 'sku', 'tier') ?? '')
      yield page.flatMap(plan)
    }
    place.known.planTiers = tiers
  },
}

/** Policies are of accounts that hold blobs. */
const storageDetail = async (one: Item, place: SubscriptionScan): Promise<StorageDetail> =>
  textAt(one, 'kind') === 'FileStorage'
    ? {}
    : {
        policy: await place.oneBelow(one, 'managementPolicies/default', storageVersion),
        blobs: await place.oneBelow(one, 'blobServices/default', storageVersion),
      }

const pools = () =>
  nestedFinder({
    list: 'Microsoft.Synapse/workspaces',
    version: '2021-06-01',
    children: [
      { type: 'azure-synapse-sql-pool', kind: 'sqlPools', map: (one) => plain('azure-synapse-sql-pool')(one) },
    ],
  })

const factories = () =>
  nestedFinder({
    list: 'Microsoft.DataFactory/factories',
    version: '2018-06-01',
    parent: { type: 'azure-data-factory', map: factory },
    children: [{ type: 'azure-adf-ssis-ir', kind: 'integrationRuntimes', map: runtime }],
  })

const learning = () =>
  nestedFinder({
    list: 'Microsoft.MachineLearningServices/workspaces',
    version: '2024-04-01',
    children: [{ type: 'azure-ml-compute-instance', kind: 'computes', map: instance }],
  })

/** With the hours since anything ran on each, and the runs of jobs on it. */
async function* clustersIn(place: SubscriptionScan, of: Item): AsyncGenerator<Item[]> {
  let runs: ReadonlyMap<string, number> | null | undefined
  for await (const page of itemsIn(place.session, of, 'azure-databricks-cluster')) {
    if (page.length > 0) runs ??= await place.also('jobs', () => runsIn(place.session, of, place.now - 30 * dayMs))
    yield page.map((one) => {
      const active = numberAt(one, 'last_activity_time')
      return {
        ...one,
        idleHours: active === undefined ? undefined : Math.floor((place.now - active) / hourMs),
        runCount: runs ? (runs.get(one.id) ?? 0) : undefined,
      }
    })
  }
}

const hourMs = dayMs / 24

const databricks = () =>
  nestedFinder({
    list: 'Microsoft.Databricks/workspaces',
    version: workspaceVersion,
    parent: { type: 'azure-databricks', map: workspace },
    children: insideTypes.map((type) => ({
      type,
      kind: type,
      list: (place: SubscriptionScan, of: Item) =>
        type === 'azure-databricks-cluster' ? clustersIn(place, of) : itemsIn(place.session, of, type),
      map: (one: Item, of: Item) => inside(type, one, of),
    })),
  })

/** Types of which only the state is mapped. */
const plainly: readonly Finder[] = (
  [
    ['azure-kusto', 'Microsoft.Kusto/clusters', '2023-08-15'],
    ['azure-stream-analytics', 'Microsoft.StreamAnalytics/streamingjobs', '2020-03-01', { $expand: 'transformation' }],
    ['azure-fabric-capacity', 'Microsoft.Fabric/capacities', '2023-11-01'],
    ['azure-analysis-services', 'Microsoft.AnalysisServices/servers', '2017-08-01'],
  ] as const
).map(([type, list, version, query]) => listFinder(type, list, version, plain(type), query))

/**
 * New finders for each scan, because they keep state. The longest chain first; in the first chain clusters come before
 * their machines.
 */
export const chains = (): readonly (readonly Finder[])[] => [
  [clusterFinder, ...computeFinders],
  [sql(), listFinder('azure-sql-mi', 'Microsoft.Sql/managedInstances', sqlVersion, database.managedInstance)],
  [
    networkFinder('azure-nic', 'networkInterfaces', network.networkInterface),
    networkFinder('azure-public-ip', 'publicIPAddresses', network.address),
    networkFinder('azure-load-balancer', 'loadBalancers', network.balancer),
    networkFinder('azure-app-gateway', 'applicationGateways', network.applicationGateway),
    networkFinder('azure-nat-gateway', 'natGateways', network.natGateway),
    firewalls,
    virtualNetworks,
    networkFinder('azure-nsg', 'networkSecurityGroups', network.securityGroup),
  ],
  [
    both(
      'azure-postgres',
      [
        ['Microsoft.DBforPostgreSQL/flexibleServers', '2022-12-01'],
        ['Microsoft.DBforPostgreSQL/servers', '2017-12-01'],
      ],
      flexibleServer(database.postgres),
    ),
    both(
      'azure-mysql',
      [
        ['Microsoft.DBforMySQL/flexibleServers', '2023-12-30'],
        ['Microsoft.DBforMySQL/servers', '2017-12-01'],
      ],
      flexibleServer(database.mysql),
    ),
    both(
      'azure-redis',
      [
        ['Microsoft.Cache/redis', '2024-03-01'],
        ['Microsoft.Cache/redisEnterprise', '2024-10-01'],
      ],
      database.redis,
    ),
    listFinder('azure-cosmos-account', 'Microsoft.DocumentDB/databaseAccounts', '2024-05-15', database.cosmosAccount),
  ],
  [plans, web],
  [
    both('azure-storage-account', [['Microsoft.Storage/storageAccounts', storageVersion]], async (one, place) =>
      storageAccount(one, await storageDetail(one, place)),
    ),
    groups,
  ],
  [
    listFinder('azure-container-group', 'Microsoft.ContainerInstance/containerGroups', '2023-05-01', containerGroup),
    listFinder('azure-container-app', 'Microsoft.App/containerApps', '2024-03-01', containerApp),
    ...plainly,
  ],
  [pools(), factories(), learning(), databricks()],
  [hostPool],
  ...listedChains.map((chain) => chain.map(({ finder }) => finder())),
]
