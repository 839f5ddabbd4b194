/**
 * Usage of the simulated clusters: workloads on node pools, consistent with the inventory, the metrics and the bills.
 */
import { hourMs } from '#engine/value/day.ts'
import { once } from '#engine/value/once.ts'
import type { CloudAccount } from '#streams/cloud/connector.ts'
import { ec2Sizes } from '#streams/cloud/reference/aws/sizes.ts'
import { azureSizes } from '#streams/cloud/reference/azure/sizes.ts'
import { gceSizes } from '#streams/cloud/reference/gcp/sizes.ts'
import { clusterTypes, kubernetesKind } from '#streams/cloud/resource/resource-type.ts'
import { simOf, type Far } from '#streams/cloud/simulated/state/cloud-state.ts'
import { describeResource, present } from '#streams/cloud/simulated/inventory.ts'
import { chance } from '#streams/cloud/simulated/world/prng.ts'
import type { SimResource } from '#streams/cloud/simulated/world/resource.ts'
import { valueAt } from './value.ts'
import type { KubernetesUsage, UsedNode, UsedPod } from '#streams/kubernetes/messages.ts'
import { part, secondsIn, type Interval } from '#streams/kubernetes/interval.ts'
import type { Metric } from '#streams/metric/messages.ts'

const sizes = once(() => new Map([...ec2Sizes(), ...azureSizes(), ...gceSizes()]))

interface Scene {
  far: Far
  account: CloudAccount
  interval: Interval
  /** Beginning of the interval's hour: bills use the state at that time. */
  at: Date
}

/** Usage of each running cluster of the account; does not count as a call. */
export function usedClusters(far: Far, account: CloudAccount, interval: Interval): KubernetesUsage[] {
  far.ledger.catchUp()
  const sim = simOf(far, account)
  const at = new Date(Math.floor(interval.from.getTime() / hourMs) * hourMs)
  const scene: Scene = { far, account, interval, at }
  const all = far.world.resources.get(sim?.externalId ?? '') ?? []
  const there = present(far.world, far.ledger.log, account, all, at)
  const clusters = there.filter(({ type }) => clusterTypes.some((one) => one === type))
  return clusters.map((cluster) => {
    const children = there.filter(({ parentUid }) => parentUid === cluster.uid)
    return usageOf(scene, cluster, children)
  })
}

function usageOf(scene: Scene, cluster: SimResource, children: readonly SimResource[]): KubernetesUsage {
  const pools = children.flatMap((child) => poolOf(scene, child) ?? [])
  const { interval } = scene
  return {
    clusterUid: cluster.uid,
    clusterName: cluster.name,
    provider: cluster.account.provider,
    from: interval.from.toISOString(),
    seconds: interval.seconds,
    nodes: pools.map(({ node }) => node),
    pods: [
      ...pools.flatMap((pool) => proxies(scene, pool)),
      ...children.flatMap((child) => podsOf(scene, pools, child)),
    ],
  }
}

/** The simulated cloud bills pools, not machines, so a pool is one node with the capacity of all its machines. */
interface Pool {
  node: UsedNode
  resource: SimResource
  units: number
}

function poolOf({ far, account, at }: Scene, resource: SimResource): Pool | undefined {
  if (!/-node(group|pool)$/.test(resource.type)) return undefined
  const { world, ledger } = far
  const { unitCount, instanceType } = describeResource(world, ledger.log, account.id, resource, at)
  const units = unitCount ?? 0
  const { vcpus = 0, memoryGib = 0 } = sizes().get(instanceType ?? '') ?? {}
  if (units === 0 || vcpus === 0) return undefined
  const { uid: resourceUid, name, region } = resource
  return {
    resource,
    units,
    node: { name, resourceUid, region, cpuCores: units * vcpus, memoryBytes: units * memoryGib * 2 ** 30 },
  }
}

const controllerKinds: readonly string[] = ['deployment', 'statefulset', 'daemonset', 'replicaset']
/** Team by workload; shared workloads have none. */
const teams: Readonly<Record<string, string>> = {
  web: 'storefront',
  api: 'storefront',
  queue: 'platform',
  dashboard: 'platform',
  'node-agent': 'platform',
  metrics: 'platform',
  'nightly-report': 'finance',
}
const labelsOf = (app: string): Record<string, string> => {
  const team = teams[app]
  return team === undefined ? { app } : { app, team }
}

function podsOf(scene: Scene, pools: readonly Pool[], workload: SimResource): UsedPod[] {
  if (pools.length === 0) return []
  const kind = kubernetesKind(workload.type) ?? ''
  if (kind === 'cronjob' && workload.name === 'nightly-report') return nightly(scene, pools, workload)
  if (!controllerKinds.includes(kind) || workload.owned) return []
  const { far, account, at } = scene
  const { unitCount, specs = {} } = describeResource(far.world, far.ledger.log, account.id, workload, at)
  const units = unitCount ?? 0
  return Array.from({ length: units }, (_, index) => ({
    ...running(scene, pools, workload, `${workload.name}-${index}`),
    ...requestedIn(specs),
    ...usedBy(scene, workload, specs, units),
  }))
}

/** The pool of a pod, stable while the pools do not change; pods are distributed in proportion to machines. */
function nodeOf({ far }: Scene, pools: readonly Pool[], pod: string): string {
  const all = pools.reduce((sum, { units }) => sum + units, 0)
  let left = chance(far.world.seed, pod, 'node') * all
  for (const { node, units } of pools) {
    left -= units
    if (left < 0) return node.name
  }
  return pools.at(-1)!.node.name
}

function running(scene: Scene, pools: readonly Pool[], workload: SimResource, name: string) {
  return {
    namespace: String(workload.specs['namespace']),
    name,
    node: nodeOf(scene, pools, `${workload.uid}/${name}`),
    controllerKind: kubernetesKind(workload.type)!,
    controllerName: workload.name,
    labels: labelsOf(workload.name),
  }
}

const mib = 2 ** 20
const numberIn = (specs: Readonly<Record<string, unknown>>, name: string): number => Number(specs[name] ?? 0)

const requestedIn = (specs: Readonly<Record<string, unknown>>): Pick<UsedPod, 'cpuRequest' | 'memoryRequest'> => ({
  cpuRequest: numberIn(specs, 'cpu_request_millicores') / 1000,
  memoryRequest: numberIn(specs, 'memory_request_mib') * mib,
})

/** Usage of one pod; metrics are for all pods. A pod without a memory request uses a quarter of a GiB. */
function usedBy(
  scene: Scene,
  workload: SimResource,
  specs: Readonly<Record<string, unknown>>,
  units: number,
): Pick<UsedPod, 'cpuUsed' | 'memoryUsed'> {
  const value = (metric: Metric) => readMetric(scene, workload, metric, units)
  const requested = numberIn(specs, 'memory_request_mib') * mib
  const share = value('memory_request_percent') / 100
  return {
    cpuUsed: Number((value('cpu_cores_used') / units).toFixed(3)),
    memoryUsed: Math.round(requested === 0 ? 256 * mib : requested * share),
  }
}

function readMetric({ far, interval }: Scene, resource: SimResource, metric: Metric, units: number): number {
  const slot = { at: interval.from.getTime(), stepSeconds: interval.seconds }
  return valueAt(far.world, resource, metric, slot, units).value
}

/** One pod per machine, which uses more than it requests. */
function proxies(scene: Scene, { node, resource, units }: Pool): UsedPod[] {
  const busy = readMetric(scene, resource, 'cpu_percent', units) / 100
  return Array.from({ length: units }, (_, index) => ({
    namespace: 'kube-system',
    name: `node-proxy-${node.name}-${index}`,
    node: node.name,
    controllerKind: 'daemonset',
    controllerName: 'node-proxy',
    labels: labelsOf('node-proxy'),
    cpuRequest: 0.1,
    cpuUsed: Number((0.12 + 0.2 * busy).toFixed(3)),
    memoryRequest: 128 * mib,
    memoryUsed: 160 * mib,
  }))
}

/** Runs for twenty minutes from 02:00 on. */
function nightly(scene: Scene, pools: readonly Pool[], workload: SimResource): UsedPod[] {
  const { interval } = scene
  const begin = Math.floor(interval.from.getTime() / (24 * hourMs)) * 24 * hourMs + 2 * hourMs
  const seconds = secondsIn(interval, begin, begin + hourMs / 3)
  if (seconds === 0) return []
  return [
    {
      ...running(scene, pools, workload, `${workload.name}-${begin / 60_000}-0`),
      ...part(interval, seconds),
      cpuRequest: 1,
      cpuUsed: 0.85,
      memoryRequest: 2048 * mib,
      memoryUsed: 1400 * mib,
    },
  ]
}
