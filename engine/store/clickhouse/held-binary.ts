/** What rows hold in the bytes of their message, as RowBinary: copied, and never made an object. */
import type { RowBytes } from './row-bytes.ts'

export type WriteHeld = (out: RowBytes, bytes: Buffer, from: number, to: number) => void

/** @throws Error for a type that nothing is held for: a defect of ours */
export function heldWriter(type: string): WriteHeld {
  const places = /^(?:Nullable\()?Decimal\(38, (\d+)\)/.exec(type)?.[1]
  if (places !== undefined) return decimal(Number(places), type.startsWith('Nullable'))
  if (type === 'String' || type === 'LowCardinality(String)') return text
  if (/^Map\((?:LowCardinality\()?String\)?, String\)$/.test(type)) return map
  throw new Error(`no values are held for ${type}`)
}

const text: WriteHeld = (out, bytes, from, to) => out.copy(bytes, from, to)

const tens = Array.from({ length: 40 }, (_, n) => 10 ** n)
const powers = Array.from({ length: 40 }, (_, n) => 10n ** BigInt(n))

/** Of plain notation, at most 15 digits and no more behind the point than the column has. */
const decimal =
  (places: number, isNullable: boolean): WriteHeld =>
  (out, bytes, from, to) => {
    if (isNullable) out.byte(0)
    const isNegative = bytes[from] === 45
    let digits = 0
    let behind = -1
    for (let at = isNegative ? from + 1 : from; at < to; at++) {
      const byte = bytes[at]!
      if (behind >= 0) behind++
      if (byte === 46) behind = 0
      else digits = digits * 10 + byte - 48
    }
    const shift = places - Math.max(behind, 0)
    const units = digits * tens[shift]!
    if (units <= Number.MAX_SAFE_INTEGER) out.int128(isNegative ? -units : units)
    else out.integer(BigInt(isNegative ? -digits : digits) * powers[shift]!, 16)
  }

const quote = 34

/** An object of plain strings, behind its bracket. It has fewer than 128 members. */
const map: WriteHeld = (out, bytes, from, to) => {
  const count = out.placeholder()
  let texts = 0
  for (let at = bytes.indexOf(quote, from); at >= 0 && at < to; at = bytes.indexOf(quote, at)) {
    const end = bytes.indexOf(quote, at + 1)
    out.copy(bytes, at + 1, end)
    texts++
    at = end + 1
  }
  out.fill(count, texts / 2)
}
