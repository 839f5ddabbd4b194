/** Prices with their names, sources and dates, as figures show them. */
import type { PricedResource, PriceQuote, TargetSpec } from '#actors/recommendation/rule/contract.ts'
import { tableDates, type DatedTable } from '#streams/cloud/reference/table.ts'
import { sourceOf, type OwnValue, type OwnValueTable } from './book/own-values.ts'
import { ratesOf } from './commitment.ts'
import { publishedNode, isNodeService } from './machine/node.ts'
import { storageKindOf } from './storage.ts'

/** Rounds to six decimals. */
const exact = (usd: number): number => Number(usd.toFixed(6))

const quoteOf = (
  name: string,
  price: Pick<PriceQuote, 'usd' | 'per'>,
  found: OwnValue | undefined,
  table: DatedTable,
) =>
  ({
    name,
    ...price,
    source: found ? sourceOf(found) : 'price tables',
    effectiveOn: found ? (found.on ?? '') : tableDates[table],
  }) satisfies PriceQuote

/** A gigabyte-month of what the resource stores, or of the target. */
export function storageQuote(
  book: OwnValueTable,
  of: PricedResource,
  target: TargetSpec | undefined,
  usd: number,
): PriceQuote {
  const kind = storageKindOf(of, target) ?? ''
  const found = book.find('storage', of.region, `${of.type}/${kind}`, 'usd_gb_month')
  return quoteOf(`${of.type}/${kind}`, { usd: exact(usd), per: 'gb_month' }, found, 'storage')
}

/** The table of prices of a catalogue, where it is not that of the sizes of a service. */
const machineTables: Readonly<Record<string, DatedTable>> = { ec2: 'ec2', gce: 'gce-price', 'azure-vm': 'azure-vm' }

/** An hour of a size, with its licences and copies. */
export function hourQuote(
  book: OwnValueTable,
  catalogue: string,
  of: PricedResource,
  name: string,
  usd: number,
): PriceQuote {
  const found = isNodeService(catalogue)
    ? publishedNode(book, catalogue, name, of)
    : book.find(catalogue, of.region, name, 'usd_hour')
  return quoteOf(name, { usd: exact(usd), per: 'hour' }, found, machineTables[catalogue] ?? 'node')
}

export const unitQuote = (book: OwnValueTable, key: string, of: PricedResource, usd: number): PriceQuote =>
  quoteOf(key, { usd, per: 'unit' }, book.find('price', of.region, key, 'usd'), 'unit-price')

/** All known rates of a commitment: the share of the price on demand that remains. */
export const rateQuotes = (book: OwnValueTable, product: string, of: PricedResource): readonly PriceQuote[] =>
  ratesOf(book, product, of).map(({ tier, share, source, on }) => ({
    name: `${product} ${tier}`,
    share,
    source,
    effectiveOn: on,
  }))
