/** What resources are measured by: names, units, and what it means where nothing was measured. */
import { isCounted, kubernetesKind } from '#streams/cloud/resource-type.ts'

export interface MetricMeaning {
  /** Percent is 0 to 100, a ratio and a flag 0 to 1; bytes, counts and their like are of the sample's interval where they add up. */
  readonly unit: string
  /** A gauge is a level, averaged over time; a delta what came about in the sample's interval, summed. */
  readonly shape: 'gauge' | 'delta'
  /** What it means that a cloud sends no sample for a while: nothing came about, or nobody knows. */
  readonly absent: 'zero' | 'unknown'
}

const gauge = (unit: string): MetricMeaning => ({ unit, shape: 'gauge', absent: 'unknown' })
const total = (unit: string): MetricMeaning => ({ unit, shape: 'delta', absent: 'unknown' })
/** Clouds send a sample only when something happens. */
const happened = (unit: string): MetricMeaning => ({ unit, shape: 'delta', absent: 'zero' })

/** The names that rules read. */
export const metricMeanings = {
  active_instances: gauge('count'),
  active_nodes: gauge('count'),
  acu: gauge('acu'),
  acu_percent: gauge('percent'),
  blob_hot_gb: gauge('gb'),
  bucket_standard_gb: gauge('gb'),
  cache_hits: happened('count'),
  cache_misses: happened('count'),
  cache_percent: gauge('percent'),
  capacity: gauge('count'),
  capacity_units: gauge('units'),
  cluster_cpu_percent: gauge('percent'),
  connections: gauge('count'),
  connections_new: happened('count'),
  consumed_rcu: happened('rcu'),
  consumed_wcu: happened('wcu'),
  consumer_lag_ms: gauge('ms'),
  container_cpu_percent: gauge('percent'),
  cpu_cores_used: gauge('cores'),
  cpu_percent: gauge('percent'),
  cpu_request_percent: gauge('percent'),
  cpu_reserved_percent: gauge('percent'),
  cpu_throttled_percent: gauge('percent'),
  dtu_percent: gauge('percent'),
  duration_ms: gauge('ms'),
  empty_receives: happened('count'),
  errors: happened('count'),
  fleet_use_percent: gauge('percent'),
  gateway_requests: happened('count'),
  gpu_percent: gauge('percent'),
  hpa_cpu_percent: gauge('percent'),
  index_requests: happened('count'),
  instances: gauge('count'),
  io_ops: happened('count'),
  io_percent: gauge('percent'),
  iops: gauge('iops'),
  is_idle: gauge('flag'),
  jvm_memory_percent: gauge('percent'),
  log_ingest_gb: happened('gb'),
  log_low_severity_share: gauge('ratio'),
  memory_percent: gauge('percent'),
  memory_request_percent: gauge('percent'),
  memory_reserved_percent: gauge('percent'),
  messages_received: happened('count'),
  network_bytes: happened('bytes'),
  network_bytes_in: total('bytes'),
  network_bytes_out: total('bytes'),
  oldest_unacked_hours: gauge('hours'),
  oom_kills: happened('count'),
  packets: happened('count'),
  pipelines_run: happened('count'),
  pool_idle: gauge('count'),
  provisioned_use_percent: gauge('percent'),
  ptu_percent: gauge('percent'),
  queries: happened('count'),
  read_requests: happened('count'),
  records_in: happened('count'),
  records_out: happened('count'),
  replicas: gauge('count'),
  requests: happened('count'),
  reservation_used: gauge('count'),
  ru_percent: gauge('percent'),
  running_clusters: gauge('count'),
  scale_events: happened('count'),
  scale_reversals: happened('count'),
  search_requests: happened('count'),
  sessions: gauge('count'),
  slots_used: gauge('slots'),
  storage_used_percent: gauge('percent'),
  su_percent: gauge('percent'),
  surplus_credits_charged: happened('credits'),
  tasks_executed: happened('count'),
  throughput_mibps: gauge('mibps'),
  user_connected: gauge('flag'),
  volume_io_ops: total('count'),
  yarn_apps: gauge('count'),
  yarn_memory_free_percent: gauge('percent'),
} as const satisfies Record<string, MetricMeaning>
export type RuleMetric = keyof typeof metricMeanings
export const ruleMetrics = Object.keys(metricMeanings) as RuleMetric[]

/** Names from before rules read metrics: samples are taken and kept under them, reports and exports show them. */
export const olderMetrics = [
  'disk_percent',
  'network_in_bytes',
  'network_out_bytes',
  'request_count',
  'instance_count',
] as const
export type OlderMetric = (typeof olderMetrics)[number]

export const metricNames = [...ruleMetrics, ...olderMetrics] as readonly (RuleMetric | OlderMetric)[]
export type Metric = RuleMetric | OlderMetric

/** Machines have disks of their own kind, whose use theirs is not. */
const machine =
  /-(ec2|vm|asg|mig|vmss|eks-nodegroup|gke-nodepool|aks-nodepool|node|sql-vm|lightsail|workspace|workbench)$/

/** The name by which rules for resources of the type read an older one; undefined where they read nothing like it. */
function renamed(name: OlderMetric, type: string): RuleMetric | undefined {
  switch (name) {
    case 'network_in_bytes':
      return 'network_bytes_in'
    case 'network_out_bytes':
      return 'network_bytes_out'
    case 'request_count':
      return 'requests'
    case 'disk_percent':
      return machine.test(type) ? undefined : 'storage_used_percent'
    case 'instance_count':
      return unitsOf(type)
    default:
      return name satisfies never
  }
}

function unitsOf(type: string): RuleMetric {
  if (kubernetesKind(type) !== undefined) return 'replicas'
  return isCounted(type) ? 'capacity' : 'instances'
}

/** The older name whose samples answer, for resources of the type, a metric that rules read; undefined where there is none. */
export const olderNameOf = (metric: RuleMetric, type: string): OlderMetric | undefined =>
  olderMetrics.find((name) => renamed(name, type) === metric)
