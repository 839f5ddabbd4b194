/** How much of a node pool's capacity its pods reserve. */
import type { MetricSamples, ResourceRef } from '#streams/cloud/connector.ts'
import type { KubernetesApi } from '#streams/cloud/kubernetes/api/api.ts'
import { nameOf } from '#streams/cloud/kubernetes/object/object.ts'
import { podResources } from './spec.ts'
import { quantityOf } from './quantity.ts'
import {
  all,
  listOfKind,
  percentOf,
  toSamples,
  scopeOf,
  silent,
  type SampleScope,
  type SampleValues,
  type Window,
} from '#streams/cloud/kubernetes/usage/sample.ts'
import { poolOf } from '#streams/cloud/kubernetes/object/specs.ts'
import { endedPhases } from '#streams/cloud/kubernetes/object/tally.ts'
import { memberOf, textAt } from '#streams/cloud/kubernetes/api/json-access.ts'

/** A node pool, and its name in node labels. */
export interface NodePool {
  ref: ResourceRef
  name: string
}

/** Types of pools. */
export const poolTypes: readonly string[] = ['aws-eks-nodegroup', 'gcp-gke-nodepool', 'azure-aks-nodepool']

/** The uid of a pool of AWS has the name of its cluster, those of others begin with that of the cluster. */
const shapes: readonly (readonly [RegExp, clusterUid: string])[] = [
  [/^(arn:[^:]+:eks:[^:]*:[^:]*):nodegroup\/([^/]+)\/([^/]+)\/[^/]+$/, '$1:cluster/$2'],
  [/^(.*)(\/nodePools|\/agentPools)\/([^/]+)$/i, '$1'],
]

/** Undefined for resources other than pools. */
export function poolAt({ type, resourceUid }: Pick<ResourceRef, 'type' | 'resourceUid'>) {
  const [shape, clusterUid] = shapes.find(([one]) => one.test(resourceUid)) ?? []
  if (!shape || clusterUid === undefined || !poolTypes.includes(type)) return undefined
  return { clusterUid: resourceUid.replace(shape, clusterUid), name: resourceUid.replace(shape, '$3') }
}

interface Sums {
  cpu: number
  memory: number
}

interface PoolReserve {
  allocatable: Sums
  requested: Sums
}

/** The current values of each pool with nodes; otherwise as `kubernetesSamples`. */
export async function* kubernetesPoolSamples(
  api: KubernetesApi,
  pools: readonly NodePool[],
  window: Window,
): AsyncGenerator<MetricSamples> {
  const scope = scopeOf(api, window)
  if (scope && pools.length > 0) yield* silent(samplesOf(scope, pools))
}

async function* samplesOf(scope: SampleScope, pools: readonly NodePool[]): AsyncGenerator<MetricSamples> {
  const byPool = await reservedIn(scope)
  for (const { ref, name } of pools) {
    const found = byPool.get(name)
    if (!found) continue
    yield* toSamples(scope, ref, scope.now, valuesOf(found))
  }
}

const valuesOf = ({ requested, allocatable }: PoolReserve): SampleValues => ({
  cpu_reserved_percent: percentOf(requested.cpu, allocatable.cpu),
  memory_reserved_percent: percentOf(requested.memory, allocatable.memory),
})

const nothing = { cpu: 0, memory: 0 }

/** Names of the metrics of a pool. */
export const poolMetrics: readonly string[] = Object.keys(valuesOf({ requested: nothing, allocatable: nothing }))

async function reservedIn(scope: SampleScope): Promise<Map<string, PoolReserve>> {
  const byPool = new Map<string, PoolReserve>()
  const byNode = new Map<string, PoolReserve>()
  for await (const node of all(scope, listOfKind('node'))) {
    const pool = poolOf(node)
    if (pool === undefined) continue
    const reserved = byPool.get(pool) ?? { allocatable: { cpu: 0, memory: 0 }, requested: { cpu: 0, memory: 0 } }
    byPool.set(pool, reserved)
    byNode.set(nameOf(node) ?? '', reserved)
    const of = (resource: string) => quantityOf(memberOf(node, 'status', 'allocatable', resource)) ?? 0
    add(reserved.allocatable, of('cpu'), of('memory'))
  }
  for await (const pod of all(scope, listOfKind('pod'))) {
    const reserved = byNode.get(textAt(pod, 'spec', 'nodeName') ?? '')
    if (!reserved || endedPhases.includes(textAt(pod, 'status', 'phase'))) continue
    const { cpu = 0, memory = 0 } = podResources(memberOf(pod, 'spec')).requests
    add(reserved.requested, cpu, memory)
  }
  return byPool
}

function add(sums: Sums, cpu: number, memory: number): void {
  sums.cpu += cpu
  sums.memory += memory
}
