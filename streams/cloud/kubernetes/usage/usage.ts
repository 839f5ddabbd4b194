/** Current usage of pods, summed by workload. */
import { nameOf, namespaceOf, ownerOf } from '#streams/cloud/kubernetes/object/object.ts'
import { podResources, type Requests } from '#streams/cloud/kubernetes/pod/spec.ts'
import { quantityOf } from '#streams/cloud/kubernetes/pod/quantity.ts'
import { listOf, memberOf, textAt, type Json } from '#streams/cloud/kubernetes/api/json-access.ts'

/** Of one pod, or of all measured pods of a workload. Cores and bytes. */
export interface Usage {
  used: { cpu: number; memory: number }
  /** Undefined if one of the pods has no request. */
  requested: Requests
  /** Maximum usage: the limit, otherwise the request. */
  most: Requests
  pods: number
  /** Time of the newest measurement, milliseconds since 1970. */
  at: number
}

/** Cores and bytes that the containers of a `PodMetrics` use. */
export function usedBy(measured: Json): { cpu: number; memory: number } {
  const all = listOf(measured['containers']).map(({ usage }) => usage)
  const sum = (name: string) => all.reduce<number>((total, one) => total + (quantityOf(memberOf(one, name)) ?? 0), 0)
  return { cpu: sum('cpu'), memory: sum('memory') }
}

/** Sums by `<namespace>/pod/<name>` for each pod, and by `<namespace>/<kind>/<name>` for its workload. */
export class UsageBook {
  private readonly usages = new Map<string, Usage>()
  private readonly makers: ReadonlyMap<string, string>

  /** `makers` maps `<namespace>/replicaset/<name>` to the owner, `deployment/<name>`. */
  constructor(makers: ReadonlyMap<string, string>) {
    this.makers = makers
  }

  of(namespace: string | undefined, kind: string, name: string): Usage | undefined {
    return this.usages.get(`${namespace}/${kind}/${name}`)
  }

  /** Adds a pod and its measurement. */
  take(pod: Json, measured: Json, at: number): void {
    if (textAt(pod, 'status', 'phase') !== 'Running') return
    const namespace = namespaceOf(pod)
    const { requests, limits } = podResources(memberOf(pod, 'spec'))
    const most = { cpu: limits.cpu ?? requests.cpu, memory: limits.memory ?? requests.memory }
    const usage = { used: usedBy(measured), requested: requests, most, pods: 1, at }
    this.usages.set(`${namespace}/pod/${nameOf(pod)}`, usage)
    const owner = ownerOf(pod)
    if (owner === undefined) return
    this.add(`${namespace}/${owner}`, usage)
    const maker = this.makers.get(`${namespace}/${owner}`)
    if (maker !== undefined) this.add(`${namespace}/${maker}`, usage)
  }

  private add(key: string, more: Usage): void {
    const had = this.usages.get(key)
    this.usages.set(key, had ? addUsage(had, more) : more)
  }
}

const addUsage = (one: Usage, other: Usage): Usage => ({
  used: { cpu: one.used.cpu + other.used.cpu, memory: one.used.memory + other.used.memory },
  requested: both(one.requested, other.requested),
  most: both(one.most, other.most),
  pods: one.pods + other.pods,
  at: Math.max(one.at, other.at),
})

const both = (one: Requests, other: Requests): Requests => ({
  cpu: plus(one.cpu, other.cpu),
  memory: plus(one.memory, other.memory),
})

const plus = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? undefined : one + other
