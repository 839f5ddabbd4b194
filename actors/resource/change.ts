/** Changes of a resource, for its timeline. */
import { resourceChange } from '#analytics/resource/tables.ts'
import { sameData } from '#engine/actor/row.ts'
import type { TableRow } from '#engine/actor/table.ts'
import type { Turn } from '#engine/actor/turn.ts'
import type { Resource } from './entity.ts'

/** The fields in the timeline, by their API names. */
export interface WatchedFields {
  status: string
  name: string
  instanceType: string
  sizeGB: number | null
  unitCount: number | null
  hourlyRateUSD: number | null
  tags: Readonly<Record<string, string>>
}

/** Undefined while the resource does not exist. */
export function toWatchedFields(resource: Resource): WatchedFields | undefined {
  if (resource.createdAt.getTime() === 0 || resource.deletedAt !== null) return undefined
  return {
    status: resource.status,
    name: resource.name,
    instanceType: resource.instanceType,
    sizeGB: resource.sizeGb ?? null,
    unitCount: resource.unitCount ?? null,
    hourlyRateUSD: resource.hourlyRateUsd ?? null,
    tags: resource.tags,
  }
}

/** Who changed the resource: discovery, an action of ours, or a person who decided its tags. */
export type Changer = TableRow<typeof resourceChange>['actor']

interface Mark {
  at: Date
  by: Changer
}

/** Appends one row for a change of status, including creation and deletion, and one for all other changes together. */
export function appendChanges(
  before: WatchedFields | undefined,
  after: WatchedFields | undefined,
  mark: Mark,
  turn: Turn,
): void {
  const [from, to] = [before?.status ?? '', after?.status ?? '']
  if (from !== to) appendChange('state_transition', { from, to }, mark, turn)
  if (!before || !after) return
  const details = configuration(before, after)
  if (Object.keys(details).length > 0) appendChange('configuration_change', details, mark, turn)
}

/** Appends one row. For a `user`, the details contain which one. */
export function appendChange(
  kind: 'state_transition' | 'configuration_change',
  details: object,
  { at, by }: Mark,
  turn: Turn,
): void {
  const { orgId, place, key } = turn.address
  const row = {
    org_id: orgId,
    resource_uid: key,
    at: at.toISOString(),
    change_id: turn.id(),
    cloud_account_id: place,
    kind,
    actor: by,
    details: JSON.stringify(details),
  }
  turn.append(resourceChange, row, at)
}

const scalars = ['name', 'instanceType', 'sizeGB', 'unitCount', 'hourlyRateUSD'] as const

function configuration(before: WatchedFields, after: WatchedFields): Record<string, { from: unknown; to: unknown }> {
  const changed = scalars
    .filter((field) => before[field] !== after[field])
    .map((field) => [field, { from: before[field], to: after[field] }] as const)
  const tags = sameData(before.tags, after.tags) ? [] : [['tags', onlyChanged(before.tags, after.tags)] as const]
  return Object.fromEntries([...changed, ...tags])
}

/** The tags that differ, before and after. */
function onlyChanged(before: WatchedFields['tags'], after: WatchedFields['tags']) {
  const changedIn = (own: WatchedFields['tags'], other: WatchedFields['tags']) =>
    Object.fromEntries(Object.entries(own).filter(([key, value]) => !Object.hasOwn(other, key) || other[key] !== value))
  return { from: changedIn(before, after), to: changedIn(after, before) }
}
