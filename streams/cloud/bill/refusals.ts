/** Counts what a connector could not read of a bill, and decides whether the rest is usable. Also collects warnings. */
import { AmountSum, type Amount } from '#engine/value/amount.ts'
import { plain, toUnits } from '#engine/value/decimal.ts'
import type { CostLine } from '#streams/billing/line/cost-line.ts'
import { moneyPlaces } from '#streams/billing/line/precision.ts'
import type { RefusedRow } from '#streams/billing/row/reading.ts'
import { BillWarnings } from '#streams/billing/warning.ts'
import { cutText } from '#streams/text.ts'

/** A bill counts without its refused rows if these are at most one thousandth of its dollars. */
const partMax = 1000n

const size = (amount: string): bigint => {
  const units = toUnits(amount, moneyPlaces) ?? 0n
  return units < 0n ? -units : units
}

export class BillRefusals {
  /** Warnings about accepted rows. */
  readonly warnings = new BillWarnings()
  private taken = 0n
  /** Of lines that were counted by `takeAmount`. */
  private readonly amounts = new AmountSum()
  private lines = 0n
  private refused = 0n
  private rows = 0
  /** Refused rows of unknown cost; each counts with the average cost of an accepted line. */
  private unknown = 0n
  private first: string | undefined
  private firstReason = ''

  take({ BilledCost }: Pick<CostLine, 'BilledCost'>): void {
    this.taken += size(BilledCost)
    this.lines++
  }

  /** As `take`, for many lines. */
  takeAmount({ whole, rest }: Amount): void {
    this.amounts.add({ whole: Math.abs(whole), rest: Math.abs(rest) })
    this.lines++
  }

  private get all(): bigint {
    return this.taken + this.amounts.units
  }

  refuse(place: string, { refused: { code, message }, billedUsd }: Pick<RefusedRow, 'refused' | 'billedUsd'>): void {
    this.rows++
    if (billedUsd === undefined) this.unknown++
    else this.refused += size(billedUsd)
    if (this.first !== undefined) return
    this.first = `${place}: ${message}`
    this.firstReason = code
  }

  private get dollars(): bigint {
    return this.refused + (this.lines === 0n ? 0n : (this.unknown * this.all) / this.lines)
  }

  /** Whether so much is refused that nothing of the bill may replace the current one. */
  get isTooMuch(): boolean {
    return this.rows > 0 && (this.lines === 0n || this.dollars * partMax > this.all + this.dollars)
  }

  /** Stable code of the first refusal. */
  get reason(): string {
    return this.firstReason
  }

  /** Message about refused rows; undefined if there are none. */
  get told(): string | undefined {
    if (this.rows === 0) return undefined
    const said = `${pluralize(this.rows, 'row')} rejected, ${cents(this.dollars)} of ${cents(this.all + this.dollars)} USD. First: ${this.first!}`
    return cutText(said, 2000)
  }
}

const pluralize = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`

const cents = (units: bigint): string => Number(plain(units, moneyPlaces)).toFixed(2)
