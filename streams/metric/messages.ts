/** Metrics that rules read: their names, units and meaning, and the messages of samples. */
import { t } from '#engine/value/schema.ts'
import { subject } from '#engine/actor/subject.ts'
import { text } from '#streams/text.ts'

export interface MetricMeaning {
  /** Percent is 0 to 100, ratios and flags are 0 to 1; bytes, counts and similar sums are per sample interval. */
  readonly unit: string
  /** A gauge is a level, averaged over time; a delta is an amount in the sample's interval, summed. */
  readonly shape: 'gauge' | 'delta'
  /** What a missing sample means: nothing happened, or the value is unknown. */
  readonly absent: 'zero' | 'unknown'
}

const gauge = (unit: string): MetricMeaning => ({ unit, shape: 'gauge', absent: 'unknown' })
const total = (unit: string): MetricMeaning => ({ unit, shape: 'delta', absent: 'unknown' })
/** Clouds send a sample only when something happens. */
const eventCount = (unit: string): MetricMeaning => ({ unit, shape: 'delta', absent: 'zero' })

/** The names that rules read. */
export const metricMeanings = {
  active_instances: gauge('count'),
  active_nodes: gauge('count'),
  acu: gauge('acu'),
  acu_percent: gauge('percent'),
  blob_hot_gb: gauge('gb'),
  bucket_standard_gb: gauge('gb'),
  cache_hits: eventCount('count'),
  cache_misses: eventCount('count'),
  cache_percent: gauge('percent'),
  capacity: gauge('count'),
  capacity_units: gauge('units'),
  cluster_cpu_percent: gauge('percent'),
  connections: gauge('count'),
  connections_new: eventCount('count'),
  consumed_rcu: eventCount('rcu'),
  consumed_wcu: eventCount('wcu'),
  consumer_lag_ms: gauge('ms'),
  container_cpu_percent: gauge('percent'),
  cpu_cores_used: gauge('cores'),
  cpu_percent: gauge('percent'),
  cpu_request_percent: gauge('percent'),
  cpu_reserved_percent: gauge('percent'),
  cpu_throttled_percent: gauge('percent'),
  dtu_percent: gauge('percent'),
  duration_ms: gauge('ms'),
  empty_receives: eventCount('count'),
  errors: eventCount('count'),
  fleet_use_percent: gauge('percent'),
  gateway_requests: eventCount('count'),
  gpu_percent: gauge('percent'),
  hpa_cpu_percent: gauge('percent'),
  index_requests: eventCount('count'),
  instances: gauge('count'),
  io_ops: eventCount('count'),
  io_percent: gauge('percent'),
  iops: gauge('iops'),
  is_idle: gauge('flag'),
  jvm_memory_percent: gauge('percent'),
  log_ingest_gb: eventCount('gb'),
  log_low_severity_share: gauge('ratio'),
  memory_percent: gauge('percent'),
  memory_request_percent: gauge('percent'),
  memory_reserved_percent: gauge('percent'),
  messages_received: eventCount('count'),
  network_bytes: eventCount('bytes'),
  network_bytes_in: total('bytes'),
  network_bytes_out: total('bytes'),
  oldest_unacked_hours: gauge('hours'),
  oom_kills: eventCount('count'),
  packets: eventCount('count'),
  pipelines_run: eventCount('count'),
  pool_idle: gauge('count'),
  provisioned_use_percent: gauge('percent'),
  ptu_percent: gauge('percent'),
  queries: eventCount('count'),
  read_requests: eventCount('count'),
  records_in: eventCount('count'),
  records_out: eventCount('count'),
  replicas: gauge('count'),
  requests: eventCount('count'),
  reservation_used: gauge('count'),
  ru_percent: gauge('percent'),
  running_clusters: gauge('count'),
  scale_events: eventCount('count'),
  scale_reversals: eventCount('count'),
  search_requests: eventCount('count'),
  sessions: gauge('count'),
  slots_used: gauge('slots'),
  storage_used_percent: gauge('percent'),
  su_percent: gauge('percent'),
  surplus_credits_charged: eventCount('credits'),
  tasks_executed: eventCount('count'),
  throughput_mibps: gauge('mibps'),
  user_connected: gauge('flag'),
  volume_io_ops: total('count'),
  yarn_apps: gauge('count'),
  yarn_memory_free_percent: gauge('percent'),
} as const satisfies Record<string, MetricMeaning>
export type RuleMetric = keyof typeof metricMeanings
export const ruleMetrics = Object.keys(metricMeanings) as RuleMetric[]

/**
 * Names from before rules read metrics: samples are still accepted and stored under them, and reports and exports show
 * them.
 */
export const olderMetrics = [
  'disk_percent',
  'network_in_bytes',
  'network_out_bytes',
  'request_count',
  'instance_count',
] as const
export type OlderMetric = (typeof olderMetrics)[number]

const olderMeanings: Readonly<Record<OlderMetric, MetricMeaning>> = {
  disk_percent: gauge('percent'),
  network_in_bytes: total('bytes'),
  network_out_bytes: total('bytes'),
  request_count: eventCount('count'),
  instance_count: gauge('count'),
}

export const meaningOf = (metric: Metric): MetricMeaning =>
  metric in metricMeanings ? metricMeanings[metric as RuleMetric] : olderMeanings[metric as OlderMetric]

export const metricNames = [...ruleMetrics, ...olderMetrics] as readonly (RuleMetric | OlderMetric)[]
export type Metric = RuleMetric | OlderMetric

const valueRange = { minimum: -1e15, maximum: 1e15 }

const Samples = t.Array(
  t.Object({
    metric: t.Enum(metricNames),
    value: t.Number({
      ...valueRange,
      description: 'for a gauge, the average over the interval; otherwise the total of the interval',
    }),
    max: t.Optional(t.Number({ ...valueRange, description: 'maximum in the interval; default: value' })),
    sum: t.Optional(t.Number({ ...valueRange, description: 'total of the interval; default: value' })),
    ts: t.String({ format: 'date-time', description: 'ISO 8601 with a zone, 1970 to 2100' }),
  }),
  { minItems: 1, maxItems: 5000 },
)

/**
 * Utilization samples of one resource, with the names and units of `metricMeanings`. A sample is identified by
 * (resource, metric, ts): sent again it replaces itself.
 */
export const metricSample = subject({
  name: 'metric.sample',
  kind: 'metric',
  summary: '1 to 5,000 utilization samples of one resource. The subject contains the cloud account.',
  schema: t.Object({
    resourceUid: text({ minLength: 1, maxLength: 1024 }),
    samples: Samples,
  }),
  examples: [
    {
      resourceUid: 'i-0a1b2c3d4e5f60718',
      samples: [
        { metric: 'cpu_percent', value: 12.5, ts: '2026-01-15T10:00:00Z' },
        { metric: 'memory_percent', value: 40, ts: '2026-01-15T10:00:00Z' },
      ],
    },
  ],
})

/**
 * The samples between two times were fetched from an account's cloud and precede this message; `fetched` are the
 * metrics received, by resource type.
 */
export const metricCollected = subject({
  name: 'metric.collected',
  kind: 'actor',
  place: (data: { cloudAccountId: string }) => data.cloudAccountId,
  summary: 'The metrics of an account were fetched from its cloud up to a time.',
  schema: t.Object({
    cloudAccountId: text({ minLength: 1, maxLength: 1024 }),
    from: t.String({ format: 'date-time' }),
    through: t.String({ format: 'date-time' }),
    fetched: t.Record(t.String(), t.Array(t.String())),
    /** When the list of resources was read: for resources found later, nothing was fetched. */
    askedAt: t.Optional(t.String({ format: 'date-time' })),
  }),
  examples: [
    {
      cloudAccountId: 'acct-1',
      from: '2026-01-15T09:00:00.000Z',
      through: '2026-01-15T10:00:00.000Z',
      fetched: { 'aws-ec2': ['cpu_percent'] },
    },
  ],
})

/** Samples of a workload computed from the requests and usage of its pods. */
export const metricDerived = subject({
  name: 'metric.derived',
  kind: 'actor',
  place: (data: { cloudAccountId: string }) => data.cloudAccountId,
  summary: 'Utilization samples of a workload, computed from the requests and usage of its pods.',
  schema: t.Object({
    cloudAccountId: text({ minLength: 1, maxLength: 1024 }),
    resourceUid: text({ minLength: 1 }),
    samples: Samples,
  }),
  examples: [
    {
      cloudAccountId: 'acct-1',
      resourceUid: 'shop-eu/orders/deployment/api',
      samples: [{ metric: 'cpu_request_percent', value: 40, ts: '2026-01-15T10:00:00.000Z' }],
    },
  ],
})

export const metricMessages = [metricSample, metricCollected, metricDerived]
