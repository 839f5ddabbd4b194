/** The observation of a resource after a change that the service has made. */
import { sameData } from '#engine/actor/row.ts'
import type { Static } from '#engine/value/schema.ts'
import type { Turn } from '#engine/actor/turn.ts'
import type { resourceLooked } from '#streams/resource/messages.ts'
import type { Resource } from './entity.ts'
import { hear } from './observation-order.ts'
import { before, recordChange } from './state.ts'

/** An observation at that time, only of what the change was about. A later scan takes precedence. */
export function takeLooked(resource: Resource, looked: Static<typeof resourceLooked.schema>, turn: Turn): void {
  const at = new Date(looked.at)
  if (resource.deletedAt !== null || at < resource.observedAt) return
  const { status = resource.observedStatus, instanceType = resource.instanceType } = looked
  const specs = { ...resource.specs, ...looked.specs }
  const { observedStatus, instanceType: size } = resource
  if (observedStatus === status && size === instanceType && sameData(specs, resource.specs)) return
  const was = before(resource)
  hear(resource, at)
  if (!resource.actionUntil) resource.status = status
  Object.assign(resource, { observedStatus: status, instanceType, specs })
  recordChange(resource, was, 'action', turn)
}
