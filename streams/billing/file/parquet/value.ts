/** Converts cells of Parquet to what a CSV or JSON export would contain: exact text, times in UTC. */
import { isUtf8 } from 'node:buffer'
import { parseFloat16 } from 'hyparquet/src/convert.js'
import type { SchemaElement } from 'hyparquet'
import { plain } from '#engine/value/decimal.ts'
import { broken } from './fault.ts'

/** Values as stored: a number for INT32, FLOAT and DOUBLE; a bigint for INT64 and INT96; bytes for BYTE_ARRAY. */
export type Raw = number | bigint | boolean | Uint8Array
export type Convert = (raw: Raw) => unknown

/** The conversion for a column's values. */
export function converter(element: SchemaElement): Convert {
  const convert = meanings[meaningOf(element)] ?? types[element.type!]
  return remembering(convert ? convert(element) : String)
}

/** Caches the last value, because consecutive rows often have the same one. */
function remembering(convert: Convert): Convert {
  let last: Raw | undefined
  let shown: unknown
  return (raw) => {
    if (raw === last) return shown
    shown = convert(raw)
    last = raw
    return shown
  }
}

/** The logical type, or the older converted type, as one word. */
function meaningOf({ converted_type, logical_type: logical }: SchemaElement): string {
  const converted: string = converted_type ?? ''
  if (logical?.type === 'TIMESTAMP') return `TIMESTAMP_${logical.unit}`
  if (logical?.type === 'INTEGER') return logical.isSigned ? '' : 'UINT'
  return logical?.type ?? (converted.startsWith('UINT_') ? 'UINT' : converted)
}

const inUnits =
  (each: bigint): Convert =>
  (raw) =>
    time(raw as bigint, each)

const meanings: Readonly<Partial<Record<string, (element: SchemaElement) => Convert>>> = {
  DECIMAL: decimals,
  DATE: () => (raw) => day(BigInt(raw as number)),
  TIMESTAMP_MILLIS: () => inUnits(perSecond.MILLIS),
  TIMESTAMP_MICROS: () => inUnits(perSecond.MICROS),
  TIMESTAMP_NANOS: () => inUnits(perSecond.NANOS),
  UUID: () => (raw) => uuid(raw as Uint8Array),
  FLOAT16: () => (raw) => shortest(parseFloat16(raw as Uint8Array)!),
  INTERVAL: () => hex,
  BSON: () => hex,
  UINT: () => toUnsigned,
}

const types: Readonly<Partial<Record<string, (element: SchemaElement) => Convert>>> = {
  BOOLEAN: () => (raw) => raw,
  INT96: () => inUnits(perSecond.NANOS),
  DOUBLE: () => (raw) => shortest(raw as number),
  FLOAT: () => (raw) => shortestSingle(raw as number),
  BYTE_ARRAY:
    ({ name }) =>
    (raw) =>
      textOf(name, raw as Uint8Array),
  FIXED_LEN_BYTE_ARRAY: () => hex,
}

function decimals({ name, scale: own, logical_type: logical }: SchemaElement): Convert {
  const scale = own ?? (logical?.type === 'DECIMAL' ? logical.scale : 0)
  if (!(scale >= 0 && scale <= 100)) throw broken(`the column ${name} has ${scale} decimal places`)
  return (raw) => (raw instanceof Uint8Array ? shortDecimal(raw, scale) : undefined) ?? plain(toUnscaled(raw), scale)
}

function textOf(column: string, bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  if (text.includes('\ufffd') && !isUtf8(bytes)) throw broken(`the column ${column} has text that is not UTF-8`)
  return text
}

const hex = (raw: Raw): string => Buffer.from(raw as Uint8Array).toString('hex')
const uuid = (bytes: Uint8Array): string => hex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
const toUnsigned = (raw: Raw): string =>
  typeof raw === 'bigint' ? BigInt.asUintN(64, raw).toString() : String((raw as number) >>> 0)

const half = 2 ** 24
const tens = 10_000_000

/** Big-endian two's complement bytes as `plain` prints them; undefined above 72 bits. Bigints take several times as long. */
function shortDecimal(bytes: Uint8Array, scale: number): string | undefined {
  const { length } = bytes
  const isNegative = length > 0 && bytes[0]! > 127
  const fill = isNegative ? 255 : 0
  let at = 0
  while (at < length - 9) if (bytes[at++] !== fill) return undefined
  let high = 0
  while (at < length - 3) high = high * 256 + (bytes[at++]! ^ fill)
  let low = isNegative ? 1 : 0
  for (let places = 2 ** (8 * (length - at - 1)); at < length; places /= 256) low += (bytes[at++]! ^ fill) * places
  const rest = (high % tens) * half + low
  const first = Math.floor(high / tens) * half + Math.floor(rest / tens)
  const last = String(rest % tens)
  return pointed(first === 0 ? last : `${first}${last.padStart(7, '0')}`, isNegative ? '-' : '', scale)
}

function pointed(units: string, sign: string, scale: number): string {
  if (scale === 0 || units === '0') return sign + units
  const digits = units.padStart(scale + 1, '0')
  let end = digits.length
  while (end > digits.length - scale && digits.charCodeAt(end - 1) === 48) end--
  const whole = digits.slice(0, digits.length - scale)
  return `${sign}${whole}${end > whole.length ? `.${digits.slice(whole.length, end)}` : ''}`
}

/** The unscaled integer of a decimal: a number, or big-endian two's complement bytes. */
function toUnscaled(raw: Raw): bigint {
  if (!(raw instanceof Uint8Array)) return BigInt(raw as number | bigint)
  if (raw.length === 0) return 0n
  return BigInt.asIntN(8 * raw.length, BigInt(`0x${hex(raw)}`))
}

/** The shortest text without an exponent that parses to this number. NaN and infinities keep their names. */
function shortest(value: number): string {
  const text = String(value)
  const [, sign = '', digits, exponent] = /^(-?)([\d.]+)e([+-]\d+)$/.exec(text) ?? []
  if (digits === undefined) return text
  const [whole = '', fraction = ''] = digits.split('.')
  const point = whole.length + Number(exponent)
  const all = whole + fraction
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${all}`
  return `${sign}${all.padEnd(point, '0')}`
}

/** The same for a 32-bit number. */
function shortestSingle(value: number): string {
  for (let digits = 6; digits < 9; digits++) {
    const rounded = Number(value.toPrecision(digits))
    if (Math.fround(rounded) === value) return shortest(rounded)
  }
  return shortest(Number.isFinite(value) ? Number(value.toPrecision(9)) : value)
}

const perSecond = { MILLIS: 1_000n, MICROS: 1_000_000n, NANOS: 1_000_000_000n }
const secondsADay = 86_400n
/** Seconds of the beginning of year 0. Below: of the end of year 9999. */
const secondsMin = -62_167_219_200n
const secondsMax = 253_402_300_799n

/**
 * Converts units since 1970 to ISO 8601 with fractions of a second. A number outside the years 0 to 9999 stays a
 * number.
 */
function time(units: bigint, each: bigint): string {
  let seconds = units / each
  let rest = units % each
  if (rest < 0n) {
    rest += each
    seconds--
  }
  if (seconds < secondsMin || seconds > secondsMax) return units.toString()
  const whole = new Date(Number(seconds) * 1000).toISOString().slice(0, 19)
  if (rest === 0n) return `${whole}Z`
  const fraction = rest.toString().padStart(each.toString().length - 1, '0')
  return `${whole}.${fraction.replace(/0+$/, '')}Z`
}

function day(days: bigint): string {
  const seconds = days * secondsADay
  if (seconds < secondsMin || seconds > secondsMax) return days.toString()
  return new Date(Number(seconds) * 1000).toISOString().slice(0, 10)
}
