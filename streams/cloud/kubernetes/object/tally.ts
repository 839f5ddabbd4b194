/** Counts over all objects of a cluster, for attributes that depend on other objects. */
import { conditionOf, nameOf, namespaceOf, ownerOf, podSpecOf, timeAt } from './object.ts'
import { claimsOf, referencesOf } from '#streams/cloud/kubernetes/pod/spec.ts'
import { listOf, memberOf, textAt, type Json } from '#streams/cloud/kubernetes/api/json-access.ts'

/** Kinds with a pod template, counted if none of these kinds owns them. */
const workloads: readonly string[] = ['pod', 'deployment', 'statefulset', 'daemonset', 'job', 'cronjob', 'replicaset']

/** Kinds counted per namespace. */
const countedIn: readonly string[] = ['resourcequota', 'limitrange', 'networkpolicy']

/** Phases of a pod that has ended: it uses no account, mounts nothing and reserves nothing. */
export const endedPhases: readonly unknown[] = ['Succeeded', 'Failed']

const weekMs = 7 * 24 * 3_600_000

/** A volume of a pod. */
interface Mount {
  pod: string
  volume: string
}

export class Tally {
  /** Kinds that were read completely. */
  private readonly whole = new Set<string>()
  private readonly counts = new Map<string, number>()
  private readonly mounts = new Map<string, Mount>()
  private readonly now: number

  constructor(now: Date) {
    this.now = now.getTime()
  }

  close(kind: string): void {
    this.whole.add(kind)
  }

  /** Undefined unless all counted kinds were read completely. */
  of(what: string, key: string, kinds: readonly string[]): number | undefined {
    return kinds.every((kind) => this.whole.has(kind)) ? (this.counts.get(`${what} ${key}`) ?? 0) : undefined
  }

  /** Whether there is one; undefined if unknown. */
  has(what: string, key: string, kinds: readonly string[]): boolean | undefined {
    const count = this.of(what, key, kinds)
    return count === undefined ? undefined : count > 0
  }

  /** Where a claim is mounted now. */
  mountOf(claim: string): Mount | undefined {
    return this.mounts.get(claim)
  }

  take(kind: string, object: Json): void {
    const namespace = namespaceOf(object) ?? ''
    if (countedIn.includes(kind)) this.add(`${kind} in`, namespace)
    if (kind === 'service') this.add(kind, `${namespace}/${nameOf(object) ?? ''}`)
    this.refer(kind, namespace, object)
    if (kind === 'pod') this.takePod(namespace, object)
    if (kind === 'endpointslice') this.takeEndpoints(namespace, object)
    if (kind === 'job') this.takeJob(namespace, object)
    if (kind === 'horizontalpodautoscaler') this.takeAutoscaler(namespace, object)
  }

  private add(what: string, key: string, more = 1): void {
    const id = `${what} ${key}`
    this.counts.set(id, (this.counts.get(id) ?? 0) + more)
  }

  private refer(kind: string, namespace: string, object: Json): void {
    for (const reference of referredBy(kind, object)) this.add('references to', `${namespace}/${reference}`)
  }

  private takePod(namespace: string, pod: Json): void {
    const phase = textAt(pod, 'status', 'phase')
    if (phase === 'Running') this.add('running pods in', namespace)
    if (endedPhases.includes(phase)) return
    const account = textAt(pod, 'spec', 'serviceAccountName') ?? 'default'
    this.add('pods as', `${namespace}/${account}`)
    for (const claim of new Set(claimsOf(memberOf(pod, 'spec')))) this.add('pods with', `${namespace}/${claim}`)
    if (phase === 'Running') this.takeMounts(namespace, pod)
  }

  /** The first pod by name, so that scans of the same cluster agree. */
  private takeMounts(namespace: string, pod: Json): void {
    const name = nameOf(pod) ?? ''
    for (const volume of listOf(memberOf(pod, 'spec', 'volumes'))) {
      const key = `${namespace}/${textAt(volume, 'persistentVolumeClaim', 'claimName')}`
      const known = this.mounts.get(key)
      if (!known || name < known.pod) this.mounts.set(key, { pod: name, volume: textAt(volume, 'name') ?? '' })
    }
  }

  /** Endpoints are ready unless marked otherwise. */
  private takeEndpoints(namespace: string, slice: Json): void {
    const service = textAt(slice, 'metadata', 'labels', 'kubernetes.io/service-name')
    if (service === undefined) return
    const ready = listOf(slice['endpoints']).filter((one) => memberOf(one, 'conditions', 'ready') !== false)
    this.add('endpoints of', `${namespace}/${service}`, ready.length)
  }

  private takeJob(namespace: string, job: Json): void {
    const failed = conditionOf(job, 'Failed')
    const at = failed && timeAt(failed, 'lastTransitionTime')
    const owner = ownerOf(job)
    if (at !== undefined && owner !== undefined && at > this.now - weekMs) this.add('failed', `${namespace}/${owner}`)
  }

  private takeAutoscaler(namespace: string, autoscaler: Json): void {
    const kind = textAt(autoscaler, 'spec', 'scaleTargetRef', 'kind')?.toLowerCase()
    const name = textAt(autoscaler, 'spec', 'scaleTargetRef', 'name')
    this.add('autoscalers of', `${namespace}/${kind}/${name}`)
  }
}

/** A pod refers to what its template refers to, so references count once, for the owner. */
function referredBy(kind: string, object: Json): string[] {
  if (workloads.includes(kind)) {
    const maker = ownerOf(object)?.split('/')[0] ?? ''
    return workloads.includes(maker) ? [] : referencesOf(podSpecOf(kind, object))
  }
  const names = namedSecrets(kind, object)
  return [...new Set(names)].map((name) => `secret/${name}`)
}

function namedSecrets(kind: string, object: Json): string[] {
  const named = (list: unknown, member: string) => listOf(list).flatMap((one) => textAt(one, member) ?? [])
  if (kind === 'serviceaccount')
    return [...named(object['secrets'], 'name'), ...named(object['imagePullSecrets'], 'name')]
  return kind === 'ingress' ? named(memberOf(object, 'spec', 'tls'), 'secretName') : []
}
