/** What one type of resource of AWS can be asked: how it is looked at, and what is done to it. */
import { createHash } from 'node:crypto'
import { Fault } from '#engine/value/fault.ts'
import { sameData } from '#engine/actor/row.ts'
import { toScaledCapacity, toStartedCapacity, toStoppedCapacity } from '#streams/cloud/resource/counts.ts'
import {
  cloudFault,
  type CloudAction,
  type ActionKind,
  type ActionOutcome,
  type Capacity,
  type Look,
  type ResourceRef,
} from '#streams/cloud/connector.ts'
import type { ResourceStatus } from '#streams/resource/messages.ts'
import type { AwsSession } from '#streams/cloud/aws/session/session.ts'

/** A resource, and where and as whom it is asked for. */
export interface At {
  session: AwsSession
  ref: ResourceRef
  region: string
  /** What calls of its service name it by. */
  name: string
}

export interface ResourceState extends Look {
  /** What it has been told to be and is not yet, by the names of specs. */
  coming?: Record<string, unknown>
  /** It has been deleted, and is not gone yet. */
  isGoing?: boolean
}

export type ActionHandler = (at: At, action: CloudAction) => Promise<ActionOutcome>

export interface ResourceKind {
  look: (at: At) => Promise<ResourceState>
  /** What is not here is not offered. */
  acts: Readonly<Partial<Record<ActionKind, ActionHandler>>>
  /** Names of the specs that `set` takes; others are refused before anything is called. */
  sets?: readonly string[]
}

export const notThere: ResourceState = { exists: false }

/** The answer; undefined where the cloud knows no such thing. */
export async function ignoreNotFound<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

const isNotFound = (error: unknown): boolean => error instanceof Fault && error.code === 'not_found'

/** Whether the error bears this word of AWS. */
export const isWord = (error: unknown, word: RegExp): boolean =>
  error instanceof Fault && typeof error.detail['word'] === 'string' && word.test(error.detail['word'])

export const goneFault = ({ ref }: At): Fault =>
  cloudFault('user_action', 'resource_not_found', `${ref.resourceUid} no longer exists.`)

export const unsupportedFault = (ref: ResourceRef, what: string): Fault =>
  cloudFault('user_action', 'unsupported_action', `${ref.resourceUid} (${ref.type}) does not support ${what}.`)

/** On its way to something else: asked again later it may do what is asked. */
export const busy = ({ ref }: At, status: string): Fault =>
  cloudFault(
    'transient',
    'busy',
    `${ref.resourceUid} is ${status}: it accepts no other action until that has finished.`,
  )

/** @throws `resource_not_found` */
export async function requireExisting(kind: Pick<ResourceKind, 'look'>, at: At): Promise<ResourceState> {
  const seen = await kind.look(at)
  if (!seen.exists) throw goneFault(at)
  return seen
}

const opposite = { running: 'stopping', stopped: 'starting' } as const
const onTheWay = { running: 'starting', stopped: 'stopping' } as const

/** Starts or stops what is on or off, by one call; nothing where it is so or on its way there. */
export const switching =
  (
    look: ResourceKind['look'],
    want: 'running' | 'stopped',
    call: (at: At, seen: ResourceState) => Promise<unknown>,
  ): ActionHandler =>
  async (at) => {
    const seen = await requireExisting({ look }, at)
    const { status } = seen
    if (status === want) return { status: 'succeeded', observedState: want }
    if (status === onTheWay[want]) return { status: 'running', observedState: onTheWay[want] }
    if (status === opposite[want] || status === 'pending') throw busy(at, status)
    await call(at, seen)
    return becoming(await look(at), want)
  }

function becoming({ status }: ResourceState, want: 'running' | 'stopped'): ActionOutcome {
  if (status === want) return { status: 'succeeded', observedState: want }
  return { status: 'running', observedState: onTheWay[want] }
}

/** Start, stop and scale of what is counted in units: by setting its counts. */
export function counting(
  look: ResourceKind['look'],
  count: (at: At, to: Capacity, action: CloudAction) => Promise<unknown>,
): Pick<ResourceKind['acts'], 'start' | 'stop' | 'scale'> {
  const doing =
    (toward: (now: Capacity, action: CloudAction) => Capacity): ActionHandler =>
    async (at, action) => {
      const { capacity: now, status } = await requireExisting({ look }, at)
      if (!now) throw unsupportedFault(at.ref, `${action.kind} without a number of units`)
      const isRunning = action.kind === 'start' && now.desired > 0
      const to = isRunning ? now : toward(now, action)
      if (sameData(now, to)) return countedAs(status, to)
      await count(at, to, action)
      return countedAs((await look(at)).status, to)
    }
  return {
    start: doing((now, { params = {} }) => toStartedCapacity({ ...now, floor: now.min }, params)),
    stop: doing((now, { resource }) => toStoppedCapacity(now, resource.type)),
    scale: doing((now, { params = {} }) => toScaledCapacity(now, params)),
  }
}

/** The counts are set: it is done once as many are there. */
function countedAs(status: ResourceStatus | undefined, { desired }: Capacity): ActionOutcome {
  const want = desired > 0 ? 'running' : 'stopped'
  if (status === want) return { status: 'succeeded', observedState: want }
  return { status: 'running', ...(status !== undefined && { observedState: status }) }
}

export type Specs = Readonly<Record<string, unknown>>

/** Makes specs what they are to be: `apply` gets those that are not so already. */
export const setting =
  (
    look: ResourceKind['look'],
    apply: (at: At, specs: Specs, seen: ResourceState, action: CloudAction) => Promise<unknown>,
  ): ActionHandler =>
  async (at, action) => {
    const seen = await requireExisting({ look }, at)
    const wanted = action.specs ?? {}
    const left = differing(wanted, seen)
    if (isEmpty(left)) return { status: 'succeeded' }
    if (isEmpty(differing(left, { ...seen, specs: { ...seen.specs, ...seen.coming } }))) return { status: 'running' }
    if (seen.coming && !isEmpty(seen.coming)) throw busy(at, 'being changed')
    await apply(at, left, seen, action)
    return { status: isEmpty(differing(wanted, await look(at))) ? 'succeeded' : 'running' }
  }

const isEmpty = (specs: Specs): boolean => Object.keys(specs).length === 0

/** Those of `wanted` that are another thing, or that the cloud does not tell. */
function differing(wanted: Specs, { instanceType, specs = {} }: ResourceState): Specs {
  const known: Specs = { ...(instanceType !== undefined && { instance_type: instanceType }), ...specs }
  return Object.fromEntries(Object.entries(wanted).filter(([name, value]) => !sameData(value, known[name])))
}

/** Deletes by one call; what is gone, or going, is not asked to go again. */
export const deleting =
  (look: ResourceKind['look'], call: (at: At, seen: ResourceState) => Promise<unknown>): ActionHandler =>
  async (at) => {
    const seen = await look(at)
    if (!seen.exists) return { status: 'succeeded' }
    if (!seen.isGoing) await ignoreNotFound(call(at, seen))
    return { status: (await look(at)).exists ? 'running' : 'succeeded' }
  }

/**
 * The name of what an action makes, which follows from the action: asked for again it is found, not made again. Letters, digits and
 * single dashes, in lower case: what every service of AWS takes.
 */
export function madeName({ id }: Pick<CloudAction, 'id'>): string {
  const isFine = /^[a-z0-9]+(-[a-z0-9]+)*$/.test(id) && id.length <= 50
  return `tidemark-${isFine ? id : createHash('sha256').update(id).digest('hex').slice(0, 32)}`
}

/** The tag of what has no name of its own. */
export const actionTag = 'tidemark:action'

/** A spec that has to be a number. @throws `invalid_spec` */
export function numberIn(specs: Specs, name: string): number | undefined {
  const value = specs[name]
  if (value === undefined) return undefined
  if (typeof value === 'number' && Number.isFinite(value)) return value
  throw invalid(name, value)
}

/** A spec that has to be a text. @throws `invalid_spec` */
export function textIn(specs: Specs, name: string): string | undefined {
  const value = specs[name]
  if (value === undefined || typeof value === 'string') return value
  throw invalid(name, value)
}

export const invalid = (name: string, value: unknown): Fault =>
  cloudFault('user_action', 'invalid_spec', `${name} has an invalid value: ${JSON.stringify(value)?.slice(0, 200)}.`)

/** Without the members that are undefined. */
export function dropNullish<T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const held = Object.entries(members).filter(([, value]) => value !== undefined && value !== null)
  return Object.fromEntries(held) as { [K in keyof T]?: Exclude<T[K], undefined> }
}
