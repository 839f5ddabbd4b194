/** Types that are switched by one action each, of another size by one member, and set by others: all by their tables. */
import { cloudFault, type DiscoveredResource } from '#streams/cloud/connector.ts'
import { sqlVersion, webVersion, networkVersion } from '#streams/cloud/azure/discover/index.ts'
import * as database from '#streams/cloud/azure/map/database.ts'
import { disk as diskOf, snapshot as snapshotOf } from '#streams/cloud/azure/map/compute.ts'
import * as network from '#streams/cloud/azure/map/network.ts'
import { containerApp, containerGroup, plain } from '#streams/cloud/azure/map/switchable.ts'
import { plan as planOf, site } from '#streams/cloud/azure/map/web.ts'
import { storageAccount } from '#streams/cloud/azure/map/storage.ts'
import { cluster as clusterOf } from '#streams/cloud/azure/map/kubernetes.ts'
import { memberOf, objectOf, textAt } from '#streams/cloud/kubernetes/api/json-access.ts'
import type { Item } from '#streams/cloud/azure/session/session.ts'
import { clusterVersion } from '#streams/cloud/azure/discover/kubernetes.ts'
import { diskVersion } from '#streams/cloud/azure/discover/compute.ts'
import { unsupportedFault, type Specs } from '#streams/cloud/resource/verb/kind.ts'
import {
  bodyOf,
  deleteResource,
  does,
  itemAt,
  patchResource,
  put,
  seenAs,
  type At,
  type AzureKind,
  type AzureState,
} from './kind.ts'

interface Table {
  version: string
  map: (item: Item) => DiscoveredResource[]
  /** Actions that start and stop it. */
  start?: string
  stop?: string
  /** What a start says, if it says something. */
  startBody?: (seen: AzureState) => unknown
  canPause?: boolean
  /** What a change of size is to Azure. */
  size?: (size: string, seen: AzureState) => unknown
  /** Specs that are set, by where they stand in its body. */
  sets?: Readonly<Record<string, string>>
  /** It is written as a whole: Azure changes no single members of it. */
  isWhole?: boolean
  canDelete?: boolean
  /** Throws for what nothing is done to. */
  check?: (at: At) => void
}

function kindOf(table: Table): AzureKind {
  const { version, map, start, stop, startBody, canPause, size, sets, isWhole, canDelete, check } = table
  const write = (at: At, body: object, { item }: AzureState) =>
    isWhole ? put(at, version, mergeDeep(objectOf(item), body)) : patchResource(at, version, body)
  const turnOff = stop === undefined ? undefined : (at: At) => does(at, version, stop)
  return {
    look: async (at) => seenAs(await itemAt(at, version), map),
    ...(check && { check }),
    ...(start && { start: (at: At, seen: AzureState) => does(at, version, start, startBody?.(seen)) }),
    ...(turnOff && { stop: turnOff, ...(canPause && { pause: turnOff }) }),
    ...(size && { resize: (at: At, to: string, seen: AzureState) => write(at, objectOf(size(to, seen)), seen) }),
    ...(sets && {
      sets: Object.keys(sets),
      set: (at: At, specs: Specs, seen: AzureState) => write(at, bodyOf(specs, sets), seen),
    }),
    ...(canDelete && { delete: (at: At) => deleteResource(at, version) }),
  }
}

/** Members of `change` put into `whole`, however deep. */
function mergeDeep(whole: object, change: object): object {
  const found: Record<string, unknown> = { ...whole }
  for (const [name, value] of Object.entries(change))
    found[name] =
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? mergeDeep(objectOf(found[name]), value as object)
        : (value as unknown)
  return found
}

const flexibleOnly = ({ ref, id }: At): void => {
  if (!/\/flexibleservers\//i.test(id)) throw unsupportedFault(ref, 'this change: it is a single server')
}

/** What the name of a machine says of the tier that has it. */
function tierOf(size: string): string {
  const [, letter = ''] = /^Standard_([A-Z])/.exec(size) ?? []
  const tier = { B: 'Burstable', D: 'GeneralPurpose', E: 'MemoryOptimized' }[letter]
  if (tier === undefined) throw cloudFault('user_action', 'invalid_size', `${size} is not a server size.`)
  return tier
}

const flexible = (version: string, map: Table['map'], more: Readonly<Record<string, string>> = {}): Table => ({
  version,
  map,
  start: 'start',
  stop: 'stop',
  size: (name) => ({ sku: { name, tier: tierOf(name) } }),
  sets: { ha_mode: 'properties.highAvailability.mode', ...more },
  canDelete: true,
  check: flexibleOnly,
})

/** `C1` of the tier that it has. */
function cacheSize(size: string, { item }: AzureState): object {
  const [, family, capacity] = /^([CP])([0-6])$/.exec(size) ?? []
  if (family === undefined) throw cloudFault('user_action', 'invalid_size', `${size} is not a cache size.`)
  const name = textAt(memberOf(item, 'properties', 'sku'), 'name')
  return { properties: { sku: { name, family, capacity: Number(capacity) } } }
}

const switches = (version: string, map: Table['map'], start = 'start', stop = 'stop'): Table => ({
  version,
  map,
  start,
  stop,
})

const deletes = (version: string, map: Table['map']): Table => ({ version, map, canDelete: true })

const noSystem = ({ ref, id }: At): void => {
  if (database.isSystem(id)) throw unsupportedFault(ref, 'deletion without its server')
}

const app: Table = { ...switches(webVersion, site), sets: { https_only: 'properties.httpsOnly' }, canDelete: true }

/** Output goes on from where it was left. */
const jobStart = ({ item }: AzureState) => ({
  outputStartMode: memberOf(item, 'properties', 'lastOutputEventTime') ? 'LastOutputEventTime' : 'JobStartTime',
})

const tables: Readonly<Record<string, Table>> = {
  'azure-disk': {
    version: diskVersion,
    map: (item) => diskOf(item, Date.now()),
    sets: { sku: 'sku.name', iops: 'properties.diskIOPSReadWrite' },
    canDelete: true,
  },
  'azure-snapshot': { ...deletes(diskVersion, snapshotOf), sets: { sku: 'sku.name' } },
  'azure-nic': deletes(networkVersion, network.networkInterface),
  'azure-public-ip': deletes(networkVersion, network.address),
  'azure-load-balancer': deletes(networkVersion, network.balancer),
  'azure-nat-gateway': deletes(networkVersion, network.natGateway),
  'azure-nsg': { version: networkVersion, map: network.securityGroup },
  'azure-app-gateway': { ...switches(networkVersion, network.applicationGateway), canDelete: true },
  'azure-sql-server': {
    version: sqlVersion,
    map: database.sqlServer,
    sets: { min_tls: 'properties.minimalTlsVersion' },
  },
  'azure-sql-database': {
    version: sqlVersion,
    map: (item) => database.sqlDatabase(item, ''),
    size: (name) => ({ sku: { name } }),
    sets: {
      license_type: 'properties.licenseType',
      zone_redundant: 'properties.zoneRedundant',
      backup_redundancy: 'properties.requestedBackupStorageRedundancy',
      auto_pause_minutes: 'properties.autoPauseDelay',
    },
    canDelete: true,
    check: noSystem,
  },
  'azure-sql-mi': {
    ...switches(sqlVersion, database.managedInstance),
    sets: { license_type: 'properties.licenseType' },
  },
  'azure-postgres': flexible('2022-12-01', database.postgres),
  'azure-mysql': flexible('2023-12-30', database.mysql, { iops: 'properties.storage.iops' }),
  'azure-redis': {
    version: '2024-03-01',
    map: database.redis,
    size: cacheSize,
    sets: { min_tls: 'properties.minimumTlsVersion', non_ssl_port: 'properties.enableNonSslPort' },
    canDelete: true,
    check: ({ ref, id }) => {
      if (!/\/redis\//i.test(id)) throw unsupportedFault(ref, 'this change in the Enterprise tiers')
    },
  },
  'azure-aks': {
    ...switches(clusterVersion, clusterOf),
    sets: { sku_tier: 'sku.tier' },
    isWhole: true,
    canDelete: true,
  },
  'azure-app-service-plan': {
    version: webVersion,
    map: planOf,
    size: (name, { item }) => ({
      sku: { name, capacity: memberOf(item, 'sku', 'capacity') ?? 1, tier: null, size: null, family: null },
    }),
    sets: { workers: 'sku.capacity' },
    isWhole: true,
    canDelete: true,
  },
  'azure-web-app': app,
  'azure-function-app': app,
  'azure-storage-account': {
    version: '2023-05-01',
    map: storageAccount,
    sets: {
      access_tier: 'properties.accessTier',
      sku: 'sku.name',
      sftp_enabled: 'properties.isSftpEnabled',
      public_blob: 'properties.allowBlobPublicAccess',
      https_only: 'properties.supportsHttpsTrafficOnly',
      min_tls: 'properties.minimumTlsVersion',
    },
    canDelete: true,
  },
  'azure-container-group': { ...switches('2023-05-01', containerGroup), canDelete: true },
  'azure-container-app': switches('2024-03-01', containerApp),
  'azure-synapse-sql-pool': {
    ...switches('2021-06-01', plain('azure-synapse-sql-pool'), 'resume', 'pause'),
    canPause: true,
  },
  'azure-kusto': switches('2023-08-15', plain('azure-kusto')),
  'azure-stream-analytics': { ...switches('2020-03-01', plain('azure-stream-analytics')), startBody: jobStart },
  'azure-ml-compute-instance': switches('2024-04-01', plain('azure-ml-compute-instance')),
  'azure-fabric-capacity': switches('2023-11-01', plain('azure-fabric-capacity'), 'resume', 'suspend'),
  'azure-analysis-services': switches('2017-08-01', plain('azure-analysis-services'), 'resume', 'suspend'),
}

export const plainKinds: Readonly<Record<string, AzureKind>> = Object.fromEntries(
  Object.entries(tables).map(([type, table]) => [type, kindOf(table)]),
)
