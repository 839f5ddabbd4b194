/** The 24 kinds of objects that are resources, and kinds read for their attributes, with their API paths. */
import { kubernetesKind, typeOf, type clusterTypes } from '#streams/cloud/resource/resource-type.ts'
import { cloudFault } from '#streams/cloud/connector.ts'
import type { Provider } from '#streams/names.ts'

export interface ListedKind {
  /** In lower case; the last part of a resource type. */
  kind: string
  /** Empty for the core group. */
  group: string
  version: string
  plural: string
  namespaced: boolean
  /** Its content is confidential or not needed. */
  metadataOnly?: true
  /** Not every cluster has the kind; then it has no objects. */
  optional?: true
  /** Only counted for attributes of others; not a resource. */
  aside?: true
}

const of = (
  group: string,
  version: string,
  kind: string,
  plural: string,
  more: Partial<Pick<ListedKind, 'namespaced' | 'metadataOnly' | 'optional' | 'aside'>> = {},
): ListedKind => ({ kind, group, version, plural, namespaced: true, ...more })

const rbac = 'rbac.authorization.k8s.io'
const clusterScoped = { namespaced: false } as const
const metadata = { metadataOnly: true } as const

/** In reading order: kinds that are counted for others come before them. */
export const listedKinds: readonly ListedKind[] = [
  of('', 'v1', 'node', 'nodes', clusterScoped),
  of('', 'v1', 'pod', 'pods'),
  of('', 'v1', 'resourcequota', 'resourcequotas', { ...metadata, aside: true }),
  of('', 'v1', 'limitrange', 'limitranges', { ...metadata, aside: true }),
  of('discovery.k8s.io', 'v1', 'endpointslice', 'endpointslices', { aside: true }),
  of('networking.k8s.io', 'v1', 'networkpolicy', 'networkpolicies', metadata),
  of('', 'v1', 'namespace', 'namespaces', clusterScoped),
  of('autoscaling', 'v2', 'horizontalpodautoscaler', 'horizontalpodautoscalers'),
  of('autoscaling.k8s.io', 'v1', 'verticalpodautoscaler', 'verticalpodautoscalers', { optional: true }),
  of('batch', 'v1', 'job', 'jobs'),
  of('batch', 'v1', 'cronjob', 'cronjobs'),
  of('apps', 'v1', 'deployment', 'deployments'),
  of('apps', 'v1', 'statefulset', 'statefulsets'),
  of('apps', 'v1', 'daemonset', 'daemonsets'),
  of('apps', 'v1', 'replicaset', 'replicasets'),
  of('', 'v1', 'service', 'services'),
  of('networking.k8s.io', 'v1', 'ingress', 'ingresses'),
  of('', 'v1', 'persistentvolume', 'persistentvolumes', clusterScoped),
  of('', 'v1', 'persistentvolumeclaim', 'persistentvolumeclaims'),
  of('storage.k8s.io', 'v1', 'storageclass', 'storageclasses', clusterScoped),
  of('', 'v1', 'serviceaccount', 'serviceaccounts'),
  of('', 'v1', 'configmap', 'configmaps', metadata),
  of('', 'v1', 'secret', 'secrets', metadata),
  of(rbac, 'v1', 'role', 'roles'),
  of(rbac, 'v1', 'rolebinding', 'rolebindings'),
  of(rbac, 'v1', 'clusterrole', 'clusterroles', clusterScoped),
  of(rbac, 'v1', 'clusterrolebinding', 'clusterrolebindings', clusterScoped),
]

const byKind: ReadonlyMap<string, ListedKind> = new Map(listedKinds.map((one) => [one.kind, one]))

/** `deployments.apps`, as in permissions. */
export const resourceName = ({ group, plural }: Pick<ListedKind, 'group' | 'plural'>): string =>
  group === '' ? plural : `${plural}.${group}`

/** Path of the list of a kind, cluster-wide or in one namespace. */
export function pathOf({ group, version, plural, namespaced }: ListedKind, namespace?: string): string {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
  return namespaced && namespace !== undefined
    ? `${root}/namespaces/${encodeURIComponent(namespace)}/${plural}`
    : `${root}/${plural}`
}

/** The cluster whose children are read. */
export interface Cluster {
  uid: string
  type: (typeof clusterTypes)[number]
  region: string
}

export const providerOf = ({ type }: Cluster): Provider => typeOf(type)!.provider

/** A child as its uid names it. */
export interface Child {
  listed: ListedKind
  clusterUid: string
  /** Undefined for objects without a namespace. */
  namespace: string | undefined
  name: string
}

export const uidOf = (clusterUid: string, kind: string, namespace: string | undefined, name: string): string =>
  [clusterUid, ...(namespace === undefined ? [] : [namespace]), kind, name].join('/')

/** @throws a `user_action` fault `unsupported_action` if it is not a child of a cluster */
export function childOf({ resourceUid, type }: { resourceUid: string; type: string }): Child {
  const kind = kubernetesKind(type)
  const found = kind === undefined ? undefined : byKind.get(kind)
  const parts = resourceUid.split('/')
  const name = parts.pop()
  const isNamed = found !== undefined && parts.pop() === kind
  const namespace = found?.namespaced ? parts.pop() : undefined
  const clusterUid = parts.join('/')
  if (!isNamed || !name || clusterUid === '' || (found.namespaced && !namespace))
    throw cloudFault('user_action', 'unsupported_action', `${resourceUid} is not a Kubernetes object.`)
  return { listed: found, clusterUid, namespace, name }
}

export const pathOfChild = ({ listed: of, namespace, name }: Child): string =>
  `${pathOf(of, namespace)}/${encodeURIComponent(name)}`
