/**
 * Exact decimal arithmetic on text, for money: amounts are never converted to binary floats. Reads plain and scientific
 * notation (exponents up to 999). Results are in plain notation, rounded half away from zero to the given number of
 * places.
 */
const shape = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?$/

/**
 * Digits before the point. A Decimal(38, 14) column holds more, which leaves room for sums: amounts stay below 1e18.
 */
const wholeDigitsMax = 18

/** A parsed decimal: its digits without leading zeros, times 10^exponent. Zero has no digits. */
interface Parts {
  negative: boolean
  digits: string
  exponent: number
}

/** `value` as an integer count of 10^-places. Undefined if it is not a finite number or is 1e18 or more. */
export function toUnits(value: string | number, places: number): bigint | undefined {
  const text = typeof value === 'number' ? String(value) : value
  const digits = short(text, places)
  return Number.isNaN(digits) ? general(value, places) : BigInt(digits) * powers[places - behind(text)]!
}

const powers = Array.from({ length: 40 }, (_, n) => 10n ** BigInt(n))
const tens = Array.from({ length: 40 }, (_, n) => 10 ** n)

/** `scaled` for plain notation that fits a safe integer, which most amounts do, at a tenth of the cost. */
export function fewUnits(text: string, places: number): number | undefined {
  const number = short(text, places)
  const units = number * tens[places - behind(text)]!
  return Math.abs(units) <= Number.MAX_SAFE_INTEGER ? units : undefined
}

/** Number of digits after the point. */
function behind(text: string): number {
  const point = text.indexOf('.')
  return point < 0 ? 0 : text.length - point - 1
}

/**
 * The digits of plain notation as an exact whole number: at most 15 of them, at most `places` after the point. NaN
 * otherwise.
 */
function short(text: string, places: number): number {
  const { length } = text
  const first = text.charCodeAt(0) === 45 ? 1 : 0
  let digits = 0
  let point = length
  for (let i = first; i < length; i++) {
    const code = text.charCodeAt(i)
    if (code >= 48 && code <= 57) digits = digits * 10 + code - 48
    else if (code === 46 && point === length) point = i
    else return Number.NaN
  }
  const count = length - first - (point < length ? 1 : 0)
  if (count === 0 || count > 15 || length - point - 1 > places) return Number.NaN
  return first === 1 ? -digits : digits
}

const plainShape = /^(?:-(?!0$))?(?:0|[1-9]\d{0,14})(?:\.\d*[1-9])?$/

/**
 * Whether `text` already has the form that `plain` returns, with at most 15 digits before the point and `places` after
 * it.
 */
export const isPlain = (text: string, places: number): boolean => plainShape.test(text) && behind(text) <= places

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

/** The integer of `digits` without the last `drop` digits, rounded half away from zero. */
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

/**
 * For display: `value` with exactly `places` decimals, rounded half away from zero. @throws RangeError if the text is
 * not a number
 */
export function formatDecimal(value: string, places: number): string {
  const units = toUnits(value, places)
  if (units === undefined) throw new RangeError(`not a decimal number: ${value}`)
  const digits = (units < 0n ? -units : units).toString().padStart(places + 1, '0')
  return `${units < 0n ? '-' : ''}${digits.slice(0, -places)}.${digits.slice(-places)}`
}

/**
 * `a` x `b`, where `a` counts 10^-places and `b` counts 10^-ratePlaces. Returns a count of 10^-places, rounded half
 * away from zero.
 */
export function times(a: bigint, b: bigint, ratePlaces: number): bigint {
  const product = a * b
  const unit = 10n ** BigInt(ratePlaces)
  const half = unit / 2n
  return product < 0n ? -((-product + half) / unit) : (product + half) / unit
}

/** `a` / `b` as a whole number, rounded half away from zero. @throws RangeError if `b` is 0 */
export function divideRounded(a: bigint, b: bigint): bigint {
  const [top, bottom] = [a < 0n ? -a : a, b < 0n ? -b : b]
  const quotient = (top + bottom / 2n) / bottom
  return a < 0n === b < 0n ? quotient : -quotient
}

/**
 * Whether `value` x `rate` has digits other than 0 after `places` decimals, so that `places` cannot represent it. False
 * if the text is not a number.
 */
export function isFiner(value: string | number, places: number, rate = '1'): boolean {
  const text = String(value)
  if (rate === '1' && behind(text) <= places && !/e/i.test(text)) return false
  const [a, b] = [read(value), read(rate)]
  if (!a || !b) return false
  const digits = String(BigInt(a.digits || '0') * BigInt(b.digits || '0'))
  const zeros = digits.length - digits.replace(/0+$/, '').length
  return digits !== '0' && -(a.exponent + b.exponent + zeros) > places
}

/** The exact sum of amounts given as text, in plain notation. @throws RangeError if a text is not a number */
export function sum(values: Iterable<string | number>): string {
  const total = new Total()
  for (const value of values) total.add(value)
  return total.toString()
}

/** A running sum that never rounds: it keeps as many places as the most precise amount added. */
export class Total {
  #units = 0n
  #places = 0

  /** @throws RangeError if the text is not a number */
  add(value: string | number): void {
    const parts = read(value)
    if (!parts) throw new RangeError(`not a decimal number: ${value}`)
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
