/** Maps machines, instance groups, disks, snapshots, addresses and forwarding rules of Compute Engine. */
import type {
  Address,
  Autoscaler,
  Disk,
  ForwardingRule,
  Group,
  Instance,
  Snapshot,
  Template,
} from '#streams/cloud/gcp/answer/compute.ts'
import { fullName, lastOf, pathIn, regionIn } from '#streams/cloud/gcp/resource-path.ts'
import { machineUsd, timesUsd, unitUsd } from '#streams/cloud/gcp/price.ts'
import type { DiscoveredResource } from '#streams/cloud/connector.ts'
import type { ResourceStatus } from '#streams/resource/messages.ts'
import { numberOf, resource, timeOf } from './resource.ts'

/** Project and scope of a list: `zones/us-central1-a`, `regions/us-central1` or `global`. */
export interface Where {
  project: string
  scope: string
}

/** From its own link, otherwise from the list's scope. */
export const uidOf = (one: { selfLink?: string; name: string }, { project, scope }: Where, plural: string): string =>
  pathIn(one.selfLink) ?? `projects/${project}/${scope}/${plural}/${one.name}`

export const zoneIn = ({ scope }: Where): string | undefined => (scope.startsWith('zones/') ? lastOf(scope) : undefined)

/** Finds the owners of machines. Group members name their group; GKE nodes and Dataproc machines name their cluster. */
export interface Parents {
  /** The uid of the node pool that owns the group. */
  poolOf: (groupPath: string) => string | undefined
}

export function instance(one: Instance, where: Where, { poolOf }: Parents): DiscoveredResource {
  const type = lastOf(one.machineType)
  const region = regionIn(where.scope)
  const parent = parentOf(one, where, poolOf)
  const model = modelOf(one.scheduling)
  const license = licenseOf(one)
  const isPriced = model === 'STANDARD' && license === null && !one.guestAccelerators?.length
  return resource('gcp-vm', uidOf(one, where, 'instances'), {
    name: one.name,
    region,
    zone: zoneIn(where),
    state: one.status,
    parentUID: parent,
    // Its group would consider a stopped machine unhealthy and replace it.
    schedulable: parent === undefined ? undefined : false,
    instanceType: type,
    labels: one.labels,
    hourlyRateUSD: isPriced ? machineUsd(type, region) : undefined,
    specs: { ...specsOf(one), provisioning_model: model, license },
  })
}

function parentOf(one: Instance, where: Where, poolOf: Parents['poolOf']): string | undefined {
  const made = one.metadata?.items?.find(({ key }) => key === 'created-by')?.value
  const [, place, name] = /((?:zones|regions)\/[^/]+)\/instanceGroupManagers\/([^/]+)$/.exec(made ?? '') ?? []
  if (place !== undefined) {
    const group = `projects/${where.project}/${place}/instanceGroupManagers/${name}`
    return poolOf(group) ?? group
  }
  const hadoop = one.labels?.['goog-dataproc-cluster-name']
  const location = one.labels?.['goog-dataproc-location'] ?? regionIn(where.scope)
  return hadoop && fullName('dataproc', `projects/${where.project}/regions/${location}/clusters/${hadoop}`)
}

const modelOf = (scheduling: Instance['scheduling']): string =>
  scheduling?.provisioningModel ?? (scheduling?.preemptible ? 'SPOT' : 'STANDARD')

/** Licences that are charged separately. */
function licenseOf({ disks = [] }: Instance): string | null {
  const links = disks.flatMap(({ licenses = [] }) => licenses)
  const found = links.find((link) =>
    /\/(windows|rhel|suse|sles|sql)[^/]*-cloud\/|\/licenses\/(windows|rhel|sles|sql)/i.test(link),
  )
  return found === undefined ? null : lastOf(found)
}

function specsOf(one: Instance): Record<string, unknown> {
  const { guestAccelerators = [], scheduling = {} } = one
  return {
    created_at: timeOf(one.creationTimestamp),
    launched_at: timeOf(one.lastStartTimestamp),
    instance_id: one.id,
    gpu_count: guestAccelerators.reduce((sum, { acceleratorCount = 0 }) => sum + acceleratorCount, 0),
    ...reachOf(one),
    default_sa_full_scope: hasFullScope(one),
    shielded_vm: shieldOf(one),
    serial_port_enabled: isSerial(one),
    custom_machine: lastOf(one.machineType).includes('custom'),
    node_affinity: (scheduling.nodeAffinities ?? []).length > 0,
    deletion_protection: one.deletionProtection,
  }
}

function reachOf({ networkInterfaces = [] }: Instance): Record<string, unknown> {
  const [access] = networkInterfaces.flatMap(({ accessConfigs = [] }) => accessConfigs)
  return { external_ip: access?.natIP ?? null, network_tier: access?.networkTier }
}

/** Whether the machine uses the project's default service account with access to everything. */
function hasFullScope({ serviceAccounts = [] }: Instance): boolean {
  const [{ email = '', scopes = [] } = {}] = serviceAccounts
  const isDefault = email.endsWith('-compute@developer.gserviceaccount.com')
  return isDefault && scopes.some((scope) => scope.endsWith('/auth/cloud-platform'))
}

/** Undefined if unknown. */
export const shieldOf = ({ shieldedInstanceConfig: shield }: Instance): boolean | undefined =>
  shield && Boolean(shield.enableVtpm && shield.enableIntegrityMonitoring)

export const serialKey = 'serial-port-enable'
export const isSerial = ({ metadata }: Instance): boolean =>
  /^(1|true|yes)$/i.test(metadata?.items?.find(({ key }) => key === serialKey)?.value ?? '')

/** Data of a group from separate calls; undefined if the call is not permitted. */
export interface GroupMore {
  autoscaler: Autoscaler | undefined
  /** False if all autoscalers were listed and none is for this group; undefined if unknown. */
  isScaled: false | undefined
  template: Template | undefined
  pool: string | undefined
}

export function group(one: Group, where: Where, more: GroupMore): DiscoveredResource {
  const { template, pool } = more
  const { machineType, scheduling } = template?.properties ?? {}
  const type = lastOf(machineType) || undefined
  const model = template && modelOf(scheduling)
  const region = regionIn(where.scope)
  return resource('gcp-mig', uidOf(one, where, 'instanceGroupManagers'), {
    name: one.name,
    region,
    zone: zoneIn(where),
    status: groupStatus(one),
    instanceType: type,
    unitCount: one.targetSize,
    labels: one.labels,
    // The group of a node pool is scaled through the pool.
    schedulable: pool === undefined ? undefined : false,
    hourlyRateUSD: model === 'STANDARD' ? timesUsd(machineUsd(type, region), one.targetSize) : undefined,
    specs: {
      created_at: timeOf(one.creationTimestamp),
      target_size: one.targetSize,
      ...boundsIn(more),
      provisioning_model: model,
      node_pool: pool ?? null,
      zone_count: one.distributionPolicy?.zones?.length,
    },
  })
}

/** `autoscaler` is false for a group without one, and left out if unknown. */
function boundsIn({ autoscaler, isScaled }: GroupMore): Record<string, unknown> {
  const policy = autoscaler?.autoscalingPolicy
  if (!policy) return { autoscaler: isScaled }
  return { min_replicas: policy.minNumReplicas, max_replicas: policy.maxNumReplicas, autoscaler: isOn(policy.mode) }
}

/** An autoscaler without a mode is on. */
export const isOn = (mode: string | undefined): boolean =>
  mode === undefined || mode === 'ON' || mode === 'ONLY_SCALE_OUT' || mode === 'ONLY_UP'

/** `targetSize>0=running; targetSize=0=stopped; currentActions.creating=starting; currentActions.deleting=stopping`. */
export function groupStatus({ targetSize = 0, currentActions: now = {} }: Group): ResourceStatus {
  const creating = (now['creating'] ?? 0) + (now['creatingWithoutRetries'] ?? 0)
  if (targetSize > 0) return creating >= targetSize ? 'starting' : 'running'
  return (now['deleting'] ?? 0) > 0 ? 'stopping' : 'stopped'
}

/** Under which name a machine has a disk: metrics of disks are by machine and device. */
export interface Attachment {
  instanceId: string | undefined
  deviceName: string | undefined
}

export function disk(one: Disk, where: Where, attachment?: Attachment): DiscoveredResource {
  const [user] = one.users ?? []
  const type = lastOf(one.type)
  return resource('gcp-disk', uidOf(one, where, 'disks'), {
    name: one.name,
    region: regionIn(where.scope),
    zone: zoneIn(where),
    parentUID: pathIn(user),
    instanceType: type,
    sizeGB: numberOf(one.sizeGb),
    labels: one.labels,
    specs: {
      created_at: timeOf(one.creationTimestamp),
      state: one.status,
      attached: user !== undefined,
      user_count: one.users?.length ?? 0,
      disk_type: type,
      provisioned_iops: numberOf(one.provisionedIops) ?? null,
      provisioned_throughput: numberOf(one.provisionedThroughput),
      regional: Boolean(one.replicaZones?.length),
      instance_id: attachment?.instanceId,
      device_name: attachment?.deviceName,
      detached_at: user === undefined ? (timeOf(one.lastDetachTimestamp) ?? null) : undefined,
    },
  })
}

export function snapshot(one: Snapshot, where: Where): DiscoveredResource {
  const bytes = numberOf(one.storageBytes)
  const locations = one.storageLocations ?? []
  return resource('gcp-snapshot', uidOf(one, where, 'snapshots'), {
    name: one.name,
    region: locations.length === 1 && !isMulti(locations[0]!) ? locations[0]! : 'global',
    parentUID: pathIn(one.sourceDisk),
    sizeGB: numberOf(one.diskSizeGb),
    labels: one.labels,
    specs: {
      created_at: timeOf(one.creationTimestamp),
      state: one.status,
      source_disk: pathIn(one.sourceDisk),
      snapshot_type: one.snapshotType ?? 'STANDARD',
      scheduled: one.autoCreated === true,
      multi_region: locations.length === 0 ? undefined : locations.some(isMulti),
      stored_gb: bytes === undefined ? undefined : Number((bytes / 1e9).toFixed(3)),
    },
  })
}

/** Regions end with a digit; multi-regions do not. */
const isMulti = (location: string): boolean => !/\d$/.test(location)

export function address(one: Address, where: Where): DiscoveredResource {
  const [user] = one.users ?? []
  return resource('gcp-address', uidOf(one, where, 'addresses'), {
    name: one.name,
    region: regionIn(where.scope),
    parentUID: pathIn(user),
    labels: one.labels,
    specs: {
      created_at: timeOf(one.creationTimestamp),
      state: one.status,
      associated: one.status === 'IN_USE',
      address_type: one.addressType ?? 'EXTERNAL',
      address: one.address,
      purpose: one.purpose,
      network_tier: one.networkTier,
    },
  })
}

/** `backends`: those of its backend service; undefined if unknown, or if a proxy stands between. */
export function forwardingRule(one: ForwardingRule, where: Where, backends?: number): DiscoveredResource {
  const region = regionIn(where.scope)
  return resource('gcp-forwarding-rule', uidOf(one, where, 'forwardingRules'), {
    name: one.name,
    region,
    labels: one.labels,
    hourlyRateUSD: unitUsd('gcp.load_balancing.rule_hour', region),
    specs: {
      created_at: timeOf(one.creationTimestamp),
      scheme: one.loadBalancingScheme,
      ip_address: one.IPAddress,
      protocol: one.IPProtocol,
      target: pathIn(one.target ?? one.backendService) ?? null,
      backend_count: backends,
      network_tier: one.networkTier,
    },
  })
}
