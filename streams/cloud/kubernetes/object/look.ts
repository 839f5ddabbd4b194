/** The current state of one object of a cluster. */
import { Fault } from '#engine/value/fault.ts'
import type { Capacity, Look, NativePolicy, ResourceRef } from '#streams/cloud/connector.ts'
import { isCounted } from '#streams/cloud/resource/resource-type.ts'
import type { KubernetesApi } from '#streams/cloud/kubernetes/api/api.ts'
import { objectsOf } from './children.ts'
import { childOf, listedKinds, pathOfChild, resourceName, type Child } from './kind.ts'
import { instanceTypeOf } from './map.ts'
import { nameOf, namespaceOf } from './object.ts'
import { specsOf, targetPercent } from './specs.ts'
import { replicasOf, statusOf } from './status.ts'
import { Tally } from './tally.ts'
import { listOf, memberOf, textAt, type Json } from '#streams/cloud/kubernetes/api/json-access.ts'

/** The object; undefined if it does not exist. */
export async function objectOfChild(api: KubernetesApi, child: Child): Promise<Json | undefined> {
  try {
    return await api.ask({
      permission: `get ${resourceName(child.listed)}`,
      path: pathOfChild(child),
      ...(child.listed.metadataOnly && { accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io' }),
    })
  } catch (error) {
    if (error instanceof Fault && error.code === 'not_found') return undefined
    throw error
  }
}

/** Attributes that depend on other objects are not included. */
export async function kubernetesLook(api: KubernetesApi, ref: ResourceRef): Promise<Look> {
  const child = childOf(ref)
  const object = await objectOfChild(api, child)
  return object === undefined ? { exists: false } : toLook(api, ref, child, object)
}

function toLook(api: KubernetesApi, { type }: ResourceRef, { listed: { kind } }: Child, object: Json): Look {
  const instanceType = kind === 'node' ? instanceTypeOf(object) : undefined
  const now = api.now()
  return {
    exists: true,
    status: statusOf(kind, object),
    ...(isCounted(type) && { capacity: capacityOf(replicasOf(object)) }),
    ...(instanceType !== undefined && { instanceType }),
    specs: specsOf(kind, object, { tally: new Tally(now), now }),
  }
}

/** A workload has no bounds of its own: 0 to the current number. */
const capacityOf = (desired: number): Capacity => ({ min: 0, max: desired, desired })

/** Our names of metrics that autoscalers use. */
const metrics: Readonly<Record<string, string>> = { cpu: 'cpu_request_percent', memory: 'memory_request_percent' }

/** The autoscalers of a workload, sorted by name, each with the first utilization that it targets. */
export async function kubernetesPolicies(api: KubernetesApi, ref: ResourceRef): Promise<NativePolicy[]> {
  const child = childOf(ref)
  const found: NativePolicy[] = []
  for await (const page of objectsOf(api, autoscalers, child.namespace))
    found.push(...page.filter((object) => isOf(object, child)).flatMap(policyOf))
  return found.toSorted((one, other) => (one.policyName < other.policyName ? -1 : 1))
}

const autoscalers = listedKinds.find(({ kind }) => kind === 'horizontalpodautoscaler')!

const isOf = (object: Json, { listed: { kind }, namespace, name }: Child): boolean =>
  namespaceOf(object) === namespace &&
  textAt(object, 'spec', 'scaleTargetRef', 'kind')?.toLowerCase() === kind &&
  textAt(object, 'spec', 'scaleTargetRef', 'name') === name

function policyOf(object: Json): NativePolicy[] {
  const policyName = nameOf(object)
  const watched = listOf(memberOf(object, 'spec', 'metrics')).flatMap(
    (metric) => textAt(metric, 'resource', 'name') ?? [],
  )
  const first = watched.find((one) => targetPercent(object, one) !== undefined)
  if (policyName === undefined || first === undefined) return []
  const target = targetPercent(object, first)!
  return [{ policyName, metric: metrics[first] ?? first, target, managedBy: 'customer' }]
}
