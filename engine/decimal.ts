/**
 * Exact decimal arithmetic for money, on text: a binary float never touches an amount. Plain and scientific notation are
 * read (exponents up to 999); the result is plain notation, rounded half away from zero where places are asked for.
 */
const shape = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?$/

/** Digits before the point that a Decimal(38, 14) column holds, with room for sums: amounts stay below 1e18. */
const wholeDigitsMax = 18

/** A decimal as it is written: its digits without leading zeros, times 10^exponent. Zero has no digits. */
interface Parts {
  negative: boolean
  digits: string
  exponent: number
}

/** `value` as an integer count of 10^-places. Undefined when it is no finite number or 1e18 and more. */
export function scaled(value: string | number, places: number): bigint | undefined {
  return short(typeof value === 'number' ? String(value) : value, places) ?? general(value, places)
}

const powers = Array.from({ length: 40 }, (_, n) => 10n ** BigInt(n))

/** Most amounts are plain notation of at most 15 digits and no more than `places` of them behind the point: a tenth of the work. */
function short(text: string, places: number): bigint | undefined {
  const first = text.charCodeAt(0) === 45 ? 1 : 0
  const point = text.indexOf('.')
  const behind = point < 0 ? 0 : text.length - point - 1
  const digits = point < 0 ? text.slice(first) : text.slice(first, point) + text.slice(point + 1)
  if (behind > places || !areDigits(digits)) return undefined
  return BigInt(first === 1 ? -Number(digits) : Number(digits)) * powers[places - behind]!
}

/** 1 to 15 of them: as a number they are exact. */
function areDigits(text: string): boolean {
  if (text.length === 0 || text.length > 15) return false
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code < 48 || code > 57) return false
  }
  return true
}

function general(value: string | number, places: number): bigint | undefined {
  const parts = read(value)
  if (!parts) return undefined
  const { negative, digits, exponent } = parts
  if (digits === '') return 0n
  if (digits.length + exponent > wholeDigitsMax) return undefined
  const shift = exponent + places
  const magnitude = shift >= 0 ? BigInt(digits) * 10n ** BigInt(shift) : cut(digits, -shift)
  return negative ? -magnitude : magnitude
}

function read(value: string | number): Parts | undefined {
  const match = shape.exec(typeof value === 'number' ? String(value) : value.trim())
  if (!match) return undefined
  const [, sign, whole = '', fraction = '', exponent = '0'] = match
  if (whole + fraction === '') return undefined
  const digits = (whole + fraction).replace(/^0+/, '')
  return { negative: sign === '-', digits, exponent: Number(exponent) - fraction.length }
}

/** The integer of `digits` without its last `drop` ones, rounded half away from zero. */
function cut(digits: string, drop: number): bigint {
  if (drop > digits.length) return 0n
  const kept = BigInt(digits.slice(0, digits.length - drop) || '0')
  return digits.charCodeAt(digits.length - drop) >= 53 ? kept + 1n : kept
}

/** Plain notation of `units` x 10^-places, without trailing zeros: `-0.0000001`, `12`, `0`. */
export function plain(units: bigint, places: number): string {
  const negative = units < 0n
  const digits = (negative ? -units : units).toString().padStart(places + 1, '0')
  const whole = digits.slice(0, digits.length - places)
  let end = digits.length
  while (end > whole.length && digits.charCodeAt(end - 1) === 48) end--
  const fraction = digits.slice(whole.length, end)
  return `${negative ? '-' : ''}${whole}${fraction && `.${fraction}`}`
}

/** `a` x `b` for counts of 10^-places and 10^-rate places: a count of 10^-places, rounded half away from zero. */
export function times(a: bigint, b: bigint, ratePlaces: number): bigint {
  const product = a * b
  const unit = 10n ** BigInt(ratePlaces)
  const half = unit / 2n
  return product < 0n ? -((-product + half) / unit) : (product + half) / unit
}

/** The sum of amounts given as text, exactly, in plain notation. @throws RangeError on text that is no number */
export function sum(values: Iterable<string | number>): string {
  const total = new Total()
  for (const value of values) total.add(value)
  return total.toString()
}

/** A running sum that never rounds: it carries as many places as the finest amount it was given. */
export class Total {
  #units = 0n
  #places = 0

  /** @throws RangeError on text that is no number */
  add(value: string | number): void {
    const parts = read(value)
    if (!parts) throw new RangeError(`not a decimal: ${value}`)
    if (parts.digits === '') return
    const places = Math.max(this.#places, -parts.exponent)
    const units = BigInt(parts.digits) * 10n ** BigInt(parts.exponent + places)
    this.#units = this.#units * 10n ** BigInt(places - this.#places) + (parts.negative ? -units : units)
    this.#places = places
  }

  toString(): string {
    return plain(this.#units, this.#places)
  }
}
