/** Prices of stored gigabytes per month, including provisioned performance. */
import type { PricedResource, TargetSpec } from '#actors/recommendation/rule/contract.ts'
import { numberOf, rowsOf } from '#streams/cloud/reference/table.ts'
import type { OwnValueTable } from '#actors/recommendation/reference/book/own-values.ts'
import { numberAt, textAt } from './fact-value.ts'

/** The spec with the kind, its default, and what doubles the price. */
interface StorageSpec {
  readonly spec: string
  readonly otherwise?: string
  readonly isTwice?: (of: PricedResource) => boolean
}

const storageSpecs: Readonly<Record<string, StorageSpec>> = {
  'aws-ebs-volume': { spec: 'volume_type' },
  'aws-ebs-snapshot': { spec: 'storage_tier', otherwise: 'standard' },
  'aws-rds': { spec: 'storage_type', isTwice: (of) => of.source('specs.multi_az') === true },
  'gcp-disk': { spec: 'disk_type', isTwice: (of) => of.source('specs.regional') === true },
  'gcp-snapshot': { spec: 'snapshot_type', otherwise: 'STANDARD' },
  'azure-disk': { spec: 'sku' },
}

export const isStorage = (type: string): boolean => Object.hasOwn(storageSpecs, type)

interface Storage {
  readonly usd: number
  readonly iopsUsd: number
  readonly mibpsUsd: number
  readonly iopsIncluded: number
  readonly mibpsIncluded: number
}

const table: ReadonlyMap<string, Storage> = new Map(
  rowsOf('storage').map((row) => [
    `${row['type']} ${row['kind']!.toLowerCase()}`,
    {
      usd: Number(row['usd_gb_month']),
      iopsUsd: Number(row['usd_iops_month']),
      mibpsUsd: Number(row['usd_mibps_month']),
      iopsIncluded: numberOf(row['iops_included']) ?? 0,
      mibpsIncluded: numberOf(row['mibps_included']) ?? 0,
    },
  ]),
)

const tiers = rowsOf('azure-disk')

/** `gp3`; undefined if unknown. */
export function storageKindOf(of: PricedResource, target: TargetSpec | undefined): string | undefined {
  const { spec, otherwise } = storageSpecs[of.type] ?? {}
  if (spec === undefined) return undefined
  const said = target ? target[spec] : (textAt(of, `specs.${spec}`) ?? otherwise)
  return typeof said === 'string' ? said : undefined
}

/**
 * US dollars per gigabyte-month: of the region if its list is known, otherwise of the reference region. Undefined if the kind or the provisioned performance is
 * unknown.
 */
export function storagePrice(
  book: OwnValueTable,
  of: PricedResource,
  target: TargetSpec | undefined,
): number | undefined {
  const said = storageKindOf(of, target)
  if (said === undefined) return undefined
  const own = book.number('storage', of.region, `${of.type}/${said}`, 'usd_gb_month')
  const usd = of.type === 'azure-disk' ? (own ?? azureDisk(said, of)) : priceStorage(said, own, of, target)
  return usd === undefined ? undefined : usd * (storageSpecs[of.type]?.isTwice?.(of) ? 2 : 1)
}

function priceStorage(
  kind: string,
  own: number | undefined,
  of: PricedResource,
  target: TargetSpec | undefined,
): number | undefined {
  const storage = table.get(`${of.type} ${kind.toLowerCase()}`)
  if (!storage) return own
  const gb = numberAt(of, 'res.size_gb')
  const iops = storage.iopsUsd === 0 ? 0 : above(iopsOf(of, target, gb), storage.iopsIncluded)
  const mibps = storage.mibpsUsd === 0 ? 0 : above(mibpsOf(of, target) ?? 0, storage.mibpsIncluded)
  if (iops === undefined || mibps === undefined) return undefined
  const more = iops * storage.iopsUsd + mibps * storage.mibpsUsd
  if (more > 0 && (gb === undefined || gb <= 0)) return undefined
  return (own ?? storage.usd) + (more > 0 ? more / gb! : 0)
}

const above = (value: number | undefined, included: number): number | undefined =>
  value === undefined ? undefined : Math.max(0, value - included)

/** Default for a gp2 volume: 3 per gigabyte, at least 100. */
function iopsOf(of: PricedResource, target: TargetSpec | undefined, gb: number | undefined): number | undefined {
  const said = target?.['iops']
  if (typeof said === 'number') return said
  const now = numberAt(of, 'specs.iops')
  if (now !== undefined || textAt(of, 'specs.volume_type') !== 'gp2' || gb === undefined) return now
  return Math.min(16_000, Math.max(100, 3 * gb))
}

/** Default: none. It is provisioned only for some types, above the included throughput. */
function mibpsOf(of: PricedResource, target: TargetSpec | undefined): number | undefined {
  const said = target?.['throughput_mibps']
  return typeof said === 'number' ? said : numberAt(of, 'specs.throughput_mibps')
}

/** Disks are priced by the tier they fit into; stored in three zones they cost 50% more. */
function azureDisk(sku: string, of: PricedResource): number | undefined {
  const gb = numberAt(of, 'res.size_gb')
  if (gb === undefined || gb <= 0) return undefined
  const [, kind, redundancy] = /^(\w+)_(LRS|ZRS)$/.exec(sku) ?? []
  const tier = tiers.find((row) => Number(row['gb']) >= gb)
  const usd = numberOf(tier?.[`${kind}_LRS`])
  return usd === undefined ? undefined : (usd * (redundancy === 'ZRS' ? 1.5 : 1)) / gb
}
