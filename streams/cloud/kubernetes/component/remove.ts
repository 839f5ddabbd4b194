/** Removes a component from a cluster: in reverse order, by label, and only if nothing of others is lost with it. */
import { cloudFault } from '#streams/cloud/connector.ts'
import type { UnprovisionAnswer } from '#streams/cloud/provision.ts'
import type { KubernetesApi } from '#streams/cloud/kubernetes/api/api.ts'
import { listOf, memberOf, textAt, textsOf, type Json } from '#streams/cloud/kubernetes/api/json-access.ts'
import { listedKinds, resourceName, uidOf } from '#streams/cloud/kubernetes/object/kind.ts'
import { kindNamesOf } from './apply.ts'
import {
  askIfPresent,
  jobLabel,
  objectPath,
  selectObjects,
  ServedKinds,
  type ComponentRequest,
  type ServedKind,
} from './owned.ts'

interface OwnedObject {
  kind: ServedKind
  object: Json
}

/** Deletes what is there and waits; done once a call finds nothing. */
export async function removeComponent(api: KubernetesApi, request: ComponentRequest): Promise<UnprovisionAnswer> {
  const found = await findOwned(api, request)
  if (found.length === 0) return { status: 'done' }
  const definitions = found.filter(({ kind }) => kind.kind === 'customresourcedefinition')
  await checkUnused(api, request, found, definitions)
  // Objects of the component's own kinds go first: their controllers may still have to clean up.
  const custom = found.filter(({ kind }) => definitions.some(({ object }) => isDefinitionOf(object, kind)))
  for (const one of custom.length > 0 ? custom : found) if (!isGoing(one)) await remove(api, one)
  return { status: 'waiting' }
}

/** The last kind first. The kinds that were applied are in the step's output, because a newer catalog may have others. */
async function findOwned(api: KubernetesApi, { jobId, objects = [], outputs }: ComponentRequest) {
  const names = new Set([...kindNamesOf(objects), ...textsOf(outputs['create']?.['kinds'])])
  const kinds = new ServedKinds(api)
  const found: OwnedObject[] = []
  for (const name of [...names].toReversed()) {
    const [apiVersion = '', kindName = ''] = name.split(' ')
    const kind = await kinds.find({ apiVersion, kind: kindName })
    if (!kind) continue
    const owned = await selectObjects(api, kind, { labelSelector: `${jobLabel}=${jobId}` })
    found.push(...owned.map((object) => ({ kind, object })))
  }
  return found
}

const isDefinitionOf = (definition: Json, { group, plural }: ServedKind): boolean =>
  textAt(definition, 'spec', 'group') === group && textAt(definition, 'spec', 'names', 'plural') === plural

const isGoing = ({ object }: OwnedObject): boolean => textAt(object, 'metadata', 'deletionTimestamp') !== undefined

/** Kinds that a namespace of ours must not contain of others. */
const kept = ['deployment', 'statefulset', 'daemonset', 'persistentvolumeclaim']

/** Objects of a kind are deleted with its definition, and objects in a namespace with that. */
async function checkUnused(
  api: KubernetesApi,
  { jobId }: ComponentRequest,
  found: readonly OwnedObject[],
  definitions: readonly OwnedObject[],
): Promise<void> {
  const others = { labelSelector: `${jobLabel}!=${jobId}`, limit: 1 }
  for (const one of definitions)
    if (!isGoing(one)) checkNone(api, await selectObjects(api, definedKind(one.object), others), one)
  for (const one of found) {
    if (one.kind.kind !== 'namespace' || isGoing(one)) continue
    const namespace = textAt(one.object, 'metadata', 'name') ?? ''
    for (const kind of listedKinds.filter((listed) => kept.includes(listed.kind)))
      checkNone(api, await selectObjects(api, kind, { ...others, namespace }), one)
  }
}

function definedKind(definition: Json): ServedKind {
  const served = listOf(memberOf(definition, 'spec', 'versions')).find(({ served: isServed }) => isServed !== false)
  return {
    kind: textAt(definition, 'spec', 'names', 'kind')?.toLowerCase() ?? '',
    group: textAt(definition, 'spec', 'group') ?? '',
    version: textAt(served, 'name') ?? '',
    plural: textAt(definition, 'spec', 'names', 'plural') ?? '',
    namespaced: textAt(definition, 'spec', 'scope') === 'Namespaced',
  }
}

/** @throws a `user_action` fault `resource_in_use` */
function checkNone(api: KubernetesApi, [other]: readonly Json[], { kind, object }: OwnedObject): void {
  if (!other) return
  const name = textAt(other, 'metadata', 'name') ?? ''
  const namespace = textAt(other, 'metadata', 'namespace')
  throw cloudFault(
    'user_action',
    'resource_in_use',
    `${resourceName(kind)} ${textAt(object, 'metadata', 'name') ?? ''} in ${api.place.cluster} is still in use, by ${
      namespace === undefined ? '' : `${namespace}/`
    }${name}, which would be deleted with it.`,
    { fixHint: 'Delete or move what uses the component, then delete the job again.' },
  )
}

/** An object that has been created again in the meantime has another uid. */
async function remove(api: KubernetesApi, { kind, object }: OwnedObject): Promise<void> {
  const name = textAt(object, 'metadata', 'name') ?? ''
  await askIfPresent(api, {
    permission: `delete ${resourceName(kind)}`,
    method: 'DELETE',
    path: objectPath(kind, name, textAt(object, 'metadata', 'namespace')),
    body: {
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      propagationPolicy: 'Background',
      preconditions: { uid: textAt(object, 'metadata', 'uid') },
    },
  })
}

/** Uids of the component's objects in the inventory. */
export function goneUids({ clusterUid, objects = [] }: ComponentRequest): string[] {
  return objects.flatMap(({ kind, metadata: { name, namespace } }) => {
    const listed = listedKinds.find((one) => one.kind === kind.toLowerCase() && one.aside !== true)
    return listed && clusterUid !== null ? [uidOf(clusterUid, listed.kind, namespace, name)] : []
  })
}
