import {
  bucketOf,
  cloudFault,
  type Action,
  type ActionOutcome,
  type Capacity,
  type CloudAccount,
} from '#streams/cloud/connector.ts'
import { isCounted, kubernetesKind, schedulable, typeOf } from '#streams/cloud/resource-type.ts'
import { countsAt, rescaled, started, stopped, type Counts } from '#streams/cloud/simulated/capacity.ts'
import { outcomeOf, resourceOf, type Far } from '#streams/cloud/simulated/far.ts'
import { plannedFault, type Blow } from '#streams/cloud/simulated/faults.ts'
import type { Entry, MadeCall } from '#streams/cloud/simulated/ledger.ts'
import { showing, type PowerChange } from '#streams/cloud/simulated/power.ts'
import type { SimResource } from '#streams/cloud/simulated/resource.ts'

/** What an action came to: its answer or its error, and what the journal has of it. */
interface Done {
  entry: Entry
  answer?: ActionOutcome
  error?: unknown
  /** Milliseconds until it is made: the plan holds it up, and has been struck. */
  held?: Blow
}

/**
 * Starts, stops, pauses or scales, at once unless the plan says how long it takes. Resources the world does not know can do
 * everything: their producers made them.
 */
export async function act(far: Far, account: CloudAccount, action: Action): Promise<ActionOutcome> {
  let done = far.ledger.note(() => attempt(far, account, action))
  if (done.held) {
    const blow = done.held
    await far.sleep(blow.delayMs)
    done = far.ledger.note(() => repeated(far, account, action) ?? made(far, account, action, blow))
  }
  if (done.answer) return done.answer
  throw done.error
}

/** Struck by the plan once, also when the call is held up for a while. */
function attempt(far: Far, account: CloudAccount, action: Action): Done {
  const before = repeated(far, account, action)
  if (before) return before
  const { struck, ...blow } = far.ledger.aimAt(callOf(account, action))
  const strike = struck && { struck }
  if (blow.delayMs > 0) return { entry: { at: far.now(), ...strike }, held: blow }
  const done = made(far, account, action, blow)
  return { ...done, entry: { ...done.entry, ...strike } }
}

const callOf = (account: CloudAccount, { id, kind, resource }: Action): Omit<MadeCall, 'at' | 'outcome'> => ({
  call: kind,
  cloudAccountId: account.id,
  resourceUid: resource.resourceUid,
  id,
})

function repeated(far: Far, account: CloudAccount, action: Action): Done | undefined {
  const answer = far.ledger.outcomeOf(account.id, action.id)
  const call = { ...callOf(account, action), outcome: 'ok', repeated: true } as const
  return answer && { entry: { at: far.now(), call }, answer }
}

/** One line has the call and what it did: a process that is killed leaves both or none. */
function made(far: Far, account: CloudAccount, action: Action, blow: Blow): Done {
  const at = far.now()
  const call = callOf(account, action)
  const fails = blow.error === undefined ? refusalOf(far, account, action) : plannedFault(blow.error)
  const planned = outcomeOf(call, blow)
  if (fails !== undefined) {
    return { entry: { at, call: { ...call, outcome: planned === 'ok' ? bucketOf(fails) : planned } }, error: fails }
  }
  const change = changed(far, account, action, { at: at.getTime(), settleMs: blow.settleMs })
  const outcome: ActionOutcome =
    change.at > change.asked
      ? { status: 'running', observedState: showing(change) }
      : { status: 'succeeded', observedState: change.running ? 'running' : 'stopped' }
  const effect = { account: account.id, uid: action.resource.resourceUid, id: action.id, change, outcome }
  return { entry: { at, call: { ...call, outcome: 'ok' }, effect }, answer: outcome }
}

/** The error for what cannot be done whatever the plan says. */
function refusalOf(far: Far, account: CloudAccount, action: Action): unknown {
  try {
    const resource = resourceOf(far, account, action.resource.resourceUid)
    if (resource) refuse(resource, action)
    return undefined
  } catch (error) {
    return error
  }
}

function changed(
  far: Far,
  account: CloudAccount,
  action: Action,
  { at, settleMs }: { at: number; settleMs: number },
): PowerChange {
  const { resourceUid, type, specs } = action.resource
  const resource = resourceOf(far, account, resourceUid)
  const now = countsAt(far.ledger.log, account.id, resourceUid, resource ?? { specs }, at)
  const time = { asked: at, at: at + settleMs }
  if (isCounted(resource?.type ?? type) || action.kind === 'scale') {
    const { min, max, desired } = wanted(now, action)
    const units = desired > 0 ? desired : whole(far, account, resourceUid, resource)
    return { ...time, running: desired > 0, min, max, ...(units !== undefined && { units }) }
  }
  const units = whole(far, account, resourceUid, resource)
  return { ...time, running: action.kind === 'start', ...(units !== undefined && { units }) }
}

function wanted(now: Counts, { kind, params = {}, resource: { type } }: Action): Capacity {
  if (kind === 'start') return started(now, params)
  return kind === 'scale' ? rescaled(now, params) : stopped(now, type)
}

/** A stopped resource keeps its number of units: what it has when it is on. */
function whole(far: Far, account: CloudAccount, uid: string, resource: SimResource | undefined): number | undefined {
  return far.ledger.log.changes(account.id, uid).at(-1)?.units ?? resource?.units
}

/** @throws a `user_action` fault for what the type cannot do */
function refuse({ type, name, owned }: SimResource, { kind }: Action): void {
  const known = typeOf(type)
  const replicated = ['deployment', 'statefulset'].includes(kubernetesKind(type) ?? '')
  const can = {
    start: schedulable(type, owned),
    stop: schedulable(type, owned),
    scale: replicated || known?.scalingTarget !== 'no',
    pause: known?.pauseApi !== '',
  }
  if (!can[kind])
    throw cloudFault('user_action', 'unsupported_action', `${name} is of type ${type}, which has no ${kind}.`)
}
