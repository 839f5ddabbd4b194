import { rowsOf } from '#streams/cloud/reference/table.ts'
import type { OwnValueTable } from '#actors/recommendation/reference/book/own-values.ts'

/** By key and region; an empty region means any. */
const prices: ReadonlyMap<string, number> = new Map(
  rowsOf('unit-price').map((row) => [`${row['key']} ${row['region']}`, Number(row['usd'])]),
)

/** US dollars for one unit. Undefined if the price of the region is unknown: it may be 50% higher elsewhere. */
export const unitPrice = (book: OwnValueTable, key: string, region: string): number | undefined =>
  book.number('price', region, key, 'usd') ?? prices.get(`${key} ${region.toLowerCase()}`) ?? prices.get(`${key} `)

/** Keys with a price in any region. */
export const priceKeys: readonly string[] = [...new Set(rowsOf('unit-price').map((row) => row['key']!))]
