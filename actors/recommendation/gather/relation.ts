/**
 * `rel.*`, `res.managed` and `res.child_count`: what hangs on what, by parents and by what specs refer to. What a cloud itself tells
 * comes as specs of the same name and counts before what is worked out here. What the inventory cannot tell is left out.
 */
import { kubernetesKind, resourceTypes, typeOf } from '#streams/cloud/resource-type.ts'
import type { Bills } from './bill.ts'
import type { GatherAbout, GatherResource, GatherTools } from './about.ts'

interface Related {
  uid: string
  type: string
  status: string
}

interface Child extends Related {
  parentUid: string
}

export interface Relations {
  readonly parents: ReadonlyMap<string, Related>
  /** Present ones, without the objects within a cluster. */
  readonly children: ReadonlyMap<string, readonly Child[]>
  readonly childCounts: ReadonlyMap<string, number>
  /** Everything below a resource whose type is charged with its members, by its uid. */
  readonly members: ReadonlyMap<string, readonly string[]>
  /** What specs refer to and is there. */
  readonly present: ReadonlySet<string>
  /** Resources of each resource group but itself. */
  readonly grouped: ReadonlyMap<string, number>
}

const kubernetesTypes = resourceTypes.map(({ type }) => type).filter((type) => kubernetesKind(type) !== undefined)

const childrenSql = `
  select uid, type, status, parent_uid as "parentUid" from resource
  where org_id = $1 and cloud_account_id = $2 and deleted_at is null and parent_uid = any($3::text[]) and type <> all($4::text[])`

const countsSql = `
  select parent_uid as "parentUid", count(*)::int as count from resource
  where org_id = $1 and cloud_account_id = $2 and deleted_at is null and parent_uid = any($3::text[]) group by parent_uid`

const presentSql = `
  select uid, type, status from resource
  where org_id = $1 and cloud_account_id = $2 and deleted_at is null and uid = any($3::text[])`

const groupedSql = `
  select resource_group as name, count(*)::int as count from resource
  where org_id = $1 and cloud_account_id = $2 and deleted_at is null and resource_group = any($3::text[])
    and type <> 'azure-resource-group' group by resource_group`

/** Levels below a cluster: its node pools, their groups, their machines and these machines' disks. */
const membersSql = `
  with recursive member (root, uid, depth) as (
    select parent_uid, uid, 1 from resource
    where org_id = $1 and cloud_account_id = $2 and deleted_at is null and parent_uid = any($3::text[]) and type <> all($4::text[])
    union all
    select member.root, resource.uid, member.depth + 1 from member
    join resource on resource.org_id = $1 and resource.cloud_account_id = $2 and resource.deleted_at is null
      and resource.parent_uid = member.uid and resource.type <> all($4::text[])
    where member.depth < 5)
  select distinct root, uid from member`

export async function askRelations(
  { reads }: Pick<GatherTools, 'reads'>,
  page: readonly GatherResource[],
  { orgId, account }: GatherAbout,
): Promise<Relations> {
  const uids = page.map(({ uid }) => uid)
  const rolled = page.filter(({ type }) => typeOf(type)?.costRollup).map(({ uid }) => uid)
  const groups = page.filter(({ type }) => type === 'azure-resource-group').map(groupName)
  const referred = page.flatMap((resource) => [resource.parentUid, ...sourcesOf(resource)]).filter(Boolean)
  const ask = <T extends object>(sql: string, ...more: unknown[]) => reads.rows<T>(sql, [orgId, account, ...more])
  const present = await ask<Related>(presentSql, [...new Set(referred)])
  const children = await ask<Child>(childrenSql, uids, kubernetesTypes)
  const counts = await ask<{ parentUid: string; count: number }>(countsSql, uids)
  const members =
    rolled.length === 0 ? [] : await ask<{ root: string; uid: string }>(membersSql, rolled, kubernetesTypes)
  const grouped = groups.length === 0 ? [] : await ask<{ name: string; count: number }>(groupedSql, groups)
  return {
    parents: new Map(present.map((row) => [row.uid, row])),
    children: Map.groupBy(children, ({ parentUid }) => parentUid),
    childCounts: new Map(counts.map(({ parentUid, count }) => [parentUid, count])),
    members: new Map(
      [...Map.groupBy(members, ({ root }) => root)].map(([root, of]) => [root, of.map(({ uid }) => uid)]),
    ),
    present: new Set(present.map(({ uid }) => uid)),
    grouped: new Map(grouped.map(({ name, count }) => [name, count])),
  }
}

/** All whose cost counts in the cost of some resource of a page. */
export const relatedUids = ({ children, members }: Relations, page: readonly GatherResource[]): string[] => [
  ...[...children.values()].flatMap((of) => of.map(({ uid }) => uid)),
  ...[...members.values()].flat(),
  ...page.flatMap(snapshotsOf),
]

/** A resource group's own name, as its members have it. */
const groupName = ({ uid, specs }: GatherResource): string =>
  (typeof specs['name'] === 'string' ? specs['name'] : (uid.split('/').at(-1) ?? uid)).toLowerCase()

/** Names under which snapshots, backups and their like say what they are of. */
const sourceSpecs = [
  'source_uid',
  'source_id',
  'source_resource_id',
  'source_volume_id',
  'volume_id',
  'source_disk',
  'source_instance',
  'source_instance_id',
  'source_cluster',
  'resource_id',
  'resource_arn',
]
const isCopy = (type: string): boolean =>
  /-(snapshot|backup|backup-item|recovery-point|[a-z]+-snapshot|[a-z]+-backup)$/.test(type)

/** What a copy was made of; several names of it, of which one suffices. */
function sourcesOf({ type, parentUid, specs }: GatherResource): string[] {
  if (!isCopy(type)) return []
  const named = sourceSpecs.map((name) => specs[name]).filter((value) => typeof value === 'string')
  return [parentUid, ...named].filter(Boolean)
}

function snapshotsOf({ type, specs }: GatherResource): string[] {
  const ids = specs['snapshot_ids']
  return type === 'aws-ami' && Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : []
}

/** A controller makes its members anew. */
const controller =
  /-(asg|mig|vmss|eks-nodegroup|gke-nodepool|aks-nodepool|emr|dataproc|databricks-cluster|databricks-instance-pool)$/

export function relationFacts(
  resource: GatherResource,
  relations: Relations,
  bills: Bills,
  about: GatherAbout,
): Record<string, unknown> {
  const worked = { ...edges(resource, relations, bills, about), 'res.managed': managed(resource, relations, about) }
  return { ...worked, ...told(resource), 'res.child_count': relations.childCounts.get(resource.uid) ?? 0 }
}

function managed({ parentUid, specs, type }: GatherResource, { parents }: Relations, about: GatherAbout) {
  if (typeof specs['managed'] === 'boolean') return specs['managed']
  if (kubernetesKind(type) !== undefined && specs['owner']) return true
  if (parentUid === '') return false
  const parent = parents.get(parentUid)
  if (parent) return controller.test(parent.type)
  return about.isInventoryComplete ? false : undefined
}

const machine = /^(aws-ec2|gcp-vm|azure-vm)$/
const disk = /^(aws-ebs-volume|gcp-disk|azure-disk)$/

function edges(
  resource: GatherResource,
  relations: Relations,
  bills: Bills,
  about: GatherAbout,
): Record<string, unknown> {
  const { type, uid } = resource
  const below = relations.children.get(uid) ?? []
  const of = (which: RegExp) => below.filter((child) => which.test(child.type))
  const costOf = (some: readonly { uid: string }[]) =>
    costs(
      some.map((one) => one.uid),
      bills,
      about,
    )
  const countOf = (some: readonly Child[]) => (some.length > 0 || about.isInventoryComplete ? some.length : undefined)
  switch (type) {
    case 'aws-ec2':
    case 'gcp-vm':
    case 'azure-vm':
      return { 'rel.attached_storage_cost_30d': costOf(of(disk)) }
    case 'aws-ebs-volume':
    case 'aws-eip':
    case 'gcp-disk':
    case 'gcp-address':
      return { 'rel.instance_status': holderStatus(resource, relations, about) }
    case 'azure-disk':
    case 'azure-public-ip':
      return { 'rel.vm_status': holderStatus(resource, relations, about) }
    case 'aws-ami':
      return { 'rel.snapshot_cost_30d': resource.specs['snapshot_ids'] && costs(snapshotsOf(resource), bills, about) }
    case 'aws-ecs-cluster':
      return { 'rel.instance_cost_30d': costOf(of(machine)) }
    case 'aws-dedicated-host':
      return { 'rel.instance_count': countOf(of(machine)) }
    case 'azure-dedicated-host':
    case 'azure-availability-set':
      return { 'rel.vm_count': countOf(of(machine)) }
    case 'azure-avd-host-pool':
      return { 'rel.host_count': countOf(of(machine)), 'rel.host_cost_30d': costOf(of(machine)) }
    case 'azure-databricks':
      return { 'rel.child_cost_30d': costOf(below) }
    case 'azure-app-service-plan':
      return {
        'rel.running_site_count': countOf(of(/-(web-app|function-app)$/).filter(({ status }) => status === 'running')),
      }
    case 'azure-resource-group': {
      const count = relations.grouped.get(groupName(resource)) ?? 0
      return { 'rel.resource_count': count > 0 || about.isInventoryComplete ? count : undefined }
    }
    default:
      return isCopy(type) ? { 'rel.source_exists': sourceExists(resource, relations, about) } : {}
  }
}

/** Undefined where none of them was billed and it is not known that there are none. */
function costs(uids: readonly string[], { billed }: Bills, { isInventoryComplete }: GatherAbout): number | undefined {
  if (uids.length === 0) return isInventoryComplete ? 0 : undefined
  const found = uids.flatMap((uid) => billed.get(uid) ?? [])
  return found.length === 0 ? undefined : found.reduce((sum, row) => sum + row.month_usd, 0)
}

/** Of the machine that holds a disk or an address; null where none does. */
function holderStatus({ parentUid, specs }: GatherResource, { parents }: Relations, about: GatherAbout) {
  const isFree = specs['attached'] === false || specs['associated'] === false
  if (parentUid === '') return isFree || about.isInventoryComplete ? null : undefined
  const parent = parents.get(parentUid)
  if (parent) return machine.test(parent.type) ? parent.status : null
  return undefined
}

function sourceExists(resource: GatherResource, { present }: Relations, about: GatherAbout): boolean | undefined {
  const sources = sourcesOf(resource)
  if (sources.some((uid) => present.has(uid))) return true
  return sources.length > 0 && about.isInventoryComplete ? false : undefined
}

/** Last names under `rel` that clouds tell, and what they call some of them. */
const toldNames = [
  'ami_count',
  'arm_ready',
  'association_count',
  'attached',
  'attached_storage_cost_30d',
  'backend_count',
  'backend_exists',
  'backup_protected',
  'child_cost_30d',
  'connection_count',
  'database_count',
  'detached_days',
  'endpoint_count',
  'flow_log_cost_30d',
  'host_cost_30d',
  'host_count',
  'hpa_count',
  'in_use_count',
  'instance_cost_30d',
  'instance_count',
  'instance_status',
  'interface_count',
  'job_run_count_30d',
  'load_balancer_cost_30d',
  'load_balancer_count',
  'network_policy_count',
  'newer_snapshot_count',
  'node_count',
  'other_management_trail_count',
  'owner_exists',
  'pod_count',
  'profile_count_subscription',
  'public_ip_count',
  'pvc_cost_30d',
  'record_count',
  'referenced_count',
  'resource_cost_30d',
  'resource_count',
  'route_count',
  'running_site_count',
  'running_task_count',
  'snapshot_age_days',
  'snapshot_cost_30d',
  'source_exists',
  'subnet_count',
  'target_cost_30d',
  'target_count',
  'topic_exists',
  'unmounted_days',
  'user_count',
  'virtual_interface_count',
  'vm_count',
  'vm_status',
  'vnet_count',
  'volume_quota_gb',
  'vpc_has_s3_endpoint',
  'vpc_nat_gateway_count',
  'workload_pod_count',
]
const otherNames: Readonly<Record<string, string>> = { detached_days: 'days_detached', attached: 'associated' }

function told({ specs }: GatherResource): Record<string, unknown> {
  return Object.fromEntries(
    toldNames.flatMap((name) => {
      const value = specs[name] ?? specs[otherNames[name] ?? name]
      return value === undefined ? [] : [[`rel.${name}`, value]]
    }),
  )
}
