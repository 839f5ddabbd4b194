import { dayMs, dayOf } from '#engine/value/day.ts'
import { busyAt, shareOf, type Slot } from './load.ts'
import { gigabytesOn, type SimResource } from '#streams/cloud/simulated/world/resource.ts'
import type { World } from '#streams/cloud/simulated/world/world.ts'
import type { Metric } from '#streams/metric/messages.ts'

/** Values of a sample: `max` is the maximum within the slot, `sum` its total; left out if equal to `value`. */
export interface SampleValue {
  value: number
  max?: number
  sum?: number
}

/** One metric of one resource in one slot; `units` of the resource run. */
interface Moment extends Slot {
  world: World
  resource: SimResource
  metric: Metric
  units: number
  /** Load for this metric, 0 to 1. */
  busy: number
  own: number
  hours: number
}

type Formula = (moment: Moment) => number

/** Formula, peak as a multiple of the value, and upper limit. */
interface Shape {
  of: Formula
  peak?: number
  most?: number
  /** The value is the total of the slot. */
  total?: true
}

const percent = (of: Formula): Shape => ({ of: (moment) => hundredths(of(moment)), peak: 1.25, most: 100 })
const gauge = (of: Formula): Shape => ({ of: (moment) => hundredths(of(moment)) })
const peaking = (of: Formula): Shape => ({ of: (moment) => Math.round(of(moment)), peak: 1.4 })
const counter = (of: Formula): Shape => ({ of: (moment) => Math.round(of(moment)), total: true })

/** Without users, bytes are those of its own monitoring. */
const bytes = (perHour: number): Shape =>
  counter(({ resource: { load }, busy, own, units, hours }) =>
    load === 'idle' ? 60_000 * own * hours : perHour * busy * units * hours,
  )

const shapes: Readonly<Partial<Record<Metric, Shape>>> = {
  cpu_percent: percent(({ busy }) => 100 * busy),
  cluster_cpu_percent: percent(({ busy }) => 100 * busy),
  memory_percent: percent(({ resource: { load }, busy, own }) => memoryAtRest(load, own) + 45 * busy),
  disk_percent: { ...percent(({ own, at }) => 44 * own + 20 * ((at / dayMs / 90) % 1)), peak: 1 },
  storage_used_percent: { ...percent(({ own, at }) => 44 * own + 20 * ((at / dayMs / 90) % 1)), peak: 1 },
  network_in_bytes: bytes(1.5e9),
  network_out_bytes: bytes(2.6e9),
  network_bytes: bytes(4.1e9),
  request_count: counter((moment) => requestsAnHour(moment.resource) * moment.busy * moment.hours),
  read_requests: counter((moment) => 0.6 * requestsAnHour(moment.resource) * moment.busy * moment.hours),
  messages_received: counter((moment) => requestsAnHour(moment.resource) * moment.busy * moment.hours),
  empty_receives: counter(({ own, hours }) => 180 * own * hours),
  errors: counter((moment) => 0.002 * requestsAnHour(moment.resource) * moment.busy * moment.hours),
  duration_ms: { ...gauge(({ busy, own }) => 180 * own * (1 + busy)), peak: 3 },
  instance_count: gauge(({ units }) => units),
  replicas: gauge(({ busy }) => 2 + Math.round(5 * busy)),
  running_clusters: gauge(({ busy }) => 1 + Number(busy > 0.4)),
  pool_idle: gauge(({ units }) => units),
  connections: peaking(({ resource: { load }, busy }) => (load === 'idle' ? 0 : 4 + 120 * busy)),
  iops: { ...gauge(operationsASecond), peak: 1.6 },
  io_ops: counter((moment) => operationsASecond(moment) * moment.stepSeconds),
  io_percent: percent(({ busy }) => 25 + 60 * busy),
  cache_hits: counter(({ busy, hours }) => 2e6 * busy * hours),
  cache_misses: counter(({ busy, hours }) => 9e4 * busy * hours),
  consumed_rcu: counter(({ resource, busy, hours }) => 0.8 * requestsAnHour(resource) * busy * hours),
  consumed_wcu: counter(({ resource, busy, hours }) => 0.2 * requestsAnHour(resource) * busy * hours),
  surplus_credits_charged: counter(() => 0),
  scale_events: counter(({ resource: { load }, at }) => Number(load === 'web' && isTurn(at))),
  scale_reversals: counter(() => 0),
  queries: counter(({ busy, hours }) => 220 * busy * hours),
  records_in: counter(({ busy, hours }) => 3e6 * busy * hours),
  oldest_unacked_hours: gauge(({ own }) => 0.05 * own),
  log_ingest_gb: {
    of: ({ resource, busy, hours }) => hundredths((resource.usage / 12) * busy * hours),
    total: true,
  },
  bucket_standard_gb: gauge(toStoredGigabytes),
  blob_hot_gb: gauge(toStoredGigabytes),
  cpu_reserved_percent: percent(({ busy, own }) => 58 * own + 10 * busy),
  memory_reserved_percent: percent(({ busy, own }) => 58 * own + 10 * busy),
  cpu_cores_used: gauge(({ units, busy }) => units * (0.05 + 0.45 * busy)),
  cpu_request_percent: percent(({ busy }) => 45 + 45 * busy),
  memory_request_percent: percent(({ own }) => 72 * own),
  hpa_cpu_percent: percent(({ busy }) => 30 + 60 * busy),
  cpu_throttled_percent: percent(({ own }) => 2 * own),
  oom_kills: counter(() => 0),
}

/** Percent of memory in use without load. */
function memoryAtRest(load: SimResource['load'], own: number): number {
  if (load === 'idle') return 9
  return load === 'light' ? 10 + 12 * own : 22 + 20 * own
}

/** The same for rates and counts. */
function operationsASecond({ world: { seed }, resource, at }: Moment): number {
  if (resource.load === 'idle') return 4
  return 650 * shareOf(seed, resource.uid, 'iops') + 1800 * busyAt(seed, resource, 'iops', at)
}

function toStoredGigabytes({ world, resource, at }: Moment): number {
  return gigabytesOn(resource, dayOf(at), world.today)
}

/** Hours in which fleets that serve people grow or shrink. */
const isTurn = (at: number): boolean => [8, 20].includes((at / 3_600_000) % 24)

/** Requests per hour at full load. */
const requestsAnHour = ({ usage, type }: SimResource): number =>
  /-(alb|forwarding-rule|load-balancer|cloudfront|web-app)$/.test(type) ? 240_000 : Math.max(usage / 12, 1000)

/**
 * The value of a metric in a slot: always the same for the same seed. Totals depend on the number of running `units`.
 */
export function valueAt(world: World, resource: SimResource, metric: Metric, slot: Slot, units: number): SampleValue {
  const shape = shapes[metric]
  if (!shape) throw new Error(`${metric} is not simulated`)
  const busy = busyAt(world.seed, resource, metric, slot.at)
  const own = shareOf(world.seed, resource.uid, metric)
  const moment = { ...slot, world, resource, metric, units, busy, own, hours: slot.stepSeconds / 3600 }
  const { peak = 1, most = Infinity } = shape
  const value = Math.min(most, Math.max(0, shape.of(moment)))
  const max = Math.min(most, hundredths(value * peak))
  return { value, ...(max > value && { max }), ...(shape.total && { sum: value }) }
}

const hundredths = (value: number): number => Math.round(value * 100) / 100
