import type { Reading, RowMessage } from './reading.ts'
import type { RowUnit } from '#streams/billing/file/source.ts'
import { ownCosts, type BillingLine } from '#streams/billing/messages.ts'
import { moneyPlaces } from '#streams/billing/line/precision.ts'
import { isFinerInDollars } from '#streams/billing/line/exchange.ts'
import { AmountSum } from '#engine/value/amount.ts'
import { isFiner, sum, Total } from '#engine/value/decimal.ts'
import type { OwnPart } from './own-part.ts'

/** Rows with the same refusal or warning: the first ten positions, and the total number. */
export interface Refusals {
  code: string
  rows: number
  /** The message about the first row. */
  message: string
  first: RowPosition[]
}

/** Position of a row, from 1: its line in the file (in Parquet the row), or its number in the file's JSON array. */
export type RowPosition = { file: string; row: number } | { file: string; element: number }

export const placeOf = (file: string, unit: RowUnit, row: number): RowPosition =>
  unit === 'element' ? { file, element: row } : { file, row }

export interface TallyReport {
  rows: number
  accepted: number
  refused: number
  /** Accepted rows with an amount of more than 14 decimal places in US dollars, which is stored rounded. */
  rounded: number
  /** Most frequent first. */
  reasons: Refusals[]
  /** What was left out of accepted rows, and what is unusual about them; most frequent first. */
  warnings: Refusals[]
  /** Exact sum of accepted BilledCost as in the files, by currency. */
  billed: Record<string, string>
  /** Exact sum of accepted costs in US dollars, each line rounded to 14 places as stored. */
  billedUsd: string
}

const placesMax = 10

/** Counts the results of all rows of one run of the command. */
export class Tally {
  #accepted = 0
  #rounded = 0
  #refused = 0
  readonly #reasons = new Map<string, Refusals>()
  readonly #warnings = new Map<string, Refusals>()
  readonly #billed = new Map<string, Total>()
  readonly #usd = new Total()
  /** Of lines that were counted by `addSame`: in US dollars, not rounded, without a warning. */
  readonly #same = new AmountSum()
  #sameRows = 0

  addSame({ costs }: OwnPart): void {
    this.#sameRows++
    this.#same.add(costs[0]!)
  }

  add(file: string, unit: RowUnit, reading: Reading): void {
    const place = placeOf(file, unit, reading.row)
    if ('refused' in reading) {
      this.#refused++
      return note(this.#reasons, place, reading.refused)
    }
    for (const warning of reading.warnings ?? []) note(this.#warnings, place, warning)
    if (!reading.isFurther) this.#accepted++
    if (!reading.isFurther && isRounded(reading.line)) this.#rounded++
    const currency = reading.line.BillingCurrency?.trim().toUpperCase() || 'USD'
    let total = this.#billed.get(currency)
    if (!total) this.#billed.set(currency, (total = new Total()))
    total.add(reading.line.BilledCost ?? reading.cost.BilledCost)
    this.#usd.add(reading.cost.BilledCost)
  }

  report(): TallyReport {
    const accepted = this.#accepted + this.#sameRows
    const billed = new Map([...this.#billed].map(([currency, total]) => [currency, total.toString()]))
    if (this.#sameRows > 0) billed.set('USD', sum([billed.get('USD') ?? '0', this.#same.toString()]))
    return {
      rows: accepted + this.#refused,
      accepted,
      refused: this.#refused,
      rounded: this.#rounded,
      reasons: byRows(this.#reasons),
      warnings: byRows(this.#warnings),
      billed: Object.fromEntries(billed),
      billedUsd: sum([this.#usd.toString(), this.#same.toString()]),
    }
  }
}

function note(known: Map<string, Refusals>, place: RowPosition, { code, message }: RowMessage): void {
  let found = known.get(code)
  if (!found) known.set(code, (found = { code, rows: 0, message, first: [] }))
  found.rows++
  if (found.first.length < placesMax) found.first.push(place)
}

const byRows = (known: ReadonlyMap<string, Refusals>): Refusals[] =>
  [...known.values()].toSorted((a, b) => b.rows - a.rows || (a.code < b.code ? -1 : 1))

/** Whether an amount of the line in US dollars has more digits than are stored. */
const isRounded = (line: BillingLine): boolean =>
  ownCosts.some((name) => isFinerInDollars(line, name)) || isFiner(line.PricingCurrencyEffectiveCost ?? 0, moneyPlaces)
