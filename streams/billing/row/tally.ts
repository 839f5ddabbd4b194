import type { Reading, RowMessage } from './reading.ts'
import type { RowUnit } from '#streams/billing/file/source.ts'
import { ownCosts, type BillingLine } from '#streams/billing/messages.ts'
import { moneyPlaces } from '#streams/billing/line/precision.ts'
import { isFinerInDollars } from '#streams/billing/line/exchange.ts'
import { isFiner, Total } from '#engine/value/decimal.ts'

/** Rows of which one thing is said, why they were refused for one: the first ten places, and how many there are in all. */
export interface Refusals {
  code: string
  rows: number
  /** What was said of the first of them. */
  message: string
  first: RowPosition[]
}

/** The line of the file that a row begins on, of Parquet the row, or its number among the elements of the file's JSON array, from 1. */
export type RowPosition = { file: string; row: number } | { file: string; element: number }

export const placeOf = (file: string, unit: RowUnit, row: number): RowPosition =>
  unit === 'element' ? { file, element: row } : { file, row }

export interface TallyReport {
  rows: number
  accepted: number
  refused: number
  /** Accepted rows with an amount that has more than 14 decimal places in US dollars: each such amount is stored rounded. */
  rounded: number
  /** The most frequent reason first. */
  reasons: Refusals[]
  /** What was left out of accepted rows, and what is odd about them: the most frequent first. */
  warnings: Refusals[]
  /** The exact sum of accepted BilledCost as the files state it, by currency. */
  billed: Record<string, string>
  /** The exact sum of what was accepted in US dollars, each line rounded to 14 places as it is stored. */
  billedUsd: string
}

const placesMax = 10

/** Counts what became of the rows of one run of the command. */
export class Tally {
  #accepted = 0
  #rounded = 0
  #refused = 0
  readonly #reasons = new Map<string, Refusals>()
  readonly #warnings = new Map<string, Refusals>()
  readonly #billed = new Map<string, Total>()
  readonly #usd = new Total()

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
    return {
      rows: this.#accepted + this.#refused,
      accepted: this.#accepted,
      refused: this.#refused,
      rounded: this.#rounded,
      reasons: byRows(this.#reasons),
      warnings: byRows(this.#warnings),
      billed: Object.fromEntries([...this.#billed].map(([currency, total]) => [currency, total.toString()])),
      billedUsd: this.#usd.toString(),
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

/** Whether the store cannot keep all digits of an amount of the line, in US dollars. */
const isRounded = (line: BillingLine): boolean =>
  ownCosts.some((name) => isFinerInDollars(line, name)) || isFiner(line.PricingCurrencyEffectiveCost ?? 0, moneyPlaces)
