/** The rows for a usage message of a cluster. */
import type { TableRow } from '#engine/actor/table.ts'
import { dayMs } from '#engine/value/day.ts'
import { Fault } from '#engine/value/fault.ts'
import type { kubernetesNodeTable, kubernetesObjectTable, kubernetesPodTable } from '#analytics/kubernetes/tables.ts'
import { machineUsdHour, priceParts, type Machine } from '#streams/cloud/reference/machine-price.ts'
import type { KubernetesUsage, UsedNode, UsedPod } from '#streams/kubernetes/messages.ts'
import { machineOf } from '#streams/kubernetes/machine.ts'

type NodeRow = TableRow<typeof kubernetesNodeTable>
type PodRow = TableRow<typeof kubernetesPodTable>
type ObjectRow = TableRow<typeof kubernetesObjectTable>

/** The interval of a message: ISO 8601 UTC, and its day. */
export interface Interval {
  org_id: string
  cloud_account_id: string
  day: string
  cluster_uid: string
  from: string
  seconds: number
}

const hour = 3600

/**
 * @throws Fault `invalid` `interval_invalid` if it is not within one hour since 1970, does not begin at a whole second,
 * or begins more than a day in the future
 */
export function intervalOf(usage: KubernetesUsage, org_id: string, cloud_account_id: string, now: Date): Interval {
  const from = Date.parse(usage.from) / 1000
  const isPlaced = from >= 0 && from * 1000 <= now.getTime() + dayMs && Number.isInteger(from)
  if (!isPlaced || Math.floor(from / hour) !== Math.floor((from + usage.seconds - 1) / hour))
    throw Fault.invalid(
      'interval_invalid',
      `An interval must start at a whole second, between 1970 and one day from now, and end in the same hour: got ${usage.from.slice(0, 40)}, ${usage.seconds} s.`,
    )
  const begin = new Date(from * 1000).toISOString()
  return {
    org_id,
    cloud_account_id,
    day: begin.slice(0, 10),
    cluster_uid: usage.clusterUid,
    from: begin,
    seconds: usage.seconds,
  }
}

const millis = (value = 0): number => Math.round(value * 1000)
const kib = (bytes = 0): number => Math.round(bytes / 1024)
const mapKnown = <T>(value: T | undefined, of: (value: T) => number): number | null =>
  value === undefined ? null : of(value)

/** Nothing existed for longer than the interval. */
const withIn = (of: Interval, seconds = of.seconds): Interval => ({ ...of, seconds: Math.min(seconds, of.seconds) })

export function nodeRow(of: Interval, usage: KubernetesUsage, node: UsedNode): NodeRow {
  const found = machineOf(node.providerID ?? '')
  const provider = usage.provider ?? found?.provider
  const region = node.region ?? ''
  const type = node.instanceType ?? ''
  const gpus = node.gpus ?? 0
  const machine: Machine = {
    provider,
    type,
    region,
    cpuCores: node.cpuCores,
    memoryGib: node.memoryBytes / 1024 ** 3,
    gpus,
  }
  return {
    ...withIn(of, node.seconds),
    node: node.name,
    resource_uid: node.resourceUid ?? found?.uid ?? '',
    provider: provider ?? '',
    region,
    instance_type: type,
    cpu_millicores: millis(node.cpuCores),
    memory_kib: kib(node.memoryBytes),
    gpu_millis: millis(gpus),
    ...priceOf(node, machine),
  }
}

function priceOf(node: UsedNode, machine: Machine): Pick<NodeRow, 'cpu_ppm' | 'gpu_ppm' | 'price'> {
  const { cpu, gpu } = givenParts(node) ?? priceParts(machine)
  return { cpu_ppm: cpu, gpu_ppm: gpu, price: (node.usdHour ?? machineUsdHour(machine) ?? 0).toFixed(8) }
}

/** Millionths of a price that came with its parts. */
function givenParts({ usdHour = 0, cpuUsdHour, gpuUsdHour = 0 }: UsedNode): { cpu: number; gpu: number } | undefined {
  if (cpuUsdHour === undefined || usdHour === 0) return undefined
  const cpu = Math.min(Math.round((cpuUsdHour / usdHour) * 1_000_000), 1_000_000)
  return { cpu, gpu: Math.min(Math.round((gpuUsdHour / usdHour) * 1_000_000), 1_000_000 - cpu) }
}

/** A row without a name says that a cluster had no nodes. */
export const noNodes = (of: Interval): NodeRow => ({
  ...of,
  node: '',
  resource_uid: '',
  provider: '',
  region: '',
  instance_type: '',
  cpu_millicores: 0,
  memory_kib: 0,
  gpu_millis: 0,
  cpu_ppm: 0,
  gpu_ppm: 0,
  price: '0',
})

export function podRow(of: Interval, pod: UsedPod): PodRow {
  return {
    ...withIn(of, pod.seconds),
    namespace: pod.namespace,
    pod: pod.name,
    node: pod.node,
    controller_kind: (pod.controllerKind ?? '').toLowerCase(),
    controller: pod.controllerName ?? '',
    labels: pod.labels ?? {},
    cpu_request: millis(pod.cpuRequest),
    cpu_used: mapKnown(pod.cpuUsed, millis),
    memory_request: kib(pod.memoryRequest),
    memory_used: mapKnown(pod.memoryUsed, kib),
    gpu_request: millis(pod.gpus),
    network_bytes: mapKnown(pod.networkBytes, Math.round),
  }
}

export function* objectRows(of: Interval, usage: KubernetesUsage): Generator<ObjectRow> {
  for (const { namespace, name, volumeUid, pods = [], seconds } of usage.claims ?? [])
    yield { ...withIn(of, seconds), kind: 'claim', namespace, name, resource_uid: volumeUid, pods: [...new Set(pods)] }
  for (const { namespace, service, resourceUid, seconds } of usage.loadBalancers ?? [])
    yield { ...withIn(of, seconds), kind: 'service', namespace, name: service, resource_uid: resourceUid, pods: [] }
}
