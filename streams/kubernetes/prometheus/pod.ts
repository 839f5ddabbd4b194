/** Pods: when and where they ran, their requests, and the usage of their containers. */
import type { UsedPod } from '#streams/kubernetes/messages.ts'
import { controllersIn, type ControllerOf } from './controller.ts'
import { byLabels, labelIn, newest, type HourBook } from './hour-series.ts'
import type { Matcher, PrometheusSeries } from './series.ts'
import {
  common,
  increaseIn,
  integralIn,
  latestOf,
  secondsOf,
  spansOf,
  together,
  union,
  type TimeSpan,
} from './time-span.ts'

const resources = 'cpu|memory|nvidia_com_gpu'
const labelsMax = 100
/** Limits of messages. */
const coresMax = 4000
const bytesMax = 1e16

type ByPod = ReadonlyMap<string, readonly PrometheusSeries[]>

interface PodSeries {
  book: HourBook
  controllerOf: ControllerOf
  /** Series with the running phase; undefined if there are none for any pod. */
  phases: ByPod | undefined
  labels: ByPod
  requests: ByPod
  cpu: ByPod
  memory: ByPod
}

/** Only containers; excludes the pause container and the pod's total. */
const containers: readonly Matcher[] = [
  { label: 'container', operator: '!=', value: '' },
  { label: 'container', operator: '!=', value: 'POD' },
]

/** Pods that ran on a node. A pod that moved is listed for both nodes. */
export async function podsIn(book: HourBook): Promise<UsedPod[]> {
  const infos = await book.all('kube_pod_info')
  const of = async (name: string, matchers: readonly Matcher[] = []) =>
    byLabels(await book.all(name, matchers), 'namespace', 'pod')
  const phases = await of('kube_pod_status_phase', [{ label: 'phase', operator: '=', value: 'Running' }])
  const known: PodSeries = {
    book,
    controllerOf: await controllersIn(book, infos),
    phases: phases.size === 0 ? undefined : phases,
    labels: await of('kube_pod_labels'),
    requests: await of('kube_pod_container_resource_requests', [
      { label: 'resource', operator: '=~', value: resources },
    ]),
    cpu: await of('container_cpu_usage_seconds_total', containers),
    memory: await of('container_memory_working_set_bytes', containers),
  }
  return [...byLabels(infos, 'namespace', 'pod')].flatMap(([key, own]) => podOf(known, key, own))
}

function podOf(known: PodSeries, key: string, infos: readonly PrometheusSeries[]): UsedPod[] {
  const { hour } = known.book
  const ran = ranIn(known, key)
  const all = secondsOf(ran)
  if (all === 0) return []
  const used = usedIn(known, key, all)
  return [...byLabels(infos, 'node')].flatMap(([node, here]) => {
    const seconds = Math.round(secondsOf(common(ran, spansOf(together(here), hour))))
    if (seconds === 0) return []
    const info = newest(here)
    return [
      {
        namespace: labelIn(info, 'namespace'),
        name: labelIn(info, 'pod'),
        node,
        ...known.controllerOf(info),
        ...labelsOf(known.labels.get(key)),
        ...(seconds < 3600 && { seconds }),
        ...requestedIn(known.requests.get(key)),
        ...used,
      },
    ]
  })
}

/** Times when the pod ran. Without phases: when its containers were measured. */
function ranIn({ book: { hour }, phases, cpu, memory }: PodSeries, key: string): TimeSpan[] {
  if (phases) return spansOf(together(phases.get(key) ?? []), hour, (value) => value === 1)
  return union([...(cpu.get(key) ?? []), ...(memory.get(key) ?? [])].flatMap((one) => spansOf(one, hour)))
}

/** Mean usage over the pod's running time; left out if nothing was measured. */
function usedIn({ book: { hour }, cpu, memory }: PodSeries, key: string, seconds: number) {
  const sum = (all: readonly PrometheusSeries[], of: (one: PrometheusSeries) => number) =>
    containersIn(all).reduce((total, one) => total + of(one), 0) / seconds
  const isMeasured = (all: readonly PrometheusSeries[] | undefined): all is readonly PrometheusSeries[] =>
    all?.some((one) => spansOf(one, hour).length > 0) ?? false
  const [ofCpu, ofMemory] = [cpu.get(key), memory.get(key)]
  return {
    ...(isMeasured(ofCpu) && {
      cpuUsed: Math.min(
        coresMax,
        sum(ofCpu, (one) => increaseIn(one, hour)),
      ),
    }),
    ...(isMeasured(ofMemory) && {
      memoryUsed: Math.min(
        bytesMax,
        sum(ofMemory, (one) => integralIn(one, hour)),
      ),
    }),
  }
}

/**
 * If two replicas of Prometheus measured the same container, the series with more samples is used: their counters must
 * not be mixed.
 */
function containersIn(all: readonly PrometheusSeries[]): PrometheusSeries[] {
  const found = new Map<string, PrometheusSeries>()
  for (const one of all) {
    const key = ['container', 'id', 'name', 'cpu'].map((label) => labelIn(one, label)).join('\n')
    const other = found.get(key)
    if (other === undefined || other.times.length < one.times.length) found.set(key, one)
  }
  return [...found.values()]
}

/** Sum over all containers, from the newest samples. */
function requestedIn(all: readonly PrometheusSeries[] = []): Pick<UsedPod, 'cpuRequest' | 'memoryRequest' | 'gpus'> {
  const of = (resource: string): number | undefined => {
    const own = byLabels(
      all.filter((one) => labelIn(one, 'resource') === resource),
      'container',
    )
    return own.size === 0 ? undefined : [...own.values()].reduce((sum, some) => sum + (latestOf(newest(some)) ?? 0), 0)
  }
  const [cpu, memory, gpus] = [of('cpu'), of('memory'), of('nvidia_com_gpu')]
  return {
    ...(cpu !== undefined && { cpuRequest: Number(cpu.toFixed(9)) }),
    ...(memory !== undefined && { memoryRequest: memory }),
    ...(gpus !== undefined && gpus > 0 && { gpus }),
  }
}

const prefix = 'label_'

/** In the form of kube-state-metrics: characters other than letters and digits become _. */
function labelsOf(all: readonly PrometheusSeries[] | undefined): Pick<UsedPod, 'labels'> {
  const found = Object.entries(newest(all).labels)
    .filter(([name, value]) => name.startsWith(prefix) && value !== '')
    .map(([name, value]) => [name.slice(prefix.length, prefix.length + 512), value.slice(0, 1024)] as const)
  return found.length === 0 ? {} : { labels: Object.fromEntries(found.slice(0, labelsMax)) }
}
