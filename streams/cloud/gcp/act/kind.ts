/** What one type of resource of Google Cloud can be asked: how it is looked at, and what is done to it. */
import { Fault } from '#engine/value/fault.ts'
import { uuidOf } from '#engine/value/id.ts'
import { sameData } from '#engine/actor/row.ts'
import {
  cloudFault,
  type Action,
  type ActionKind,
  type ActionOutcome,
  type Look,
  type ResourceRef,
} from '#streams/cloud/connector.ts'
import type { Operation } from '#streams/cloud/gcp/answer/compute.ts'
import type { GcpSession } from '#streams/cloud/gcp/session/session.ts'

export { invalid, numberIn, textIn, told, unsupported, type Specs } from '#streams/cloud/aws/act/kind.ts'
import { madeName as nameOf, unsupported, type Specs } from '#streams/cloud/aws/act/kind.ts'

/** A resource, and as whom it is asked for. */
export interface At {
  session: GcpSession
  ref: ResourceRef
  /** Another for each time that something is asked of us: repeats of the caller's are known by it, a later try is none of them. */
  nonce: string
}

export interface Seen extends Look {
  /** It has been deleted, and is not gone yet. */
  isGoing?: boolean
}

export type Doing<A extends At = At> = (at: A, action: Action) => Promise<ActionOutcome>

export interface Kind {
  look: (at: At) => Promise<Seen>
  /** What is not here is not offered. */
  acts: Readonly<Partial<Record<ActionKind, Doing>>>
  /** Names of the specs that `set` takes; others are refused before anything is called. */
  sets?: readonly string[]
}

export const notThere = { exists: false } as const

/** The answer; undefined where the cloud knows no such thing. */
export async function known<T>(answer: Promise<T>): Promise<T | undefined> {
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

export const gone = ({ ref }: At): Fault =>
  cloudFault('user_action', 'resource_not_found', `${ref.resourceUid} no longer exists.`)

/** On its way to something else: asked again later it may do what is asked. */
export const busy = ({ ref }: At, status: string): Fault =>
  cloudFault(
    'transient',
    'busy',
    `${ref.resourceUid} is ${status}: it accepts no other action until that has finished.`,
  )

/** @throws `resource_not_found` */
export async function looked<S extends Seen>(look: (at: At) => Promise<S | typeof notThere>, at: At): Promise<S> {
  const seen = await look(at)
  if (!seen.exists) throw gone(at)
  return seen as S
}

/** Names a call to Google: sent again under it, it has no second effect. Another for each of what is done. */
export const requestId = ({ nonce }: Pick<At, 'nonce'>, what: string): string => uuidOf('gcp', nonce, what)

const outOfStock = /RESOURCE_POOL_EXHAUSTED|STOCKOUT|RESOURCE_UNAVAILABLE/

/** @throws what ended a change at once: that there is no room for it passes */
export function settled({ ref }: At, { error }: Operation): void {
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
  <S extends Seen>(
    look: (at: At) => Promise<S | typeof notThere>,
    want: 'running' | 'stopped',
    call: (at: At, seen: S) => Promise<unknown>,
  ): Doing =>
  async (at) => {
    const seen = await looked(look, at)
    const { status } = seen
    if (status === want) return { status: 'succeeded', observedState: want }
    if (status === onTheWay[want]) return { status: 'running', observedState: onTheWay[want] }
    if (status === opposite[want] || status === 'pending') throw busy(at, status)
    await call(at, seen)
    const { status: now } = (await look(at)) as Seen
    return now === want
      ? { status: 'succeeded', observedState: want }
      : { status: 'running', observedState: onTheWay[want] }
  }

/** Makes specs what they are to be: `apply` gets those that are not so already. */
export const setting =
  <S extends Seen>(
    look: (at: At) => Promise<S | typeof notThere>,
    apply: (at: At, specs: Specs, seen: S) => Promise<unknown>,
  ): Doing =>
  async (at, action) => {
    const seen = await looked(look, at)
    const left = differing(action.specs ?? {}, seen)
    if (isEmpty(left)) return { status: 'succeeded' }
    await apply(at, left, seen)
    return { status: isEmpty(differing(action.specs ?? {}, (await look(at)) as Seen)) ? 'succeeded' : 'running' }
  }

const isEmpty = (specs: Specs): boolean => Object.keys(specs).length === 0

/** Those of `wanted` that are another thing, or that the cloud does not tell. */
function differing(wanted: Specs, { instanceType, specs = {} }: Seen): Specs {
  const now: Specs = { ...(instanceType !== undefined && { instance_type: instanceType }), ...specs }
  return Object.fromEntries(Object.entries(wanted).filter(([name, value]) => !sameData(value, now[name])))
}

/** Deletes by one call; what is gone, or going, is not asked to go again. */
export const deleting =
  <S extends Seen>(look: (at: At) => Promise<S | typeof notThere>, call: (at: At) => Promise<unknown>): Doing =>
  async (at) => {
    const seen = (await look(at)) as Seen
    if (!seen.exists) return { status: 'succeeded' }
    if (!seen.isGoing) await known(call(at))
    return { status: (await look(at)).exists ? 'running' : 'succeeded' }
  }

/** The name of what an action makes, which follows from the action; Google's are of 63 characters at most. */
export const madeName = (action: Pick<Action, 'id'>): string => nameOf(action)

/** A spec that has to be true or false. @throws `unsupported_action` */
export function flagIn({ ref }: At, specs: Specs, name: string): boolean | undefined {
  const value = specs[name]
  if (value === undefined || typeof value === 'boolean') return value
  throw unsupported(ref, `values of ${name} other than true and false`)
}
