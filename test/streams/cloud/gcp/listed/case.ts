/** What the cases of types that are described by one value each have in common. */
import { dayMs } from '#engine/value/day.ts'
import type { DiscoveredResource } from '#streams/cloud/connector.ts'
import { project } from '../world.ts'

/** What Google answers, as its reference shows it, and what we make of it. */
export interface Case {
  type: string
  /** By path. */
  answers: Readonly<Record<string, object>>
  found: readonly Partial<DiscoveredResource>[]
}

export const at = '2026-01-01T00:00:00Z'
export const created_at = '2026-01-01T00:00:00.000Z'
/** Half a day more, so that no test ends on another day than it began. */
export const inDays = (days: number) => new Date(Date.now() + (days + 0.5) * dayMs).toISOString()
export const daysAgo = (days: number) => inDays(-days - 1)

export const region = 'us-central1'
export const link = (path: string) => `https://www.googleapis.com/compute/v1/projects/${project}/${path}`
export const here = `projects/${project}/locations/${region}`
export const compute = `/compute/v1/projects/${project}`
export const regions = { [`${compute}/regions`]: { items: [{ name: region, quotas: [] }] } }
/** Machines and disks come before some types. */
export const nothing = {
  [`${compute}/aggregated/instances`]: {},
  [`/v1/projects/${project}/locations/-/clusters`]: {},
}
