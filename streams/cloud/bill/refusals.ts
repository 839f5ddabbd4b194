/** What of a bill that a connector reads could not be read, and whether the rest may stand for it. */
import { plain, scaled } from '#engine/value/decimal.ts'
import type { CostLine } from '#streams/billing/line/cost-line.ts'
import { moneyPlaces } from '#streams/billing/line/precision.ts'
import type { Refused } from '#streams/billing/row/reading.ts'

/** A bill counts without its refused rows where these come to at most one thousandth of its dollars. */
const partMax = 1000n

const size = (amount: string): bigint => {
  const units = scaled(amount, moneyPlaces) ?? 0n
  return units < 0n ? -units : units
}

export class BillRefusals {
  private taken = 0n
  private lines = 0n
  private refused = 0n
  private rows = 0
  /** Rows of which nobody knows what they cost: each counts as a line that was taken does on average. */
  private unknown = 0n
  private first: string | undefined
  private firstReason = ''
  private warnings = 0
  private firstWarning = ''

  take({ BilledCost }: Pick<CostLine, 'BilledCost'>): void {
    this.taken += size(BilledCost)
    this.lines++
  }

  refuse(place: string, { refused: { code, message }, billedUsd }: Pick<Refused, 'refused' | 'billedUsd'>): void {
    this.rows++
    if (billedUsd === undefined) this.unknown++
    else this.refused += size(billedUsd)
    if (this.first !== undefined) return
    this.first = `${place}: ${message}`
    this.firstReason = code
  }

  warn(place: string, message: string): void {
    this.warnings++
    if (this.firstWarning === '') this.firstWarning = `${place}: ${message}`
  }

  private get dollars(): bigint {
    return this.refused + (this.lines === 0n ? 0n : (this.unknown * this.taken) / this.lines)
  }

  /** Whether so much is refused that nothing of the bill may replace what stands. */
  get isTooMuch(): boolean {
    return this.rows > 0 && (this.lines === 0n || this.dollars * partMax > this.taken + this.dollars)
  }

  /** Of the first row that was refused: a stable code. */
  get reason(): string {
    return this.firstReason
  }

  /** For people; undefined where there is nothing to tell. */
  get told(): string | undefined {
    const refused =
      this.rows > 0 &&
      `${counted(this.rows, 'row')} rejected, ${cents(this.dollars)} of ${cents(this.taken + this.dollars)} USD. First: ${this.first!}`
    const warned =
      this.warnings > 0 && `${counted(this.warnings, 'row')} imported with a part left out. First: ${this.firstWarning}`
    const all = [refused, warned].filter((text) => text !== false)
    return all.length === 0 ? undefined : all.join(' ').slice(0, 2000)
  }
}

const counted = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`

const cents = (units: bigint): string => Number(plain(units, moneyPlaces)).toFixed(2)
