/** Current usage of nodes, pods and workloads from metrics.k8s.io, which keeps no history. */
import type { MetricSamples, ResourceRef } from '#streams/cloud/connector.ts'
import { kubernetesKind } from '#streams/cloud/resource/resource-type.ts'
import type { KubernetesApi } from '#streams/cloud/kubernetes/api/api.ts'
import { childOf, type Child, type Cluster, type ListedKind } from '#streams/cloud/kubernetes/object/kind.ts'
import { nameOf, namespaceOf, ownerOf, timeAt } from '#streams/cloud/kubernetes/object/object.ts'
import { quantityOf } from '#streams/cloud/kubernetes/pod/quantity.ts'
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
} from './sample.ts'
import { UsageBook, type Usage } from './usage.ts'
import { countAt, listOf, memberOf, textAt, type Json } from '#streams/cloud/kubernetes/api/json-access.ts'

const metricsKind = (kind: string, plural: string, namespaced: boolean): ListedKind => ({
  kind,
  group: 'metrics.k8s.io',
  version: 'v1beta1',
  plural,
  namespaced,
})
export const podMetrics = metricsKind('podmetrics', 'pods', true)
const nodeMetrics = metricsKind('nodemetrics', 'nodes', false)

interface SampledResource {
  ref: ResourceRef
  child: Child
}

/**
 * At most one value per resource and metric. Nothing for a cluster that cannot be reached, has no metrics, or does not
 * grant access.
 * @throws refused credentials of the account, and internal faults
 */
export async function* kubernetesSamples(
  api: KubernetesApi,
  cluster: Cluster,
  resources: readonly ResourceRef[],
  window: Window,
): AsyncGenerator<MetricSamples> {
  const scope = scopeOf(api, window)
  if (!scope) return
  const ours = resources
    .filter(({ type }) => kubernetesKind(type) !== undefined)
    .map((ref) => ({ ref, child: childOf(ref) }))
    .filter(({ child }) => child.clusterUid === cluster.uid)
  for (const { kinds, samples } of sources) {
    const asked = ours.filter(({ child }) => kinds.includes(child.listed.kind))
    if (asked.length > 0) yield* silent(samples(scope, asked))
  }
}

type Source = (scope: SampleScope, asked: readonly SampledResource[]) => AsyncGenerator<MetricSamples>

const ofNodes: Source = async function* (scope, asked) {
  const allocatable = new Map<string, Json>()
  for await (const node of all(scope, listOfKind('node'))) allocatable.set(nameOf(node) ?? '', node)
  const byName = new Map(asked.map((one) => [one.child.name, one]))
  for await (const usage of all(scope, nodeMetrics)) {
    const name = nameOf(usage) ?? ''
    const share = (resource: string) =>
      percentOf(
        quantityOf(memberOf(usage, 'usage', resource)),
        quantityOf(memberOf(allocatable.get(name), 'status', 'allocatable', resource)),
      )
    const at = timeAt(usage, 'timestamp') ?? scope.now
    yield* toSamples(scope, byName.get(name)?.ref, at, metricsOfNode(share))
  }
}

const metricsOfNode = (share: (resource: string) => number | undefined): SampleValues => ({
  cpu_percent: share('cpu'),
  memory_percent: share('memory'),
})

const ofPods: Source = async function* (scope, asked) {
  const book = await bookOf(scope)
  for (const one of asked) {
    const { listed: of, namespace, name } = one.child
    const usage = book.of(namespace, of.kind, name)
    if (usage) yield* toSamples(scope, one.ref, usage.at, metricsOf(of.kind, usage))
  }
}

async function bookOf(scope: SampleScope): Promise<UsageBook> {
  const makers = new Map<string, string>()
  for await (const set of all(scope, { ...listOfKind('replicaset'), metadataOnly: true })) {
    const owner = ownerOf(set)
    if (owner !== undefined) makers.set(`${namespaceOf(set)}/replicaset/${nameOf(set)}`, owner)
  }
  const used = new Map<string, Json>()
  for await (const usage of all(scope, podMetrics)) used.set(`${namespaceOf(usage)}/${nameOf(usage)}`, usage)
  const book = new UsageBook(makers)
  for await (const pod of all(scope, listOfKind('pod'))) {
    const usage = used.get(`${namespaceOf(pod)}/${nameOf(pod)}`)
    if (usage) book.take(pod, usage, timeAt(usage, 'timestamp') ?? scope.now)
  }
  return book
}

function metricsOf(kind: string, { used, requested, most, pods }: Usage): SampleValues {
  const shares = {
    cpu_request_percent: percentOf(used.cpu, requested.cpu),
    memory_request_percent: percentOf(used.memory, requested.memory),
  }
  const own = { cpu_percent: percentOf(used.cpu, most.cpu), memory_percent: percentOf(used.memory, most.memory) }
  if (kind === 'pod') return own
  if (kind === 'daemonset') return shares
  return { ...own, ...shares, cpu_cores_used: Number(used.cpu.toFixed(9)), instance_count: pods }
}

/** Values that an autoscaler itself reports. */
const ofAutoscalers: Source = async function* (scope, asked) {
  const byKey = new Map(asked.map((one) => [`${one.child.namespace}/${one.child.name}`, one]))
  for await (const object of all(scope, listOfKind('horizontalpodautoscaler'))) {
    const cpu = listOf(memberOf(object, 'status', 'currentMetrics')).find(
      (one) => textAt(one, 'resource', 'name') === 'cpu',
    )
    const of = byKey.get(`${namespaceOf(object)}/${nameOf(object)}`)?.ref
    yield* toSamples(scope, of, scope.now, metricsOfAutoscaler(object, cpu))
  }
}

const metricsOfAutoscaler = (object: Json, cpu: Json | undefined): SampleValues => ({
  hpa_cpu_percent: countAt(cpu, 'resource', 'current', 'averageUtilization'),
  replicas: countAt(object, 'status', 'currentReplicas'),
})

const noRequests = { cpu: undefined, memory: undefined }
const nothing: Usage = { used: { cpu: 0, memory: 0 }, requested: noRequests, most: noRequests, pods: 0, at: 0 }
const sources: readonly { kinds: readonly string[]; samples: Source; values: (kind: string) => SampleValues }[] = [
  { kinds: ['node'], samples: ofNodes, values: () => metricsOfNode(() => undefined) },
  {
    kinds: ['pod', 'deployment', 'statefulset', 'daemonset'],
    samples: ofPods,
    values: (kind) => metricsOf(kind, nothing),
  },
  { kinds: ['horizontalpodautoscaler'], samples: ofAutoscalers, values: () => metricsOfAutoscaler({}, undefined) },
]

/** Names of the metrics that a cluster gives of objects of a kind. */
export const metricsOfKind = (kind: string): readonly string[] =>
  sources.filter(({ kinds }) => kinds.includes(kind)).flatMap(({ values }) => Object.keys(values(kind)))
