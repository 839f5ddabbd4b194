/** One type of resource of a cloud as a value: how its state is read, and by which call each verb is carried out. */
import { Fault } from '#engine/value/fault.ts'
import {
  cloudFault,
  type ActionKind,
  type Capacity,
  type CloudAction,
  type Look,
  type ResourceRef,
} from '#streams/cloud/connector.ts'
import type { ResourceStatus } from '#streams/resource/messages.ts'

/** A resource and the account that is asked for it; each cloud adds what its calls need. */
export interface VerbTarget {
  ref: ResourceRef
}

export interface ResourceState extends Look {
  /** Specs that the cloud has accepted and not applied yet. */
  coming?: Readonly<Record<string, unknown>>
  /** The cloud is making a change and does not report which. */
  isChanging?: boolean
  /** Deleted, and not gone yet. */
  isGoing?: boolean
}

export type Absent = { exists: false } & { [K in Exclude<keyof ResourceState, 'exists'>]?: never }
export const absent: Absent = { exists: false }

export type Specs = Readonly<Record<string, unknown>>

/** What a resource with units is to have. */
export interface UnitsPlan {
  desired: number
  /** Left out if nothing is left to be done. */
  call?: () => Promise<unknown>
}

/**
 * A verb that is left out is not offered. Members make one change each; `carry-out.ts` looks first, and decides what a
 * failed change has done.
 */
export interface ResourceKind<A extends VerbTarget, S extends ResourceState = ResourceState> {
  look(at: A): Promise<S | Absent>
  /** Throws for a resource that the verb is not offered for, before anything is asked. */
  check?(at: A, verb: ActionKind): void
  /** The status that a start or a stop decides by, if it is not the one that is shown. */
  powerOf?(seen: S, want: 'running' | 'stopped'): ResourceStatus | undefined
  start?(at: A, seen: S, action: CloudAction): Promise<unknown>
  stop?(at: A, seen: S, action: CloudAction): Promise<unknown>
  pause?(at: A, seen: S, action: CloudAction): Promise<unknown>
  /** `scale`, and `start` and `stop` of types that have no call of their own for those. */
  scale?(at: A, seen: S, action: CloudAction): UnitsPlan
  resize?(at: A, size: string, seen: S): Promise<unknown>
  /** Names of the specs that `set` takes. */
  sets?: readonly string[]
  /** Gets the specs that differ. */
  set?(at: A, specs: Specs, seen: S, action: CloudAction): Promise<unknown>
  snapshot?: Snapshot<A, S>
  delete?(at: A, seen: S): Promise<unknown>
}

export type ResourceKinds<A extends VerbTarget> = Readonly<Record<string, ResourceKind<A>>>

/** A snapshot is named after its action, so a repeat finds it instead of creating another one. */
interface Snapshot<A extends VerbTarget, S extends ResourceState> {
  /** Undefined if there is none. @throws `snapshot_failed` */
  find(at: A, name: string): Promise<'done' | 'underWay' | undefined>
  create(at: A, name: string, seen: S): Promise<unknown>
}

/** What clouds call the states of snapshots and backups. */
const snapshotDone = /^(available|completed|ready|successful|succeeded)$/i
const snapshotFailed = /^(failed|error|invalid|skipped|canceled)$/i

/** Undefined without a state. @throws `snapshot_failed` */
export function snapshotProgress(name: string, state: string | undefined): 'done' | 'underWay' | undefined {
  if (state === undefined) return undefined
  if (snapshotFailed.test(state))
    throw cloudFault(
      'user_action',
      'snapshot_failed',
      `The cloud could not create the snapshot ${name}: it is ${state}.`,
    )
  return snapshotDone.test(state) ? 'done' : 'underWay'
}

/** The answer; undefined if the cloud knows no such thing. */
export async function ignoreNotFound<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof Fault && error.code === 'not_found') return undefined
    throw error
  }
}

export const goneFault = ({ ref }: VerbTarget): Fault =>
  cloudFault('user_action', 'resource_not_found', `${ref.resourceUid} no longer exists.`)

export const unsupportedFault = (ref: ResourceRef, what: string): Fault =>
  cloudFault('user_action', 'unsupported_action', `${ref.resourceUid} (${ref.type}) does not support ${what}.`)

/** The same action may succeed later. */
export const busyFault = ({ ref }: VerbTarget, status: string): Fault =>
  cloudFault(
    'transient',
    'busy',
    `${ref.resourceUid} is ${status}: it accepts no other action until that has finished.`,
  )

/** @throws `resource_not_found` */
export async function requireExisting<A extends VerbTarget, S extends ResourceState>(
  kind: Pick<ResourceKind<A, S>, 'look'>,
  at: A,
): Promise<S> {
  const seen = await kind.look(at)
  if (!seen.exists) throw goneFault(at)
  return seen as S
}

/** @throws `invalid_state` for a machine that is not stopped: it would restart on other hardware */
export function requireStopped({ ref }: VerbTarget, { status }: ResourceState): void {
  if (status === 'stopped') return
  const message = `${ref.resourceUid} is ${status}: stop it before you resize it.`
  throw cloudFault('user_action', 'invalid_state', message)
}

/** The counts of a resource with units. @throws `unsupported_action` if it has none */
export function requireCapacity({ ref }: VerbTarget, { capacity }: ResourceState, { kind }: CloudAction): Capacity {
  if (!capacity) throw unsupportedFault(ref, `${kind} without a number of units`)
  return capacity
}
