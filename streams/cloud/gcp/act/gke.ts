/** Clusters of GKE, and their pools of nodes. */
import type { Capacity } from '#streams/cloud/connector.ts'
import { Group } from '#streams/cloud/gcp/answer/compute.ts'
import { StartedOperation, Cluster, NodePool } from '#streams/cloud/gcp/answer/service.ts'
import { boundsOf, zonesOf } from '#streams/cloud/gcp/map/service.ts'
import { partsOf, pathIn, safePath } from '#streams/cloud/gcp/resource-path.ts'
import type { ResourceStatus } from '#streams/resource/messages.ts'
import { got } from './compute.ts'
import { counting, type Fleet } from './fleet.ts'
import {
  deleting,
  flagIn,
  ignoreNotFound,
  notThere,
  setting,
  told,
  type At,
  type ResourceKind,
  type ResourceState,
} from './kind.ts'

const pathOfPool = ({ ref }: At): string => {
  partsOf(ref.resourceUid, 'projects', 'locations', 'clusters', 'nodePools')
  return `/${safePath(ref.resourceUid)}`
}

interface FoundPool extends Fleet {
  pool: NodePool
}

/** How many nodes there are to be, its groups say. */
async function lookPool(at: At): Promise<FoundPool | typeof notThere> {
  const call = { service: 'container', path: pathOfPool(at), permission: 'container.clusters.get' } as const
  const pool = await ignoreNotFound(at.session.ask(call, NodePool))
  if (!pool) return notThere
  const groups = await Promise.all((pool.instanceGroupUrls ?? []).map((url) => groupAt(at, url)))
  const desired = groups.reduce((sum, group) => sum + (group?.targetSize ?? 0), 0)
  const bounds = boundsOf(pool)
  return {
    exists: true,
    ...told({ status: statusOf(pool, groups, desired), instanceType: pool.config?.machineType }),
    capacity: { ...(bounds ?? { min: desired, max: desired }), desired },
    specs: told({
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

export const pool: ResourceKind = {
  look: async (at) => {
    const seen = await lookPool(at)
    if (!seen.exists) return seen
    const { isBounded: _b, hasBounds: _h, step: _s, pool: _p, ...rest } = seen as FoundPool
    return rest
  },
  acts: {
    ...counting(lookPool, { resize, bound: writeBounds, unbound, bindsFirst: true }),
    delete: deleting(lookPool, ({ session, ref }) =>
      session.ask(
        {
          service: 'container',
          path: `/${safePath(ref.resourceUid)}`,
          method: 'DELETE',
          permission: 'container.clusters.update',
        },
        StartedOperation,
      ),
    ),
  },
}

const pathOfCluster = ({ ref }: At): string => {
  partsOf(ref.resourceUid, 'projects', 'locations', 'clusters')
  return `/${safePath(ref.resourceUid)}`
}

async function lookCluster(at: At): Promise<ResourceState> {
  const call = { service: 'container', path: pathOfCluster(at), permission: 'container.clusters.get' } as const
  const found = await ignoreNotFound(at.session.ask(call, Cluster))
  if (!found) return notThere
  const isGoing = found.status === 'STOPPING'
  return {
    exists: true,
    status: isGoing ? 'stopping' : found.status === 'PROVISIONING' ? 'pending' : 'running',
    specs: told({
      state: found.status,
      version: found.currentMasterVersion,
      cost_allocation: found.costManagementConfig?.enabled === true,
    }),
    isGoing,
  }
}

const setCluster = setting(lookCluster, async (at, specs) => {
  const body = { update: { desiredCostManagementConfig: { enabled: flagIn(at, specs, 'cost_allocation') } } }
  const call = {
    service: 'container',
    path: pathOfCluster(at),
    method: 'PUT',
    body,
    permission: 'container.clusters.update',
  } as const
  await at.session.ask(call, StartedOperation)
})

export const cluster: ResourceKind = {
  look: lookCluster,
  sets: ['cost_allocation'],
  acts: {
    set: setCluster,
    delete: deleting(lookCluster, (at) =>
      at.session.ask(
        { service: 'container', path: pathOfCluster(at), method: 'DELETE', permission: 'container.clusters.delete' },
        StartedOperation,
      ),
    ),
  },
}
