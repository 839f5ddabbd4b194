/** Amounts of up to 14 decimal places as two exact numbers: for millions of them, where text or bigints are too slow. */
import { plain, toUnits } from './decimal.ts'

/** `whole` units and `rest` x 10^-14 of one, both with the sign of the amount. `rest` is below 10^14. */
export interface Amount {
  whole: number
  rest: number
}

const places = 14
const unit = 10 ** places
const tens = Array.from({ length: places + 1 }, (_, n) => 10 ** n)
const wholeDigitsMax = 15
const one = 10n ** 14n

/** Reads plain notation into `to`. False for any other text, and for more than 15 digits before or 14 after the point. */
export function readAmount(text: string, to: Amount): boolean {
  const first = text.charCodeAt(0) === 45 ? 1 : 0
  const point = text.indexOf('.')
  const end = point < 0 ? text.length : point
  const behind = text.length - end - 1
  if (end === first || end - first > wholeDigitsMax || behind === 0 || behind > places) return false
  const whole = digitsOf(text, first, end)
  const rest = behind < 0 ? 0 : digitsOf(text, end + 1, text.length) * tens[places - behind]!
  to.whole = first === 1 ? -whole : whole
  to.rest = first === 1 ? -rest : rest
  return !Number.isNaN(whole + rest)
}

/** NaN if a character is not a digit. */
function digitsOf(text: string, from: number, to: number): number {
  let number = 0
  for (let at = from; at < to; at++) {
    const digit = text.charCodeAt(at) - 48
    if (digit < 0 || digit > 9) return Number.NaN
    number = number * 10 + digit
  }
  return number
}

/** Writes a count of 10^-14 into `to`. False if its whole units are not an exact number. */
export function splitUnits(units: bigint, to: Amount): boolean {
  to.whole = Number(units / one)
  to.rest = Number(units % one)
  return Number.isSafeInteger(to.whole)
}

/** As a count of 10^-14. */
export const unitsOf = ({ whole, rest }: Amount): bigint => BigInt(whole) * one + BigInt(rest)

/** A running exact sum. */
export class AmountSum {
  #whole = 0
  #rest = 0
  /** What does not fit in an exact number, as a count of 10^-14. */
  #units = 0n

  add({ whole, rest }: Amount): void {
    this.#whole += whole
    this.#rest += rest
    if (this.#rest >= unit) {
      this.#rest -= unit
      this.#whole++
    } else if (this.#rest <= -unit) {
      this.#rest += unit
      this.#whole--
    }
    if (Math.abs(this.#whole) > 2 ** 52) this.#spill()
  }

  /** An amount in any notation, rounded to 14 places. */
  addText(text: string): void {
    if (readAmount(text, scratch)) this.add(scratch)
    else this.#units += toUnits(text, places) ?? 0n
  }

  #spill(): void {
    this.#units += BigInt(this.#whole) * one
    this.#whole = 0
  }

  /** As a count of 10^-14. */
  get units(): bigint {
    return this.#units + BigInt(this.#whole) * one + BigInt(this.#rest)
  }

  /** Plain notation. */
  toString(): string {
    return plain(this.units, places)
  }
}

const scratch: Amount = { whole: 0, rest: 0 }
