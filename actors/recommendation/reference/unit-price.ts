import { rowsOf } from '#streams/cloud/reference/table.ts'
import type { OwnValueTable } from '#actors/recommendation/reference/book/own-values.ts'

/** By key and region; a region that is left out is any. */
const prices: ReadonlyMap<string, number> = new Map(
  rowsOf('unit-price').map((row) => [`${row['key']} ${row['region']}`, Number(row['usd'])]),
)

/** US dollars for one unit. Undefined where the price of the region is not known: it may be half as much again. */
export const unitPrice = (book: OwnValueTable, key: string, region: string): number | undefined =>
  book.number('price', region, key, 'usd') ?? prices.get(`${key} ${region.toLowerCase()}`) ?? prices.get(`${key} `)

/** The keys that have a price anywhere. */
export const priceKeys: readonly string[] = [...new Set(rowsOf('unit-price').map((row) => row['key']!))]
