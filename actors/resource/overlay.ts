/**
 * What a resource shows while an action is in flight (decision G-31). It lies over what was observed, which goes on being
 * written down beneath it, until the action ends, its end state is seen, or nothing was heard for a quarter of an hour.
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

/** What an action ends in, by what it shows. */
const endOf: Readonly<Partial<Record<ResourceStatus, ResourceStatus>>> = { starting: 'running', stopping: 'stopped' }

/** Takes the word of the resource's power; an older one than was taken before says nothing. */
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

/** Unless its end state was seen since. */
function cover(resource: Resource, { shows, until, actionId }: PowerReport, at: Date, turn: Turn): void {
  if (shows === null || until === undefined) return
  if (resource.observedStatus === endOf[shows] && resource.observedAt >= at) return lift(resource, turn)
  resource.status = shows
  resource.actionUntil = new Date(until)
  const { place: cloudAccountId, key: resourceUid } = turn.address
  turn.remind('unheard', resource.actionUntil, powerUnheard, { cloudAccountId, resourceUid, actionId })
}

/** What the cloud said at the end is an observation of that time. An action that came to nothing leaves what was observed. */
function uncover(resource: Resource, observed: PowerReport['observed'], at: Date, turn: Turn): void {
  if (observed === undefined && !resource.actionUntil) return
  if (observed !== undefined && at >= resource.observedAt) {
    resource.observedStatus = observed
    hear(resource, at)
  }
  resource.status = resource.observedStatus
  lift(resource, turn)
}

/** Nothing lies over what was observed any more. */
export function lift(resource: Resource, turn: Turn): void {
  if (!resource.actionUntil) return
  resource.actionUntil = null
  turn.forget('unheard')
}

/** Whether an observation ends what is shown: it sees the end state, or it is time. */
export function isLifted({ status, actionUntil }: Resource, seen: ResourceStatus | undefined, turn: Turn): boolean {
  if (!actionUntil || seen === undefined) return false
  return seen === endOf[status] || actionUntil <= turn.now
}

/** No word of the action until its time: nobody knows, until somebody sees. */
export function takeUnheard(resource: Resource, { actionId }: { actionId: string }, turn: Turn): void {
  if (!resource.actionUntil || resource.actionId !== actionId || resource.deletedAt !== null) return
  showing(resource, 'action', turn, () => {
    resource.actionUntil = null
    resource.status = 'pending'
  })
}

/** It cannot be seen any more. */
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
