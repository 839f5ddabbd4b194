/**
 * Creates and deletes one object of Google Cloud. It is identified by its name, and belongs to the job that its label or
 * its description names, so every call may be repeated: after a crash or a lost answer the object is found again.
 */
import { randomUUID } from 'node:crypto'
import { Fault } from '#engine/value/fault.ts'
import { cloudFault } from '#streams/cloud/connector.ts'
import type { Query, Service } from '#streams/cloud/gcp/session/api.ts'
import type { GcpSession } from '#streams/cloud/gcp/session/session.ts'
import { memberOf, textAt, type Json } from '#streams/cloud/kubernetes/api/json-access.ts'
import type { ProvisionAnswer, ProvisionRequest } from '#streams/cloud/provision.ts'
import { Answer, isEnded, isOver, operationName } from './operation.ts'
import { isOwned, nameTakenFault } from './step.ts'

export interface CloudObject {
  service: Service
  /** The project, region or zone, as `/projects/…`; its operations are there, too. */
  place: string
  /** Below the place. */
  collection: string
  name: string
  permissions: Readonly<Record<'get' | 'create' | 'delete' | 'operation', string>>
  /** Of the call that creates it. */
  query?: Query
  body: object
  /** Default: it is ready as soon as it exists. */
  stateOf?: (found: Json) => ObjectState
  /** A failed one is deleted and created again by a retry. */
  isReplaceable?: true
}

/** `failed`: it will never be ready. */
export type ObjectState = 'ready' | 'creating' | 'failed' | 'deleting'

export const pathOf = ({ place, collection, name }: Pick<CloudObject, 'place' | 'collection' | 'name'>): string =>
  `${place}/${collection}/${name}`

/** As uids of Compute Engine and parts of other uids have it. */
export const uidPathOf = (object: CloudObject): string => pathOf(object).slice(1)

const codeOf = (error: unknown): string => (error instanceof Fault ? error.code : '')

/**
 * Whether the fault says that this object does not exist. One about another object, such as the project, says nothing
 * about this one.
 */
export function isAbout(error: unknown, object: Pick<CloudObject, 'collection' | 'name'>): boolean {
  if (!(error instanceof Fault) || error.code !== 'not_found') return false
  const [named] = /projects\/[\w.:/-]*\w/.exec(error.message) ?? []
  return named === undefined || named.endsWith(`/${object.collection}/${object.name}`)
}

/** Undefined if it does not exist. */
export async function look(session: GcpSession, object: CloudObject): Promise<Json | undefined> {
  const { service, permissions } = object
  try {
    return await session.ask({ service, path: pathOf(object), permission: permissions.get }, Answer)
  } catch (error) {
    if (isAbout(error, object)) return undefined
    throw error
  }
}

const stateOf = ({ stateOf: read }: CloudObject, found: Json): ObjectState => read?.(found) ?? 'ready'

/** What one step creates. */
export class Creation {
  readonly session: GcpSession
  readonly request: ProvisionRequest
  /** Names of the operations in progress of this attempt, by object. */
  private readonly operations: Record<string, string>

  constructor(session: GcpSession, request: ProvisionRequest) {
    this.session = session
    this.request = request
    const known = Object.entries(memberOf(request.outputs[request.step], 'operations') ?? {})
    this.operations = Object.fromEntries(known.filter(([, name]) => typeof name === 'string'))
  }

  /** The answer while an object is not ready. */
  get waiting(): ProvisionAnswer {
    const { operations } = this
    return { status: 'waiting', ...(Object.keys(operations).length > 0 && { output: { operations } }) }
  }

  /** The object as soon as it is ready, undefined before. @throws also what its operation failed with */
  async ensure(object: CloudObject): Promise<Json | undefined> {
    const key = keyOf(object)
    const operation = this.operations[key]
    if (operation !== undefined && !(await isOver(this.session, object, operation))) return undefined
    const found = await look(this.session, object)
    if (!found) return this.create(object)
    this.checkOwner(object, found)
    const state = stateOf(object, found)
    if (state === 'failed') return this.replace(object, found, operation !== undefined)
    if (state !== 'ready') return undefined
    delete this.operations[key]
    return found
  }

  private checkOwner({ name }: CloudObject, found: Json): void {
    if (!isOwned(found, this.request)) throw nameTakenFault(name)
  }

  private async create(object: CloudObject): Promise<Json | undefined> {
    const { session } = this
    const { service, place, collection, query, body, permissions } = object
    try {
      const operation = await session.ask(
        {
          service,
          path: `${place}/${collection}`,
          method: 'POST',
          query: { ...query, ...(service === 'compute' && { requestId: randomUUID() }) },
          body,
          permission: permissions.create,
          // Compute Engine recognizes the request; with the others, the next call of the step looks first.
          repeatable: service === 'compute',
        },
        Answer,
      )
      this.operations[keyOf(object)] = operationName(operation)
      if (!isEnded(operation, object, session)) return undefined
    } catch (error) {
      if (codeOf(error) === 'busy') return undefined
      if (codeOf(error) !== 'already_exists') throw error
    }
    const found = await look(session, object)
    if (!found) return undefined
    this.checkOwner(object, found)
    return stateOf(object, found) === 'ready' ? found : undefined
  }

  /** What an earlier attempt has left behind is deleted; what failed in this one is reported. */
  private async replace(object: CloudObject, found: Json, isOfThisAttempt: boolean): Promise<undefined> {
    if (isOfThisAttempt || !object.isReplaceable)
      throw cloudFault(
        'user_action',
        'creation_failed',
        `Google Cloud could not create ${object.name}: ${textAt(found, 'statusMessage') ?? 'it gives no reason'}.`,
        { fixHint: object.isReplaceable ? 'Fix the cause, then retry.' : 'Delete the job and create a new one.' },
      )
    await remove(this.session, this.request, object)
    return undefined
  }
}

const keyOf = ({ collection, name }: CloudObject): string => `${collection}/${name}`

/** Something that is being changed or deleted still uses it. */
const isHeld = (error: unknown): boolean =>
  codeOf(error) === 'busy' ||
  (error instanceof Fault && /^(resourceInUseByAnotherResource|RESOURCE_IN_USE)/.test(String(error.detail['word'])))

/** True if it does not exist, or belongs to somebody else; false while it is being deleted. */
export async function remove(
  session: GcpSession,
  request: Pick<ProvisionRequest, 'jobId'>,
  object: CloudObject,
): Promise<boolean> {
  const found = await look(session, object)
  if (!found || !isOwned(found, request)) return true
  if (stateOf(object, found) === 'deleting') return false
  const { service, permissions } = object
  const query = service === 'compute' ? { requestId: randomUUID() } : {}
  const call = { service, path: pathOf(object), method: 'DELETE', query, permission: permissions.delete } as const
  try {
    if (!isEnded(await session.ask(call, Answer), object, session)) return false
  } catch (error) {
    if (isHeld(error)) return false
    if (!isAbout(error, object)) throw error
  }
  return (await look(session, object)) === undefined
}
