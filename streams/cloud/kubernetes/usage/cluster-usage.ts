/** Current usage of a cluster, by which the costs of its machines are divided. */
import { Fault } from '#engine/value/fault.ts'
import { isCredentialsRefused } from '#streams/cloud/connector.ts'
import type { KubernetesUsage, UsedBalancer, UsedClaim, UsedNode, UsedPod } from '#streams/kubernetes/messages.ts'
import { part, secondsIn, type Interval } from '#streams/kubernetes/interval.ts'
import { machineOf } from '#streams/kubernetes/machine.ts'
import { volumeUid } from '#streams/cloud/kubernetes/object/volume.ts'
import type { KubernetesApi } from '#streams/cloud/kubernetes/api/api.ts'
import { objectsOf } from '#streams/cloud/kubernetes/object/children.ts'
import { providerOf, type Cluster, type ListedKind } from '#streams/cloud/kubernetes/object/kind.ts'
import { instanceTypeOf } from '#streams/cloud/kubernetes/object/map.ts'
import { podMetrics } from './measure.ts'
import { nameOf, namespaceOf, ownerOf, timeAt } from '#streams/cloud/kubernetes/object/object.ts'
import { claimsOf } from '#streams/cloud/kubernetes/pod/spec.ts'
import { acceleratorsIn, requestedBy } from '#streams/cloud/kubernetes/pod/pod-requests.ts'
import { quantityOf } from '#streams/cloud/kubernetes/pod/quantity.ts'
import { listOfKind } from './sample.ts'
import { endedPhases } from '#streams/cloud/kubernetes/object/tally.ts'
import { usedBy } from './usage.ts'
import { listOf, memberOf, textAt, textsByName, type Json } from '#streams/cloud/kubernetes/api/json-access.ts'

/**
 * Returns the load balancer of a service as bills name it, from the service's host names and addresses; undefined if
 * unknown.
 */
export type BalancerFinder = (hosts: readonly string[]) => Promise<string | undefined>

/** A finder that looks up each host; a cloud that does not answer gives undefined. @throws refused credentials */
export const balancedBy =
  (find: (host: string) => Promise<string | undefined>): BalancerFinder =>
  async (hosts) => {
    for (const host of hosts) {
      const uid = await optional(find(host.toLowerCase()))
      if (uid !== undefined) return uid
    }
    return undefined
  }

/** Adds the price that is set for a node with these labels. */
type NodePricer = (node: UsedNode, labels: Readonly<Record<string, string>>) => UsedNode

/** Maximum labels and mounts of one entry. */
const labelsMax = 100
const podsMax = 100

interface Look {
  api: KubernetesApi
  interval: Interval
  /** Owners by `<namespace>/<kind>/<name>` of objects that create pods. */
  makers: ReadonlyMap<string, string>
  /** Measured usage of pods, by `<namespace>/<name>`. */
  used: ReadonlyMap<string, { cpu: number; memory: number }>
  /** Pods by the volume claim they mount, `<namespace>/<claim>`. */
  mounts: Map<string, string[]>
}

/**
 * Everything that exists now or ended in the interval. Undefined if only one namespace is visible, because idle
 * capacity would be unknown. A cluster without nodes is reported too.
 * @throws a `cloudFault` if nodes and pods cannot be listed
 */
export async function clusterUsage(
  api: KubernetesApi,
  cluster: Cluster,
  interval: Interval,
  balancerOf: BalancerFinder,
  priced: NodePricer = (node) => node,
): Promise<KubernetesUsage | undefined> {
  if (api.namespace !== undefined) return undefined
  const nodes = await all(api, listOfKind('node'), (node) => {
    const used = nodeOf(node, interval)
    return used && priced(used, textsByName(memberOf(node, 'metadata', 'labels')))
  })
  const look: Look = { api, interval, makers: await makersIn(api), used: await usedIn(api), mounts: new Map() }
  const pods = await all(api, listOfKind('pod'), (pod) => podOf(look, pod))
  const claims = await claimsIn(look)
  const loadBalancers = await balancersIn(look, balancerOf)
  return {
    clusterUid: cluster.uid,
    clusterName: api.place.cluster,
    provider: providerOf(cluster),
    from: interval.from.toISOString(),
    seconds: interval.seconds,
    nodes,
    pods,
    ...(claims.length > 0 && { claims }),
    ...(loadBalancers.length > 0 && { loadBalancers }),
  }
}

async function all<T>(api: KubernetesApi, kind: ListedKind, of: (object: Json) => T | undefined): Promise<T[]> {
  const found: T[] = []
  for await (const page of objectsOf(api, kind)) found.push(...page.flatMap((object) => of(object) ?? []))
  return found
}

/** Undefined if the cluster or its cloud does not provide it. */
async function optional<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked
  } catch (error) {
    if (!(error instanceof Fault) || isCredentialsRefused(error)) throw error
    return undefined
  }
}

function nodeOf(node: Json, interval: Interval): UsedNode | undefined {
  const name = nameOf(node)
  const capacity = memberOf(node, 'status', 'capacity')
  const cpuCores = quantityOf(memberOf(capacity, 'cpu'))
  const memoryBytes = quantityOf(memberOf(capacity, 'memory'))
  const seconds = secondsIn(interval, timeAt(node, 'metadata', 'creationTimestamp') ?? 0)
  if (name === undefined || cpuCores === undefined || memoryBytes === undefined || seconds === 0) return undefined
  const providerID = textAt(node, 'spec', 'providerID')
  const machine = machineOf(providerID ?? '')
  const instanceType = instanceTypeOf(node)
  const region = textAt(node, 'metadata', 'labels', 'topology.kubernetes.io/region')
  const gpus = acceleratorsIn(capacity)
  return {
    name,
    ...(machine && { resourceUid: machine.uid }),
    ...(providerID !== undefined && { providerID }),
    ...(instanceType !== undefined && { instanceType }),
    ...(region !== undefined && { region }),
    ...part(interval, seconds),
    cpuCores,
    memoryBytes,
    ...(gpus > 0 && { gpus }),
  }
}

/** Requests only their metadata. */
async function makersIn(api: KubernetesApi): Promise<ReadonlyMap<string, string>> {
  const makers = new Map<string, string>()
  for (const kind of ['replicaset', 'job']) {
    const known = all(api, { ...listOfKind(kind), metadataOnly: true }, (object) => {
      const owner = ownerOf(object)
      if (owner !== undefined) makers.set(`${namespaceOf(object)}/${kind}/${nameOf(object)}`, owner)
      return undefined
    })
    await optional(known)
  }
  return makers
}

async function usedIn(api: KubernetesApi): Promise<Look['used']> {
  const used = new Map<string, { cpu: number; memory: number }>()
  const known = all(api, podMetrics, (measured) => {
    used.set(`${namespaceOf(measured)}/${nameOf(measured)}`, usedBy(measured))
    return undefined
  })
  await optional(known)
  return used
}

/** Seconds from the pod's start on its node until its end, within the interval. */
function secondsOf(pod: Json, interval: Interval): number {
  const since = timeAt(pod, 'status', 'startTime') ?? timeAt(pod, 'metadata', 'creationTimestamp') ?? 0
  if (!endedPhases.includes(textAt(pod, 'status', 'phase'))) return secondsIn(interval, since)
  const ends = listOf(memberOf(pod, 'status', 'containerStatuses')).flatMap(
    (one) => timeAt(one, 'state', 'terminated', 'finishedAt') ?? [],
  )
  return secondsIn(interval, since, Math.max(0, ...ends))
}

function podOf(look: Look, pod: Json): UsedPod | undefined {
  const { interval, mounts } = look
  const [namespace, name] = [namespaceOf(pod), nameOf(pod)]
  const node = textAt(pod, 'spec', 'nodeName')
  const seconds = secondsOf(pod, interval)
  if (namespace === undefined || name === undefined || node === undefined || seconds === 0) return undefined
  for (const claim of new Set(claimsOf(memberOf(pod, 'spec')))) {
    const key = `${namespace}/${claim}`
    mounts.set(key, [...(mounts.get(key) ?? []), name])
  }
  const used = look.used.get(`${namespace}/${name}`)
  const { cpu, memory, gpus } = requestedBy(memberOf(pod, 'spec'))
  return {
    namespace,
    name,
    node,
    ...controllerOf(look.makers, namespace, ownerOf(pod)),
    ...labelsOf(pod),
    ...part(interval, seconds),
    cpuRequest: cpu,
    ...(used && { cpuUsed: roundCores(used.cpu) }),
    memoryRequest: memory,
    ...(used && { memoryUsed: used.memory }),
    ...(gpus > 0 && { gpus }),
  }
}

/** Removes floating-point errors from a sum. */
const roundCores = (cores: number): number => Number(cores.toFixed(9))

/** The outermost owner of the pod. */
function controllerOf(makers: Look['makers'], namespace: string, owner: string | undefined) {
  if (owner === undefined) return {}
  const [controllerKind = '', ...rest] = (makers.get(`${namespace}/${owner}`) ?? owner).split('/')
  return { controllerKind, controllerName: rest.join('/') }
}

function labelsOf(pod: Json): Pick<UsedPod, 'labels'> {
  const labels = Object.entries(textsByName(memberOf(pod, 'metadata', 'labels'))).slice(0, labelsMax)
  return labels.length === 0 ? {} : { labels: Object.fromEntries(labels) }
}

async function claimsIn({ api, interval, mounts }: Look): Promise<UsedClaim[]> {
  const disks = new Map<string, string>()
  const known = await optional(
    all(api, listOfKind('persistentvolume'), (volume) => {
      const uid = volumeUid(volume)
      if (uid !== undefined) disks.set(nameOf(volume) ?? '', uid)
      return uid
    }),
  )
  if (!known?.length) return []
  const claims = all(api, listOfKind('persistentvolumeclaim'), (claim): UsedClaim | undefined => {
    const [namespace, name] = [namespaceOf(claim), nameOf(claim)]
    const disk = disks.get(textAt(claim, 'spec', 'volumeName') ?? '')
    const seconds = secondsIn(interval, timeAt(claim, 'metadata', 'creationTimestamp') ?? 0)
    if (namespace === undefined || name === undefined || disk === undefined || seconds === 0) return undefined
    const pods = mounts.get(`${namespace}/${name}`)?.toSorted().slice(0, podsMax)
    return { namespace, name, volumeUid: disk, ...(pods && { pods }), ...part(interval, seconds) }
  })
  return (await optional(claims)) ?? []
}

async function balancersIn({ api, interval }: Look, balancerOf: BalancerFinder): Promise<UsedBalancer[]> {
  const services = (await optional(all(api, listOfKind('service'), (one) => (isBalanced(one) ? one : undefined)))) ?? []
  const found: UsedBalancer[] = []
  for (const one of services) {
    const [namespace, service] = [namespaceOf(one), nameOf(one)]
    const resourceUid = await balancerOf(hostsOf(one))
    const seconds = secondsIn(interval, timeAt(one, 'metadata', 'creationTimestamp') ?? 0)
    if (namespace === undefined || service === undefined || resourceUid === undefined || seconds === 0) continue
    found.push({ namespace, service, resourceUid, ...part(interval, seconds) })
  }
  return found
}

const isBalanced = (service: Json): boolean => textAt(service, 'spec', 'type') === 'LoadBalancer'

const hostsOf = (service: Json): string[] =>
  listOf(memberOf(service, 'status', 'loadBalancer', 'ingress')).flatMap((one) =>
    [textAt(one, 'hostname'), textAt(one, 'ip')].filter((host) => host !== undefined),
  )
