/**
 * `rel.*`, `res.managed` and `res.child_count` facts: how resources relate, by parents and by references in specs.
 * Relations reported by a cloud are specs with the same name and take precedence. What the inventory cannot tell is
 * left out.
 */
import { kubernetesKind, resourceTypes, typeOf } from '#streams/cloud/resource/resource-type.ts'
import type { Bills } from './bill.ts'
import { elsewhere, hasKnownSources, isCopy, lastPart, logOwnerOf, sourcesOf, sourceTypesOf } from './referred.ts'
import {
  balancersOfSql,
  balancersSql,
  childrenSql,
  claimedDisksSql,
  countsSql,
  groupedSql,
  membersSql,
  namedSql,
  podsSql,
  presentSql,
} from './relation-sql.ts'
import { specFacts } from './spec.ts'
import type { GatherAbout, GatherResource, GatherTools } from './context.ts'

interface RelatedResource {
  uid: string
  type: string
  status: string
}

interface Child extends RelatedResource {
  parentUid: string
}

export interface Relations {
  readonly parents: ReadonlyMap<string, RelatedResource>
  /** Existing children, without objects within a cluster. */
  readonly children: ReadonlyMap<string, readonly Child[]>
  readonly childCounts: ReadonlyMap<string, number>
  /** By uid: everything below a resource whose cost includes its members. */
  readonly members: ReadonlyMap<string, readonly string[]>
  /** Resources that specs refer to and that exist. */
  readonly present: ReadonlySet<string>
  /** Possible sources of copies that were not found by uid: last parts of uids, in lower case. */
  readonly named: ReadonlySet<string>
  /** Number of resources in each resource group, without itself. */
  readonly grouped: ReadonlyMap<string, number>
  /** Number of load balancers by machine. */
  readonly balancers: ReadonlyMap<string, number>
  /** Uids of load balancers by their name or address. */
  readonly balancersByName: ReadonlyMap<string, string>
  /** Number of running pods outside of system namespaces, by cluster; without clusters that have no pods at all. */
  readonly workloadPods: ReadonlyMap<string, number>
  /** Disks of the claims of workloads. */
  readonly claimedDisks: ReadonlyMap<string, readonly string[]>
}

const kubernetesTypes = resourceTypes.map(({ type }) => type).filter((type) => kubernetesKind(type) !== undefined)

export async function askRelations(
  { reads }: Pick<GatherTools, 'reads'>,
  page: readonly GatherResource[],
  { orgId, account }: GatherAbout,
): Promise<Relations> {
  const uids = page.map(({ uid }) => uid)
  const rolled = page.filter(({ type }) => typeOf(type)?.costRollup).map(({ uid }) => uid)
  const groups = page.filter(({ type }) => type === 'azure-resource-group').map(groupName)
  const referred = page
    .flatMap((resource) => [resource.parentUid, ...sourcesOf(resource), logOwnerOf(resource)?.uid ?? ''])
    .filter(Boolean)
  const ask = <T extends object>(sql: string, ...more: unknown[]) => reads.rows<T>(sql, [orgId, account, ...more])
  const present = await ask<RelatedResource>(presentSql, [...new Set(referred)])
  const found = new Set(present.map(({ uid }) => uid))
  const lost = page.flatMap(sourcesOf).filter((uid) => !found.has(uid))
  const named = lost.length === 0 ? [] : await ask<{ part: string }>(namedSql, [...new Set(lost.map(lastPart))])
  const children = await ask<Child>(childrenSql, uids, kubernetesTypes)
  const counts = await ask<{ parentUid: string; count: number }>(countsSql, uids)
  const members =
    rolled.length === 0 ? [] : await ask<{ root: string; uid: string }>(membersSql, rolled, kubernetesTypes)
  const machines = page.filter(({ type }) => type === 'aws-ec2').map(({ uid }) => uid)
  const balancers = machines.length === 0 ? [] : await ask<{ uid: string; count: number }>(balancersSql, machines)
  const hosts = page.flatMap(hostOf)
  const resolved = hosts.length === 0 ? [] : await ask<{ uid: string; name: string }>(balancersOfSql, hosts)
  const clusters = page.filter(({ type }) => cluster.test(type)).map(({ uid }) => uid)
  const pods =
    clusters.length === 0 ? [] : await ask<{ uid: string; count: number }>(podsSql, clusters, systemNamespace.source)
  const claiming = page.filter((one) => hasClaims(one)).map(({ uid }) => uid)
  const disks = claiming.length === 0 ? [] : await ask<{ uid: string; disk: string }>(claimedDisksSql, claiming)
  const grouped = groups.length === 0 ? [] : await ask<{ name: string; count: number }>(groupedSql, groups)
  return {
    parents: new Map(present.map((row) => [row.uid, row])),
    children: Map.groupBy(children, ({ parentUid }) => parentUid),
    childCounts: new Map(counts.map(({ parentUid, count }) => [parentUid, count])),
    members: new Map(
      [...Map.groupBy(members, ({ root }) => root)].map(([root, of]) => [root, of.map(({ uid }) => uid)]),
    ),
    present: found,
    named: new Set(named.map(({ part }) => part)),
    grouped: new Map(grouped.map(({ name, count }) => [name, count])),
    balancers: new Map(balancers.map(({ uid, count }) => [uid, count])),
    balancersByName: new Map(resolved.map(({ uid, name }) => [name, uid])),
    workloadPods: new Map(pods.map(({ uid, count }) => [uid, count])),
    claimedDisks: new Map(
      [...Map.groupBy(disks, ({ uid }) => uid)].map(([uid, of]) => [uid, of.map((one) => one.disk)]),
    ),
  }
}

/** Resources whose cost is included in that of a resource of the page. */
export const relatedUids = (
  { children, members, balancersByName, claimedDisks }: Relations,
  page: readonly GatherResource[],
): string[] => [
  ...[...children.values()].flatMap((of) => of.map(({ uid }) => uid)),
  ...[...members.values()].flat(),
  ...page.flatMap(snapshotsOf),
  ...page.flatMap(flowLogGroupOf),
  ...page.flatMap(stackResourcesOf),
  ...balancersByName.values(),
  ...[...claimedDisks.values()].flat(),
  ...page.flatMap(scaledOf),
]

/** The name of a resource group, as its members refer to it. */
const groupName = ({ uid, specs }: GatherResource): string =>
  (typeof specs['name'] === 'string' ? specs['name'] : (uid.split('/').at(-1) ?? uid)).toLowerCase()

function snapshotsOf({ type, specs }: GatherResource): string[] {
  const ids = specs['snapshot_ids']
  return type === 'aws-ami' && Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : []
}

/** The log group that the flow logs of a network are delivered to. */
const flowLogGroupOf = ({ type, specs }: GatherResource): string[] =>
  type === 'aws-vpc' && typeof specs['flow_log_group'] === 'string' ? [specs['flow_log_group']] : []

const hasClaims = ({ specs: { claims } }: GatherResource): boolean => Array.isArray(claims) && claims.length > 0

/** The name or address of the load balancer that a service of a cluster has. */
const hostOf = ({ type, specs: { load_balancer: host } }: GatherResource): string[] =>
  /-(eks|gke|aks)-service$/.test(type) && typeof host === 'string' ? [host.toLowerCase()] : []

/** The workload that an autoscaler of a cluster scales, which is in the same namespace. */
function scaledOf({ type, uid, specs: { target } }: GatherResource): string[] {
  const place = /^(.+)\/horizontalpodautoscaler\/[^/]+$/.exec(uid)?.[1]
  return autoscaler.test(type) && place !== undefined && typeof target === 'string' ? [`${place}/${target}`] : []
}

const autoscaler = /-(eks|gke|aks)-horizontalpodautoscaler$/

/** What is left of a stack, as bills name it. */
const stackResourcesOf = ({ type, specs: { resource_ids: ids } }: GatherResource): string[] =>
  type === 'aws-cfn-stack' && Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : []

/** False only if the owner would be visible if it existed. */
const ownerExists: Edge = ({ resource, relations: { present }, about }) => {
  const owner = logOwnerOf(resource)
  if (!owner) return undefined
  if (present.has(owner.uid)) return true
  return about.isInventoryComplete && about.holds(owner.kind, resource.region) ? false : undefined
}

/** Controllers, which recreate their members. */
const controller =
  /-(asg|mig|vmss|eks-nodegroup|gke-nodepool|aks-nodepool|emr|dataproc|databricks-cluster|databricks-instance-pool)$/

const systemNamespace = /^(kube-|openshift|gke-|gmp-|aks-|calico-|tigera-|amazon-)/

/** Clusters, whose autoscaler recreates machines. */
const cluster = /-(eks|gke|aks)$/

export function relationFacts(
  resource: GatherResource,
  relations: Relations,
  bills: Bills,
  about: GatherAbout,
): Record<string, unknown> {
  const worked = {
    ...edges({ resource, relations, bills, about, children: relations.children.get(resource.uid) ?? [] }),
    'res.managed': isManaged(resource, relations),
  }
  return { ...worked, ...specFacts(resource), 'res.child_count': relations.childCounts.get(resource.uid) ?? 0 }
}

/** A parent that is not in the inventory may be a controller without permission to list it. */
function isManaged({ parentUid, specs, type }: GatherResource, { parents }: Relations): boolean | undefined {
  if (typeof specs['managed'] === 'boolean') return specs['managed']
  if (kubernetesKind(type) !== undefined && specs['owner']) return true
  if (parentUid === '') return false
  const parent = parents.get(parentUid)
  if (!parent) return undefined
  return controller.test(parent.type) || (machine.test(type) && cluster.test(parent.type))
}

const machine = /^(aws-ec2|gcp-vm|azure-vm)$/
const balancer = /^aws-(alb|nlb)$/
const disk = /^(aws-ebs-volume|gcp-disk|azure-disk)$/
const site = /^azure-(web-app|function-app)$/

/** A resource with its surroundings. */
interface Around {
  resource: GatherResource
  relations: Relations
  bills: Bills
  about: GatherAbout
  children: readonly Child[]
}

type Edge = (around: Around) => unknown

const childrenOf = ({ children }: Around, which: RegExp): Child[] => children.filter(({ type }) => which.test(type))

/** Undefined if the count is 0 and the inventory was never complete, or has nothing of the kind in the region. */
const countKnown = (count: number, which: RegExp, { resource: { region }, about }: Around): number | undefined =>
  count > 0 || (about.isInventoryComplete && about.holds(which, region)) ? count : undefined

const costOfChildren =
  (which: RegExp): Edge =>
  (around) =>
    costs(
      childrenOf(around, which).map(({ uid }) => uid),
      around,
    )
const countOfChildren =
  (which: RegExp): Edge =>
  (around) =>
    countKnown(childrenOf(around, which).length, which, around)

/** A cluster whose pods are not seen is not known to be empty. */
const pods: Edge = ({ resource, relations: { workloadPods } }) => workloadPods.get(resource.uid)

const workloadPods = { 'rel.workload_pod_count': pods }
const scaler: Readonly<Record<string, Edge>> = {
  'rel.target_cost_30d': (around) => {
    const uids = scaledOf(around.resource)
    return uids.length === 0 ? undefined : costs(uids, around)
  },
}
const exposed: Readonly<Record<string, Edge>> = {
  'rel.load_balancer_cost_30d': (around) => {
    const uids = hostOf(around.resource).flatMap((host) => around.relations.balancersByName.get(host) ?? [])
    return uids.length === 0 ? undefined : costs(uids, around)
  },
}
const claiming: Readonly<Record<string, Edge>> = {
  'rel.pvc_cost_30d': (around) => {
    const { resource, relations } = around
    if (!hasClaims(resource)) return Array.isArray(resource.specs['claims']) ? 0 : undefined
    const disks = relations.claimedDisks.get(resource.uid) ?? []
    return disks.length === 0 ? undefined : costs(disks, around)
  },
}
const storage = { 'rel.attached_storage_cost_30d': costOfChildren(disk) }
const holder = { 'rel.instance_status': holderStatus }
const holderOfAzure = { 'rel.vm_status': holderStatus }

/** By resource type: how paths are computed. */
const edgesOf: Readonly<Record<string, Readonly<Record<string, Edge>>>> = {
  'aws-ec2': {
    ...storage,
    'rel.load_balancer_count': ({ resource: { uid, region }, relations: { balancers }, about }) => {
      const count = balancers.get(uid) ?? 0
      return count > 0 || (about.isInventoryComplete && about.holds(balancer, region)) ? count : undefined
    },
  },
  'gcp-vm': storage,
  'azure-vm': storage,
  'aws-ebs-volume': holder,
  'aws-eip': holder,
  'gcp-disk': holder,
  'gcp-address': holder,
  'azure-disk': holderOfAzure,
  'azure-public-ip': holderOfAzure,
  'aws-ami': {
    'rel.snapshot_cost_30d': (around) =>
      around.resource.specs['snapshot_ids'] === undefined ? undefined : costs(snapshotsOf(around.resource), around),
  },
  'aws-log-group': { 'rel.owner_exists': ownerExists },
  'aws-vpc': {
    'rel.flow_log_cost_30d': (around) =>
      flowLogGroupOf(around.resource).length === 0 ? undefined : costs(flowLogGroupOf(around.resource), around),
  },
  'aws-cfn-stack': {
    'rel.resource_cost_30d': (around) =>
      around.resource.specs['resource_ids'] === undefined
        ? undefined
        : costs(stackResourcesOf(around.resource), around),
  },
  'aws-eks-horizontalpodautoscaler': scaler,
  'gcp-gke-horizontalpodautoscaler': scaler,
  'azure-aks-horizontalpodautoscaler': scaler,
  'aws-eks-service': exposed,
  'gcp-gke-service': exposed,
  'azure-aks-service': exposed,
  ...Object.fromEntries(
    ['aws-eks', 'gcp-gke', 'azure-aks'].flatMap((of) =>
      ['deployment', 'statefulset'].map((kind) => [`${of}-${kind}`, claiming]),
    ),
  ),
  'aws-eks': workloadPods,
  'gcp-gke': workloadPods,
  'azure-aks': workloadPods,
  'aws-ecs-cluster': { 'rel.instance_cost_30d': costOfChildren(machine) },
  'aws-dedicated-host': { 'rel.instance_count': countOfChildren(machine) },
  'azure-dedicated-host': { 'rel.vm_count': countOfChildren(machine) },
  'azure-availability-set': { 'rel.vm_count': countOfChildren(machine) },
  'azure-avd-host-pool': { 'rel.host_count': countOfChildren(machine), 'rel.host_cost_30d': costOfChildren(machine) },
  'azure-databricks': { 'rel.child_cost_30d': costOfChildren(/./) },
  'azure-app-service-plan': {
    'rel.running_site_count': (around) => {
      const sites = childrenOf(around, site)
      const running = sites.filter(({ status }) => status === 'running').length
      return sites.length > 0 ? running : countKnown(0, site, around)
    },
  },
  'azure-resource-group': {
    'rel.resource_count': (around) => {
      const count = around.relations.grouped.get(groupName(around.resource)) ?? 0
      // Members of a group may be in any region.
      return count > 0 || (around.about.isInventoryComplete && around.about.holds(/^azure-(?!resource-group)/))
        ? count
        : undefined
    },
  },
}
const copyEdges = { 'rel.source_exists': sourceExists }

const edgesFor = (type: string): Readonly<Record<string, Edge>> => edgesOf[type] ?? (isCopy(type) ? copyEdges : {})

/** Paths of the relations that are computed for resources of a type. Of some copies it is not known whether a source is gone. */
export const computedRelations = (type: string): readonly string[] =>
  Object.keys(edgesFor(type)).filter((path) => path !== 'rel.source_exists' || hasKnownSources(type))

function edges(around: Around): Record<string, unknown> {
  const own = edgesFor(around.resource.type)
  return Object.fromEntries(Object.entries(own).map(([path, edge]) => [path, edge(around)]))
}

/** Undefined if none was billed and it is not certain that there are none. */
function costs(uids: readonly string[], { bills, about }: Around): number | undefined {
  if (uids.length === 0) return about.isInventoryComplete ? 0 : undefined
  const found = uids.flatMap((uid) => bills.billed.get(uid) ?? [])
  return found.length === 0 ? undefined : found.reduce((sum, row) => sum + row.month_usd, 0)
}

const freeStates = ['available', 'unattached', 'detached', 'reserved']

const isFree = ({ attached, associated, state }: GatherResource['specs']): boolean =>
  attached === false || associated === false || (typeof state === 'string' && freeStates.includes(state.toLowerCase()))

/** Status of the machine that a disk or address is attached to; null if it is known to be attached to none. */
function holderStatus({ resource: { parentUid, specs }, relations: { parents } }: Around): string | null | undefined {
  if (parentUid === '') return isFree(specs) ? null : undefined
  const parent = parents.get(parentUid)
  if (parent) return machine.test(parent.type) ? parent.status : null
  return undefined
}

/**
 * False only if the source would be visible if it existed: of this account, and of a kind that the inventory has in the
 * region. Clouds write the same resource in several ways, so the last part of its name is compared, ignoring case.
 */
function sourceExists({ resource, relations: { present, named }, about }: Around): boolean | undefined {
  const sources = sourcesOf(resource)
  if (sources.some((uid) => present.has(uid) || named.has(lastPart(uid)))) return true
  const kind = sourceTypesOf(resource)
  const isOurs = sources.length > 0 && sources.every((uid) => !elsewhere.test(uid))
  return isOurs && kind && about.isInventoryComplete && about.holds(kind, resource.region) ? false : undefined
}
