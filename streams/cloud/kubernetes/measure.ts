/** What nodes, pods and workloads use now, by metrics.k8s.io, which keeps no history. */
import { Fault } from '#engine/fault.ts'
import { isCredentialsRefused, type MetricSamples, type ResourceRef } from '#streams/cloud/connector.ts'
import { kubernetesKind } from '#streams/cloud/resource-type.ts'
import type { Metric } from '#streams/metric.ts'
import type { KubernetesApi } from './api.ts'
import { objectsOf } from './children.ts'
import { isClosed } from './fault.ts'
import { childOf, listed, type Child, type Cluster, type Listed } from './kind.ts'
import { nameOf, namespaceOf, ownerOf, timeAt } from './object.ts'
import { quantityOf } from './quantity.ts'
import { UsageBook, type Usage } from './usage.ts'
import { countAt, listOf, memberOf, textAt, type Json } from './wire.ts'

/** Half-open; only what is told now lies in it or not. */
export interface Window {
  from: Date
  to: Date
}

/** Older than that is history, which is not ours to tell. Milliseconds. */
const nowMs = 15 * 60_000

const measured = (kind: string, plural: string, namespaced: boolean): Listed => ({
  kind,
  group: 'metrics.k8s.io',
  version: 'v1beta1',
  plural,
  namespaced,
})
const podMetrics = measured('podmetrics', 'pods', true)
const nodeMetrics = measured('nodemetrics', 'nodes', false)

const listOfKind = (kind: string): Listed => listed.find((one) => one.kind === kind)!

interface Sampled {
  ref: ResourceRef
  child: Child
}

interface Scope extends Window {
  api: KubernetesApi
  now: number
}

/**
 * At most one moment of each resource; nothing of a cluster that cannot be reached, that measures nothing, or does not let us see it.
 * @throws what the credentials of the account were refused with, and faults of ours
 */
export async function* kubernetesSamples(
  api: KubernetesApi,
  cluster: Cluster,
  resources: readonly ResourceRef[],
  window: Window,
): AsyncGenerator<MetricSamples> {
  const now = api.now().getTime()
  if (window.to.getTime() < now - nowMs || window.from.getTime() > now) return
  const ours = resources
    .filter(({ type }) => kubernetesKind(type) !== undefined)
    .map((ref) => ({ ref, child: childOf(ref) }))
    .filter(({ child }) => child.clusterUid === cluster.uid)
  const scope = { api, now, ...window }
  for (const { kinds, samples } of sources) {
    const asked = ours.filter(({ child }) => kinds.includes(child.listed.kind))
    if (asked.length > 0) yield* silent(samples(scope, asked))
  }
}

/** Ends where the cluster tells no more. */
async function* silent(samples: AsyncIterable<MetricSamples>): AsyncGenerator<MetricSamples> {
  try {
    yield* samples
  } catch (error) {
    if (!(error instanceof Fault) || isCredentialsRefused(error) || !isSilent(error)) throw error
  }
}

const isSilent = (fault: Fault): boolean =>
  isClosed(fault) || fault.code === 'not_found' || fault.code === 'permission_missing'

type Source = (scope: Scope, asked: readonly Sampled[]) => AsyncGenerator<MetricSamples>

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
    yield* sampled(scope, byName.get(name), at, { cpu_percent: share('cpu'), memory_percent: share('memory') })
  }
}

const ofPods: Source = async function* (scope, asked) {
  const book = await bookOf(scope)
  for (const one of asked) {
    const { listed: of, namespace, name } = one.child
    const usage = book.of(namespace, of.kind, name)
    if (usage) yield* sampled(scope, one, usage.at, metricsOf(of.kind, usage))
  }
}

async function bookOf(scope: Scope): Promise<UsageBook> {
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

async function* all({ api }: Scope, kind: Listed): AsyncGenerator<Json> {
  for await (const page of objectsOf(api, kind)) yield* page
}

type Values = Partial<Record<Metric, number | undefined>>

function metricsOf(kind: string, { used, requested, most, pods }: Usage): Values {
  const shares = {
    cpu_request_percent: percentOf(used.cpu, requested.cpu),
    memory_request_percent: percentOf(used.memory, requested.memory),
  }
  const own = { cpu_percent: percentOf(used.cpu, most.cpu), memory_percent: percentOf(used.memory, most.memory) }
  if (kind === 'pod') return own
  if (kind === 'daemonset') return shares
  return { ...own, ...shares, cpu_cores_used: Number(used.cpu.toFixed(9)), instance_count: pods }
}

/** To the fourth place; undefined of what is not known, and of nothing. */
function percentOf(part: number | undefined, whole: number | undefined): number | undefined {
  if (part === undefined || whole === undefined || whole <= 0) return undefined
  return Number(((part / whole) * 100).toFixed(4))
}

/** What an autoscaler itself says. */
const ofAutoscalers: Source = async function* (scope, asked) {
  const byKey = new Map(asked.map((one) => [`${one.child.namespace}/${one.child.name}`, one]))
  for await (const object of all(scope, listOfKind('horizontalpodautoscaler'))) {
    const cpu = listOf(memberOf(object, 'status', 'currentMetrics')).find(
      (one) => textAt(one, 'resource', 'name') === 'cpu',
    )
    yield* sampled(scope, byKey.get(`${namespaceOf(object)}/${nameOf(object)}`), scope.now, {
      hpa_cpu_percent: countAt(cpu, 'resource', 'current', 'averageUtilization'),
      replicas: countAt(object, 'status', 'currentReplicas'),
    })
  }
}

const sources: readonly { kinds: readonly string[]; samples: Source }[] = [
  { kinds: ['node'], samples: ofNodes },
  { kinds: ['pod', 'deployment', 'statefulset', 'daemonset'], samples: ofPods },
  { kinds: ['horizontalpodautoscaler'], samples: ofAutoscalers },
]

/** What is measured at the very end of the window belongs to it: the end is now. */
function* sampled(
  { from, to }: Scope,
  one: Sampled | undefined,
  measuredAt: number,
  values: Values,
): Generator<MetricSamples> {
  const at = Math.min(measuredAt, to.getTime() - 1)
  if (!one || at < from.getTime()) return
  const ts = new Date(at).toISOString()
  const samples = Object.entries(values).flatMap(([metric, value]) =>
    value === undefined ? [] : [{ metric: metric as Metric, value, ts }],
  )
  if (samples.length > 0) yield { resourceUid: one.ref.resourceUid, samples }
}
