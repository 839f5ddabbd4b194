/**
 * How money and percentages are displayed (decision G-07): totals to the cent and percentages to two places, both
 * rounded half away from zero, and only for output. All computation uses exact counts of 10^-14 US dollars. Rows that
 * add up to a total, rates and receipts keep all their digits.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { formatDecimal, plain, toUnits } from '#engine/value/decimal.ts'

/** Decimal places of money in the stores. */
const places = 14

/** An amount or percentage, in any notation, as a count of 10^-14. */
export const units = (amount: string | number): bigint =>
  toUnits(typeof amount === 'object' ? String(amount) : amount, places) ?? 0n

export const plainOf = (amount: bigint): string => plain(amount, places)

/** A number that also has the digits that a double cannot hold. In JSON it is text. */
class ExactNumber extends Number {
  readonly text: string

  constructor(text: string) {
    super(text)
    this.text = text
  }

  override toString(): string {
    return this.text
  }

  toJSON(): string {
    return this.text
  }
}

const isExact = new AsyncLocalStorage<true>()

/** Runs `work`, in which `usd` keeps all digits: they are for `amountText` and `units` alone, not for arithmetic. */
export const keepingDigits = <T>(work: () => T): T => isExact.run(true, work)

/** US dollars with all their digits, in `keepingDigits`, otherwise those of a double; a bigint is a count of 10^-14. */
export function usd(amount: bigint | string): number {
  const text = typeof amount === 'bigint' ? plainOf(amount) : amount
  return isExact.getStore() ? (new ExactNumber(plainOf(units(text))) as unknown as number) : Number(text)
}

/** An amount in plain notation: with all digits if it was kept with them. */
export const amountText = (amount: number): string => plainOf(units(amount))

/** US dollars rounded to the cent; a bigint is a count of 10^-14. */
export const cents = (amount: bigint | string | number): number =>
  Number(plain(toUnits(typeof amount === 'bigint' ? plainOf(amount) : amount, 2) ?? 0n, 2))

/** `cents` as text in sentences: 12.50. */
export const centsText = (amount: bigint | string | number): string => formatDecimal(String(cents(amount)), 2)

/** A percentage rounded to two places. */
export const percent = (value: string | number): number => Number(plain(toUnits(value, 2) ?? 0n, 2))

/** The percentage of `part` in `whole`, to two places; 0 if `whole` is not positive. */
export const percentOf = (part: bigint, whole: bigint): number =>
  whole === 0n ? 0 : Number(plain(divideRounded(part * 10_000n, whole), 2))

/** `a` / `b`, rounded half away from zero; `b` must be greater than 0. */
export function divideRounded(a: bigint, b: bigint): bigint {
  const magnitude = ((a < 0n ? -a : a) * 2n + b) / (2n * b)
  return a < 0n ? -magnitude : magnitude
}

/**
 * The percentage of each part in their sum, to two places. They add up to exactly 100: the remainder goes to those that
 * were rounded down most. 0 each if the sum is 0.
 */
export function shares(parts: readonly bigint[]): number[] {
  const whole = parts.reduce((sum, part) => sum + part, 0n)
  if (whole === 0n) return parts.map(() => 0)
  const sign = whole < 0n ? -1n : 1n
  const size = whole * sign
  const cut = parts.map((part, at) => ({ at, ...divideFloored(part * sign * 10_000n, size) }))
  let left = 10_000n - cut.reduce((sum, { quotient }) => sum + quotient, 0n)
  for (const one of cut.toSorted((a, b) => Number(b.rest > a.rest) - Number(b.rest < a.rest) || a.at - b.at)) {
    if (left === 0n) break
    cut[one.at]!.quotient++
    left--
  }
  return cut.map(({ quotient }) => Number(plain(quotient, 2)))
}

function divideFloored(a: bigint, b: bigint): { quotient: bigint; rest: bigint } {
  const rest = ((a % b) + b) % b
  return { quotient: (a - rest) / b, rest }
}
