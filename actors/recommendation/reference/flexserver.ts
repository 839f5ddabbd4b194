/** Flexible servers of Azure: sizes of virtual machines, charged by the vCPU within a series. */
import type { Fact, Priced, TargetSpec } from '#actors/recommendation/rule/contract.ts'
import type { Size, Sizes } from '#streams/cloud/reference/size.ts'
import { specOf } from './machine.ts'
import { numberAt } from './read.ts'

/** Numbers of vCPUs that the services offer in the tiers General Purpose and Memory Optimized. */
const steps = new Set([2, 4, 8, 16, 20, 32, 48, 64, 96])

/** The smallest of the same series that is enough: another series is another tier, with other features and prices. */
export function fitFlexServer(sizes: Sizes, need: Readonly<Record<string, Fact>>, of: Priced): TargetSpec | undefined {
  const now = sizes.get(of.instanceType)
  if (now?.vcpus === undefined || now.memoryGib === undefined || now.isBurst) return undefined
  const least = (key: string, present: number): number => {
    const said = need[key]
    return typeof said === 'number' ? said : present
  }
  const peak = (now.vcpus * (numberAt(of, 'metric.cpu_percent.max.14d') ?? 0)) / 100
  const vcpus = Math.max(least('vcpus', now.vcpus), peak)
  const memory = least('memory_gib', now.memoryGib)
  let best: Size | undefined
  for (const size of sizes.values())
    if (isOffered(size, now) && size.vcpus! + 1e-9 >= vcpus && (size.memoryGib ?? 0) + 1e-9 >= memory)
      if (!best || size.vcpus! < best.vcpus!) best = size
  return best && specOf(best)
}

const isOffered = (size: Size, now: Size): boolean =>
  size.name === now.name ||
  (size.family === now.family && size.isTarget && size.vcpus !== undefined && steps.has(size.vcpus))

/** Against another of the same series only: by the vCPU. Undefined for shared ones, whose prices do not go by it. */
export function flexServerPrice(sizes: Sizes, name: string): number | undefined {
  const size = sizes.get(name)
  return size && !size.isBurst ? size.vcpus : undefined
}
