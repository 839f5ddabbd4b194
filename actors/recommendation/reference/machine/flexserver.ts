/** Flexible servers of Azure: sizes of virtual machines, priced by vCPU within a series. */
import type { Fact, PricedResource, TargetSpec } from '#actors/recommendation/rule/contract.ts'
import type { Size, Sizes } from '#streams/cloud/reference/size.ts'
import { specOf } from './machine.ts'
import { leastOf, peakOf } from '#actors/recommendation/reference/fact-value.ts'

/** Numbers of vCPUs that the services offer in the tiers General Purpose and Memory Optimized. */
const steps = new Set([2, 4, 8, 16, 20, 32, 48, 64, 96])

/** The smallest sufficient size of the same series: another series is another tier, with other features and prices. */
export function fitFlexServer(
  sizes: Sizes,
  need: Readonly<Record<string, Fact>>,
  of: PricedResource,
): TargetSpec | undefined {
  const now = sizes.get(of.instanceType)
  if (now?.vcpus === undefined || now.memoryGib === undefined || now.isBurst) return undefined
  const vcpus = Math.max(leastOf(need, 'vcpus', now.vcpus), peakOf(now.vcpus, of))
  const memory = leastOf(need, 'memory_gib', now.memoryGib)
  const isEnough = (size: Size): boolean => (size.vcpus ?? 0) + 1e-9 >= vcpus && (size.memoryGib ?? 0) + 1e-9 >= memory
  const [best] = [...sizes.values()]
    .filter((size) => isOffered(size, now) && isEnough(size))
    .sort((a, b) => a.vcpus! - b.vcpus!)
  return best && specOf(best)
}

/** Sizes of the same series, smallest first; empty for an unknown or shared size. */
export function flexServerClasses(sizes: Sizes, name: string): Size[] {
  const now = sizes.get(name)
  if (now?.vcpus === undefined || now.isBurst) return []
  return [...sizes.values()].filter((size) => isOffered(size, now)).sort((a, b) => a.vcpus! - b.vcpus!)
}

const isOffered = (size: Size, now: Size): boolean =>
  size.name === now.name ||
  (size.family === now.family && size.isTarget && size.vcpus !== undefined && steps.has(size.vcpus))

/** Relative price within a series, by vCPU. Undefined for shared sizes, whose prices do not depend on vCPUs. */
export function flexServerPrice(sizes: Sizes, name: string): number | undefined {
  const size = sizes.get(name)
  return size && !size.isBurst ? size.vcpus : undefined
}
