import { readFileSync } from 'node:fs'
import { parse } from 'csv-parse/sync'
import { isProvider, type Provider } from '#streams/names.ts'

/** One resource type, as `resource-types.csv` beside this file declares it. Call names are empty where there is no such call. */
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
  /** Undefined where there is no pause. */
  pauseReversible: boolean | undefined
  /** The cloud's own states and ours, as prose: `<theirs>,<theirs>=<ours>; ...`. */
  statusMap: string
  parentTypes: readonly string[]
  scalingTarget: 'no' | 'yes' | 'node pool'
  costRollup: boolean
  taggable: boolean
  /** In which of the three waves of work its discovery came or comes. */
  wave: number
  discoveryApi: string
  consoleUrl: string
}

/** Every type the product knows, in the file's order. */
export const resourceTypes: readonly ResourceType[] = read('resource-types.csv').map(resourceType)

const byName: ReadonlyMap<string, ResourceType> = new Map(resourceTypes.map((known) => [known.type, known]))

/** Undefined for a type the product does not know: such resources are kept, and are inventory only. */
export const typeOf = (type: string): ResourceType | undefined => byName.get(type)

/** Made larger by its class, not by more units of it. */
export const isDatabase = (type: string): boolean => typeOf(type)?.category === 'Databases'

/** The FOCUS category of a service, which has but one: that of its first type in the file. */
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

/** `deployment` for `aws-eks-deployment`; undefined for what is no Kubernetes child, the clusters and node pools included. */
export function kubernetesKind(type: string): string | undefined {
  const cluster = clusterTypes.find((name) => type.startsWith(`${name}-`))
  const kind = cluster && type.slice(cluster.length + 1)
  return kind !== undefined && Object.hasOwn(kubernetesKinds, kind) ? kind : undefined
}

/**
 * Whether resources of the type can be started and stopped: what the file says, and never for a type it does not list. A
 * replica set that a deployment owns cannot, since its deployment would undo it.
 */
export function schedulable(type: string, hasOwner = false): boolean {
  if (hasOwner && kubernetesKind(type) === 'replicaset') return false
  return typeOf(type)?.schedulable ?? false
}

/** Kinds of Kubernetes workloads whose replicas are set. */
const replicatedKinds: readonly string[] = ['deployment', 'statefulset', 'replicaset']

/** Whether a resource of the type is so many equal units, which a stop takes to none: it has a capacity. */
export const isCounted = (type: string): boolean =>
  replicatedKinds.includes(kubernetesKind(type) ?? '') || (typeOf(type)?.scalingTarget ?? 'no') !== 'no'

/** One row of the cloud support matrix (G-27): what can be done with resources of a type. */
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
