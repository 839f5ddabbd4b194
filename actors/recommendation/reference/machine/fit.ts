/** The cheapest machine that meets every need. */
import type { Fact, PricedResource, TargetSpec } from '#actors/recommendation/rule/contract.ts'
import type { Size } from '#streams/cloud/reference/size.ts'
import { specOf, type MachineCatalogue } from './machine.ts'
import { peakOf } from '#actors/recommendation/reference/fact-value.ts'

export interface FitTerms {
  readonly keep: readonly string[]
  readonly need: Readonly<Record<string, Fact>>
  /** Families that may be recommended, in any case of letters; empty: all. */
  readonly families: readonly string[]
}

interface Need {
  readonly vcpus: number
  readonly memoryGib: number
  readonly gpus: number
  readonly vcpusMax: number
  /** Undefined: either. */
  readonly isBurst: boolean | undefined
}

/** @returns what the resource is of, where that is the cheapest; undefined where a size, its price or every fit is unknown */
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

/** A price that is not above 0 is a gap in a price list. */
function priceOf(catalogue: MachineCatalogue, size: Size, of: PricedResource): number | undefined {
  const usd = catalogue.usd(size, of)
  return usd !== undefined && usd > 0 ? usd : undefined
}

/** What is not said is kept as it is, where nothing or accelerators alone are asked for; else it may go along. */
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

/** Figures come of divisions: what lies within a billionth of a size fits it. */
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

/** The architecture and a disk of its own are kept also where no rule says so: software and data are on them. */
const isKept = (size: Size, now: Size, rules: readonly Keep[]): boolean =>
  size.arch === now.arch && (size.hasLocalDisk || !now.hasLocalDisk) && rules.every((keeps) => keeps(size, now))

/** Cheaper; else what it is of already; else newer, of the same class, first by name. */
function isBetter({ size, usd }: Offer, best: Offer, now: Size): boolean {
  if (Math.abs(usd - best.usd) > slack) return usd < best.usd
  const isNow = (one: Size) => Number(one.name === now.name)
  const isSame = (one: Size) => Number(one.letter === now.letter)
  const order =
    isNow(size) - isNow(best.size) || size.generation - best.size.generation || isSame(size) - isSame(best.size)
  return order === 0 ? size.name < best.size.name : order > 0
}
