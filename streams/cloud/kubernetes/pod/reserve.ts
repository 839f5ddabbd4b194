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
    yield* toSamples(scope, ref, scope.now, {
      cpu_reserved_percent: percentOf(found.requested.cpu, found.allocatable.cpu),
      memory_reserved_percent: percentOf(found.requested.memory, found.allocatable.memory),
    })
  }
}

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
