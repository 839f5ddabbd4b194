/**
 * Installs a component into a cluster by server-side apply: checks first, applies its objects in order, then waits for
 * its workloads. Objects that the job has not created are never changed.
 */
import { Fault } from '#engine/value/fault.ts'
import { cloudFault } from '#streams/cloud/connector.ts'
import type { ComponentObject, ProvisionAnswer } from '#streams/cloud/provision.ts'
import type { KubernetesApi } from '#streams/cloud/kubernetes/api/api.ts'
import { isTrueAt, listOf, memberOf, textAt, type Json } from '#streams/cloud/kubernetes/api/json-access.ts'
import { resourceName } from '#streams/cloud/kubernetes/object/kind.ts'
import {
  describeObject,
  findObject,
  isOwned,
  jobLabel,
  objectPath,
  ServedKinds,
  type ComponentRequest,
  type ServedKind,
} from './owned.ts'

const fieldManager = 'tidemark'

/** @throws a `user_action` fault `permission_missing` or `already_exists`, before anything is created */
export async function checkComponent(api: KubernetesApi, request: ComponentRequest): Promise<ProvisionAnswer> {
  await checkAdministrator(api)
  const kinds = new ServedKinds(api)
  for (const object of request.objects ?? []) {
    const kind = await kinds.find(object)
    if (kind) await findOwn(api, kind, object, request)
  }
  return { status: 'done' }
}

/** A cluster accepts a role only from somebody who has all its permissions. */
async function checkAdministrator(api: KubernetesApi): Promise<void> {
  const answer = await api.ask({
    permission: 'create selfsubjectaccessreviews.authorization.k8s.io',
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    body: {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes: { verb: '*', group: '*', resource: '*' } },
    },
  })
  if (isTrueAt(answer, 'status', 'allowed')) return
  throw cloudFault(
    'user_action',
    'permission_missing',
    `Components can only be installed by an administrator of the cluster, and Tidemark is none in ${api.place.cluster}.`,
    {
      permission: '* *.*',
      fixHint: 'Make the identity of the account an administrator of the cluster, then retry.',
    },
  )
}

/** The object if the job has created it; undefined if there is none. @throws a fault `already_exists` */
async function findOwn(
  api: KubernetesApi,
  kind: ServedKind,
  object: ComponentObject,
  { jobId }: ComponentRequest,
): Promise<Json | undefined> {
  const found = await findObject(api, kind, object)
  if (!found || isOwned(found, jobId)) return found
  throw cloudFault(
    'user_action',
    'already_exists',
    `${describeObject(object.kind, object)} already exists in ${api.place.cluster}, and this job did not create it.`,
    { fixHint: 'Remove the existing installation from the cluster, then retry, or delete this job and keep it.' },
  )
}

/** Applies all objects. Waits for the cluster if it does not accept one yet. */
export async function applyComponent(api: KubernetesApi, request: ComponentRequest): Promise<ProvisionAnswer> {
  const { objects = [] } = request
  const output = { kinds: kindNamesOf(objects), ...installedBy(objects) }
  const kinds = new ServedKinds(api)
  for (const object of objects) {
    const kind = await kinds.find(object)
    // Its definition is one of the objects before.
    if (!kind) return { status: 'waiting', output }
    const found = await findOwn(api, kind, object, request)
    if (!(await applyObject(api, kind, object, request, found !== undefined))) return { status: 'waiting', output }
  }
  return { status: 'done', output }
}

/** `v1 Namespace`; each once. */
export const kindNamesOf = (objects: readonly ComponentObject[]): string[] => [
  ...new Set(objects.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`)),
]

const installedBy = (objects: readonly ComponentObject[]) => ({
  namespace: objects.find(({ metadata }) => metadata.namespace !== undefined)?.metadata.namespace,
  version: objects[0]?.metadata.labels?.['app.kubernetes.io/version'],
})

/**
 * Takes fields over from other managers only on our own objects. False while a webhook of the component, which has to
 * accept the object, is not running yet.
 */
async function applyObject(
  api: KubernetesApi,
  kind: ServedKind,
  object: ComponentObject,
  request: ComponentRequest,
  isOurs: boolean,
): Promise<boolean> {
  const { name, namespace } = object.metadata
  const labels = { ...labelsOf(request.tags), ...object.metadata.labels, [jobLabel]: request.jobId }
  try {
    await api.ask({
      permission: `patch ${resourceName(kind)}`,
      method: 'PATCH',
      path: objectPath(kind, name, namespace),
      query: { fieldManager, force: String(isOurs) },
      contentType: 'application/apply-patch+yaml',
      body: { ...object, metadata: { ...object.metadata, labels } },
    })
    return true
  } catch (error) {
    if (error instanceof Fault && /failed calling webhook/.test(error.message)) return false
    throw error
  }
}

const labelName = /^([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?\/)?[A-Za-z0-9]([\w.-]{0,61}[A-Za-z0-9])?$/
const labelValue = /^([A-Za-z0-9]([\w.-]{0,61}[A-Za-z0-9])?)?$/

/** Tags that Kubernetes accepts as labels. */
const labelsOf = (tags: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(tags).filter(([name, value]) => labelName.test(name) && labelValue.test(value)))

/** Waits until all workloads are available. @throws a fault if one is gone, or does not start */
export async function verifyComponent(api: KubernetesApi, request: ComponentRequest): Promise<ProvisionAnswer> {
  const kinds = new ServedKinds(api)
  let isReady = true
  for (const object of request.objects ?? []) {
    if (object.kind !== 'Deployment' && object.kind !== 'DaemonSet') continue
    const kind = await kinds.find(object)
    const found = kind && (await findObject(api, kind, object))
    if (!found || !isOwned(found, request.jobId))
      throw cloudFault(
        'user_action',
        'resource_not_found',
        `${describeObject(object.kind, object)} no longer exists.`,
        {
          fixHint: 'Delete the job and create a new one.',
        },
      )
    checkProgress(object, found)
    isReady &&= isAvailable(found)
  }
  return { status: isReady ? 'done' : 'waiting' }
}

/** Kubernetes itself says after ten minutes that a deployment makes no progress. */
function checkProgress(object: ComponentObject, found: Json): void {
  const conditions = listOf(memberOf(found, 'status', 'conditions'))
  const stuck = conditions.find(
    (one) => one['type'] === 'Progressing' && one['status'] === 'False' && one['reason'] === 'ProgressDeadlineExceeded',
  )
  if (!stuck) return
  throw cloudFault(
    'user_action',
    'component_not_ready',
    `${describeObject(object.kind, object)} does not become available: ${textAt(stuck, 'message') ?? 'no reason given'}`,
    { fixHint: 'Look at the events of its pods. Fix the cause in the cluster, then retry.' },
  )
}

const numberAt = (value: unknown, otherwise: number, ...names: readonly string[]): number => {
  const found = memberOf(value, ...names)
  return typeof found === 'number' ? found : otherwise
}

function isAvailable(found: Json): boolean {
  const isCurrent = numberAt(found, 0, 'status', 'observedGeneration') >= numberAt(found, 0, 'metadata', 'generation')
  const desired = memberOf(found, 'status', 'desiredNumberScheduled')
  const [wanted, available] =
    typeof desired === 'number'
      ? [desired, numberAt(found, 0, 'status', 'numberAvailable')]
      : [numberAt(found, 1, 'spec', 'replicas'), numberAt(found, 0, 'status', 'availableReplicas')]
  return isCurrent && available >= wanted
}
