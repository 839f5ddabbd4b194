/** Maps clusters, databases, buckets, data sets and other types with their own service. */
import type {
  Bucket,
  LifecycleCondition,
  Cluster,
  Database,
  Dataset,
  Hadoop,
  NodePool,
  Workbench,
} from '#streams/cloud/gcp/answer/service.ts'
import { storageOf, type Table } from '#streams/cloud/gcp/discover/big-query-table.ts'
import type { StoredBesides } from '#streams/cloud/gcp/discover/stored.ts'
import { fullName, lastOf, regionIn } from '#streams/cloud/gcp/resource-path.ts'
import { machineUsd, timesUsd, unitUsd } from '#streams/cloud/gcp/price.ts'
import type { DiscoveredResource } from '#streams/cloud/connector.ts'
import type { ResourceStatus } from '#streams/resource/messages.ts'
import { numberOf, resource, timeOf } from './resource.ts'

const locationOf = ({ location, zone }: Pick<Cluster, 'location' | 'zone'>): string => location ?? zone ?? ''

export const clusterUid = (project: string, one: Pick<Cluster, 'name' | 'location' | 'zone'>): string =>
  fullName('container', `projects/${project}/locations/${locationOf(one)}/clusters/${one.name}`)

export function cluster(one: Cluster, project: string): DiscoveredResource {
  const region = regionIn(locationOf(one))
  const isPrivate = one.privateClusterConfig?.enablePrivateEndpoint === true
  return resource('gcp-gke', clusterUid(project, one), {
    name: one.name,
    region,
    zone: locationOf(one) === region ? undefined : locationOf(one),
    labels: one.resourceLabels,
    hourlyRateUSD: unitUsd('gcp.gke.cluster_hour', region),
    specs: {
      created_at: timeOf(one.createTime),
      state: one.status,
      autopilot: one.autopilot?.enabled === true,
      version: one.currentMasterVersion,
      release_channel: channelOf(one),
      endpoint: one.endpoint,
      public_endpoint: !isPrivate,
      private_nodes: one.privateClusterConfig?.enablePrivateNodes === true,
      control_plane_networks: one.masterAuthorizedNetworksConfig?.enabled === true,
      legacy_abac: one.legacyAbac?.enabled === true,
      workload_identity: one.workloadIdentityConfig?.workloadPool !== undefined,
      cost_allocation: one.costManagementConfig?.enabled === true,
      autoscaling_profile: one.autoscaling?.autoscalingProfile ?? 'BALANCED',
      node_count: one.currentNodeCount,
    },
  })
}

function channelOf({ releaseChannel }: Cluster): string {
  const channel = releaseChannel?.channel
  return channel === undefined || channel === 'UNSPECIFIED' ? 'none' : channel
}

/** One resource for all zones of the pool. `nodes` is the target size of its groups; undefined if unknown. */
export function nodePool(one: NodePool, of: Cluster, project: string, nodes: number | undefined): DiscoveredResource {
  const { config = {} } = one
  const location = locationOf(of)
  const region = regionIn(location)
  const isSpot = Boolean(config.spot || config.preemptible)
  return resource('gcp-gke-nodepool', `${clusterUid(project, of)}/nodePools/${one.name}`, {
    name: one.name,
    region,
    zone: location === region ? undefined : location,
    status: poolStatus(one.status, nodes),
    parentUID: clusterUid(project, of),
    // In Autopilot clusters, Google sets the number of nodes.
    schedulable: of.autopilot?.enabled === true ? false : undefined,
    instanceType: config.machineType,
    unitCount: nodes,
    labels: of.resourceLabels,
    hourlyRateUSD: isSpot ? undefined : timesUsd(machineUsd(config.machineType, region), nodes),
    specs: {
      state: one.status,
      cluster_name: of.name,
      version: one.version,
      node_count: nodes,
      ...scalingOf(one),
      spot: isSpot,
      image_type: config.imageType,
      disk_type: config.diskType,
      zone_count: zonesOf(one),
    },
  })
}

function scalingOf(one: NodePool): Record<string, unknown> {
  const bounds = boundsOf(one)
  return { min_nodes: bounds?.min, max_nodes: bounds?.max, autoscaling: bounds !== undefined }
}

/** Number of zones with nodes of the pool; counts per zone are multiplied by it. */
export const zonesOf = ({ locations, instanceGroupUrls }: NodePool): number =>
  Math.max(1, locations?.length ?? instanceGroupUrls?.length ?? 1)

/** Bounds of the whole pool; undefined if autoscaling is off. */
export function boundsOf(pool: NodePool): { min: number; max: number } | undefined {
  const {
    enabled,
    minNodeCount = 0,
    maxNodeCount = 0,
    totalMinNodeCount = 0,
    totalMaxNodeCount = 0,
  } = pool.autoscaling ?? {}
  if (!enabled) return undefined
  if (totalMaxNodeCount > 0) return { min: totalMinNodeCount, max: totalMaxNodeCount }
  const zones = zonesOf(pool)
  return { min: minNodeCount * zones, max: maxNodeCount * zones }
}

/** `nodes>0=running; nodes=0=stopped`. The direction of a change is unknown. */
export function poolStatus(state: string | undefined, nodes: number | undefined): ResourceStatus | undefined {
  if (state !== undefined && !['RUNNING', 'RUNNING_WITH_ERROR', 'RECONCILING'].includes(state)) return 'pending'
  if (nodes === undefined) return undefined
  return nodes > 0 ? 'running' : 'stopped'
}

const databaseUid = (project: string, name: string): string =>
  fullName('cloudsql', `projects/${project}/instances/${name}`)

export function database(one: Database, project: string): DiscoveredResource {
  const { settings = {} } = one
  return resource('gcp-cloudsql', databaseUid(project, one.name), {
    name: one.name,
    region: one.region ?? 'global',
    zone: one.gceZone,
    status: databaseStatus(one),
    parentUID: one.masterInstanceName && databaseUid(project, one.masterInstanceName.replace(/^.*:/, '')),
    instanceType: settings.tier,
    sizeGB: numberOf(settings.dataDiskSizeGb),
    labels: settings.userLabels,
    specs: {
      created_at: timeOf(one.createTime),
      state: one.state,
      activation_policy: settings.activationPolicy,
      database_version: one.databaseVersion,
      ...tierOf(settings.tier ?? ''),
      availability: settings.availabilityType,
      edition: settings.edition ?? 'ENTERPRISE',
      is_replica: one.masterInstanceName !== undefined,
      ...guardsOf(settings),
      disk_type: settings.dataDiskType,
      deletion_protection: settings.deletionProtectionEnabled,
    },
  })
}

/** Specs about access, protection and backups. */
function guardsOf({
  ipConfiguration: network = {},
  backupConfiguration: backup = {},
}: NonNullable<Database['settings']>) {
  return {
    public_ip: network.ipv4Enabled,
    authorized_networks: network.authorizedNetworks?.flatMap(({ value }) => value ?? []),
    ssl_mode: network.sslMode ?? (network.requireSsl ? 'ENCRYPTED_ONLY' : undefined),
    backups_enabled: backup.enabled,
    backup_retained: backup.backupRetentionSettings?.retainedBackups,
  }
}

/** `RUNNABLE with policy ALWAYS=running; policy NEVER=stopped; PENDING_CREATE,MAINTENANCE=pending`. */
export function databaseStatus({ state, settings }: Database): ResourceStatus | undefined {
  if (state === undefined) return undefined
  if (state === 'PENDING_DELETE') return 'stopping'
  if (state !== 'RUNNABLE' && state !== 'SUSPENDED' && state !== 'STOPPED') return 'pending'
  return state !== 'RUNNABLE' || settings?.activationPolicy === 'NEVER' ? 'stopped' : 'running'
}

/** From `db-custom-<vCPUs>-<MiB>` and `db-perf-optimized-N-<vCPUs>`; other tiers do not show it. */
function tierOf(tier: string): { vcpus?: number; memory_gib?: number } {
  const [, vcpus, mebibytes] = /^db-custom-(\d+)-(\d+)$/.exec(tier) ?? []
  if (vcpus !== undefined) return { vcpus: Number(vcpus), memory_gib: Number(mebibytes) / 1024 }
  const [, cores] = /^db-perf-optimized-N-(\d+)$/.exec(tier) ?? []
  return cores === undefined ? {} : { vcpus: Number(cores), memory_gib: Number(cores) * 8 }
}

const bucketUid = (name: string): string => fullName('storage', name)

/** `isPublic` is undefined if the access policy may not be read. */
export function bucket(one: Bucket, isPublic: boolean | undefined, besides?: StoredBesides): DiscoveredResource {
  const { iamConfiguration: access = {}, autoclass, versioning } = one
  const seconds = numberOf(one.softDeletePolicy?.retentionDurationSeconds)
  return resource('gcp-gcs-bucket', bucketUid(one.name), {
    name: one.name,
    region: one.location?.toLowerCase() ?? '',
    labels: one.labels,
    specs: {
      created_at: timeOf(one.timeCreated),
      storage_class: one.storageClass,
      location_type: one.locationType,
      ...rulesOf(one),
      autoclass: autoclass?.enabled === true,
      versioning: versioning?.enabled === true,
      noncurrent_gb: besides?.noncurrentGb,
      soft_deleted_gb: besides?.softDeletedGb,
      soft_delete_days: seconds === undefined ? undefined : seconds / 86_400,
      uniform_access: access.uniformBucketLevelAccess?.enabled === true,
      public: access.publicAccessPrevention === 'enforced' ? false : isPublic,
    },
  })
}

function rulesOf({ lifecycle, autoclass }: Bucket): Record<string, unknown> {
  const rules = lifecycle?.rule ?? []
  const of = (type: string) => rules.filter(({ action }) => action?.type === type)
  return {
    lifecycle_rule_count: rules.length,
    noncurrent_rule: of('Delete').some(({ condition = {} }) => isOfNoncurrent(condition)),
    abort_multipart_rule: of('AbortIncompleteMultipartUpload').length > 0,
    tiering_rule: of('SetStorageClass').length > 0 || autoclass?.enabled === true,
  }
}

const isOfNoncurrent = ({
  isLive,
  daysSinceNoncurrentTime,
  noncurrentTimeBefore,
  numNewerVersions,
}: LifecycleCondition): boolean =>
  isLive === false || [daysSinceNoncurrentTime, noncurrentTimeBefore, numNewerVersions].some((one) => one !== undefined)

const everybody = ['allUsers', 'allAuthenticatedUsers']
export const isEverybody = (member: string | undefined): boolean => everybody.includes(member ?? '')

export const datasetUid = (project: string, id: string): string =>
  fullName('bigquery', `projects/${project}/datasets/${id}`)

/** Without tables its sizes are unknown. */
export const dataset = (one: Dataset, project: string, tables?: readonly Table[]): DiscoveredResource =>
  resource(
    'gcp-bigquery-dataset',
    datasetUid(one.datasetReference.projectId ?? project, one.datasetReference.datasetId),
    {
      name: one.datasetReference.datasetId,
      region: one.location?.toLowerCase() ?? '',
      labels: one.labels,
      specs: {
        created_at: timeOf(numberOf(one.creationTime)),
        ...(tables && storageOf(tables, numberOf(one.maxTimeTravelHours))),
        billing_model: one.storageBillingModel === 'PHYSICAL' ? 'PHYSICAL' : 'LOGICAL',
        public:
          one.access &&
          one.access.some(({ specialGroup, iamMember }) => isEverybody(specialGroup) || isEverybody(iamMember)),
      },
    },
  )

export function hadoop(one: Hadoop, project: string, region: string): DiscoveredResource {
  const { masterConfig, workerConfig, secondaryWorkerConfig, autoscalingConfig, lifecycleConfig } = one.config ?? {}
  const count = (of: { numInstances?: number } | undefined) => of?.numInstances ?? 0
  return resource(
    'gcp-dataproc',
    fullName('dataproc', `projects/${project}/regions/${region}/clusters/${one.clusterName}`),
    {
      name: one.clusterName,
      region,
      state: one.status?.state,
      instanceType: lastOf(workerConfig?.machineTypeUri ?? masterConfig?.machineTypeUri) || undefined,
      unitCount: count(masterConfig) + count(workerConfig) + count(secondaryWorkerConfig),
      labels: one.labels,
      specs: {
        state: one.status?.state,
        worker_count: count(workerConfig),
        secondary_worker_count: count(secondaryWorkerConfig),
        primary_workers: count(workerConfig),
        secondary_workers: count(secondaryWorkerConfig),
        autoscaling: Boolean(autoscalingConfig?.policyUri),
        idle_delete: Boolean(lifecycleConfig?.idleDeleteTtl),
      },
    },
  )
}

export function workbench(one: Workbench): DiscoveredResource {
  const location = /\/locations\/([^/]+)\//.exec(one.name)?.[1]
  const type = lastOf(one.gceSetup?.machineType) || undefined
  const region = regionIn(location)
  return resource('gcp-workbench', fullName('notebooks', one.name), {
    name: lastOf(one.name),
    region,
    zone: location === region ? undefined : location,
    state: one.state,
    instanceType: type,
    labels: one.labels,
    specs: {
      created_at: timeOf(one.createTime),
      state: one.state,
      idle_shutdown: Number(one.gceSetup?.metadata?.['idle-timeout-seconds'] ?? 0) > 0,
      gpu_count: (one.gceSetup?.acceleratorConfigs ?? []).reduce(
        (sum, { coreCount }) => sum + Number(coreCount ?? 0),
        0,
      ),
    },
  })
}
