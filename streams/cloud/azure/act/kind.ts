/** What one type of resource of Azure can be asked: how it is looked at, and what is done to it. */
import { createHash } from 'node:crypto'
import { Fault } from '#engine/value/fault.ts'
import { sameData } from '#engine/actor/row.ts'
import { toScaledCapacity } from '#streams/cloud/resource/counts.ts'
import {
  cloudFault,
  type CloudAction,
  type ActionKind,
  type ActionOutcome,
  type Capacity,
  type DiscoveredResource,
  type Look,
  type ResourceRef,
} from '#streams/cloud/connector.ts'
import { objectOf, textAt, type Json } from '#streams/cloud/kubernetes/api/json-access.ts'
import { propertiesOf } from '#streams/cloud/azure/map/resource.ts'
import type { AzureSession, Call, Item } from '#streams/cloud/azure/session/session.ts'
import type { ResourceStatus } from '#streams/resource/messages.ts'

/** A resource, and as whom it is asked for. */
export interface At {
  session: AzureSession
  ref: ResourceRef
  /** Its id; Azure takes it in any case. */
  id: string
}

export interface ResourceState extends Look {
  /** As Azure describes it. */
  item?: Item
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
    if (error instanceof Fault && error.code === 'not_found') return undefined
    throw error
  }
}

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

export const askResource = (at: At, version: string, call: Partial<Call> = {}) =>
  at.session.ask({ path: at.id, ...call, query: { 'api-version': version, ...call.query } })

/** An action of the resource: `<id>/start`. */
export const does = (at: At, version: string, name: string, body?: unknown) =>
  askResource(at, version, { method: 'POST', path: `${at.id}/${name}`, ...(body !== undefined && { body }) })

export const patchResource = (at: At, version: string, body: unknown) =>
  askResource(at, version, { method: 'PATCH', body })
export const put = (at: At, version: string, body: unknown) => askResource(at, version, { method: 'PUT', body })
export const deleteResource = (at: At, version: string) => askResource(at, version, { method: 'DELETE' })

/** The item at its id; undefined where it is not there. */
export async function itemAt(at: At, version: string, query: Record<string, string> = {}): Promise<Item | undefined> {
  const item = await ignoreNotFound(askResource(at, version, { query }))
  return item && ({ ...item, id: textAt(item, 'id') ?? at.id } as Item)
}

/** What is seen of an item as the inventory has it. */
export function seenAs(item: Item | undefined, map: (item: Item) => DiscoveredResource[]): ResourceState {
  const [found] = item ? map(item) : []
  if (!item || !found) return notThere
  const { status, instanceType, specs = {} } = found
  const isGoing = textAt(propertiesOf(item), 'provisioningState') === 'Deleting'
  return {
    exists: true,
    ...(isGoing ? { status: 'stopping' as const } : status && { status }),
    ...(instanceType && { instanceType }),
    specs,
    item,
    isGoing,
  }
}

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
    call: (at: At, seen: ResourceState, action: CloudAction) => Promise<unknown>,
  ): ActionHandler =>
  async (at, action) => {
    const seen = await requireExisting({ look }, at)
    const { status } = seen
    if (status === want) return { status: 'succeeded', observedState: want }
    if (status === onTheWay[want]) return { status: 'running', observedState: onTheWay[want] }
    if (status === opposite[want] || status === 'pending') throw busy(at, status)
    try {
      await call(at, seen, action)
    } catch (error) {
      // A repeat of what was taken, its answer lost, some services refuse: then it is so already, or on its way.
      const { status: now } = mayHaveBeenTaken(error) ? await look(at) : seen
      if (now === 'pending') throw busy(at, now)
      if (now !== want && now !== onTheWay[want]) throw error
      return becoming(now, want)
    }
    return becoming((await look(at)).status, want)
  }

export const mayHaveBeenTaken = (error: unknown): boolean =>
  error instanceof Fault && (error.code === 'rejected' || error.code === 'busy')

export function becoming(status: ResourceStatus | undefined, want: 'running' | 'stopped'): ActionOutcome {
  if (status === want) return { status: 'succeeded', observedState: want }
  return { status: 'running', observedState: onTheWay[want] }
}

/** Makes what is counted have so many: `fit` says what of a wish its kind can have. */
export const scaling =
  (
    look: ResourceKind['look'],
    fit: (wanted: Capacity, seen: ResourceState) => Capacity,
    count: (at: At, to: Capacity, seen: ResourceState) => Promise<unknown>,
  ): ActionHandler =>
  async (at, { params = {} }) => {
    const seen = await requireExisting({ look }, at)
    const now = seen.capacity
    if (!now) throw unsupportedFault(at.ref, 'scaling without a number of units')
    const to = fit(toScaledCapacity(now, params), seen)
    if (!sameData(now, to)) await tolerateRepeat(look, at, to, count(at, to, seen))
    const { status, capacity } = sameData(now, to) ? seen : await look(at)
    const want = to.desired > 0 ? 'running' : 'stopped'
    if (status === want && capacity?.desired === to.desired) return { status: 'succeeded', observedState: want }
    return { status: 'running', ...(status && { observedState: status }) }
  }

/** A repeat of what was taken, its answer lost, is refused while that is under way. */
async function tolerateRepeat(look: ResourceKind['look'], at: At, to: Capacity, call: Promise<unknown>): Promise<void> {
  try {
    await call
  } catch (error) {
    if (!mayHaveBeenTaken(error) || !sameData((await look(at)).capacity, to)) throw error
  }
}

export type Specs = Readonly<Record<string, unknown>>

/** Makes specs what they are to be: `apply` gets those that are not so already. */
export const setting =
  (look: ResourceKind['look'], apply: (at: At, specs: Specs, seen: ResourceState) => Promise<unknown>): ActionHandler =>
  async (at, { specs: wanted = {} }) => {
    const seen = await requireExisting({ look }, at)
    const left = differing(wanted, seen)
    if (isEmpty(left)) return { status: 'succeeded' }
    await apply(at, left, seen)
    return { status: isEmpty(differing(wanted, await look(at))) ? 'succeeded' : 'running' }
  }

const isEmpty = (specs: Specs): boolean => Object.keys(specs).length === 0

/** Those of `wanted` that are another thing, or that the cloud does not tell. */
const differing = (wanted: Specs, { specs = {} }: ResourceState): Specs =>
  Object.fromEntries(Object.entries(wanted).filter(([name, value]) => !sameData(value, specs[name])))

/** Sets members of a body: `properties.storage.iops` of the iops that are wanted. */
export function bodyOf(specs: Specs, places: Readonly<Record<string, string>>): Json {
  const body: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(specs)) {
    const names = (places[name] ?? '').split('.')
    const last = names.pop()!
    let at = body
    for (const one of names) at = at[one] = { ...objectOf(at[one]) } as Record<string, unknown>
    at[last] = value
  }
  return body
}

/** Of another size by one call; done once Azure says that it is of it. */
export const resizing =
  (look: ResourceKind['look'], call: (at: At, size: string, seen: ResourceState) => Promise<unknown>): ActionHandler =>
  async (at, { size }) => {
    if (size === undefined)
      throw cloudFault('user_action', 'invalid_size', `The new size of ${at.ref.resourceUid} is missing.`)
    const seen = await requireExisting({ look }, at)
    if (seen.instanceType === size) return { status: 'succeeded' }
    await call(at, size, seen)
    return { status: (await look(at)).instanceType === size ? 'succeeded' : 'running' }
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

/** The name of what an action makes, which follows from the action: asked for again it is found, not made again. */
export function madeName({ id }: Pick<CloudAction, 'id'>): string {
  const isFine = /^[a-z0-9]+(-[a-z0-9]+)*$/.test(id) && id.length <= 50
  return `tidemark-${isFine ? id : createHash('sha256').update(id).digest('hex').slice(0, 32)}`
}
