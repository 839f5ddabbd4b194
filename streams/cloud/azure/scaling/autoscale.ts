/** Reads autoscale settings of Azure Monitor: bounds and rules. */
import { listOf, memberOf, textAt, type Json } from '#streams/cloud/kubernetes/api/json-access.ts'
import type { Bounds } from '#streams/cloud/azure/map/compute.ts'
import { isAt } from '#streams/cloud/azure/map/resource.ts'

export const autoscaleVersion = '2022-10-01'

/** Azure writes numbers of a capacity as text. */
const readCount = (value: unknown, name: string): number =>
  Number(textAt(value, name) ?? memberOf(value, name) ?? 0) || 0

export const profilesIn = (setting: unknown): readonly Json[] => listOf(memberOf(setting, 'properties', 'profiles'))

/** Bounds of the first profile, which is the default when no other applies. */
export function boundsIn(setting: unknown): Bounds {
  const capacity = memberOf(profilesIn(setting)[0], 'capacity')
  return {
    min: readCount(capacity, 'minimum'),
    max: readCount(capacity, 'maximum'),
    isEnabled: isAt(setting, 'properties', 'enabled') ?? true,
  }
}
