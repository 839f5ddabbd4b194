import {
  bucketOf,
  type CloudAction,
  type ActionOutcome,
  type Capacity,
  type CloudAccount,
} from '#streams/cloud/connector.ts'
import { toScaledCapacity, toStartedCapacity, toStoppedCapacity } from '#streams/cloud/resource/counts.ts'
import { isCounted, kubernetesKind, schedulable, typeOf } from '#streams/cloud/resource/resource-type.ts'
import type { PowerChange } from './log.ts'
import { goneAt } from './alteration.ts'
import { switchedBy } from '#streams/cloud/simulated/world/attributes/attributes.ts'
import { countsAt, type Counts } from './capacity.ts'
import { outcomeOf, resourceOf, type Far } from '#streams/cloud/simulated/state/cloud-state.ts'
import { plannedFault, refusal, type Blow } from '#streams/cloud/simulated/state/faults.ts'
import type { Effect, Entry, MadeCall } from '#streams/cloud/simulated/state/ledger.ts'
import { toAlteration, isOperation, notFound, refuseOperation, unsupportedFault } from './operate.ts'
import { showing } from './power.ts'
import { quotaOf } from './quota.ts'
import type { SimResource } from '#streams/cloud/simulated/world/resource.ts'

/** Result of an action: the answer or error, and the journal entry. */
interface ActionResult {
  entry: Entry
  answer?: ActionOutcome
  error?: unknown
  /** The planned fault if the action is delayed; the fault is already counted. */
  held?: Blow
}

/**
 * Applies an action, immediately unless the fault plan delays it. Resources that are not in the simulated world come
 * from producers; they can be started, stopped, paused and scaled, whatever their type.
 */
export async function act(far: Far, account: CloudAccount, action: CloudAction): Promise<ActionOutcome> {
  let done = far.ledger.note(() => attempt(far, account, action))
  if (done.held) {
    const blow = done.held
    await far.sleep(blow.delayMs)
    done = far.ledger.note(() => findRepeat(far, account, action) ?? performAction(far, account, action, blow))
  }
  if (done.answer) return done.answer
  throw done.error
}

/** Applies the fault plan once, even if the call is delayed. */
function attempt(far: Far, account: CloudAccount, action: CloudAction): ActionResult {
  const before = findRepeat(far, account, action)
  if (before) return before
  const { struck, ...blow } = far.ledger.aimAt(callOf(account, action))
  const strike = struck && { struck }
  if (blow.delayMs > 0) return { entry: { at: far.now(), ...strike }, held: blow }
  const done = performAction(far, account, action, blow)
  return { ...done, entry: { ...done.entry, ...strike } }
}

const callOf = (account: CloudAccount, action: CloudAction): Omit<MadeCall, 'at' | 'outcome'> => ({
  call: action.kind,
  cloudAccountId: account.id,
  resourceUid: action.resource.resourceUid,
  id: action.id,
  ...detailOf(action),
})

function detailOf({ kind, size, specs, params }: CloudAction): Pick<MadeCall, 'detail'> {
  if (kind === 'scale' && params) return { detail: { counts: params } }
  if (kind === 'resize' && size !== undefined) return { detail: { size } }
  return kind === 'set' && specs ? { detail: { specs } } : {}
}

function findRepeat(far: Far, account: CloudAccount, action: CloudAction): ActionResult | undefined {
  const answer = far.ledger.outcomeOf(account.id, action.id, far.now())
  const call = { ...callOf(account, action), outcome: 'ok', repeated: true } as const
  return answer && { entry: { at: far.now(), call }, answer }
}

/** The call and its effect are one line of the journal: a killed process leaves both or neither. */
function performAction(far: Far, account: CloudAccount, action: CloudAction, blow: Blow): ActionResult {
  const at = far.now()
  const call = callOf(account, action)
  const fails = blow.error === undefined ? refusalOf(far, account, action) : plannedFault(blow.error)
  const planned = outcomeOf(call, blow)
  if (fails !== undefined) {
    return { entry: { at, call: { ...call, outcome: planned === 'ok' ? bucketOf(fails) : planned } }, error: fails }
  }
  const did = effectOf(far, account, action, { asked: at.getTime(), at: at.getTime() + blow.settleMs })
  const effect = { account: account.id, uid: action.resource.resourceUid, id: action.id, ...did }
  return { entry: { at, call: { ...call, outcome: 'ok' }, effect }, answer: did.outcome }
}

/** When the action was requested, and when its effect is complete. */
type Time = Pick<PowerChange, 'asked' | 'at'>

function effectOf(
  far: Far,
  account: CloudAccount,
  action: CloudAction,
  time: Time,
): Pick<Effect, 'change' | 'alteration' | 'outcome'> {
  if (isOperation(action)) {
    const alteration = toAlteration(far, account, action, time)
    const outcome = { status: alteration.at > time.asked ? 'running' : 'succeeded' } as const
    return { ...switchedWith(far, account, action, time), alteration, outcome }
  }
  const change = toPowerChange(far, account, action, time)
  const outcome: ActionOutcome =
    change.at > change.asked
      ? { status: 'running', observedState: showing(change) }
      : { status: 'succeeded', observedState: change.running ? 'running' : 'stopped' }
  return { change, outcome }
}

/** Setting specs that describe the state starts or stops the resource. */
function switchedWith(far: Far, account: CloudAccount, action: CloudAction, time: Time): Pick<Effect, 'change'> {
  const { kind, resource, specs = {} } = action
  const type = resourceOf(far, account, resource.resourceUid)?.type ?? resource.type
  const runs = kind === 'set' ? switchedBy(type, specs) : undefined
  if (runs === undefined) return {}
  return { change: toPowerChange(far, account, { ...action, kind: runs ? 'start' : 'stop' }, time) }
}

/** The error if the action is not possible, independent of the fault plan. */
function refusalOf(far: Far, account: CloudAccount, action: CloudAction): unknown {
  try {
    if (isOperation(action)) refuseOperation(far, account, action)
    else refuseSwitch(far, account, action)
    return undefined
  } catch (error) {
    return error
  }
}

function toPowerChange(far: Far, account: CloudAccount, action: CloudAction, time: Time): PowerChange {
  const { resourceUid, type, specs } = action.resource
  const resource = resourceOf(far, account, resourceUid)
  const now = countsAt(far.ledger.log, account.id, resourceUid, resource ?? { specs }, time.asked)
  if (isCounted(resource?.type ?? type) || action.kind === 'scale') {
    const { min, max, desired } = toTargetCapacity(now, action)
    const units = desired > 0 ? desired : findUnits(far, account, resourceUid, resource)
    return { ...time, running: desired > 0, min, max, ...(units !== undefined && { units }) }
  }
  const units = findUnits(far, account, resourceUid, resource)
  const isFinal = action.kind === 'pause' && typeOf(type)?.pauseReversible === false
  return {
    ...time,
    running: action.kind === 'start',
    ...(units !== undefined && { units }),
    ...(isFinal && { final: true as const }),
  }
}

function toTargetCapacity(now: Counts, { kind, params = {}, resource: { type } }: CloudAction): Capacity {
  if (kind === 'start') return toStartedCapacity(now, params)
  return kind === 'scale' ? toScaledCapacity(now, params) : toStoppedCapacity(now, type)
}

/** A stopped resource keeps the number of units it has when it runs. */
function findUnits(
  far: Far,
  account: CloudAccount,
  uid: string,
  resource: SimResource | undefined,
): number | undefined {
  return far.ledger.log.changes(account.id, uid).at(-1)?.units ?? resource?.units
}

/**
 * @throws a `user_action` fault if the type does not have the action, the resource has ended for good, or the quota is
 * exceeded
 */
function refuseSwitch(far: Far, account: CloudAccount, action: CloudAction): void {
  const { resourceUid: uid, type } = action.resource
  const { log } = far.ledger
  const resource = resourceOf(far, account, uid)
  if (resource) refuse(resource, action)
  if (goneAt(far.world, log, account.id, uid) <= far.now().getTime()) throw notFound(resource?.name ?? uid)
  const isOver = log.changes(account.id, uid).some(({ final }) => final)
  if (isOver && action.kind === 'start') throw unsupportedFault(resource?.name ?? uid, type, 'starting after a pause')
  if (resource && action.kind === 'scale') refuseUnits(far, account, resource, action)
}

/** The quota limits units, not bounds. */
function refuseUnits(far: Far, account: CloudAccount, resource: SimResource, action: CloudAction): void {
  const max = quotaOf(resource.type)
  const { desired } = toTargetCapacity(
    countsAt(far.ledger.log, account.id, resource.uid, resource, far.now().getTime()),
    action,
  )
  if (max !== undefined && desired > max)
    throw refusal('quota_exceeded', `${resource.name} can have at most ${max} units, but ${desired} were requested.`)
}

function refuse({ type, name, owned }: SimResource, { kind }: CloudAction): void {
  const known = typeOf(type)
  const replicated = ['deployment', 'statefulset'].includes(kubernetesKind(type) ?? '')
  const can: Partial<Record<CloudAction['kind'], boolean>> = {
    start: schedulable(type, owned),
    stop: schedulable(type, owned),
    scale: replicated || known?.scalingTarget !== 'no',
    pause: known?.pauseApi !== '',
  }
  if (!can[kind]) throw unsupportedFault(name, type, kind)
}
