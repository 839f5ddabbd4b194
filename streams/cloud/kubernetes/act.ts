/**
 * Actions on objects of a cluster. Each call sets a final state, so a repeat has no further effect. A call that depends
 * on the current state sends its version, and is calculated again if another change came first.
 */
import { Fault } from '#engine/value/fault.ts'
import { retries } from '#streams/retry.ts'
import { cloudFault, type CloudAction, type ActionOutcome } from '#streams/cloud/connector.ts'
import { schedulable } from '#streams/cloud/resource/resource-type.ts'
import type { KubernetesApi } from '#streams/cloud/kubernetes/api/api.ts'
import { childOf, pathOfChild, resourceName, type Child } from '#streams/cloud/kubernetes/object/kind.ts'
import { kubernetesLook, objectOfChild } from '#streams/cloud/kubernetes/object/look.ts'
import { ownerOf, podSpecOf } from '#streams/cloud/kubernetes/object/object.ts'
import { isOffered } from '#streams/cloud/kubernetes/api/permissions.ts'
import { containersFor, type TargetRequests } from '#streams/cloud/kubernetes/pod/container-requests.ts'
import { isFinished, replicasOf } from '#streams/cloud/kubernetes/object/status.ts'
import { textAt, type Json } from '#streams/cloud/kubernetes/api/json-access.ts'

/** The object of an action, and its API. */
interface About {
  api: KubernetesApi
  action: CloudAction
  child: Child
  object: Json
}

/**
 * @throws a `cloudFault`; `unsupported_action` if the kind does not have the action, `resource_not_found` if the object
 * does not exist
 */
export async function kubernetesAct(api: KubernetesApi, action: CloudAction): Promise<ActionOutcome> {
  const child = childOf(action.resource)
  const object = await objectOfChild(api, child)
  if (action.kind === 'delete') return remove(api, action, child, object !== undefined)
  if (object === undefined) throw goneFault(child)
  await performAction({ api, action, child, object })
  return outcomeOf(api, action)
}

const goneFault = ({ name }: Child): Fault =>
  cloudFault('user_action', 'resource_not_found', `${name} no longer exists.`)

const unsupportedFault = ({ child: { name, listed } }: Pick<About, 'child'>, what: string): Fault =>
  cloudFault('user_action', 'unsupported_action', `${name} (Kubernetes ${listed.kind}) does not support ${what}.`)

async function performAction(about: About): Promise<void> {
  const { action } = about
  switch (action.kind) {
    case 'start':
    case 'stop':
      await switchPower(about, action.kind === 'start')
      break
    case 'scale':
      await scaleTo(about, action.params?.desired)
      break
    case 'set':
      await set(about)
      break
    case 'pause':
    case 'resize':
    case 'snapshot':
    case 'delete':
      throw unsupportedFault(about, action.kind)
  }
}

/** Running until the object shows the new state. */
async function outcomeOf(api: KubernetesApi, { kind, resource }: CloudAction): Promise<ActionOutcome> {
  const { status, exists } = await kubernetesLook(api, resource)
  if (!exists || status === undefined) return { status: 'succeeded' }
  const isMoving = status === 'starting' || status === 'stopping'
  const isSettled = !isMoving || kind === 'set'
  return { status: isSettled ? 'succeeded' : 'running', observedState: status }
}

const suspendable: readonly string[] = ['job', 'cronjob']
const replicaKinds: readonly string[] = ['deployment', 'statefulset', 'replicaset']

async function switchPower(about: About, isOn: boolean): Promise<void> {
  const { action, child, object } = about
  const { kind } = child.listed
  if (!schedulable(action.resource.type, ownerOf(object) !== undefined)) throw unsupportedFault(about, action.kind)
  if (suspendable.includes(kind)) return setSuspended(about, !isOn)
  await replicate(about, isOn ? startedWith(about) : 0)
}

/**
 * Replicas for a start: the requested number; otherwise a running workload keeps its number, and a stopped one gets the
 * requested minimum, at least one.
 */
function startedWith({ action: { params = {} }, object }: About): number {
  const now = replicasOf(object)
  return params.desired ?? (now > 0 ? now : Math.max(1, params.min ?? 1))
}

async function setSuspended(about: About, isSuspended: boolean): Promise<void> {
  const { child, object } = about
  const isOver = child.listed.kind === 'job' && isFinished(object)
  if (isOver && isSuspended) return
  if (isOver) throw unsupportedFault(about, 'starting after it has finished')
  await patch(about, { spec: { suspend: isSuspended } })
}

async function scaleTo(about: About, desired: number | undefined): Promise<void> {
  const { child, object } = about
  const isOwned = child.listed.kind === 'replicaset' && ownerOf(object) !== undefined
  if (!replicaKinds.includes(child.listed.kind) || isOwned) throw unsupportedFault(about, 'scale')
  if (desired === undefined) return
  await replicate(about, desired)
}

/** Uses the scale subresource, which needs no permission for the rest of the object. */
async function replicate(about: About, replicas: number): Promise<void> {
  if (replicasOf(about.object) === replicas) return
  await patch(about, { spec: { replicas } }, { part: 'scale' })
}

/** Specs that can be set, by kind, each with the function that sets it. */
type Setter = (about: About, specs: Readonly<Record<string, unknown>>) => Promise<void>

const readCount = (value: unknown, name: string): number => {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
  throw cloudFault('user_action', 'invalid_size', `${name} has an invalid value: ${JSON.stringify(value)}.`)
}

const replicasSetter: Setter = (about, specs) => scaleTo(about, readCount(specs['replicas'], 'replicas'))
const suspendSetter: Setter = (about, specs) => setSuspended(about, specs['suspended'] === true)
const requestsSetter: Setter = (about, specs) => setRequests(about, specs)

/**
 * Sets several members of an object, by our names and Kubernetes' names, in one change, because one may limit another.
 */
const membersSetter =
  (paths: Readonly<Record<string, string>>): Setter =>
  (about, specs) => {
    const asked = Object.entries(paths).filter(([name]) => specs[name] !== undefined)
    return patch(about, { spec: Object.fromEntries(asked.map(([name, path]) => [path, readCount(specs[name], name)])) })
  }
const bounds = membersSetter({ min_replicas: 'minReplicas', max_replicas: 'maxReplicas' })

const requests = { cpu_request_millicores: requestsSetter, memory_request_mib: requestsSetter }
const replicas = { replicas: replicasSetter }

const setters: Readonly<Record<string, Readonly<Record<string, Setter>>>> = {
  deployment: { ...replicas, ...requests },
  statefulset: { ...replicas, ...requests },
  daemonset: requests,
  replicaset: replicas,
  job: { suspended: suspendSetter, ttl_seconds: membersSetter({ ttl_seconds: 'ttlSecondsAfterFinished' }) },
  cronjob: { suspended: suspendSetter },
  horizontalpodautoscaler: { min_replicas: bounds, max_replicas: bounds },
}

/** A spec that cannot be set is refused before anything is changed. */
async function set(about: About): Promise<void> {
  const { action, child } = about
  const specs = action.specs ?? {}
  const own = setters[child.listed.kind] ?? {}
  const wrong = Object.keys(specs).find((name) => !Object.hasOwn(own, name))
  if (wrong !== undefined) throw unsupportedFault(about, `setting ${wrong}`)
  for (const setter of new Set(Object.keys(specs).map((name) => own[name]!))) await setter(about, specs)
}

async function setRequests(about: About, specs: Readonly<Record<string, unknown>>): Promise<void> {
  const { api, child } = about
  const wanted = wantedIn(specs)
  let { object } = about
  for (let attempt = 1; ; attempt++) {
    const containers = containersFor(podSpecOf(child.listed.kind, object), wanted, child.name)
    const metadata = { resourceVersion: textAt(object, 'metadata', 'resourceVersion') }
    const body = { metadata, spec: { template: { spec: { containers } } } }
    try {
      await patch(about, body, { contentType: 'application/strategic-merge-patch+json', repeatable: false })
      return
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== 'conflict' || attempt >= retries.kubernetesChange.tries)
        throw error
    }
    const newer = await objectOfChild(api, child)
    if (newer === undefined) throw goneFault(child)
    object = newer
  }
}

function wantedIn(specs: Readonly<Record<string, unknown>>): TargetRequests {
  const names = ['cpu_request_millicores', 'memory_request_mib'] as const
  return Object.fromEntries(
    names.flatMap((name) => (specs[name] === undefined ? [] : [[name, readCount(specs[name], name)] as const])),
  )
}

interface Patching {
  /** Subresource. */
  part?: string
  contentType?: string
  repeatable?: boolean
}

async function patch({ api, child }: About, body: Json, { part, ...more }: Patching = {}): Promise<void> {
  const name = resourceName(child.listed)
  await api.ask({
    permission: part === undefined ? `patch ${name}` : `patch ${name}/${part}`,
    method: 'PATCH',
    path: part === undefined ? pathOfChild(child) : `${pathOfChild(child)}/${part}`,
    contentType: 'application/merge-patch+json',
    body,
    ...more,
  })
}

/** Deletes the object with its pods. A missing object counts as deleted. */
async function remove(api: KubernetesApi, action: CloudAction, child: Child, isThere: boolean): Promise<ActionOutcome> {
  const permission = `delete ${resourceName(child.listed)}`
  if (!isOffered(permission)) throw unsupportedFault({ child }, 'deletion by Tidemark')
  if (!isThere) return { status: 'succeeded' }
  const query = { propagationPolicy: 'Background' }
  try {
    await api.ask({ permission, method: 'DELETE', path: pathOfChild(child), query })
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'not_found') throw error
  }
  const { exists } = await kubernetesLook(api, action.resource)
  return { status: exists ? 'running' : 'succeeded' }
}
