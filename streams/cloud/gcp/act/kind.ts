/** What one type of resource of Google Cloud can be asked: how it is looked at, and what is done to it. */
import { Fault } from '#engine/value/fault.ts'
import { uuidOf } from '#engine/value/id.ts'
import { sameData } from '#engine/actor/row.ts'
import {
  cloudFault,
  type CloudAction,
  type ActionKind,
  type ActionOutcome,
  type Look,
  type ResourceRef,
} from '#streams/cloud/connector.ts'
import type { Operation } from '#streams/cloud/gcp/answer/compute.ts'
import type { GcpSession } from '#streams/cloud/gcp/session/session.ts'

export {
  numberIn,
  textIn,
  dropNullish as told,
  unsupportedFault as unsupported,
  type Specs,
} from '#streams/cloud/aws/act/kind.ts'
import { madeName as nameOf, unsupportedFault, type Specs } from '#streams/cloud/aws/act/kind.ts'

/** A resource, and as whom it is asked for. */
export interface At {
  session: GcpSession
  ref: ResourceRef
  /** Another for each time that something is asked of us: repeats of the caller's are known by it, a later try is none of them. */
  nonce: string
}

export interface ResourceState extends Look {
  /** It has been deleted, and is not gone yet. */
  isGoing?: boolean
}

export type ActionHandler<A extends At = At> = (at: A, action: CloudAction) => Promise<ActionOutcome>

export interface ResourceKind {
  look: (at: At) => Promise<ResourceState>
  /** What is not here is not offered. */
  acts: Readonly<Partial<Record<ActionKind, ActionHandler>>>
  /** Names of the specs that `set` takes; others are refused before anything is called. */
  sets?: readonly string[]
}

export const notThere = { exists: false } as const

/** The answer; undefined where the cloud knows no such thing. */
export async function ignoreNotFound<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof Fault && error.code === 'not_found') return undefined
    throw error
  }
}

/** The answer; undefined where there is one of that name already. */
export async function unlessMade<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof Fault && error.code === 'already_exists') return undefined
    throw error
  }
}

const goneFault = ({ ref }: At): Fault =>
  cloudFault('user_action', 'resource_not_found', `${ref.resourceUid} no longer exists.`)

/** On its way to something else: asked again later it may do what is asked. */
const busy = ({ ref }: At, status: string): Fault =>
  cloudFault(
    'transient',
    'busy',
    `${ref.resourceUid} is ${status}: it accepts no other action until that has finished.`,
  )

/** @throws `resource_not_found` */
export async function requireExisting<S extends ResourceState>(
  look: (at: At) => Promise<S | typeof notThere>,
  at: At,
): Promise<S> {
  const seen = await look(at)
  if (!seen.exists) throw goneFault(at)
  return seen as S
}

/** Names a call to Google: sent again under it, it has no second effect. Another for each of what is done. */
export const requestId = ({ nonce }: Pick<At, 'nonce'>, what: string): string => uuidOf('gcp', nonce, what)

const outOfStock = /RESOURCE_POOL_EXHAUSTED|STOCKOUT|RESOURCE_UNAVAILABLE/

/** @throws what ended a change at once: that there is no room for it passes */
export function throwIfFailed({ ref }: At, { error }: Operation): void {
  const [first] = error?.errors ?? []
  if (!first) return
  const { code = '', message = code } = first
  if (outOfStock.test(code)) throw cloudFault('transient', 'cloud_unavailable', `${ref.resourceUid}: ${message}`)
  if (/QUOTA/.test(code)) throw cloudFault('user_action', 'quota_exceeded', `${ref.resourceUid}: ${message}`)
  throw cloudFault('user_action', 'rejected', `${ref.resourceUid}: ${message}`, { word: code })
}

const opposite = { running: 'stopping', stopped: 'starting' } as const
const onTheWay = { running: 'starting', stopped: 'stopping' } as const

/** Starts or stops what is on or off, by one call; nothing where it is so or on its way there. */
export const switching =
  <S extends ResourceState>(
    look: (at: At) => Promise<S | typeof notThere>,
    want: 'running' | 'stopped',
    call: (at: At, seen: S) => Promise<unknown>,
  ): ActionHandler =>
  async (at) => {
    const seen = await requireExisting(look, at)
    const { status } = seen
    if (status === want) return { status: 'succeeded', observedState: want }
    if (status === onTheWay[want]) return { status: 'running', observedState: onTheWay[want] }
    if (status === opposite[want] || status === 'pending') throw busy(at, status)
    await call(at, seen)
    const { status: now } = (await look(at)) as ResourceState
    return now === want
      ? { status: 'succeeded', observedState: want }
      : { status: 'running', observedState: onTheWay[want] }
  }

/** Makes specs what they are to be: `apply` gets those that are not so already. */
export const setting =
  <S extends ResourceState>(
    look: (at: At) => Promise<S | typeof notThere>,
    apply: (at: At, specs: Specs, seen: S) => Promise<unknown>,
  ): ActionHandler =>
  async (at, action) => {
    const seen = await requireExisting(look, at)
    const left = differing(action.specs ?? {}, seen)
    if (isEmpty(left)) return { status: 'succeeded' }
    await apply(at, left, seen)
    return {
      status: isEmpty(differing(action.specs ?? {}, (await look(at)) as ResourceState)) ? 'succeeded' : 'running',
    }
  }

const isEmpty = (specs: Specs): boolean => Object.keys(specs).length === 0

/** Those of `wanted` that are another thing, or that the cloud does not tell. */
function differing(wanted: Specs, { instanceType, specs = {} }: ResourceState): Specs {
  const now: Specs = { ...(instanceType !== undefined && { instance_type: instanceType }), ...specs }
  return Object.fromEntries(Object.entries(wanted).filter(([name, value]) => !sameData(value, now[name])))
}

/** Deletes by one call; what is gone, or going, is not asked to go again. */
export const deleting =
  <S extends ResourceState>(
    look: (at: At) => Promise<S | typeof notThere>,
    call: (at: At) => Promise<unknown>,
  ): ActionHandler =>
  async (at) => {
    const seen = (await look(at)) as ResourceState
    if (!seen.exists) return { status: 'succeeded' }
    if (!seen.isGoing) await ignoreNotFound(call(at))
    return { status: (await look(at)).exists ? 'running' : 'succeeded' }
  }

/** The name of what an action makes, which follows from the action; Google's are of 63 characters at most. */
export const madeName = (action: Pick<CloudAction, 'id'>): string => nameOf(action)

/** A spec that has to be true or false. @throws `unsupported_action` */
export function flagIn({ ref }: At, specs: Specs, name: string): boolean | undefined {
  const value = specs[name]
  if (value === undefined || typeof value === 'boolean') return value
  throw unsupportedFault(ref, `values of ${name} other than true and false`)
}
