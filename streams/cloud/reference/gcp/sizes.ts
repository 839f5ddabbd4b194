import type { NamedSize, Size, Sizes } from '#streams/cloud/reference/size.ts'
import { numberOf, rowsOf } from '#streams/cloud/reference/table.ts'

const acceleratedPattern = /^(a\d|g2|g4|ct|tpu)/
const arm = new Set(['c4a', 'n4a', 't2a'])
const localDisk = /^(z3|a3|a4|g4)|-lssd$/
const sharedCores: Readonly<Record<string, number>> = { 'e2-micro': 0.25, 'e2-small': 0.5, 'e2-medium': 1 }
/** US dollars per hour in us-central1, for machines without separate prices of vCPU and memory. */
const wholePrices: Readonly<Record<string, number>> = { 'f1-micro': 0.0076, 'g1-small': 0.0257 }
const bursts = new Set([...Object.keys(sharedCores), ...Object.keys(wholePrices)])
const special = /^(m\d|x4|h\d)/

/** @returns undefined if the name does not have the cloud's form */
export function namedGce(name: string): NamedSize | undefined {
  const [, letter, digits, more = ''] = /^([a-z]+)(\d+)([a-z]*)-/.exec(name) ?? []
  if (letter === undefined) return undefined
  const family = name.slice(0, name.indexOf('-'))
  const isAccelerated = acceleratedPattern.test(family)
  return {
    name,
    family,
    letter,
    generation: Number(digits),
    variant: '',
    maker: arm.has(family) ? 'g' : more === 'd' ? 'a' : 'i',
    step: name.slice(family.length + 1),
    isBurst: bursts.has(name),
    hasLocalDisk: localDisk.test(name),
    hasPremiumDisk: true,
    isFlex: false,
    isAccelerated,
    isCurrent: Number(digits) > 1,
    isTarget: !isAccelerated && !special.test(family) && !name.includes('custom'),
  }
}

/** Prices of a vCPU and of a GiB, US dollars per hour. */
export interface GcePrice {
  readonly vcpu: number
  readonly gib: number
}

export const gcePrices = (): ReadonlyMap<string, GcePrice> =>
  new Map(
    rowsOf('gce-price').map((row) => [
      `${row['family']} ${row['region']}`,
      { vcpu: Number(row['usd_vcpu_hour']), gib: Number(row['usd_gib_hour']) },
    ]),
  )

/** The price of a machine from its family's prices; undefined if the family has none. */
export function gceUsd(size: Size, price: GcePrice | undefined): number | undefined {
  if (wholePrices[size.name] !== undefined) return wholePrices[size.name]
  if (!price || size.vcpus === undefined || size.memoryGib === undefined || size.hasLocalDisk) return undefined
  return (sharedCores[size.name] ?? size.vcpus) * price.vcpu + size.memoryGib * price.gib
}

/** The family whose prices apply to a machine: custom machines of some families have their own. */
export const gcePriceFamily = ({ name, family }: NamedSize): string =>
  name.includes('custom') ? `${family}_custom` : family

/** Predefined sizes of Compute Engine. `usdHour` is left out, because it is calculated from the family's prices. */
export function gceSizes(): Sizes {
  const sizes = new Map<string, Size>()
  for (const row of rowsOf('gce')) {
    const named = namedGce(row['name']!)
    if (named) sizes.set(named.name, gceSize(named, numberOf(row['vcpus']), numberOf(row['memory_gib'])))
  }
  return sizes
}

/** A custom machine from names such as `n2-custom-4-8192` and `custom-4-8192`. */
export function customGce(name: string): Size | undefined {
  const [, family = 'n1-', vcpus, mib] = /^(?:(e2-|n1-|n2-|n2d-|n4-))?custom-(\d+)-(\d+)$/.exec(name) ?? []
  if (vcpus === undefined) return undefined
  const named = namedGce(`${family}custom-${vcpus}-${mib}`)
  return named && { ...gceSize(named, Number(vcpus), Number(mib) / 1024), name }
}

const gceSize = (named: NamedSize, vcpus: number | undefined, memoryGib: number | undefined): Size => ({
  ...named,
  arch: named.maker === 'g' ? 'arm64' : 'x86_64',
  vcpus,
  memoryGib,
  gpus: named.isAccelerated ? undefined : 0,
  usdHour: undefined,
})
