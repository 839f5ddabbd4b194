/** Metrics of a resource from before it was resized: percentages of another size say nothing about the current one. */
import { dayMs, dayOf, startOf } from '#engine/value/day.ts'
import type { AuditedResource, ResourceAudit, Since } from './entity.ts'

const sizePath = 'res.instance_type'

export const isResized = (before: AuditedResource, now: AuditedResource): boolean =>
  before.type === now.type &&
  before.instanceType !== '' &&
  now.instanceType !== '' &&
  before.instanceType.toLowerCase() !== now.instanceType.toLowerCase()

/** Since when the resource has its current size, if a change was seen. */
export function sizedSince(
  { since, resource: before }: Pick<ResourceAudit, 'since' | 'resource'>,
  now: AuditedResource,
  at: Date,
): Record<string, Since> {
  if (isResized(before, now)) return { [sizePath]: { at: at.toISOString(), isExact: true } }
  const known = before.type === now.type ? since[sizePath] : undefined
  return known ? { [sizePath]: known } : {}
}

/** Whether the value of this path includes days with another size; windows are whole days before the sweep. */
export function isOfOtherSize({ since, factsAt }: Pick<ResourceAudit, 'since' | 'factsAt'>, path: string): boolean {
  const changed = since[sizePath]
  if (!changed || !factsAt) return false
  const days = /_percent\.\w+\.(\d+)d$/.exec(path)?.[1]
  return days !== undefined && startOf(dayOf(factsAt)) - Number(days) * dayMs < Date.parse(changed.at)
}
