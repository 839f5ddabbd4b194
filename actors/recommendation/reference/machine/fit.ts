/** Finds the cheapest machine that meets all needs. */
import type { Fact, PricedResource, TargetSpec } from '#actors/recommendation/rule/contract.ts'
import type { Size } from '#streams/cloud/reference/size.ts'
import { specOf, type MachineCatalogue } from './machine.ts'
import { peakOf } from '#actors/recommendation/reference/fact-value.ts'

export interface FitTerms {
  readonly keep: readonly string[]
  readonly need: Readonly<Record<string, Fact>>
  /** Families that may be recommended, ignoring case; empty: all. */
  readonly families: readonly string[]
}

interface Need {
  readonly vcpus: number
  readonly memoryGib: number
  readonly gpus: number
  readonly vcpusMax: number
  /** Undefined: with or without burst. */
  readonly isBurst: boolean | undefined
}

/** @returns the current size if it is the cheapest; undefined if the size or its price is unknown, or nothing fits */
export function fitMachine(catalogue: MachineCatalogue, wanted: FitTerms, of: PricedResource): TargetSpec | undefined {
  const now = catalogue.find(of.instanceType, of)
  const need = now && needOf(now, wanted.need, of)
  if (!now || !need || priceOf(catalogue, now, of) === undefined) return undefined
  const isAllowed = allowedBeside(now, wanted, catalogue.keepsBurst)
  let best: Offer | undefined
  for (const size of catalogue.sizes(of)) {
    if (!meets(size, need) || !isAllowed(size)) continue
    const usd = priceOf(catalogue, size, of)
    if (usd !== undefined && (!best || isBetter({ size, usd }, best, now))) best = { size, usd }
  }
  return best && specOf(best.size)
}

interface Offer {
  readonly size: Size
  readonly usd: number
}

function allowedBeside(now: Size, wanted: FitTerms, keepsBurst: boolean): (size: Size) => boolean {
  const families = new Set(wanted.families.map((family) => family.toLowerCase()))
  const rules = [...wanted.keep, ...(keepsBurst ? ['burst'] : [])].flatMap((name) => keepRules[name] ?? [])
  return (size) => size.name === now.name || (isMeant(size, now, families) && isKept(size, now, rules))
}

/** A price of 0 or below is a gap in a price list. */
function priceOf(catalogue: MachineCatalogue, size: Size, of: PricedResource): number | undefined {
  const usd = catalogue.usd(size, of)
  return usd !== undefined && usd > 0 ? usd : undefined
}

/**
 * Needs that are not given: without any given need, or with only accelerators, the present value is kept; otherwise
 * there is no minimum.
 */
function needOf(now: Size, need: FitTerms['need'], of: PricedResource): Need | undefined {
  const { vcpus, memoryGib, gpus } = now
  if (vcpus === undefined || memoryGib === undefined || (now.isAccelerated && gpus === undefined)) return undefined
  const isOpen = 'vcpus' in need || 'memory_gib' in need
  const least = (key: string, present: number): number => {
    const said = need[key]
    return typeof said === 'number' ? said : key in need || !isOpen ? present : 0
  }
  const { vcpus_max: most, burstable: burst } = need
  return {
    vcpus: Math.max(least('vcpus', vcpus), peakOf(vcpus, of)),
    memoryGib: least('memory_gib', memoryGib),
    gpus: typeof need['gpus'] === 'number' ? need['gpus'] : (gpus ?? 0),
    vcpusMax: typeof most === 'number' ? most : Infinity,
    isBurst: typeof burst === 'boolean' ? burst : undefined,
  }
}

/** Needs are results of divisions: a size fits if it is short by less than a billionth. */
const slack = 1e-9

const meets = ({ vcpus, memoryGib, gpus = 0, isBurst }: Size, need: Need): boolean =>
  (need.isBurst ?? isBurst) === isBurst &&
  vcpus !== undefined &&
  memoryGib !== undefined &&
  vcpus + slack >= need.vcpus &&
  vcpus <= need.vcpusMax + slack &&
  memoryGib + slack >= need.memoryGib &&
  gpus + slack >= need.gpus

function isMeant(size: Size, now: Size, families: ReadonlySet<string>): boolean {
  if (families.size > 0 && !families.has(size.family.toLowerCase())) return false
  if (size.family === now.family) return !size.step.startsWith('metal') || now.step.startsWith('metal')
  return size.isTarget && size.isCurrent && !now.isAccelerated && (now.isFlex || !size.isFlex)
}

type Keep = (size: Size, now: Size) => boolean

const keepRules: Readonly<Record<string, Keep>> = {
  burst: (size, now) => size.isBurst === now.isBurst,
  generation: (size, now) => size.generation >= now.generation,
  family: (size, now) => size.family === now.family,
  gpu_class: (size, now) => size.family === now.family,
  disk_support: (size, now) => size.hasPremiumDisk || !now.hasPremiumDisk,
}

/** Architecture and local disks are kept even if no rule says so, since software and data depend on them. */
const isKept = (size: Size, now: Size, rules: readonly Keep[]): boolean =>
  size.arch === now.arch && (size.hasLocalDisk || !now.hasLocalDisk) && rules.every((keeps) => keeps(size, now))

/** Cheaper first; then the current size; then newer, of the same class, and by name. */
function isBetter({ size, usd }: Offer, best: Offer, now: Size): boolean {
  if (Math.abs(usd - best.usd) > slack) return usd < best.usd
  const isNow = (one: Size) => Number(one.name === now.name)
  const isSame = (one: Size) => Number(one.letter === now.letter)
  const order =
    isNow(size) - isNow(best.size) || size.generation - best.size.generation || isSame(size) - isSame(best.size)
  return order === 0 ? size.name < best.size.name : order > 0
}
