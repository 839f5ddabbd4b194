/** Metrics of workloads that rules read: usage relative to requests, if all pods of the workload report both. */
import type { Static } from '#engine/value/schema.ts'
import { uidOf } from '#streams/cloud/kubernetes/object/kind.ts'
import type { KubernetesUsage, UsedPod } from '#streams/kubernetes/messages.ts'
import type { metricSample } from '#streams/metric/messages.ts'

type Samples = Static<typeof metricSample.schema>
type Sample = Samples['samples'][number]

const kinds: ReadonlySet<string> = new Set(['deployment', 'statefulset', 'daemonset'])

/** One for each workload in the message, at the start of its interval. */
export function* workloadSamples({ clusterUid, from, seconds, pods = [] }: KubernetesUsage): Generator<Samples> {
  const owned = pods.filter(
    ({ controllerKind = '', controllerName }) => controllerName && kinds.has(controllerKind.toLowerCase()),
  )
  const keyOf = ({ namespace, controllerKind = '', controllerName = '' }: UsedPod) =>
    uidOf(clusterUid, controllerKind.toLowerCase(), namespace, controllerName)
  const ts = new Date(from).toISOString()
  for (const [resourceUid, own] of Map.groupBy(owned, keyOf)) {
    const weights = own.map((pod) => pod.seconds ?? seconds)
    const sum = (of: (pod: UsedPod) => number | undefined): number | undefined =>
      own.every((pod) => of(pod) !== undefined)
        ? own.reduce((total, pod, at) => total + of(pod)! * weights[at]!, 0)
        : undefined
    const cpuUsed = sum((pod) => pod.cpuUsed)
    const samples = [
      ...share(
        'cpu_request_percent',
        cpuUsed,
        sum((pod) => pod.cpuRequest),
        ts,
      ),
      ...share(
        'memory_request_percent',
        sum((pod) => pod.memoryUsed),
        sum((pod) => pod.memoryRequest),
        ts,
      ),
      ...(cpuUsed === undefined
        ? []
        : [{ metric: 'cpu_cores_used' as const, value: roundTo(cpuUsed / seconds, 9), ts }]),
    ]
    if (samples.length > 0) yield { resourceUid, samples }
  }
}

const roundTo = (value: number, places: number): number => Number(value.toFixed(places))

function share(
  metric: 'cpu_request_percent' | 'memory_request_percent',
  used: number | undefined,
  requested: number | undefined,
  ts: string,
): Sample[] {
  if (used === undefined || !requested) return []
  return [{ metric, value: roundTo((100 * used) / requested, 4), ts }]
}
