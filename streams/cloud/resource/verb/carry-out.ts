/**
 * Carries a verb out, the same for every type of every cloud: look, make one call, look again. A call whose answer was lost
 * may have been taken, and a cloud refuses its repeat: then the state of the resource decides, not the error.
 */
import { sameData } from '#engine/actor/row.ts'
import { Fault } from '#engine/value/fault.ts'
import {
  cloudFault,
  type ActionKind,
  type ActionOutcome,
  type CloudAccount,
  type CloudAction,
  type Look,
  type ResourceRef,
} from '#streams/cloud/connector.ts'
import type { ResourceStatus } from '#streams/resource/messages.ts'
import {
  absent,
  busyFault,
  ignoreNotFound,
  requireExisting,
  unsupportedFault,
  type Absent,
  type VerbTarget,
  type ResourceKind,
  type ResourceKinds,
  type ResourceState,
  type Specs,
} from './kind.ts'
import { madeName } from './spec.ts'

/** How far a resource is from what an action asks for. `busy`: on its way to something else. `open`: the call is left. */
interface Progress {
  is: 'done' | 'underWay' | 'busy' | 'open'
  observedState?: ResourceStatus | undefined
  /** If busy: what it is. */
  busyWith?: string
}

interface Goal<S> {
  look: () => Promise<S>
  judge: (seen: S) => Progress
  call: (seen: S) => Promise<unknown>
}

/** Codes of a call that may have been taken: its answer was lost or unreadable, or it was refused as a repeat would be. */
const unclear: ReadonlySet<string> = new Set([
  'already_exists',
  'answer_too_large',
  'busy',
  'cloud_timeout',
  'cloud_unavailable',
  'cloud_unreachable',
  'rejected',
  'replaced',
  'throttled',
  'unknown_answer',
])

export const isUnclear = (error: unknown): boolean => error instanceof Fault && unclear.has(error.code)

/** @throws the error of the call, unless it turns out to have been taken; `busy` */
async function reach<S>(at: VerbTarget, { look, judge, call }: Goal<S>): Promise<ActionOutcome> {
  const seen = await look()
  const before = settled(at, judge(seen))
  if (before) return before
  try {
    await call(seen)
  } catch (error) {
    if (!isUnclear(error)) throw error
    const again = await lookAgain(look)
    const taken = again && settled(at, judge(again.seen))
    if (taken) return taken
    throw error
  }
  const after = await lookAgain(look)
  return after ? outcomeOf(judge(after.seen)) : { status: 'running' }
}

/** Undefined if the state cannot be read; the result of the call decides then. */
async function lookAgain<S>(look: () => Promise<S>): Promise<{ seen: S } | undefined> {
  try {
    return { seen: await look() }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return undefined
  }
}

/** Undefined if the call is left. @throws `busy` */
function settled(at: VerbTarget, progress: Progress): ActionOutcome | undefined {
  if (progress.is === 'busy') throw busyFault(at, progress.busyWith ?? 'being changed')
  return progress.is === 'open' ? undefined : outcomeOf(progress)
}

const outcomeOf = ({ is, observedState }: Progress): ActionOutcome => ({
  status: is === 'done' ? 'succeeded' : 'running',
  ...(observedState !== undefined && { observedState }),
})

const opposite = { running: 'stopping', stopped: 'starting' } as const
const onTheWay = { running: 'starting', stopped: 'stopping' } as const

function judgePower(status: ResourceStatus | undefined, want: 'running' | 'stopped'): Progress {
  if (status === want) return { is: 'done', observedState: want }
  const coming = { observedState: onTheWay[want] }
  if (status === onTheWay[want]) return { is: 'underWay', ...coming }
  if (status === opposite[want] || status === 'pending') return { is: 'busy', busyWith: status, ...coming }
  return { is: 'open', ...coming }
}

/** Done once as many units work, or none. */
function judgeUnits({ desired, call }: { desired: number; call?: unknown }, { status }: ResourceState): Progress {
  const isThere = status === (desired > 0 ? 'running' : 'stopped')
  return { is: call ? 'open' : isThere ? 'done' : 'underWay', observedState: status }
}

function judgeSpecs(wanted: Specs, seen: ResourceState): Progress {
  const { coming = {} } = seen
  const left = differing(wanted, seen)
  if (isEmpty(left)) return { is: 'done' }
  if (isEmpty(differing(left, { ...seen, specs: { ...seen.specs, ...coming } }))) return { is: 'underWay' }
  return isEmpty(coming) && !seen.isChanging ? { is: 'open' } : { is: 'busy' }
}

const isEmpty = (specs: Specs): boolean => Object.keys(specs).length === 0

/** The specs that have another value, or that the cloud does not report. */
function differing(wanted: Specs, { instanceType, specs = {} }: ResourceState): Specs {
  const known: Specs = { ...(instanceType !== undefined && { instance_type: instanceType }), ...specs }
  return Object.fromEntries(Object.entries(wanted).filter(([name, value]) => !sameData(value, known[name])))
}

const judgeGone = ({ exists, isGoing }: ResourceState): Progress => ({
  is: exists ? (isGoing ? 'underWay' : 'open') : 'done',
})

/** Whether the type has the verb. */
function isOffered<A extends VerbTarget>(kind: ResourceKind<A>, verb: ActionKind): boolean {
  return kind[verb] !== undefined || ((verb === 'start' || verb === 'stop') && kind.scale !== undefined)
}

/** @throws a `cloudFault`: `unsupported_action`, `resource_not_found`, `busy`, and what the calls of the kind throw */
export async function carryOut<A extends VerbTarget, S extends ResourceState>(
  kind: ResourceKind<A, S>,
  at: A,
  action: CloudAction,
): Promise<ActionOutcome> {
  kind.check?.(at, action.kind)
  if (action.kind === 'delete')
    return reach<S | Absent>(at, {
      look: () => kind.look(at),
      judge: judgeGone,
      call: (seen) => ignoreNotFound(kind.delete!(at, seen as S)),
    })
  if (action.kind === 'snapshot') return takeSnapshot(kind, at, action)
  return reach(at, { look: () => requireExisting(kind, at), ...changeOf(kind, at, action) })
}

function changeOf<A extends VerbTarget, S extends ResourceState>(
  kind: ResourceKind<A, S>,
  at: A,
  action: CloudAction,
): Omit<Goal<S>, 'look'> {
  const { kind: verb, specs = {}, size } = action
  if (verb === 'set')
    return {
      judge: (seen) => judgeSpecs(specs, seen),
      call: (seen) => kind.set!(at, differing(specs, seen), seen, action),
    }
  if (verb === 'resize') {
    if (size === undefined)
      throw cloudFault('user_action', 'invalid_size', `The new size of ${at.ref.resourceUid} is missing.`)
    return {
      judge: ({ instanceType }) => ({ is: instanceType === size ? 'done' : 'open' }),
      call: (seen) => kind.resize!(at, size, seen),
    }
  }
  if (verb !== 'scale' && kind[verb as 'start' | 'stop' | 'pause']) {
    const want = verb === 'start' ? 'running' : 'stopped'
    return {
      judge: (seen) => judgePower(kind.powerOf ? kind.powerOf(seen, want) : seen.status, want),
      call: (seen) => kind[verb as 'start' | 'stop' | 'pause']!(at, seen, action),
    }
  }
  return {
    judge: (seen) => judgeUnits(kind.scale!(at, seen, action), seen),
    call: async (seen) => kind.scale!(at, seen, action).call?.(),
  }
}

/** What is looked for is the snapshot; what it is taken of has to exist only if there is none yet. */
function takeSnapshot<A extends VerbTarget, S extends ResourceState>(
  kind: ResourceKind<A, S>,
  at: A,
  action: CloudAction,
): Promise<ActionOutcome> {
  const name = madeName(action)
  const snapshot = kind.snapshot!
  return reach(at, {
    look: () => snapshot.find(at, name),
    judge: (found) => ({ is: found ?? 'open' }),
    call: async () => snapshot.create(at, name, await requireExisting(kind, at)),
  })
}

/** What a repeat does: what is created is named after the action, and all else says what shall be and is looked at first. */
export const verbRepeats = {
  start: 'natural',
  stop: 'natural',
  scale: 'natural',
  resize: 'natural',
  set: 'natural',
  snapshot: 'token',
  delete: 'natural',
} as const

/** The calls of a connector that look at one resource and change it. */
interface VerbCalls<O> {
  act: (options: O, account: CloudAccount, action: CloudAction) => Promise<ActionOutcome>
  look: (options: O, account: CloudAccount, ref: ResourceRef) => Promise<Look>
}

/** `open` is called after what is not offered was refused. */
export function verbCalls<O, A extends VerbTarget>(
  kinds: ResourceKinds<A>,
  open: (options: O, account: CloudAccount, ref: ResourceRef) => A,
  close: (at: A) => void = () => {},
): VerbCalls<O> {
  const using = async <T>(at: A, work: (at: A) => Promise<T>): Promise<T> => {
    try {
      return await work(at)
    } finally {
      close(at)
    }
  }
  return {
    act: async (options, account, action) => {
      const { kind: verb, resource, specs = {} } = action
      const kind = kinds[resource.type]
      if (!kind || !isOffered(kind, verb)) throw unsupportedFault(resource, verb)
      const unknown = verb === 'set' ? Object.keys(specs).find((name) => !kind.sets?.includes(name)) : undefined
      if (unknown !== undefined) throw unsupportedFault(resource, `setting ${unknown}`)
      return using(open(options, account, resource), (at) => carryOut(kind, at, action))
    },
    look: async (options, account, ref) => {
      const kind = kinds[ref.type]
      if (!kind) throw unsupportedFault(ref, 'look')
      return using(open(options, account, ref), async (at) => toLook(await kind.look(at)))
    },
  }
}

/** Without what only verbs need. */
function toLook({ exists, status, capacity, instanceType, specs }: ResourceState): Look {
  if (!exists) return absent
  return {
    exists,
    ...(status !== undefined && { status }),
    ...(capacity && { capacity }),
    ...(instanceType !== undefined && { instanceType }),
    ...(specs && { specs }),
  }
}
