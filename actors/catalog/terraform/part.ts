/** Monthly cost of a planned resource, part by part, and why a part has no price. */
import type { Fact, PricedResource, References } from '#actors/recommendation/rule/contract.ts'
import { toUnits } from '#engine/value/decimal.ts'
import { azureRatios } from '#streams/cloud/reference/azure/sizes.ts'
import { gcePrices } from '#streams/cloud/reference/gcp/sizes.ts'
import { rowsOf } from '#streams/cloud/reference/table.ts'
import type { Provider } from '#streams/names.ts'
import { monthHours } from '#actors/catalog/config/estimate.ts'
import type { TemplateReference } from './template.ts'
import { later, type TerraformValues } from './values.ts'

/** Why something has no price. */
export const reasons = {
  not_priced: 'it is not in the price tables',
  no_price: 'this size is not in the price tables for this region',
  size_unknown: 'its size is not known until it is applied',
  region_unknown: 'its region is not known until it is applied',
  usage: 'it is billed by usage',
  free: 'it has no cost of its own',
} as const
export type Reason = keyof typeof reasons

/** One charged item. */
export interface ChargedPart {
  /** The same before and after a change of size; several parts may have the same name. */
  readonly name: string
  /** For people; empty if the size is unknown or sensitive. */
  readonly size: string
  /** US dollars per month in units of 10^-14; undefined if there is a `reason`. */
  readonly usd?: bigint
  /** The region whose price was used, if the tables have none for the part's own. */
  readonly priceOf?: string
  readonly reason?: Reason
  /** A more specific reason for this case. */
  readonly why?: string
  /** Its size is that of a machine's image, which no plan shows. */
  readonly isOfImage?: boolean
  /** The part may not exist at all: reported only if it did before. */
  readonly isDoubtful?: boolean
}

/** One side (before or after) of a change, from which its parts are computed. */
export interface Side {
  readonly values: TerraformValues
  readonly region: string
  readonly provider: Provider
  readonly tables: Pick<References, 'fact' | 'price'>
  /** The template in the same plan that the resource takes its size from, as it is on this side of the change. */
  readonly template: (reference: TemplateReference) => TerraformValues | undefined
}

export type PartsOf = (side: Side) => readonly ChargedPart[]

/** The tables have at most ten decimals: rounding to them removes rounding errors of binary floats. */
const tablePlaces = 10
const exact = (usd: number): bigint => (toUnits(usd, tablePlaces) ?? 0n) * 10n ** 4n

const monthOf = (usdHour: number): bigint => exact(usdHour) * BigInt(monthHours)

export const without = (name: string, reason: Reason, why?: string): ChargedPart => ({
  name,
  size: '',
  reason,
  ...(why !== undefined && { why }),
})

export const withoutSizeOfImage = (name: string): ChargedPart => ({
  ...without(name, 'size_unknown', 'its size is that of its image'),
  isOfImage: true,
})

/** A machine's first disk is as large as its image unless the plan sets its size. */
export const firstDisk = (gb: number | typeof later | undefined, known: () => ChargedPart, name: string): ChargedPart =>
  typeof gb === 'number' ? known() : withoutSizeOfImage(name)

/** For a group or a machine whose template is not part of the plan, or cannot be told apart. */
export const withoutTemplate = (name: string): ChargedPart =>
  without(name, 'size_unknown', 'its size is defined in a template that the plan does not show')

const toPricedResource = (
  { provider, region }: Pick<Side, 'provider' | 'region'>,
  type: string,
  instanceType = '',
  specs: Readonly<Record<string, Fact>> = {},
): PricedResource => ({
  type,
  provider,
  region,
  instanceType,
  source: (path) => (Object.hasOwn(specs, path) ? specs[path] : undefined),
})

export interface Machine {
  name: string
  /** Type in the inventory. */
  type: string
  /** Path of the attribute with the size. */
  path: string
  values?: TerraformValues
  /** Default: 1. */
  count?: number | typeof later | undefined
  specs?: Readonly<Record<string, Fact>>
}

/** `count` machines of the size at a path. */
export function machine(side: Side, given: Machine): ChargedPart {
  const { name, type, path, values = side.values, specs = {} } = given
  // If `count` is passed but undefined, the number is unknown, not 1.
  const count = 'count' in given ? given.count : 1
  const size = values.text(path)
  if (size === later || size === undefined) return without(name, 'size_unknown')
  if (typeof count !== 'number' || !Number.isInteger(count))
    return without(name, 'size_unknown', 'the number of instances is not known')
  const usd = side.tables.price(toPricedResource(side, type, size, specs), undefined, 'hour')
  const shown = values.isSensitive(path) ? '' : size
  if (usd === undefined) return { ...without(name, 'no_price'), size: shown }
  const priceOf = elsewhere(type, side.region, size)
  return { name, size: times(count, shown), usd: monthOf(usd) * BigInt(count), ...(priceOf && { priceOf }) }
}

const times = (count: number, size: string): string => (count === 1 || size === '' ? size : `${count} x ${size}`)

export interface Disk {
  name: string
  type: string
  /** The spec with the kind, as the price tables name it. */
  spec: string
  kind: string | typeof later | undefined
  gb: number | typeof later | undefined
  isShown?: boolean
  count?: number
  specs?: Readonly<Record<string, Fact>>
}

/**
 * Gigabytes and provisioned performance are priced separately: combined into a price per gigabyte they would be
 * rounded.
 */
export function disk(
  side: Side,
  { name, type, spec, kind, gb, isShown = true, count = 1, specs = {} }: Disk,
): ChargedPart {
  if (typeof kind !== 'string' || typeof gb !== 'number' || !Number.isInteger(count))
    return without(name, 'size_unknown')
  const size = isShown ? times(count, `${kind} ${gb} GB`) : ''
  const said = { ...specs, [`specs.${spec}`]: kind }
  const monthly = (of: Readonly<Record<string, Fact>>): bigint | undefined => {
    const usd = side.tables.price(toPricedResource(side, type, '', { 'res.size_gb': 1, ...of }), undefined, 'gb_month')
    return usd === undefined ? undefined : exact(usd)
  }
  const bare = monthly({ ...said, 'specs.iops': 0, 'specs.throughput_mibps': 0 })
  const whole = monthly(said)
  if (bare === undefined || whole === undefined) return { ...without(name, 'no_price'), size }
  const priceOf = elsewhere(type, side.region, kind)
  const usd = (bare * toUnits(gb, 3)!) / 1000n + whole - bare
  return { name, size, usd: usd * BigInt(count), ...(priceOf && { priceOf }) }
}

const azureTiers = rowsOf('azure-disk')

/** Azure charges the tier into which a disk fits, whatever its size within the tier. */
export function azureDisk(side: Side, given: Omit<Disk, 'type' | 'spec'>): ChargedPart {
  const { name, kind, gb, isShown = true, count = 1 } = given
  if (typeof kind !== 'string' || typeof gb !== 'number' || !Number.isInteger(count))
    return without(name, 'size_unknown')
  const size = isShown ? times(count, `${kind} ${gb} GB`) : ''
  const usd = azureDiskUsd(kind, gb)
  if (usd === undefined) return { ...without(name, 'no_price'), size }
  const priceOf = elsewhere('azure-disk', side.region, kind)
  return { name, size, usd: usd * BigInt(count), ...(priceOf && { priceOf }) }
}

/** A disk that is stored in three zones costs 50% more. */
function azureDiskUsd(kind: string, gb: number): bigint | undefined {
  const [, family, redundancy] = /^(\w+)_(LRS|ZRS)$/.exec(kind) ?? []
  const tier = gb > 0 ? azureTiers.find((row) => Number(row['gb']) >= gb) : undefined
  const usd = family === undefined ? undefined : tier?.[`${family}_LRS`]
  return usd === undefined ? undefined : (toUnits(usd, 14)! * (redundancy === 'ZRS' ? 15n : 10n)) / 10n
}

/** `count` units of something with one price per hour. */
export function unit(side: Side, { name, key, count = 1 }: { name: string; key: string; count?: number }): ChargedPart {
  const usd = side.tables.fact(`price.${key}`, toPricedResource(side, ''))
  if (typeof usd !== 'number') return without(name, 'no_price')
  return { name, size: count === 1 ? '' : String(count), usd: monthOf(usd) * BigInt(count) }
}

const ec2Regions = new Set(rowsOf('region').map((row) => row['region']!))
const azureRegions = azureRatios().regions
const gceRegions = new Set([...gcePrices().keys()].map((key) => key.slice(key.indexOf(' ') + 1)))

interface Regions {
  own?: ReadonlySet<string>
  reference: string
}

const all = (types: readonly string[], regions: Regions) => types.map((type): [string, Regions] => [type, regions])

/** For each inventory type: the regions with prices, and the one whose prices are used for all others. */
const regionsOf: ReadonlyMap<string, Regions> = new Map([
  ...all(['aws-ec2', 'aws-eks-nodegroup'], { own: ec2Regions, reference: 'us-east-1' }),
  ...all(['aws-rds', 'aws-elasticache', 'aws-opensearch', 'aws-msk', 'aws-ebs-volume'], { reference: 'us-east-1' }),
  ...all(['gcp-vm', 'gcp-gke-nodepool'], { own: gceRegions, reference: 'us-central1' }),
  ...all(['gcp-disk', 'gcp-cloudsql'], { reference: 'us-central1' }),
  ...all(['azure-vm', 'azure-vmss', 'azure-aks-nodepool'], { own: azureRegions, reference: 'eastus' }),
  ...all(['azure-disk', 'azure-redis'], { reference: 'eastus' }),
])

/** Undefined if the tables have prices of the region itself. */
function elsewhere(type: string, region: string, size: string): string | undefined {
  const { own, reference } = regionsOf.get(type)!
  // Google machines that are not priced by core and memory have one price.
  const isWhole = type === 'gcp-vm' && /^(f1|g1)-/.test(size)
  return region === reference || (own?.has(region) && !isWhole) ? undefined : reference
}
