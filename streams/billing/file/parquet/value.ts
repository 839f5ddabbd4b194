/** Cells of Parquet as a CSV or JSON export would have them: texts, exact, times in UTC. */
import { isUtf8 } from 'node:buffer'
import { parseFloat16 } from 'hyparquet/src/convert.js'
import type { SchemaElement } from 'hyparquet'
import { plain } from '#engine/value/decimal.ts'
import { broken } from './fault.ts'

/** What a page holds: of INT32, FLOAT and DOUBLE a number, of INT64 and INT96 a bigint, of BYTE_ARRAY its bytes. */
export type Raw = number | bigint | boolean | Uint8Array
export type Convert = (raw: Raw) => unknown

/** How the values of a column are shown. */
export function converter(element: SchemaElement): Convert {
  const convert = meanings[meaningOf(element)] ?? types[element.type!]
  return remembering(convert ? convert(element) : String)
}

/** Rows that follow each other mostly agree. */
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

/** One word for what its logical type says, or the older kind of it. */
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
  return (raw) => plain(toUnscaled(raw), scale)
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

/** The integer of a decimal: a number, or its big-endian two's complement. */
function toUnscaled(raw: Raw): bigint {
  if (!(raw instanceof Uint8Array)) return BigInt(raw as number | bigint)
  if (raw.length === 0) return 0n
  return BigInt.asIntN(8 * raw.length, BigInt(`0x${hex(raw)}`))
}

/** The shortest text that reads back as this number, without an exponent. NaN and infinities keep their names. */
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

/** The same of a number of 32 bits. */
function shortestSingle(value: number): string {
  for (let digits = 6; digits < 9; digits++) {
    const rounded = Number(value.toPrecision(digits))
    if (Math.fround(rounded) === value) return shortest(rounded)
  }
  return shortest(Number.isFinite(value) ? Number(value.toPrecision(9)) : value)
}

const perSecond = { MILLIS: 1_000n, MICROS: 1_000_000n, NANOS: 1_000_000_000n }
const secondsADay = 86_400n
/** Seconds of the years 0 to 9999. */
const secondsMin = -62_167_219_200n
const secondsMax = 253_402_300_799n

/** Units since 1970 in ISO 8601, with what is left of the second; a number that is no time of ours stays one. */
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
