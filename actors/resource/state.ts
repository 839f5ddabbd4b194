/**
 * The effects of a change of a resource: its newest state for analysts, its timeline, and a message to actors that
 * depend on its state.
 */
import { resourceState } from '#analytics/resource/tables.ts'
import type { Turn } from '#engine/actor/turn.ts'
import { inventoryChanged } from '#streams/live/messages.ts'
import { stateSettled, type ResourceStatus } from '#streams/resource/messages.ts'
import { appendChanges, toWatchedFields, type Changer, type WatchedFields } from './change.ts'
import type { Resource } from './entity.ts'

/** A resource as it was before a change. */
export interface Before {
  watched: WatchedFields | undefined
  isKnown: boolean
  status: ResourceStatus
  instanceType: string
  isDeleted: boolean
}

export const before = (resource: Resource): Before => ({
  watched: toWatchedFields(resource),
  isKnown: resource.updatedAt.getTime() !== 0,
  status: resource.observedStatus,
  instanceType: resource.instanceType,
  isDeleted: resource.deletedAt !== null,
})

/** The change is the newest version, even if its source has an earlier time than the source of the change before. */
export function recordChange(resource: Resource, was: Before, by: Changer, turn: Turn): void {
  const { time } = turn.message
  if (resource.updatedAt < time) resource.updatedAt = time
  appendState(resource, turn)
  const { place: cloudAccountID } = turn.address
  turn.tell(inventoryChanged, { cloudAccountIDs: [cloudAccountID] }, { cloudAccountID })
  appendChanges(was.watched, toWatchedFields(resource), { at: resource.updatedAt, by }, turn)
  tellSettled(resource, was, turn)
}

const settledStatuses: ReadonlySet<ResourceStatus> = new Set(['running', 'stopped', 'pending'])

function tellSettled(resource: Resource, was: Before, turn: Turn): void {
  const { observedStatus, instanceType, hourlyRateUsd, deletedAt } = resource
  const isDeleted = deletedAt !== null
  const isKept = was.isDeleted === isDeleted
  if (!was.isKnown || (!resource.schedulable && isKept) || (!settledStatuses.has(observedStatus) && isKept)) return
  if (was.status === observedStatus && was.instanceType === instanceType && was.isDeleted === isDeleted) return
  turn.emit(stateSettled, {
    cloudAccountId: turn.address.place,
    resourceUid: turn.address.key,
    status: observedStatus === 'running' || observedStatus === 'stopped' ? observedStatus : 'pending',
    instanceType,
    deleted: isDeleted,
    hourlyRateUsd: hourlyRateUsd ?? null,
    at: turn.message.time.toISOString(),
  })
}

function appendState(resource: Resource, turn: Turn): void {
  const row = {
    org_id: resource.orgId,
    cloud_account_id: resource.cloudAccountId,
    resource_uid: resource.uid,
    resource_id: resource.id,
    name: resource.name,
    type: resource.type,
    provider: resource.provider,
    region: resource.region,
    status: resource.status,
    instance_type: resource.instanceType,
    parent_uid: resource.parentUid,
    resource_group: resource.resourceGroup,
    schedulable: resource.schedulable ? 1 : 0,
    tags: { ...resource.tags },
    specs: texts(resource.specs),
    hourly_rate_usd: resource.hourlyRateUsd ?? null,
    first_seen_at: resource.createdAt.toISOString(),
    observed_at: resource.observedAt.toISOString(),
    deleted_at: resource.deletedAt?.toISOString() ?? null,
  }
  turn.append(resourceState, row, resource.updatedAt)
}

/** Specs as text for analysts; null means unknown and is left out. */
const texts = (specs: Resource['specs']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(specs)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  )
