/** Maps an object of a cluster to a resource. */
import type { DiscoveredResource } from '#streams/cloud/connector.ts'
import { schedulable } from '#streams/cloud/resource/resource-type.ts'
import { providerOf, uidOf, type Cluster, type ListedKind } from './kind.ts'
import { nameOf, namespaceOf, ownerOf } from './object.ts'
import { gibibytesOf, quantityOf } from '#streams/cloud/kubernetes/pod/quantity.ts'
import { specsOf, type SpecsContext } from './specs.ts'
import { replicasOf, statusOf } from './status.ts'
import { countAt, memberOf, textAt, textsByName, type Json } from '#streams/cloud/kubernetes/api/json-access.ts'

/** Undefined if its name cannot be stored. */
export function resourceOf(
  { kind, namespaced }: ListedKind,
  object: Json,
  cluster: Cluster,
  about: SpecsContext,
): DiscoveredResource | undefined {
  const name = nameOf(object)
  const namespace = namespaced ? namespaceOf(object) : undefined
  if (name === undefined || (namespaced && namespace === undefined)) return undefined
  const uid = uidOf(cluster.uid, kind, namespace, name)
  if (name.includes('/') || uid.length > uidLengthMax) return undefined
  const type = `${cluster.type}-${kind}`
  return {
    resourceUid: uid,
    name,
    type,
    provider: providerOf(cluster),
    region: cluster.region,
    parentUID: cluster.uid,
    status: statusOf(kind, object),
    schedulable: schedulable(type, ownerOf(object) !== undefined),
    tags: textsByName(memberOf(object, 'metadata', 'labels')),
    specs: specsOf(kind, object, about),
    ...sizes(kind, object),
  }
}

const uidLengthMax = 1024

function sizes(kind: string, object: Json): Partial<DiscoveredResource> {
  switch (kind) {
    case 'deployment':
    case 'statefulset':
    case 'replicaset':
      return { unitCount: replicasOf(object) }
    case 'daemonset':
      return { unitCount: countAt(object, 'status', 'desiredNumberScheduled') ?? 0 }
    case 'node':
      return machine(object)
    case 'persistentvolume':
      return readSize(memberOf(object, 'spec', 'capacity', 'storage'))
    case 'persistentvolumeclaim':
      return readSize(
        memberOf(object, 'status', 'capacity', 'storage') ??
          memberOf(object, 'spec', 'resources', 'requests', 'storage'),
      )
    default:
      return {}
  }
}

/** Both labels have the same meaning; the second is older. */
export const instanceTypeOf = (node: Json): string | undefined =>
  textAt(node, 'metadata', 'labels', 'node.kubernetes.io/instance-type') ??
  textAt(node, 'metadata', 'labels', 'beta.kubernetes.io/instance-type')

function machine(node: Json): Partial<DiscoveredResource> {
  const instanceType = instanceTypeOf(node)
  return instanceType === undefined ? {} : { instanceType }
}

function readSize(quantity: unknown): Partial<DiscoveredResource> {
  const bytes = quantityOf(quantity)
  return bytes === undefined ? {} : { sizeGB: gibibytesOf(bytes) }
}
