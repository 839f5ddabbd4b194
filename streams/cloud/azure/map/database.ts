/** Maps SQL servers and databases, PostgreSQL, MySQL, Redis and Cosmos DB. */
import type { DiscoveredResource } from '#streams/cloud/connector.ts'
import { isTrueAt, listOf, memberOf, textAt, type Json } from '#streams/cloud/kubernetes/api/json-access.ts'
import type { Item } from '#streams/cloud/azure/session/session.ts'
import { isAt, isEnabled, numberAt, orNull, propertiesOf, resource, timeAt } from './resource.ts'

const isPublic = (properties: Json): boolean | undefined =>
  isEnabled(textAt(properties, 'publicNetworkAccess') ?? textAt(properties, 'network', 'publicNetworkAccess'))

/** What is asked for a server besides; undefined: unknown. */
export interface ServerDetail {
  firewallRules?: readonly Item[] | undefined
  auditing?: Json | null | undefined
  requiresTls?: Json | null | undefined
}

/** Whether a rule of the firewall covers all addresses. `0.0.0.0` to itself stands for services of Azure. */
const allowsAll = (rules: readonly Item[] | undefined): boolean | undefined =>
  rules?.some(
    ({ properties }) =>
      textAt(properties, 'startIpAddress') === '0.0.0.0' && textAt(properties, 'endIpAddress') === '255.255.255.255',
  )

const wordIn = (answer: Json | null | undefined, name: string): string | undefined =>
  textAt(answer, 'properties', name)?.toLowerCase()

const isWord = (word: string | undefined, wanted: string): boolean | undefined =>
  word === undefined ? undefined : word === wanted

export function sqlServer(item: Item, { firewallRules, auditing }: ServerDetail = {}): DiscoveredResource[] {
  const properties = propertiesOf(item)
  return resource('azure-sql-server', item, {
    specs: {
      version: textAt(properties, 'version'),
      public_access: isPublic(properties),
      min_tls: textAt(properties, 'minimalTlsVersion'),
      allow_all_ips: allowsAll(firewallRules),
      auditing: isWord(wordIn(auditing, 'state'), 'enabled'),
      entra_admin: memberOf(properties, 'administrators') !== undefined ? true : undefined,
    },
  })
}

/** `master` belongs to the server: it costs nothing and cannot be changed. */
export const isSystem = (id: string): boolean => /\/databases\/master$/i.test(id)

export function sqlDatabase(item: Item, server: string, encryption?: Json | null): DiscoveredResource[] {
  const properties = propertiesOf(item)
  const sku = textAt(item, 'sku', 'name') ?? textAt(properties, 'currentServiceObjectiveName')
  const bytes = numberAt(properties, 'maxSizeBytes')
  return resource('azure-sql-database', item, {
    parentUID: server,
    instanceType: sku,
    specs: {
      created_at: timeAt(properties, 'creationDate'),
      state: textAt(properties, 'status'),
      system: isSystem(item.id),
      tier: textAt(item, 'sku', 'tier'),
      serverless: sku?.includes('_S_') ?? false,
      auto_pause_minutes: numberAt(properties, 'autoPauseDelay'),
      capacity: numberAt(item, 'sku', 'capacity'),
      elastic_pool: orNull(textAt(properties, 'elasticPoolId')),
      is_geo_replica: textAt(properties, 'secondaryType') === 'Geo',
      zone_redundant: isTrueAt(properties, 'zoneRedundant'),
      license_type: textAt(properties, 'licenseType'),
      backup_redundancy: textAt(properties, 'requestedBackupStorageRedundancy'),
      tde_enabled: isWord(wordIn(encryption, 'state'), 'enabled'),
      max_size_gb: bytes === undefined ? undefined : Math.round(bytes / 2 ** 30),
    },
  })
}

export function elasticPool(item: Item, server: string): DiscoveredResource[] {
  const properties = propertiesOf(item)
  return resource('azure-sql-elastic-pool', item, {
    parentUID: server,
    instanceType: textAt(item, 'sku', 'name'),
    specs: {
      tier: textAt(item, 'sku', 'tier'),
      capacity: numberAt(item, 'sku', 'capacity'),
      license_type: textAt(properties, 'licenseType'),
      database_count: numberAt(item, 'databaseCount'),
    },
  })
}

export function managedInstance(item: Item): DiscoveredResource[] {
  const properties = propertiesOf(item)
  return resource('azure-sql-mi', item, {
    state: textAt(properties, 'state'),
    instanceType: textAt(item, 'sku', 'name'),
    sizeGB: numberAt(properties, 'storageSizeInGB'),
    specs: {
      tier: textAt(item, 'sku', 'tier'),
      vcores: numberAt(properties, 'vCores'),
      license_type: textAt(properties, 'licenseType'),
      state: textAt(properties, 'state'),
    },
  })
}

/** Single servers, which are being retired, have another shape and cannot be stopped. */
const flexible =
  (type: 'azure-postgres' | 'azure-mysql') =>
  (item: Item, { firewallRules, requiresTls }: ServerDetail = {}): DiscoveredResource[] => {
    const properties = propertiesOf(item)
    const isSingle = !/\/flexibleServers\//i.test(item.id)
    const megabytes = numberAt(properties, 'storageProfile', 'storageMB')
    const size =
      numberAt(properties, 'storage', 'storageSizeGB') ?? (megabytes === undefined ? undefined : megabytes / 1024)
    const role = textAt(properties, 'replicationRole')
    return resource(type, item, {
      state: textAt(properties, 'state') ?? textAt(properties, 'userVisibleState'),
      instanceType: textAt(item, 'sku', 'name'),
      sizeGB: size,
      schedulable: isSingle ? false : undefined,
      specs: {
        created_at: timeAt(item, 'systemData', 'createdAt'),
        tier: textAt(item, 'sku', 'tier'),
        version: textAt(properties, 'version'),
        state: textAt(properties, 'state') ?? textAt(properties, 'userVisibleState'),
        single_server: isSingle,
        size_gb: size,
        ha_mode: textAt(properties, 'highAvailability', 'mode') ?? 'Disabled',
        is_replica: role !== undefined && !['None', 'Primary', 'Source'].includes(role),
        public_access: isPublic(properties),
        geo_backup: isEnabled(
          textAt(properties, 'backup', 'geoRedundantBackup') ??
            textAt(properties, 'storageProfile', 'geoRedundantBackup'),
        ),
        iops: numberAt(properties, 'storage', 'iops'),
        require_tls: isWord(wordIn(requiresTls, 'value'), 'on'),
        allow_all_ips: allowsAll(firewallRules),
      },
    })
  }

export const postgres = flexible('azure-postgres')
export const mysql = flexible('azure-mysql')

export function redis(item: Item): DiscoveredResource[] {
  const properties = propertiesOf(item)
  const sku = memberOf(properties, 'sku') ?? item['sku']
  const [family, capacity, tier] = [textAt(sku, 'family'), numberAt(sku, 'capacity'), textAt(sku, 'name')]
  const size = family === undefined || capacity === undefined ? tier : `${family}${capacity}`
  return resource('azure-redis', item, {
    instanceType: size,
    specs: {
      tier,
      capacity: size,
      version: textAt(properties, 'redisVersion'),
      shard_count: numberAt(properties, 'shardCount'),
      non_ssl_port: isAt(properties, 'enableNonSslPort'),
      min_tls: textAt(properties, 'minimumTlsVersion'),
      state: textAt(properties, 'provisioningState'),
    },
  })
}

/** The number of periodic copies that are kept; null where backups are continuous. */
function copiesIn(policy: unknown): number | null | undefined {
  if (textAt(policy, 'type') === 'Continuous') return null
  const minutes = numberAt(policy, 'periodicModeProperties', 'backupIntervalInMinutes')
  const hours = numberAt(policy, 'periodicModeProperties', 'backupRetentionIntervalInHours')
  return minutes && hours ? (hours * 60) / minutes : undefined
}

export function cosmosAccount(item: Item): DiscoveredResource[] {
  const properties = propertiesOf(item)
  const capabilities = listOf(properties['capabilities']).map((one) => textAt(one, 'name'))
  return resource('azure-cosmos-account', item, {
    specs: {
      multi_write: isTrueAt(properties, 'enableMultipleWriteLocations'),
      region_count: listOf(properties['locations']).length,
      backup_mode: textAt(properties, 'backupPolicy', 'type'),
      backup_copies: copiesIn(memberOf(properties, 'backupPolicy')),
      serverless: capabilities.includes('EnableServerless'),
      network_restricted:
        isPublic(properties) === false ||
        listOf(properties['ipRules']).length > 0 ||
        isTrueAt(properties, 'isVirtualNetworkFilterEnabled'),
    },
  })
}
