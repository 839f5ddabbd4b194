/** What was measured of a resource while it had another size: what share of it is used says nothing of the size it has now. */
import { dayMs, dayOf, startOf } from '#engine/value/day.ts'
import type { AuditedResource, ResourceAudit, Since } from './entity.ts'

const sizePath = 'res.instance_type'

export const isResized = (before: AuditedResource, now: AuditedResource): boolean =>
  before.type === now.type &&
  before.instanceType !== '' &&
  now.instanceType !== '' &&
  before.instanceType.toLowerCase() !== now.instanceType.toLowerCase()

/** What `since` says of the size that the resource has now: when it was seen to change, where it was. */
export function sizedSince(
  { since, resource: before }: Pick<ResourceAudit, 'since' | 'resource'>,
  now: AuditedResource,
  at: Date,
): Record<string, Since> {
  if (isResized(before, now)) return { [sizePath]: { at: at.toISOString(), isExact: true } }
  const known = before.type === now.type ? since[sizePath] : undefined
  return known ? { [sizePath]: known } : {}
}

/** Whether what was gathered under the path reaches back to another size: windows are of whole days before the sweep. */
export function isOfOtherSize({ since, factsAt }: Pick<ResourceAudit, 'since' | 'factsAt'>, path: string): boolean {
  const changed = since[sizePath]
  if (!changed || !factsAt) return false
  const days = /_percent\.\w+\.(\d+)d$/.exec(path)?.[1]
  return days !== undefined && startOf(dayOf(factsAt)) - Number(days) * dayMs < Date.parse(changed.at)
}
