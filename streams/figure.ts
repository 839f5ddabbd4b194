/**
 * How money and percentages are shown (decision G-07): totals to the cent and percentages to two places, both rounded half away
 * from zero, and only when they are put out: everything before works with exact counts of 10^-14 US dollars. Rows that add up to
 * a total, rates and receipts keep all their digits.
 */
import { fixed, plain, scaled } from '#engine/value/decimal.ts'

/** Places of money in the store. */
const places = 14

/** An amount, or a percentage, of any notation. */
export const units = (amount: string | number): bigint => scaled(amount, places) ?? 0n

export const plainOf = (amount: bigint): string => plain(amount, places)

/** US dollars to the cent; a bigint is a count of 10^-14. */
export const cents = (amount: bigint | string | number): number =>
  Number(plain(scaled(typeof amount === 'bigint' ? plainOf(amount) : amount, 2) ?? 0n, 2))

/** `cents` as sentences have them: 12.50. */
export const centsText = (amount: bigint | string | number): string => fixed(String(cents(amount)), 2)

/** A percentage to two places. */
export const percent = (value: string | number): number => Number(plain(scaled(value, 2) ?? 0n, 2))

/** What percentage of `whole` a part is, to two places; 0 where there is no whole, which is not negative. */
export const percentOf = (part: bigint, whole: bigint): number =>
  whole === 0n ? 0 : Number(plain(divided(part * 10_000n, whole), 2))

/** `a` / `b`, rounded half away from zero; `b` is more than 0. */
export function divided(a: bigint, b: bigint): bigint {
  const magnitude = ((a < 0n ? -a : a) * 2n + b) / (2n * b)
  return a < 0n ? -magnitude : magnitude
}

/**
 * What percentage each part is of their sum, to two places: they add up to 100 exactly, so those that were cut most get what is
 * left over. 0 each where the sum is 0.
 */
export function shares(parts: readonly bigint[]): number[] {
  const whole = parts.reduce((sum, part) => sum + part, 0n)
  if (whole === 0n) return parts.map(() => 0)
  const sign = whole < 0n ? -1n : 1n
  const size = whole * sign
  const cut = parts.map((part, at) => ({ at, ...floored(part * sign * 10_000n, size) }))
  let left = 10_000n - cut.reduce((sum, { quotient }) => sum + quotient, 0n)
  for (const one of cut.toSorted((a, b) => Number(b.rest > a.rest) - Number(b.rest < a.rest) || a.at - b.at)) {
    if (left === 0n) break
    cut[one.at]!.quotient++
    left--
  }
  return cut.map(({ quotient }) => Number(plain(quotient, 2)))
}

function floored(a: bigint, b: bigint): { quotient: bigint; rest: bigint } {
  const rest = ((a % b) + b) % b
  return { quotient: (a - rest) / b, rest }
}
