/** The objects that a job has created in a cluster: marked by a label, and found again by it. */
import { Fault } from '#engine/value/fault.ts'
import type { ComponentObject, ProvisionRequest } from '#streams/cloud/provision.ts'
import type { KubernetesApi, KubernetesCall } from '#streams/cloud/kubernetes/api/api.ts'
import { listOf, textAt, type Json } from '#streams/cloud/kubernetes/api/json-access.ts'
import { pathOf, resourceName, type ListedKind } from '#streams/cloud/kubernetes/object/kind.ts'

export type ComponentRequest = Omit<ProvisionRequest, 'step' | 'token'>

/** Label of all objects of a job. */
export const jobLabel = 'tidemark/job'

export type ServedKind = Pick<ListedKind, 'kind' | 'group' | 'version' | 'plural' | 'namespaced'>

/** Kinds as the cluster serves them during one call. */
export class ServedKinds {
  private readonly api: KubernetesApi
  private readonly groups = new Map<string, Promise<readonly Json[]>>()

  constructor(api: KubernetesApi) {
    this.api = api
  }

  /** Undefined if the cluster does not know the kind. */
  async find({ apiVersion, kind }: Pick<ComponentObject, 'apiVersion' | 'kind'>): Promise<ServedKind | undefined> {
    const [version = '', group = ''] = apiVersion.split('/').toReversed()
    let resources = this.groups.get(apiVersion)
    if (!resources) this.groups.set(apiVersion, (resources = this.read(group, version)))
    const found = (await resources).find((one) => one['kind'] === kind && !textAt(one, 'name')?.includes('/'))
    const plural = textAt(found, 'name')
    return found && plural !== undefined
      ? { kind: kind.toLowerCase(), group, version, plural, namespaced: found['namespaced'] === true }
      : undefined
  }

  private async read(group: string, version: string): Promise<readonly Json[]> {
    const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
    const answer = await askIfPresent(this.api, { permission: `get ${path}`, path })
    return listOf(answer?.['resources'])
  }
}

/** Undefined if there is no such object. */
export async function askIfPresent(api: KubernetesApi, call: KubernetesCall): Promise<Json | undefined> {
  try {
    return await api.ask(call)
  } catch (error) {
    if (error instanceof Fault && error.code === 'not_found') return undefined
    throw error
  }
}

export const objectPath = (kind: ServedKind, name: string, namespace?: string): string =>
  `${pathOf(kind, namespace)}/${encodeURIComponent(name)}`

export const findObject = (
  api: KubernetesApi,
  kind: ServedKind,
  { metadata: { name, namespace } }: Pick<ComponentObject, 'metadata'>,
): Promise<Json | undefined> =>
  askIfPresent(api, { permission: `get ${resourceName(kind)}`, path: objectPath(kind, name, namespace) })

export const isOwned = (object: unknown, jobId: string): boolean =>
  textAt(object, 'metadata', 'labels', jobLabel) === jobId

interface Selection {
  labelSelector: string
  /** If missing, the whole cluster. */
  namespace?: string
  limit?: number
}

/** Empty if the cluster does not know the kind. */
export async function selectObjects(
  api: KubernetesApi,
  kind: ServedKind,
  { labelSelector, namespace, limit }: Selection,
): Promise<readonly Json[]> {
  const query = { labelSelector, ...(limit !== undefined && { limit: String(limit) }) }
  const answer = await askIfPresent(api, {
    permission: `list ${resourceName(kind)}`,
    path: pathOf(kind, namespace),
    query,
  })
  return listOf(answer?.['items'])
}

/** As people know it: `Deployment shop/web`. */
export const describeObject = (kind: string, { metadata: { name, namespace } }: Pick<ComponentObject, 'metadata'>) =>
  `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`
