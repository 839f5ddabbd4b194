/** Clusters of chance with their bills, as rows for the tables and as the model reads them. */
import fc from 'fast-check'
import type { Account, Line, NodeRow, ObjectRow, PodRow } from '#test/analytics/kubernetes-rows.ts'

/** Hours of some of these are still to come. */
export const now = new Date('2026-01-15T17:30:00Z')
const days = ['2025-12-31', '2026-01-14', '2026-01-15'] as const

/** A line of a bill with what only its table knows. */
export interface BillLine extends Line {
  id: string
  meter: string
  unit: string
  start: string
  end: string
}

export interface World extends Account {
  nodes: NodeRow[]
  pods: PodRow[]
  objects: ObjectRow[]
  lines: BillLine[]
}

/** Minute of the hour and seconds of what is told of it. */
const intervals: readonly (readonly (readonly [number, number])[])[] = [
  [[0, 3600]],
  [
    [0, 1800],
    [30, 1800],
  ],
  [[20, 600]],
  [
    [0, 420],
    [50, 11],
  ],
  [[59, 1]],
]
const meters = [
  { meter: '', unit: '', isTraffic: false, weight: 3 },
  { meter: 'BoxUsage:m5.large', unit: 'Hrs', isTraffic: false, weight: 4 },
  { meter: 'USE1-DataTransfer-Out-Bytes', unit: 'GB', isTraffic: true, weight: 1 },
  { meter: 'DataTransfer-Regional-Bytes', unit: 'GB', isTraffic: true, weight: 1 },
  { meter: 'NatGateway-Bytes', unit: 'GB', isTraffic: true, weight: 1 },
] as const

const uidOf = (cluster: string) => `arn:aws:eks:us-east-1:111122223333:cluster/${cluster}`
const timeOf = (day: string, hour: number, minute = 0): string =>
  `${day} ${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}:00`
const nat = (most: number) =>
  fc.oneof({ weight: 4, arbitrary: fc.nat(most) }, { weight: 1, arbitrary: fc.constantFrom(0, 1, most) })

/** Presence by hour: which intervals, or none. */
const presence = fc.array(fc.option(fc.constantFrom(...intervals), { freq: 5, nil: [] }), {
  minLength: 5,
  maxLength: 5,
})
const nodeChance = fc.record({
  isKnown: fc.boolean(),
  hasPrice: fc.boolean(),
  price: fc.constantFrom('0.096', '1.23456789', '0.0000001', '97.3'),
  cores: fc.constantFrom(0, 1, 940, 2000, 8000, 96_000),
  kib: fc.constantFrom(0, 1, 1_725_160, 8_388_608, 402_653_184),
  gpus: fc.constantFrom(0, 0, 0, 1000, 8000),
  cpuPart: fc.nat(1_000_000),
  gpuPart: fc.nat(1_000_000),
  presence,
})
const podChance = fc.record({
  on: fc.nat(2),
  /** From which hour it runs elsewhere, as some that keep their name do. */
  moves: fc.option(fc.record({ hour: fc.nat(4), to: fc.nat(2) })),
  namespace: fc.constantFrom('orders', 'kube-system', 'Zoo', 'ünder'),
  controller: fc.constantFrom(['', ''], ['deployment', 'api'], ['daemonset', 'log'], ['job', 'api']),
  labels: fc.constantFrom({}, { app: 'api' }, { app: 'api', 'pod-template-hash': 'x' }) as fc.Arbitrary<
    Record<string, string>
  >,
  cpu: fc.tuple(nat(3000), fc.option(nat(3000))),
  memory: fc.tuple(nat(9_000_000), fc.option(nat(9_000_000))),
  gpus: fc.constantFrom(0, 0, 0, 500, 1000, 9000),
  bytes: fc.option(nat(1_000_000_000), { freq: 1 }),
  presence,
})
const objectChance = fc.record({
  kind: fc.constantFrom('claim', 'service'),
  disk: fc.nat(3),
  pods: fc.uniqueArray(fc.nat(6), { maxLength: 3 }),
  presence,
})
const money = fc.bigInt({ min: -(10n ** 17n), max: 10n ** 18n })
const lineChance = fc.record({
  on: fc.oneof(
    { weight: 8, arbitrary: fc.nat(2).map((n) => `i-${n}`) },
    { weight: 3, arbitrary: fc.nat(3).map((n) => `vol-${n}`) },
    { weight: 3, arbitrary: fc.nat(3).map((n) => `lb-${n}`) },
    { weight: 1, arbitrary: fc.constantFrom('', 'i-elsewhere') },
    { weight: 1, arbitrary: fc.constant('cluster') },
  ),
  period: fc.constantFrom('hour', 'hour', 'hours', 'day', 'day', 'month'),
  hour: fc.nat(4),
  long: fc.integer({ min: 1, max: 7 }),
  service: fc.constantFrom('compute', 'compute', 'storage'),
  type: fc.constantFrom('aws-ec2', 'aws-ec2', ''),
  purchase: fc.constantFrom('on_demand', 'spot', 'savings_plan'),
  category: fc.constantFrom('Usage', 'Usage', 'Credit', 'Tax'),
  meter: fc.oneof(...meters.map((one) => ({ weight: one.weight, arbitrary: fc.constant(one) }))),
  isEstimate: fc.nat(5).map((n) => n === 0),
  costs: fc.oneof(
    fc.array(money, { minLength: 4, maxLength: 4 }),
    fc.array(fc.bigInt(-3n, 3n), { minLength: 4, maxLength: 4 }),
  ),
})
const clusterChance = fc.record({
  nodes: fc.array(nodeChance, { maxLength: 3 }),
  pods: fc.array(podChance, { maxLength: 7 }),
  objects: fc.array(objectChance, { maxLength: 4 }),
})

/** One account: a cluster or two that call everything alike, on one day, whose first hours may be silent. */
export const worldChance: fc.Arbitrary<World> = fc
  .record({
    day: fc.constantFrom(...days),
    hour: fc.constantFrom(0, 7, 15, 19),
    clusters: fc.array(clusterChance, { minLength: 1, maxLength: 2 }),
    lines: fc.array(lineChance, { maxLength: 12 }),
  })
  .map(({ day, hour, clusters, lines }) => {
    const worlds = clusters.map((one, n) => clusterOf(one, n, day, hour))
    return {
      nodes: worlds.flatMap(({ nodes }) => nodes),
      pods: worlds.flatMap(({ pods }) => pods),
      objects: worlds.flatMap(({ objects }) => objects),
      lines: lines.map((line, n) => lineOf(line, n, day, hour)),
      until: now.toISOString().slice(0, 19).replace('T', ' '),
    }
  })

type Chance<A> = A extends fc.Arbitrary<infer T> ? T : never

/** The second cluster has the same names, on machines, disks and load balancers of its own. */
function clusterOf({ nodes, pods, objects }: Chance<typeof clusterChance>, n: number, day: string, hour: number) {
  const cluster_uid = uidOf(n === 0 ? 'shop' : 'shop-2')
  const own = (name: string) => (n === 0 ? name : `${name}-2`)
  const at = (of: { presence: (readonly (readonly [number, number])[])[] }) =>
    of.presence.flatMap((found, h) =>
      found.map(([minute, seconds]) => ({ day, cluster_uid, from: timeOf(day, hour + h, minute), seconds })),
    )
  const nodeAt = ({ on, moves }: Chance<typeof podChance>, from: string) =>
    `n${moves && from >= timeOf(day, hour + moves.hour) ? moves.to : on}`
  return {
    nodes: nodes.flatMap((node, k) => at(node).map((when) => ({ ...when, ...nodeOf(node, k, own(`i-${k}`)) }))),
    pods: pods.flatMap((pod, k) =>
      at(pod).map((when) => ({ ...when, ...podOf(pod, k), node: nodeAt(pod, when.from) })),
    ),
    objects: uniqueBy(objects, ({ kind, disk }) => `${kind} ${disk}`).flatMap((one, k) =>
      at(one).map((when) => ({ ...when, ...objectOf(one, k, pods, own) })),
    ),
  }
}

function nodeOf(node: Chance<typeof nodeChance>, k: number, machine: string) {
  const cpu_ppm = node.cpuPart
  return {
    node: `n${k}`,
    resource_uid: node.isKnown || k === 0 ? machine : '',
    provider: 'aws',
    region: 'us-east-1',
    instance_type: 'm5.large',
    cpu_millicores: node.cores,
    memory_kib: node.kib,
    gpu_millis: node.gpus,
    cpu_ppm,
    gpu_ppm: Math.min(node.gpuPart, 1_000_000 - cpu_ppm),
    price: node.hasPrice ? node.price : '0',
  }
}

const podOf = (pod: Chance<typeof podChance>, k: number) => ({
  namespace: pod.namespace,
  pod: `p${k}`,
  controller_kind: pod.controller[0]!,
  controller: pod.controller[1]!,
  labels: pod.labels,
  cpu_request: pod.cpu[0],
  cpu_used: pod.cpu[1],
  memory_request: pod.memory[0],
  memory_used: pod.memory[1],
  gpu_request: pod.gpus,
  network_bytes: pod.bytes,
})

/** Claims are of the namespace of their first pod; a disk is of one claim, a load balancer of up to four services. */
function objectOf(
  { kind, disk, pods }: Chance<typeof objectChance>,
  k: number,
  all: readonly Chance<typeof podChance>[],
  own: (name: string) => string,
) {
  const namespace = all[pods[0] ?? 0]?.namespace ?? 'orders'
  const resource_uid = own(kind === 'claim' ? `vol-${disk}` : `lb-${disk % 2}`)
  const mounts = pods.filter((n) => all[n] === undefined || all[n].namespace === namespace).map((n) => `p${n}`)
  return { kind, namespace, name: `o${k}`, resource_uid, pods: kind === 'claim' ? mounts : [] }
}

function lineOf(line: Chance<typeof lineChance>, n: number, day: string, first: number): BillLine {
  const { meter, unit, isTraffic } = line.meter
  const from = first + line.hour
  const spans: Record<string, [number, number]> = {
    hour: [from, from + 1],
    hours: [from, Math.min(24, from + line.long)],
    day: [0, 24],
    month: [0, 24],
  }
  const hours = spans[line.period]!
  const next = new Date(Date.parse(day) + (line.period === 'month' ? 31 : 1) * 86_400_000).toISOString().slice(0, 10)
  return {
    day,
    hours,
    provider: 'aws',
    region: 'us-east-1',
    service_name: line.service,
    resource_type: line.type,
    purchase_type: line.purchase,
    charge_category: line.category,
    resource_uid: line.on === 'cluster' ? uidOf('shop') : n % 4 === 0 && line.on !== '' ? `${line.on}-2` : line.on,
    isTraffic,
    isEstimate: line.isEstimate,
    costs: line.costs,
    id: `l${n}`,
    meter,
    unit,
    start: timeOf(day, hours[0]),
    end: hours[1] === 24 ? `${next} 00:00:00` : timeOf(day, hours[1]),
  }
}

/** Every bill replaced, a third of its lines gone; usage sent again with other figures, and some of it as it was. */
export function replaced(world: World): World {
  const lines = world.lines
    .filter((_, n) => n % 3 !== 2)
    .map((line, n) => ({ ...line, isEstimate: false, costs: line.costs.map((cost) => (cost * 7n) / 3n + BigInt(n)) }))
  const pods = world.pods.map((pod, n) =>
    n % 4 === 0
      ? pod
      : { ...pod, cpu_request: pod.cpu_request + n, memory_used: null, network_bytes: n, seconds: pod.seconds >> 1 },
  )
  const nodes = world.nodes.map((node, n) =>
    n % 2 === 0 ? node : { ...node, seconds: node.seconds >> 1, price: '0.5' },
  )
  const objects = world.objects.map((one, n) => (n % 2 === 0 ? one : { ...one, pods: [] }))
  return { ...world, lines, nodes, pods, objects }
}

const uniqueBy = <T>(all: readonly T[], key: (one: T) => string): T[] => [
  ...new Map(all.map((one) => [key(one), one])).values(),
]
