/** The resource types of all clouds, read from `resource-types.csv`: names, schedulability, states, links. */
import { readFileSync } from 'node:fs'
import { parse } from 'csv-parse/sync'
import { isProvider, type Provider } from '#streams/names.ts'

/**
 * A resource type, as declared in `resource-types.csv` beside this file. Names of calls are empty if there is no such
 * call.
 */
export interface ResourceType {
  /** `<provider>-<kind>`. */
  type: string
  provider: Provider
  kind: string
  /** The FOCUS service category; for Kubernetes kinds the interface's own six categories. */
  category: string
  displayName: string
  service: string
  schedulable: boolean
  startApi: string
  stopApi: string
  pauseApi: string
  /** Undefined if there is no pause. */
  pauseReversible: boolean | undefined
  /** The cloud's states and ours, as text: `<theirs>,<theirs>=<ours>; ...`. */
  statusMap: string
  parentTypes: readonly string[]
  scalingTarget: 'no' | 'yes' | 'node pool'
  costRollup: boolean
  taggable: boolean
  /** The wave of development (1 to 3) in which its discovery was added. */
  wave: number
  discoveryApi: string
  consoleUrl: string
}

/** All types that the product knows, in the file's order. */
export const resourceTypes: readonly ResourceType[] = read('resource-types.csv').map(resourceType)

const byName: ReadonlyMap<string, ResourceType> = new Map(resourceTypes.map((known) => [known.type, known]))

/** Undefined for an unknown type: such resources are kept, but only in the inventory. */
export const typeOf = (type: string): ResourceType | undefined => byName.get(type)

/** Databases grow by a larger class, not by more units. */
export const isDatabase = (type: string): boolean => typeOf(type)?.category === 'Databases'

/** The FOCUS category of a service: that of its first type in the file. */
export function categoryOf(service: string): string {
  return categories.get(service) ?? 'Other'
}

const categories: ReadonlyMap<string, string> = new Map(
  resourceTypes.map(({ service, category }) => [service, category] as const).toReversed(),
)

/** The managed clusters whose Kubernetes workloads are discovered. */
export const clusterTypes = ['aws-eks', 'gcp-gke', 'azure-aks'] as const

/** The 24 kinds of Kubernetes children and the category each belongs to. */
export const kubernetesKinds: Readonly<Record<string, string>> = {
  deployment: 'Workloads',
  statefulset: 'Workloads',
  daemonset: 'Workloads',
  job: 'Workloads',
  cronjob: 'Workloads',
  replicaset: 'Workloads',
  service: 'Services and networking',
  ingress: 'Services and networking',
  networkpolicy: 'Services and networking',
  configmap: 'Configuration',
  secret: 'Configuration',
  serviceaccount: 'Configuration',
  persistentvolume: 'Storage',
  persistentvolumeclaim: 'Storage',
  storageclass: 'Storage',
  horizontalpodautoscaler: 'Autoscaling',
  verticalpodautoscaler: 'Autoscaling',
  namespace: 'Cluster',
  node: 'Cluster',
  pod: 'Cluster',
  role: 'Cluster',
  rolebinding: 'Cluster',
  clusterrole: 'Cluster',
  clusterrolebinding: 'Cluster',
}

/** `deployment` for `aws-eks-deployment`; undefined for other types, including clusters and node pools. */
export function kubernetesKind(type: string): string | undefined {
  const cluster = clusterTypes.find((name) => type.startsWith(`${name}-`))
  const kind = cluster && type.slice(cluster.length + 1)
  return kind !== undefined && Object.hasOwn(kubernetesKinds, kind) ? kind : undefined
}

/**
 * Whether resources of the type can be started and stopped, according to the file; never for unknown types. A replica
 * set that a deployment owns cannot, because the deployment would undo it.
 */
export function schedulable(type: string, hasOwner = false): boolean {
  if (hasOwner && kubernetesKind(type) === 'replicaset') return false
  return typeOf(type)?.schedulable ?? false
}

/** Kinds of Kubernetes workloads with a settable number of replicas. */
const replicatedKinds: readonly string[] = ['deployment', 'statefulset', 'replicaset']

/** Whether a resource of the type consists of equal units, and a stop sets their number to 0. */
export const isCounted = (type: string): boolean =>
  replicatedKinds.includes(kubernetesKind(type) ?? '') || (typeOf(type)?.scalingTarget ?? 'no') !== 'no'

/** A row of the cloud support matrix (G-27): supported actions for resources of a type. */
export interface CloudSupport {
  provider: Provider
  type: string
  kind: string
  category: string
  schedulable: boolean
  actions: string[]
  autoscalable: boolean
  discoverable: boolean
}

/** The cloud support matrix, in the file's order. */
export const cloudSupport = (): CloudSupport[] =>
  resourceTypes.map((known) => ({
    provider: known.provider,
    type: known.type,
    kind: known.kind,
    category: known.category,
    schedulable: known.schedulable,
    actions: actions(known),
    autoscalable: known.scalingTarget !== 'no',
    discoverable: known.discoveryApi !== '',
  }))

function actions(known: ResourceType): string[] {
  const calls = { start: known.startApi, stop: known.stopApi, pause: known.pauseApi }
  const named = Object.entries(calls).flatMap(([action, call]) => (call === '' ? [] : [action]))
  return known.scalingTarget === 'no' ? named : [...named, 'scale']
}

function read(file: string): Record<string, string>[] {
  return parse(readFileSync(new URL(file, import.meta.url)), { columns: true })
}

function resourceType(row: Record<string, string>): ResourceType {
  const { type = '', provider = '', scaling_target: scalingTarget = '' } = row
  if (!isProvider(provider)) throw new Error(`${type} has an unknown provider`)
  if (scalingTarget !== 'no' && scalingTarget !== 'yes' && scalingTarget !== 'node pool') {
    throw new Error(`${type} has no scaling target`)
  }
  const cell = (name: string) => row[name] ?? ''
  return {
    type,
    provider,
    kind: cell('kind'),
    category: cell('category'),
    displayName: cell('display_name'),
    service: cell('service'),
    schedulable: cell('schedulable') === 'yes',
    startApi: cell('start_api'),
    stopApi: cell('stop_api'),
    pauseApi: cell('pause_api'),
    pauseReversible: cell('pause_api') === '' ? undefined : cell('pause_reversible') === 'yes',
    statusMap: cell('status_map'),
    parentTypes: cell('parent_types').split(' ').filter(Boolean),
    scalingTarget,
    costRollup: cell('cost_rollup') === 'yes',
    taggable: cell('taggable') === 'yes',
    wave: Number(cell('wave')),
    discoveryApi: cell('discovery_api'),
    consoleUrl: cell('console_url'),
  }
}
