/** The attributes of each kind, under the names that rules use (`actors/recommendation/rules/attributes.csv`). */
import { conditionOf, nameOf, namespaceOf, ownerOf, podSpecOf, timeAt } from './object.ts'
import { dayMs } from '#engine/value/day.ts'
import { claimsOf, podAttributes, toleratesSpot } from '#streams/cloud/kubernetes/pod/spec.ts'
import { mebibytesOf, millicoresOf, quantityOf } from '#streams/cloud/kubernetes/pod/quantity.ts'
import { isFinished, replicasOf } from './status.ts'
import type { Tally } from './tally.ts'
import { volumeUid } from './volume.ts'
import { noteWritten } from '#streams/cloud/resource/written.ts'
import {
  countAt,
  isTrueAt,
  dropUndefined,
  listOf,
  memberOf,
  objectOf,
  textAt,
  textOf,
  textsByName,
  textsOf,
  type Json,
} from '#streams/cloud/kubernetes/api/json-access.ts'

/** Data besides the object itself. */
export interface SpecsContext {
  tally: Tally
  now: Date
}

type SpecsOf = (object: Json, known: SpecsContext) => Json

/** Whole days, so that two scans on the same day give the same value. */
const daysSince = (at: number | undefined, { now }: SpecsContext): number | undefined =>
  at === undefined ? undefined : Math.max(0, Math.floor((now.getTime() - at) / dayMs))

/** `namespace/name`, as others refer to it. */
const keyOf = (object: Json): string => `${namespaceOf(object) ?? ''}/${nameOf(object) ?? ''}`

const selectorOf = (object: Json): Json | undefined => {
  const labels = textsByName(memberOf(object, 'spec', 'selector', 'matchLabels'))
  return Object.keys(labels).length === 0 ? undefined : labels
}

const workload = (kind: string): SpecsOf => {
  const autoscalers: SpecsOf = (object, { tally }) => ({
    hpa_count: tally.of('autoscalers of', `${namespaceOf(object)}/${kind}/${nameOf(object)}`, [
      'horizontalpodautoscaler',
    ]),
  })
  return (object, about) => ({
    ...(kind !== 'daemonset' && { replicas: replicasOf(object), ...autoscalers(object, about) }),
    ready_replicas: countAt(object, 'status', kind === 'daemonset' ? 'numberReady' : 'readyReplicas') ?? 0,
    selector: selectorOf(object),
    ...(kind !== 'daemonset' && { claims: claimNamesOf(kind, object) }),
    ...podAttributes(podSpecOf(kind, object)),
  })
}

/** Claims that its pods mount. Of a template there is one for each number, `*`. */
const claimNamesOf = (kind: string, object: Json): string[] => [
  ...new Set(claimsOf(podSpecOf(kind, object))),
  ...listOf(memberOf(object, 'spec', 'volumeClaimTemplates')).map(
    (template) => `${nameOf(template) ?? ''}-${nameOf(object) ?? ''}-*`,
  ),
]

const deployment: SpecsOf = (object, about) => ({
  ...workload('deployment')(object, about),
  tolerates_spot: toleratesSpot(podSpecOf('deployment', object)),
  uses_volumes: claimsOf(podSpecOf('deployment', object)).length > 0,
})

const replicaset: SpecsOf = (object) => ({
  replicas: replicasOf(object),
  owner_exists: ownerOf(object)?.startsWith('deployment/') ?? false,
})

const job: SpecsOf = (object, about) => ({
  finished: isFinished(object),
  finished_days: isFinished(object) ? (daysSince(finishedAt(object), about) ?? null) : null,
  ttl_seconds: countAt(object, 'spec', 'ttlSecondsAfterFinished') ?? null,
  owned_by_cronjob: ownerOf(object)?.startsWith('cronjob/') ?? false,
  suspended: isTrueAt(object, 'spec', 'suspend'),
})

/** A failed job has no completion time. */
const finishedAt = (object: Json): number | undefined => {
  const end = conditionOf(object, 'Complete') ?? conditionOf(object, 'Failed')
  return timeAt(object, 'status', 'completionTime') ?? (end && timeAt(end, 'lastTransitionTime'))
}

const cronjob: SpecsOf = (object, about) => ({
  schedule: textAt(object, 'spec', 'schedule'),
  suspended: isTrueAt(object, 'spec', 'suspend'),
  days_since_success: daysSince(timeAt(object, 'status', 'lastSuccessfulTime'), about),
  failed_runs_7d: about.tally.of('failed', `${namespaceOf(object)}/cronjob/${nameOf(object)}`, ['job']),
})

const service: SpecsOf = (object, { tally }) => ({
  service_type: textAt(object, 'spec', 'type') ?? 'ClusterIP',
  endpoint_count: tally.of('endpoints of', keyOf(object), ['endpointslice']),
  load_balancer: listOf(memberOf(object, 'status', 'loadBalancer', 'ingress'))
    .map(({ hostname, ip }) => textOf(hostname) ?? textOf(ip))
    .find((one) => one !== undefined),
})

const ingress: SpecsOf = (object, { tally }) => {
  const rules = listOf(memberOf(object, 'spec', 'rules'))
  const covers = listOf(memberOf(object, 'spec', 'tls')).map(({ hosts }) => textsOf(hosts))
  const isCovered = (host: string) => covers.some((hosts) => hosts.length === 0 || hosts.some((one) => fits(one, host)))
  const there = backendsOf(object).map((name) => tally.has('service', `${namespaceOf(object)}/${name}`, ['service']))
  return {
    tls: covers.length > 0 && rules.every(({ host }) => isCovered(textOf(host) ?? '')),
    backend_exists: there.includes(undefined) ? undefined : there.every(Boolean),
  }
}

const fits = (pattern: string, host: string): boolean =>
  pattern === host || (pattern.startsWith('*.') && host.slice(host.indexOf('.')) === pattern.slice(1))

function backendsOf(object: Json): string[] {
  const paths = listOf(memberOf(object, 'spec', 'rules')).flatMap((rule) => listOf(memberOf(rule, 'http', 'paths')))
  const all = [...paths.map(({ backend }) => backend), memberOf(object, 'spec', 'defaultBackend')]
  return [...new Set(all.flatMap((backend) => textAt(backend, 'service', 'name') ?? []))]
}

const workloadKinds = ['pod', 'deployment', 'statefulset', 'daemonset', 'replicaset', 'job', 'cronjob']

const configSpecs =
  (kind: string, readers: readonly string[]): SpecsOf =>
  (object, { tally }) => {
    const manager = textAt(object, 'metadata', 'labels', 'app.kubernetes.io/managed-by')
    const owners = listOf(memberOf(object, 'metadata', 'ownerReferences'))
    return {
      owned: owners.length > 0 || manager !== undefined,
      referenced_count: tally.of('references to', `${namespaceOf(object)}/${kind}/${nameOf(object)}`, readers),
    }
  }

const serviceaccount: SpecsOf = (object, { tally }) => ({ pod_count: tally.of('pods as', keyOf(object), ['pod']) })

const persistentvolume: SpecsOf = (object) => {
  const claim = objectOf(memberOf(object, 'spec', 'claimRef'))
  const [namespace, name] = [textOf(claim['namespace']), textOf(claim['name'])]
  return {
    phase: textAt(object, 'status', 'phase'),
    reclaim_policy: textAt(object, 'spec', 'persistentVolumeReclaimPolicy'),
    storage_class: textAt(object, 'spec', 'storageClassName'),
    claim: name === undefined ? undefined : `${namespace ?? ''}/${name}`,
    disk: volumeUid(object),
    volume_handle:
      textAt(object, 'spec', 'csi', 'volumeHandle') ?? textAt(object, 'spec', 'awsElasticBlockStore', 'volumeID'),
  }
}

const persistentvolumeclaim: SpecsOf = (object, { tally }) => ({
  phase: textAt(object, 'status', 'phase'),
  storage_class: textAt(object, 'spec', 'storageClassName'),
  volume: textAt(object, 'spec', 'volumeName'),
  pod: tally.mountOf(keyOf(object))?.pod,
  pod_volume: tally.mountOf(keyOf(object))?.volume,
  pod_count: tally.of('pods with', keyOf(object), ['pod']),
})

const storageclass: SpecsOf = (object) => ({
  provisioner: textAt(object, 'provisioner'),
  volume_type: ['type', 'skuName', 'skuname'].map((name) => textAt(object, 'parameters', name)).find(Boolean),
  is_default: ['storageclass', 'storageclass.beta'].some(
    (prefix) => textAt(object, 'metadata', 'annotations', `${prefix}.kubernetes.io/is-default-class`) === 'true',
  ),
})

const horizontalpodautoscaler: SpecsOf = (object) => ({
  min_replicas: countAt(object, 'spec', 'minReplicas') ?? 1,
  max_replicas: countAt(object, 'spec', 'maxReplicas'),
  target_cpu_percent: targetPercent(object, 'cpu'),
  target: targetOf(object, 'scaleTargetRef'),
})

/** Percent of the request; undefined if the autoscaler does not use the resource. */
export function targetPercent(object: Json, resource: string): number | undefined {
  const metric = listOf(memberOf(object, 'spec', 'metrics')).find(
    (one) => one['type'] === 'Resource' && textAt(one, 'resource', 'name') === resource,
  )
  return countAt(metric, 'resource', 'target', 'averageUtilization')
}

const targetOf = (object: Json, member: string): string | undefined => {
  const kind = textAt(object, 'spec', member, 'kind')
  const name = textAt(object, 'spec', member, 'name')
  return kind === undefined || name === undefined ? undefined : `${kind.toLowerCase()}/${name}`
}

const verticalpodautoscaler: SpecsOf = (object) => ({
  update_mode: textAt(object, 'spec', 'updatePolicy', 'updateMode') ?? 'Auto',
  target: targetOf(object, 'targetRef'),
})

const platform = /^(kube-|openshift|gke-|gmp-|aks-|calico-|tigera-|amazon-)/

const namespace: SpecsOf = (object, { tally }) => {
  const name = nameOf(object) ?? ''
  return {
    system: platform.test(name),
    resource_quota: tally.has('resourcequota in', name, ['resourcequota']),
    limit_range: tally.has('limitrange in', name, ['limitrange']),
    network_policy_count: tally.of('networkpolicy in', name, ['networkpolicy']),
    pod_count: tally.of('running pods in', name, ['pod']),
    phase: textAt(object, 'status', 'phase'),
  }
}

const inWhole = (quantity: unknown, of: (units: number) => number): number | undefined => {
  const units = quantityOf(quantity)
  return units === undefined ? undefined : of(units)
}

const node: SpecsOf = (object) => {
  const label = (...names: readonly string[]) =>
    names.map((name) => textAt(object, 'metadata', 'labels', name)).find((one) => one !== undefined)
  return {
    unschedulable: isTrueAt(object, 'spec', 'unschedulable'),
    allocatable_cpu_millicores: inWhole(memberOf(object, 'status', 'allocatable', 'cpu'), millicoresOf),
    allocatable_memory_mib: inWhole(memberOf(object, 'status', 'allocatable', 'memory'), mebibytesOf),
    zone: label('topology.kubernetes.io/zone', 'failure-domain.beta.kubernetes.io/zone'),
    architecture: label('kubernetes.io/arch', 'beta.kubernetes.io/arch'),
    node_pool: poolOf(object),
    provider_id: textAt(object, 'spec', 'providerID'),
  }
}

export const poolOf = (node: Json): string | undefined =>
  poolLabels.map((name) => textAt(node, 'metadata', 'labels', name)).find((one) => one !== undefined)

/** Labels with a node's pool, by cloud. */
const poolLabels = ['eks.amazonaws.com/nodegroup', 'cloud.google.com/gke-nodepool', 'kubernetes.azure.com/agentpool']

const pod: SpecsOf = (object) => ({
  phase: textAt(object, 'status', 'phase'),
  restart_count: listOf(memberOf(object, 'status', 'containerStatuses')).reduce(
    (sum, one) => sum + (countAt(one, 'restartCount') ?? 0),
    0,
  ),
  node: textAt(object, 'spec', 'nodeName'),
})

const role: SpecsOf = (object) => ({
  wildcard: listOf(object['rules']).some(({ verbs, resources }) =>
    [...textsOf(verbs), ...textsOf(resources)].includes('*'),
  ),
})

const binding: SpecsOf = (object) => ({
  role_name: textAt(object, 'roleRef', 'name'),
  subject_count: listOf(object['subjects']).length,
})

const clusterrolebinding: SpecsOf = (object, about) => ({
  ...binding(object, about),
  system:
    /^(system|eks|gce|gke|aks|kubeadm):?/.test(nameOf(object) ?? '') ||
    textAt(object, 'metadata', 'labels', 'kubernetes.io/bootstrapping') === 'rbac-defaults',
})

const byKind: Readonly<Record<string, SpecsOf>> = {
  deployment,
  statefulset: workload('statefulset'),
  daemonset: workload('daemonset'),
  job,
  cronjob,
  replicaset,
  service,
  ingress,
  networkpolicy: () => ({}),
  configmap: configSpecs('configmap', workloadKinds),
  secret: configSpecs('secret', [...workloadKinds, 'serviceaccount', 'ingress']),
  serviceaccount,
  persistentvolume,
  persistentvolumeclaim,
  storageclass,
  horizontalpodautoscaler,
  verticalpodautoscaler,
  namespace,
  node,
  pod,
  role,
  rolebinding: binding,
  clusterrole: role,
  clusterrolebinding,
}

/** Unknown values are left out; rules that need them give no result. */
export function specsOf(kind: string, object: Json, about: SpecsContext): Record<string, unknown> {
  const specs = {
    namespace: namespaceOf(object),
    created_at: textAt(object, 'metadata', 'creationTimestamp'),
    object_uid: textAt(object, 'metadata', 'uid'),
    owner: ownerOf(object),
    ...byKind[kind]?.(object, about),
  }
  noteWritten(kind, specs)
  return dropUndefined(specs)
}
