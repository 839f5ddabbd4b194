/**
 * Creates one object of Azure in the resource group of its job, and deletes the group. An object is identified by its
 * path, so every call may be repeated: after a crash or a lost answer the object is found again.
 */
import { Fault } from '#engine/value/fault.ts'
import { cloudFault } from '#streams/cloud/connector.ts'
import { uidOf } from '#streams/cloud/azure/session/path.ts'
import type { AzureSession } from '#streams/cloud/azure/session/session.ts'
import { memberOf, textAt, type Json } from '#streams/cloud/kubernetes/api/json-access.ts'
import type { ProvisionAnswer, ProvisionRequest, UnprovisionAnswer } from '#streams/cloud/provision.ts'
import { change, codeOf, isOver, type OperationTarget } from './operation.ts'
import { goneFault, jobTag, ownName, tagsOf, waiting, type NamedRequest } from './step.ts'

export interface CloudObject {
  path: string
  name: string
  /** Of the API. */
  version: string
  body: object
  /** Default: by its `provisioningState`; without one it is ready as soon as it exists. */
  stateOf?: (found: Json) => ObjectState
}

/** `failed`: it will never be ready, unless it is requested again. */
export type ObjectState = 'ready' | 'creating' | 'failed' | 'deleting'

const groupVersion = '2021-04-01'

/** Everything of a job is in one group, so that deleting it leaves nothing. */
const groupOf = (session: AzureSession, request: NamedRequest): CloudObject => ({
  path: session.path(`/resourceGroups/${ownName(request)}`),
  name: ownName(request),
  version: groupVersion,
  body: { location: request.region, tags: tagsOf(request) },
})

interface ObjectIn extends Pick<CloudObject, 'version' | 'stateOf'> {
  /** Namespace and type. */
  type: string
  /** Default: the name of the job. */
  name?: string
  body: object
}

/** An object in the group, region and with the tags of the job. */
export function objectIn(
  session: AzureSession,
  request: NamedRequest,
  { type, name = ownName(request), body, ...rest }: ObjectIn,
): CloudObject {
  return {
    path: `${groupOf(session, request).path}/providers/${type}/${name}`,
    name,
    body: { location: request.region, tags: tagsOf(request), ...body },
    ...rest,
  }
}

/** As the inventory has it. */
export const uidIn = ({ path }: Pick<CloudObject, 'path'>): string => uidOf(path)

const queryOf = ({ version }: Pick<CloudObject, 'version'>) => ({ 'api-version': version })

/**
 * Whether the fault says that this object does not exist. One about another object, such as the subscription, says
 * nothing about this one.
 */
export function isAbout(error: unknown, { path }: Pick<CloudObject, 'path'>): boolean {
  if (!(error instanceof Fault) || error.code !== 'not_found') return false
  if (/^(Subscription|Tenant)/.test(String(error.detail['word']))) return false
  // Services quote names, or write whole ids.
  const named = error.message.matchAll(/\bresource(?: group)? '([^']+)'|(\/subscriptions\/[^\s'"]*\w)/gi)
  const parts = new Set(path.toLowerCase().split('/'))
  return [...named].every(([, quoted, id = '']) => parts.has((quoted ?? id).toLowerCase().split('/').at(-1)!))
}

/** Undefined if it does not exist. */
export async function look(session: AzureSession, object: CloudObject): Promise<Json | undefined> {
  try {
    return await session.ask({ path: object.path, query: queryOf(object) })
  } catch (error) {
    if (isAbout(error, object)) return undefined
    throw error
  }
}

/** `what`: `The server`. @throws if it does not exist */
export async function requireFound(session: AzureSession, object: CloudObject, what: string): Promise<Json> {
  const found = await look(session, object)
  if (!found) throw goneFault(`${what} ${object.name}`)
  return found
}

function provisioningState(found: Json): ObjectState {
  const state = textAt(found, 'properties', 'provisioningState')
  if (state === undefined || state === 'Succeeded') return 'ready'
  if (state === 'Deleting') return 'deleting'
  return state === 'Failed' || state === 'Canceled' ? 'failed' : 'creating'
}

export const stateOf = ({ stateOf: read = provisioningState }: CloudObject, found: Json): ObjectState => read(found)

const failedFault = ({ name }: CloudObject): Fault =>
  cloudFault('user_action', 'creation_failed', `Azure could not create ${name} and gives no reason.`, {
    fixHint: 'Look at the activity log of its resource group, fix the cause, then retry.',
  })

/** A group with the name that this job has not created. */
const nameTakenFault = (name: string): Fault =>
  cloudFault(
    'user_action',
    'already_exists',
    `Azure already has a resource group named ${name}, which this job did not create.`,
    { fixHint: 'Delete that group, or delete the job and create a new one.' },
  )

const isOwned = (found: Json, { jobId }: Pick<ProvisionRequest, 'jobId'>): boolean =>
  memberOf(found, 'tags', jobTag) === jobId

/** What one step creates. */
export class Creation {
  readonly session: AzureSession
  readonly request: ProvisionRequest
  /** Addresses of the operations in progress of this attempt, by object. */
  private readonly operations: Record<string, string>
  private group: Promise<boolean> | undefined

  constructor(session: AzureSession, request: ProvisionRequest) {
    this.session = session
    this.request = request
    const known = Object.entries(memberOf(request.outputs[request.step], 'operations') ?? {})
    this.operations = Object.fromEntries(known.filter(([, address]) => typeof address === 'string'))
  }

  /** The answer while an object is not ready. */
  get waiting(): ProvisionAnswer {
    const { operations } = this
    return { status: 'waiting', ...(Object.keys(operations).length > 0 && { output: { operations } }) }
  }

  /** The object as soon as it is ready, undefined before. @throws also what its operation failed with */
  async ensure(object: CloudObject): Promise<Json | undefined> {
    if (!(await (this.group ??= this.hasGroup()))) return undefined
    const key = keyOf(object)
    const isRequested = this.operations[key] !== undefined
    if (!(await this.isSettled(key, { method: 'PUT', path: object.path }))) return undefined
    const found = await look(this.session, object)
    const state = found && stateOf(object, found)
    if (state === 'failed' && isRequested) throw failedFault(object)
    // A failed one of an earlier attempt is requested again, which is how Azure repairs it.
    if (!found || state === 'failed') return this.create(object, found !== undefined)
    if (state !== 'ready') return undefined
    delete this.operations[key]
    return found
  }

  /** Whether no operation on it is in progress. @throws what it failed with */
  async isSettled(key: string, target: OperationTarget): Promise<boolean> {
    const address = this.operations[key]
    return address === undefined || isOver(this.session, address, target)
  }

  /** Changes an object; its operation is kept until `isSettled` of the key. */
  async change(key: string, call: Parameters<typeof change>[1]): Promise<void> {
    const address = await change(this.session, call)
    if (address !== undefined) this.operations[key] = address
  }

  private async hasGroup(): Promise<boolean> {
    const group = groupOf(this.session, this.request)
    const found = await look(this.session, group)
    if (!found) await this.session.ask({ method: 'PUT', path: group.path, query: queryOf(group), body: group.body })
    else if (!isOwned(found, this.request)) throw nameTakenFault(group.name)
    return !found || stateOf(group, found) === 'ready'
  }

  private async create(object: CloudObject, isRepair: boolean): Promise<Json | undefined> {
    const key = keyOf(object)
    try {
      await this.change(key, { method: 'PUT', path: object.path, query: queryOf(object), body: object.body })
    } catch (error) {
      if (codeOf(error) === 'busy') return undefined
      // A request whose answer was lost is repeated, and some services refuse the second one.
      if (isRepair || !(await look(this.session, object))) throw error
      return undefined
    }
    if (this.operations[key] !== undefined) return undefined
    const found = await look(this.session, object)
    const state = found && stateOf(object, found)
    if (state === 'failed') throw failedFault(object)
    return state === 'ready' ? found : undefined
  }
}

const keyOf = ({ path }: CloudObject): string => path.split('/').slice(-2).join('/')

/**
 * True if it does not exist, or belongs to somebody else; false while it is being deleted.
 * @throws also what still uses it
 */
export async function remove(session: AzureSession, request: NamedRequest, object: CloudObject): Promise<boolean> {
  const found = await look(session, object)
  if (!found || !isOwned(found, request)) return true
  if (stateOf(object, found) === 'deleting') return false
  await startDeletion(session, object)
  return (await look(session, object)) === undefined
}

/** The address of the operation; undefined if there is none, or the object is being changed or already gone. */
async function startDeletion(session: AzureSession, object: CloudObject): Promise<string | undefined> {
  try {
    return await change(session, { method: 'DELETE', path: object.path, query: queryOf(object) })
  } catch (error) {
    if (codeOf(error) === 'busy' || isAbout(error, object)) return undefined
    throw error
  }
}

/** Deletes everything that the job has created. @throws what Azure could not delete, and why */
export async function removeAll(session: AzureSession, request: ProvisionRequest): Promise<UnprovisionAnswer> {
  const group = groupOf(session, request)
  const found = await look(session, group)
  if (!found || !isOwned(found, request)) return { status: 'done' }
  const known = textAt(request.progress, 'deletion')
  // Azure restores a group of which it could not delete everything; only the operation tells of that.
  if (known !== undefined && !(await isOver(session, known, { method: 'DELETE', path: group.path }))) return waiting
  if (stateOf(group, found) === 'deleting') return waiting
  const deletion = await startDeletion(session, group)
  return { ...waiting, ...(deletion !== undefined && { output: { deletion } }) }
}
