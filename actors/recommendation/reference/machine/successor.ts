/** Sizes of the same class and step: of a newer generation, or with another architecture. */
import type { PricedResource } from '#actors/recommendation/rule/contract.ts'
import type { Size } from '#streams/cloud/reference/size.ts'
import type { MachineCatalogue } from './machine.ts'

const stepOf = ({ letter, variant, step, vcpus }: Size): string => `${letter} ${variant} ${step} ${vcpus}`

/** Cached by list and step, so that the thousands of sizes are not searched for each resource. */
const steps = new WeakMap<readonly Size[], ReadonlyMap<string, readonly Size[]>>()

/** Recommendable sizes with the same class, variant, step and number of processors. */
function sameStep(sizes: readonly Size[], now: Size): readonly Size[] {
  let found = steps.get(sizes)
  if (!found) {
    found = Map.groupBy(
      sizes.filter(({ isTarget, isFlex }) => isTarget && !isFlex),
      stepOf,
    )
    steps.set(sizes, found)
  }
  return found.get(stepOf(now)) ?? []
}

/** A newer generation may have slightly less memory. */
const isEnough = (size: Size, now: Size): boolean =>
  (size.memoryGib ?? 0) >= (now.memoryGib ?? Infinity) * 0.9 &&
  (size.hasLocalDisk || !now.hasLocalDisk) &&
  (size.hasPremiumDisk || !now.hasPremiumDisk)

/**
 * The newest that costs no more than the current size; null if there is none, undefined if the current price is
 * unknown.
 */
function newest(
  catalogue: MachineCatalogue,
  now: Size,
  of: PricedResource,
  isMeant: (size: Size) => boolean,
): Size | null | undefined {
  const most = catalogue.usd(now, of)
  if (most === undefined) return undefined
  let best: Size | null = null
  for (const size of sameStep(catalogue.sizes(of), now)) {
    if (!isEnough(size, now) || !isMeant(size)) continue
    const usd = catalogue.usd(size, of)
    if (usd !== undefined && usd > 0 && usd <= most && size.generation > (best?.generation ?? 0)) best = size
  }
  return best
}

/** Same step of the newest generation, with a processor of the same maker. */
export const successorOf = (catalogue: MachineCatalogue, now: Size, of: PricedResource): Size | null | undefined =>
  newest(
    catalogue,
    now,
    of,
    (size) => size.maker === now.maker && size.arch === now.arch && size.isCurrent && size.generation > now.generation,
  )

/** Same step with an arm64 processor, not of an older generation. */
export const armOf = (catalogue: MachineCatalogue, now: Size, of: PricedResource): Size | null | undefined =>
  now.arch === 'arm64'
    ? null
    : newest(catalogue, now, of, (size) => size.arch === 'arm64' && size.generation >= now.generation)
