/** Clusters of GKE, and their pools of nodes. */
import type { Capacity } from '#streams/cloud/connector.ts'
import { Group } from '#streams/cloud/gcp/answer/compute.ts'
import { StartedOperation, Cluster, NodePool } from '#streams/cloud/gcp/answer/service.ts'
import { boundsOf, zonesOf } from '#streams/cloud/gcp/map/service.ts'
import { partsOf, pathIn, safePath } from '#streams/cloud/gcp/resource-path.ts'
import type { ResourceStatus } from '#streams/resource/messages.ts'
import { got } from './compute.ts'
import { fleetUnits, type Fleet } from './fleet.ts'
import {
  absent,
  ignoreNotFound,
  type Absent,
  type ResourceKind,
  type ResourceState,
} from '#streams/cloud/resource/verb/kind.ts'
import { dropNullish, flagIn } from '#streams/cloud/resource/verb/spec.ts'
import type { At, Verbs } from './kind.ts'

const pathOfPool = ({ ref }: At): string => {
  partsOf(ref.resourceUid, 'projects', 'locations', 'clusters', 'nodePools')
  return `/${safePath(ref.resourceUid)}`
}

interface FoundPool extends Fleet {
  pool: NodePool
}

/** How many nodes there are to be, its groups say. */
async function lookPool(at: At): Promise<FoundPool | Absent> {
  const call = { service: 'container', path: pathOfPool(at), permission: 'container.clusters.get' } as const
  const pool = await ignoreNotFound(at.session.ask(call, NodePool))
  if (!pool) return absent
  const groups = await Promise.all((pool.instanceGroupUrls ?? []).map((url) => groupAt(at, url)))
  const desired = groups.reduce((sum, group) => sum + (group?.targetSize ?? 0), 0)
  const bounds = boundsOf(pool)
  return {
    exists: true,
    ...dropNullish({ status: statusOf(pool, groups, desired), instanceType: pool.config?.machineType }),
    capacity: { ...(bounds ?? { min: desired, max: desired }), desired },
    specs: dropNullish({
      node_count: desired,
      min_nodes: bounds?.min,
      max_nodes: bounds?.max,
      autoscaling: bounds !== undefined,
    }),
    isGoing: pool.status === 'STOPPING',
    isBounded: bounds !== undefined,
    hasBounds: true,
    step: zonesOf(pool),
    pool,
  }
}

const groupAt = (at: At, url: string): Promise<Group | undefined> =>
  got(at, `/${safePath(pathIn(url) ?? '')}`, 'compute.instanceGroupManagers.get', Group)

/** `nodes>0=running; nodes=0=stopped; RECONCILING upwards=starting; RECONCILING downwards=stopping`. */
function statusOf({ status }: NodePool, groups: readonly (Group | undefined)[], desired: number): ResourceStatus {
  const doing = (name: string) => groups.some((group) => (group?.currentActions?.[name] ?? 0) > 0)
  if (status === 'STOPPING') return 'stopping'
  if (status === 'PROVISIONING' || status === 'ERROR') return 'pending'
  if (desired === 0) return doing('deleting') ? 'stopping' : 'stopped'
  return status === 'RECONCILING' && doing('creating') && !doing('none') ? 'starting' : 'running'
}

async function postUpdate({ session }: At, path: string, body: object): Promise<void> {
  await session.ask(
    { service: 'container', path, method: 'POST', body, permission: 'container.clusters.update' },
    StartedOperation,
  )
}

/** The number is one for each of its zones. */
const resize = (at: At, units: number, { step }: FoundPool): Promise<void> =>
  postUpdate(at, `${pathOfPool(at)}:setSize`, { nodeCount: Math.ceil(units / step) })

const writeBounds = (at: At, { min, max }: Pick<Capacity, 'min' | 'max'>, { pool }: FoundPool): Promise<void> => {
  const isPerZone = pool.autoscaling?.enabled === true && !pool.autoscaling.totalMaxNodeCount
  const zones = zonesOf(pool)
  const isWhole = min % zones === 0 && max % zones === 0
  const autoscaling =
    isPerZone && isWhole
      ? { enabled: true, minNodeCount: min / zones, maxNodeCount: max / zones }
      : { enabled: true, totalMinNodeCount: min, totalMaxNodeCount: max }
  return postUpdate(at, `${pathOfPool(at)}:setAutoscaling`, { autoscaling })
}

const unbound = (at: At): Promise<void> =>
  postUpdate(at, `${pathOfPool(at)}:setAutoscaling`, { autoscaling: { enabled: false } })

export const pool: ResourceKind<At, FoundPool> = {
  look: lookPool,
  scale: fleetUnits({ resize, bound: writeBounds, unbound, bindsFirst: true }),
  delete: ({ session, ref }) =>
    session.ask(
      {
        service: 'container',
        path: `/${safePath(ref.resourceUid)}`,
        method: 'DELETE',
        permission: 'container.clusters.update',
      },
      StartedOperation,
    ),
}

const pathOfCluster = ({ ref }: At): string => {
  partsOf(ref.resourceUid, 'projects', 'locations', 'clusters')
  return `/${safePath(ref.resourceUid)}`
}

async function lookCluster(at: At): Promise<ResourceState> {
  const call = { service: 'container', path: pathOfCluster(at), permission: 'container.clusters.get' } as const
  const found = await ignoreNotFound(at.session.ask(call, Cluster))
  if (!found) return absent
  const isGoing = found.status === 'STOPPING'
  return {
    exists: true,
    status: isGoing ? 'stopping' : found.status === 'PROVISIONING' ? 'pending' : 'running',
    specs: dropNullish({
      state: found.status,
      version: found.currentMasterVersion,
      cost_allocation: found.costManagementConfig?.enabled === true,
    }),
    isGoing,
  }
}

const setCluster: Verbs['set'] = async (at, specs) => {
  const body = { update: { desiredCostManagementConfig: { enabled: flagIn(specs, 'cost_allocation') } } }
  const call = {
    service: 'container',
    path: pathOfCluster(at),
    method: 'PUT',
    body,
    permission: 'container.clusters.update',
  } as const
  await at.session.ask(call, StartedOperation)
}

export const cluster: ResourceKind<At> = {
  look: lookCluster,
  sets: ['cost_allocation'],
  set: setCluster,
  delete: (at) =>
    at.session.ask(
      { service: 'container', path: pathOfCluster(at), method: 'DELETE', permission: 'container.clusters.delete' },
      StartedOperation,
    ),
}
