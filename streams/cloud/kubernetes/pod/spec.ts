/** Reads specs of pods and pod templates. */
import { mebibytesOf, millicoresOf, quantityOf } from './quantity.ts'
import {
  isTrueAt,
  dropUndefined,
  listOf,
  memberOf,
  objectOf,
  textAt,
  textOf,
  type Json,
} from '#streams/cloud/kubernetes/api/json-access.ts'

/** Requests of one container; a limit without a request counts as the request. Cores and bytes. */
export interface Requests {
  cpu: number | undefined
  memory: number | undefined
}

const resource = (container: Json, kind: 'requests' | 'limits', name: 'cpu' | 'memory'): number | undefined =>
  quantityOf(memberOf(container, 'resources', kind, name))

export const requestsOf = (container: Json): Requests => ({
  cpu: resource(container, 'requests', 'cpu') ?? resource(container, 'limits', 'cpu'),
  memory: resource(container, 'requests', 'memory') ?? resource(container, 'limits', 'memory'),
})

const limitsOf = (container: Json): Requests => ({
  cpu: resource(container, 'limits', 'cpu'),
  memory: resource(container, 'limits', 'memory'),
})

/** Sum of the known values; undefined if there are none. */
const sumKnown = (all: readonly (number | undefined)[]): number | undefined => {
  const said = all.filter((one) => one !== undefined)
  return said.length === 0 ? undefined : said.reduce((sum, one) => sum + one, 0)
}

/** Sum of all values; undefined unless all are known. */
const sumIfComplete = (all: readonly (number | undefined)[]): number | undefined =>
  all.includes(undefined) ? undefined : sumKnown(all)

/** Requests and limits of one pod. Cores and bytes. */
export function podResources(spec: unknown): { requests: Requests; limits: Requests } {
  const containers = listOf(memberOf(spec, 'containers'))
  const asked = containers.map(requestsOf)
  const most = containers.map(limitsOf)
  return {
    requests: { cpu: sumKnown(asked.map(({ cpu }) => cpu)), memory: sumKnown(asked.map(({ memory }) => memory)) },
    limits: { cpu: sumIfComplete(most.map(({ cpu }) => cpu)), memory: sumIfComplete(most.map(({ memory }) => memory)) },
  }
}

const inMillicores = (cores: number | undefined): number | undefined =>
  cores === undefined ? undefined : millicoresOf(cores)
const inMebibytes = (bytes: number | undefined): number | undefined =>
  bytes === undefined ? undefined : mebibytesOf(bytes)

/** Attributes for rules of everything that runs pods. Null if no container has a request. */
export function podAttributes(spec: unknown): Json {
  const containers = listOf(memberOf(spec, 'containers'))
  const all = [...containers, ...listOf(memberOf(spec, 'initContainers'))]
  const { requests, limits } = podResources(spec)
  const unsaid = containers.map(requestsOf).filter(({ cpu, memory }) => cpu === undefined || memory === undefined)
  return dropUndefined({
    cpu_request_millicores: inMillicores(requests.cpu) ?? null,
    memory_request_mib: inMebibytes(requests.memory) ?? null,
    cpu_limit_millicores: inMillicores(limits.cpu),
    memory_limit_mib: inMebibytes(limits.memory),
    containers_without_requests: unsaid.length,
    privileged: isPrivileged(spec, all),
    mutable_image_tag: all.some((container) => isMutable(textAt(container, 'image') ?? '')),
  })
}

function isPrivileged(spec: unknown, containers: readonly Json[]): boolean {
  if (isTrueAt(spec, 'hostNetwork') || isTrueAt(spec, 'hostPID')) return true
  if (volumesOf(spec).some((volume) => memberOf(volume, 'hostPath') !== undefined)) return true
  return containers.some((container) => isTrueAt(container, 'securityContext', 'privileged'))
}

/** Whether the image has no digest, and no tag or `latest`. A port is not a tag. */
function isMutable(image: string): boolean {
  if (image === '' || image.includes('@')) return false
  const [, tag] = image.slice(image.lastIndexOf('/') + 1).split(':')
  return tag === undefined || tag === 'latest'
}

const volumesOf = (spec: unknown): readonly Json[] => listOf(memberOf(spec, 'volumes'))

export const claimsOf = (spec: unknown): string[] =>
  volumesOf(spec).flatMap((volume) => textAt(volume, 'persistentVolumeClaim', 'claimName') ?? [])

const spotKeys: readonly string[] = [
  'eks.amazonaws.com/capacityType',
  'karpenter.sh/capacity-type',
  'cloud.google.com/gke-spot',
  'cloud.google.com/gke-preemptible',
  'kubernetes.azure.com/scalesetpriority',
]
const isSpotKey = (key: unknown): boolean => spotKeys.some((one) => one === key)

/** Whether it may run on spot nodes: it tolerates their taint or selects them. */
export function toleratesSpot(spec: unknown): boolean {
  const tolerates = listOf(memberOf(spec, 'tolerations')).some(
    ({ key, operator }) => isSpotKey(key) || (operator === 'Exists' && (key === undefined || key === '')),
  )
  const node = memberOf(spec, 'affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution')
  const wanted = listOf(memberOf(node, 'nodeSelectorTerms')).flatMap((term) => listOf(term['matchExpressions']))
  const selected = Object.keys(objectOf(memberOf(spec, 'nodeSelector')))
  return tolerates || selected.some(isSpotKey) || wanted.some(({ key }) => isSpotKey(key))
}

/** The config maps and secrets that a pod uses, each once: `configmap/name`. */
export function referencesOf(spec: unknown): string[] {
  const containers = [...listOf(memberOf(spec, 'containers')), ...listOf(memberOf(spec, 'initContainers'))]
  const found = [
    ...containers.flatMap(ofContainer),
    ...volumesOf(spec).flatMap(ofVolume),
    ...listOf(memberOf(spec, 'imagePullSecrets')).map(({ name }) => ['secret', name] as const),
  ]
  return [
    ...new Set(found.flatMap(([kind, name]) => (textOf(name) === undefined ? [] : [`${kind}/${name as string}`]))),
  ]
}

type Reference = readonly [kind: string, name: unknown]

function ofContainer(container: Json): Reference[] {
  const single = listOf(container['env']).flatMap((variable): Reference[] => [
    ['configmap', memberOf(variable, 'valueFrom', 'configMapKeyRef', 'name')],
    ['secret', memberOf(variable, 'valueFrom', 'secretKeyRef', 'name')],
  ])
  const many = listOf(container['envFrom']).flatMap((source): Reference[] => [
    ['configmap', memberOf(source, 'configMapRef', 'name')],
    ['secret', memberOf(source, 'secretRef', 'name')],
  ])
  return [...single, ...many]
}

function ofVolume(volume: Json): Reference[] {
  const projected = listOf(memberOf(volume, 'projected', 'sources')).flatMap((source): Reference[] => [
    ['configmap', memberOf(source, 'configMap', 'name')],
    ['secret', memberOf(source, 'secret', 'name')],
  ])
  return [
    ['configmap', memberOf(volume, 'configMap', 'name')],
    ['secret', memberOf(volume, 'secret', 'secretName')],
    ...projected,
  ]
}
