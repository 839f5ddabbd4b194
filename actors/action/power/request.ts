/**
 * Requests: how an action starts, what prevents it, how it relates to other actions, and which workflow holds the
 * resource.
 */
import type { PowerNeeds } from './needs.ts'
import { Fault } from '#engine/value/fault.ts'
import { uuidOf } from '#engine/value/id.ts'
import type { Static } from '#engine/value/schema.ts'
import type { Turn } from '#engine/actor/turn.ts'
import { powerRested, type ActionSource, type PowerAction } from '#streams/action/messages.ts'
import { isProvider } from '#streams/names.ts'
import type { powerFreed, powerHeld } from '#streams/workflow.ts'
import { findDemand } from './demand.ts'
import type { PendingAction, Live, Power } from '#actors/action/entity.ts'
import { addressOf, appendSubmission, endUnmade, keepLast, keepWaiting, proceedLater, supersede } from './end.ts'
import { factsOf, type Facts, type ResourceFacts } from './needs.ts'
import { holderOf, newRecord, stateOf, tellRecord, tellSource, type ActionRequest } from './record.ts'
import { lackOf, lacking } from './approval.ts'
import { powerRefusal } from './refusal.ts'
import { beginTry } from './try.ts'

const blockedMessage = 'An override is active for the resource.'

/**
 * Starts the action or refuses it: for a person with a fault, for others with the message that reports its end.
 * @throws Fault `missing`, `refused` or `conflict` if a person requested it
 */
export function want(row: Power, wanted: ActionRequest, turn: Turn<PowerNeeds>): void {
  const facts = factsOf(turn)
  const { resource } = facts
  const refusal = refusalOf(facts, turn) ?? (isBusy(row, wanted.source, turn) ? busy : undefined)
  const lack = lackOf(wanted, facts, turn)
  if (refusal || !resource) refuse(wanted, refusal ?? Fault.missing('resource', turn.address.key), turn)
  else if (lack) tellSource(wanted, 'failed', lacking[lack], turn, { refusal: lack })
  else if (isBlocked(wanted.source, facts)) tellSource(wanted, 'blocked', blockedMessage, turn)
  else if (isToMeet(row, wanted.source, turn)) meet(row, wanted, resource, turn)
  else begin(row, { record: newRecord(wanted, resource, turn.now), resourceName: resource.name }, resource, turn)
  turn.reply({ actionId: wanted.actionId })
}

/** The action before the waiting one has ended: starts the waiting one, unless something prevents it by now. */
export function proceed(row: Power, { actionId }: { actionId: string }, turn: Turn<PowerNeeds>): void {
  const held = row.waiting!
  if (held.record.actionId !== actionId || holderOf(row, turn) !== undefined) return
  keepWaiting(row, null)
  const facts = factsOf(turn)
  const refusal = refusalOf(facts, turn)
  if (refusal) end(row, held, 'failed', refusal.message, turn)
  else if (isBlocked(held.record.source, facts)) end(row, held, 'blocked', blockedMessage, turn)
  else begin(row, held, facts.resource!, turn)
}

/** An override has released the resource: requests the state that another override demands, otherwise the schedules. */
export function demand(row: Power, { overrideId }: { overrideId: string }, turn: Turn<PowerNeeds>): void {
  const facts = factsOf(turn)
  const { orgId: _, place, key } = turn.address
  if (refusalOf(facts, turn)) return
  const other = facts.overrides.find(({ id }) => id !== overrideId)
  const action: PowerAction | undefined = other
    ? other.desired_state === 'running'
      ? 'start'
      : 'stop'
    : findDemand(facts.schedules, turn.now)
  if (action === undefined || (!row.live && !row.waiting && isSo(row, facts.resource!, action))) return
  const source: ActionSource = other ? { type: 'override', id: other.id } : { type: 'override_expired', id: overrideId }
  want(
    row,
    { ...addressOf(turn), actionId: uuidOf('demand', overrideId, place, key), action, reason: null, source },
    turn,
  )
}

/** No action is in progress: starts this one, unless the resource is already in that state. */
function begin(row: Power, held: PendingAction, resource: ResourceFacts, turn: Turn): void {
  const { record } = held
  if (isSo(row, resource, record.action)) return end(row, held, 'succeeded', null, turn)
  const live: Live = { ...held, intentId: '', isTaken: false, looks: 0, before: null, also: [] }
  row.live = live
  row.liveId = record.actionId
  turn.forget('rest')
  appendSubmission(record, turn)
  beginTry(row, live, turn)
}

function end(
  row: Power,
  { record }: PendingAction,
  outcome: 'succeeded' | 'failed' | 'blocked',
  message: string | null,
  turn: Turn,
) {
  endUnmade(record, outcome, message, turn)
  keepLast(row, record, turn)
}

/** Another action is in progress. The same request joins it; of different requests the last one wins. */
function meet(row: Power, wanted: ActionRequest, resource: ResourceFacts, turn: Turn): void {
  const { live, waiting } = row
  if (waiting) supersede(waiting, wanted.source, turn)
  if (live?.record.action === wanted.action) {
    live.also.push({ actionId: wanted.actionId, source: wanted.source })
    return keepWaiting(row, null)
  }
  const record = newRecord(wanted, resource, turn.now)
  tellRecord(record, turn)
  keepWaiting(row, { record, resourceName: resource.name })
  if (!live) proceedLater(row, turn)
}

/** Compares with the newest state from the cloud, which the previous action may have reported. */
function isSo({ seen }: Power, resource: ResourceFacts, action: PowerAction): boolean {
  const isNewer = seen && new Date(seen.at) >= resource.observed_at
  return (isNewer ? seen.state : resource.observed_status) === stateOf[action]
}

const isBlocked = ({ type }: ActionSource, { overrides }: Facts): boolean => type === 'schedule' && overrides.length > 0

const busy = Fault.conflict('action_in_progress', 'The resource is already being started or stopped.')

/** Whether another workflow has exclusive use of the resource. */
const isOthers = (row: Power, { workflow }: ActionSource, turn: Turn): boolean =>
  (holderOf(row, turn) ?? workflow?.jobId) !== workflow?.jobId

const isOwn = (row: Power, { workflow }: ActionSource, turn: Turn): boolean =>
  workflow !== undefined && holderOf(row, turn) === workflow.jobId

/** Whether the action must join or wait: another one is in progress or waiting, or a workflow has exclusive use. */
const isToMeet = (row: Power, source: ActionSource, turn: Turn): boolean =>
  row.live !== null || isOthers(row, source, turn) || (row.waiting !== null && !isOwn(row, source, turn))

/** Requests of people, workflows and bulk actions are refused instead of waiting. */
const isBusy = (row: Power, source: ActionSource, turn: Turn): boolean =>
  isToMeet(row, source, turn) && (source.type === 'manual' || source.type === 'bulk')

/** @throws `fault` if a person requested it */
function refuse(wanted: ActionRequest, fault: Fault, turn: Turn): void {
  const { type, workflow } = wanted.source
  if (type === 'manual' && !workflow) throw fault
  tellSource(wanted, 'failed', fault.message, turn, { retryable: fault === busy, isUnmade: true })
}

/** Why the resource cannot be started or stopped at all. */
function refusalOf({ resource, account }: Facts, { address }: Turn): Fault | undefined {
  if (!resource || resource.deleted_at !== null || !isProvider(resource.provider))
    return Fault.missing('resource', address.key)
  if (!account || account.status === 'deleted') return Fault.missing('cloud account', address.place)
  return powerRefusal({
    schedulable: resource.schedulable,
    accountStatus: account.status,
    permissionVerdict: account.permission_verdict,
  })
}

/**
 * A workflow with several calls gets exclusive use of the resource between them. The first of two workflows keeps it
 * until it releases it or its time ends. A workflow that has released the resource does not get it again.
 */
export function hold(row: Power, { jobId, until }: Static<typeof powerHeld.schema>, turn: Turn): void {
  const isLetGo = row.held?.jobId === jobId && holderOf(row, turn) === undefined
  if (isLetGo || (holderOf(row, turn) ?? jobId) !== jobId) return
  row.held = { jobId, until }
  turn.remind('held', new Date(until), powerRested, addressOf(turn))
}

/**
 * Milliseconds for which a release is remembered, since the messages of hold and release may arrive in either order.
 */
const letGoMs = 60_000

/** Releases the resource. False if another workflow holds it. */
export function free(row: Power, { jobId }: Static<typeof powerFreed.schema>, turn: Turn): boolean {
  if ((holderOf(row, turn) ?? jobId) !== jobId) return false
  row.held = { jobId, until: turn.now.toISOString() }
  turn.remind('held', new Date(turn.now.getTime() + letGoMs), powerRested, addressOf(turn))
  return true
}

export function freeAndProceed(row: Power, freed: Static<typeof powerFreed.schema>, turn: Turn): void {
  if (free(row, freed, turn)) proceedLater(row, turn)
}

/** Ends a hold whose time has ended. False if there is none. */
export function dropHold(row: Power, _: unknown, turn: Turn): boolean {
  if (!row.held || holderOf(row, turn) !== undefined) return false
  row.held = null
  return true
}

export function restWaiting(row: Power, rested: unknown, turn: Turn): void {
  if (dropHold(row, rested, turn)) proceedLater(row, turn)
}

/** Removes the action that ended last. Removes the row, too, unless it still has counts or a hold. */
export function rest(row: Power, rested: unknown, turn: Turn): void {
  dropHold(row, rested, turn)
  row.last = null
  row.lastId = null
  row.seen = null
  if (row.before === null && row.held === null) turn.remove()
}
