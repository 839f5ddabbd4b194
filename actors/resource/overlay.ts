/**
 * The status that a resource shows while an action is in progress (decision G-31). It overrides the observed status,
 * which is still recorded, until the action ends, its end state is observed, or nothing was heard of it for 15 minutes.
 */
import type { Static } from '#engine/value/schema.ts'
import type { Turn } from '#engine/actor/turn.ts'
import { powerUnheard, type powerTold } from '#streams/action/messages.ts'
import type { ResourceStatus } from '#streams/resource/messages.ts'
import type { Changer } from './change.ts'
import type { Resource } from './entity.ts'
import { hear } from './observation-order.ts'
import { before, recordChange } from './state.ts'

type PowerReport = Static<typeof powerTold.schema>

/** The end state of an action, by the status shown during it. */
const endOf: Readonly<Partial<Record<ResourceStatus, ResourceStatus>>> = { starting: 'running', stopping: 'stopped' }

/** Handles a report of the power actor; one older than the last is ignored. */
export function takeTold(resource: Resource, told: PowerReport, turn: Turn): void {
  const at = new Date(told.at)
  if (!isNewer(resource, at, told.n)) return
  Object.assign(resource, { actionId: told.actionId, actionAt: at, actionN: told.n })
  if (resource.deletedAt !== null) return
  showing(resource, 'action', turn, () => {
    if (told.shows !== null) cover(resource, told, at, turn)
    else uncover(resource, told.observed, at, turn)
  })
}

const isNewer = ({ actionAt, actionN }: Resource, at: Date, n: number): boolean =>
  !actionAt || at > actionAt || (at.getTime() === actionAt.getTime() && n > actionN)

/** Shows the status of an action, unless its end state was observed since. */
function cover(resource: Resource, { shows, until, actionId }: PowerReport, at: Date, turn: Turn): void {
  if (shows === null || until === undefined) return
  if (resource.observedStatus === endOf[shows] && resource.observedAt >= at) return lift(resource, turn)
  resource.status = shows
  resource.actionUntil = new Date(until)
  const { place: cloudAccountId, key: resourceUid } = turn.address
  turn.remind('unheard', resource.actionUntil, powerUnheard, { cloudAccountId, resourceUid, actionId })
}

/**
 * The state that the cloud reported at the end is an observation of that time. After a failed action the observed
 * status is shown.
 */
function uncover(resource: Resource, observed: PowerReport['observed'], at: Date, turn: Turn): void {
  if (observed === undefined && !resource.actionUntil) return
  if (observed !== undefined && at >= resource.observedAt) {
    resource.observedStatus = observed
    hear(resource, at)
  }
  resource.status = resource.observedStatus
  lift(resource, turn)
}

/** Shows the observed status again. */
export function lift(resource: Resource, turn: Turn): void {
  if (!resource.actionUntil) return
  resource.actionUntil = null
  turn.forget('unheard')
}

/** Whether an observation ends the override: it has the end state, or the time has passed. */
export function isLifted({ status, actionUntil }: Resource, seen: ResourceStatus | undefined, turn: Turn): boolean {
  if (!actionUntil || seen === undefined) return false
  return seen === endOf[status] || actionUntil <= turn.now
}

/** The action was not heard of until its time: the status is unknown until it is observed again. */
export function takeUnheard(resource: Resource, { actionId }: { actionId: string }, turn: Turn): void {
  if (!resource.actionUntil || resource.actionId !== actionId || resource.deletedAt !== null) return
  showing(resource, 'action', turn, () => {
    resource.actionUntil = null
    resource.status = 'pending'
  })
}

/** The resource can no longer be observed. */
export function takeBlinded(resource: Resource, turn: Turn): void {
  if (resource.deletedAt !== null || turn.message.time < resource.observedAt) return
  showing(resource, 'discovery', turn, () => {
    lift(resource, turn)
    resource.status = 'pending'
    resource.observedStatus = 'pending'
  })
}

function showing(resource: Resource, by: Changer, turn: Turn, change: () => void): void {
  const was = before(resource)
  const shown = resource.status
  change()
  if (resource.status !== shown || resource.observedStatus !== was.status) recordChange(resource, was, by, turn)
}
