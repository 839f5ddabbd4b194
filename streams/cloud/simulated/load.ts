import type { OlderMetric } from '#streams/metric.ts'
import { kubernetesKind } from '#streams/cloud/resource-type.ts'
import { dayMs, isWeekend } from '#engine/day.ts'
import { between } from '#streams/cloud/simulated/prng.ts'
import type { Load, SimResource } from '#streams/cloud/simulated/resource.ts'

/** What the simulated cloud measures. */
type Metric = OlderMetric | 'cpu_percent' | 'memory_percent'

const machine: readonly Metric[] = [
  'cpu_percent',
  'memory_percent',
  'disk_percent',
  'network_in_bytes',
  'network_out_bytes',
]
const fleet: readonly Metric[] = [
  'cpu_percent',
  'memory_percent',
  'network_in_bytes',
  'network_out_bytes',
  'instance_count',
]
const front: readonly Metric[] = ['request_count', 'network_in_bytes', 'network_out_bytes']

const measured: readonly (readonly [RegExp, readonly Metric[]])[] = [
  [/-(ec2|vm|rds|cloudsql|postgres|mysql|redis|elasticache|memorystore)$/, machine],
  [/-(asg|mig|vmss|nodegroup|nodepool|databricks-cluster|redshift|dataflow-job)$/, fleet],
  [/-(alb|forwarding-rule|load-balancer|cloudfront|web-app)$/, front],
  [/-(lambda|sqs-queue|s3-bucket|gcs-bucket|storage-account|pubsub-subscription)$/, ['request_count']],
  [/-sql-database$/, ['cpu_percent', 'disk_percent']],
]

const measuredKinds: Readonly<Record<string, readonly Metric[]>> = {
  deployment: ['cpu_percent', 'memory_percent', 'instance_count'],
  statefulset: ['cpu_percent', 'memory_percent', 'instance_count'],
  node: ['cpu_percent', 'memory_percent', 'disk_percent'],
  pod: ['cpu_percent', 'memory_percent'],
}

/** What is measured of a type; nothing for what has no utilization. */
export function metricsOf(type: string): readonly Metric[] {
  const kind = kubernetesKind(type)
  if (kind !== undefined) return measuredKinds[kind] ?? []
  return measured.find(([name]) => name.test(type))?.[1] ?? []
}

/** How busy a resource is by its own rhythm, 0 to 1, without noise. Everyone who uses the simulated cloud lives by UTC. */
function rhythm(load: Load, at: number): number {
  const hour = (at / 3_600_000) % 24
  const weekend = isWeekend(at)
  const daylight = Math.max(0, Math.sin(((hour - 7) / 14) * Math.PI)) * Number(hour >= 7 && hour <= 21)
  switch (load) {
    case 'web':
      return 0.15 + 0.6 * daylight * (weekend ? 0.55 : 1)
    case 'office':
      return weekend ? 0.012 : 0.015 + 0.55 * daylight * Number(hour >= 8 && hour <= 19)
    case 'batch':
      return 0.04 + 0.8 * Number(hour < 6)
    case 'database':
      return 0.38 + 0.1 * daylight
    case 'steady':
      return 0.28
    case 'light':
      return 0.05 + 0.02 * daylight
    case 'idle':
      return 0.015
    default:
      return load satisfies never
  }
}

/** A sample's place: when it ends nobody asks, only when it begins and how long it is. */
export interface Slot {
  /** Milliseconds since 1970. */
  at: number
  stepSeconds: number
}

/** The value of one metric in one slot: always the same for the same seed. `units` that run count for the totals. */
export function valueAt(
  seed: string,
  resource: SimResource,
  metric: Metric,
  { at, stepSeconds }: Slot,
  units: number,
): number {
  if (metric === 'instance_count') return units
  const { uid, load } = resource
  const own = between(0.8, 1.2, seed, uid, metric)
  const busy = rhythm(load, at) * own * between(0.88, 1.12, seed, uid, metric, at)
  const anHour = stepSeconds / 3600
  switch (metric) {
    case 'cpu_percent':
      return percent(100 * busy)
    case 'memory_percent':
      return percent((load === 'idle' ? 9 : 22 + 20 * own) + 45 * busy)
    case 'disk_percent':
      return percent(35 * own + 20 * ((at / dayMs / 90) % 1))
    case 'request_count':
      return Math.round(requestsAnHour(resource) * busy * anHour)
    case 'network_in_bytes':
      return Math.round(1.5e9 * busy * units * anHour)
    case 'network_out_bytes':
      return Math.round(2.6e9 * busy * units * anHour)
    default:
      return metric satisfies never
  }
}

/** Requests in the hour in which the resource is fully busy. */
const requestsAnHour = ({ usage, type }: SimResource): number =>
  /-(alb|forwarding-rule|load-balancer|cloudfront|web-app)$/.test(type) ? 240_000 : Math.max(usage / 12, 1000)

const percent = (value: number): number => Math.round(Math.min(100, Math.max(0, value)) * 100) / 100
