/**
 * Rows of one table that have most columns in common: these are encoded once, and each row adds its own columns. As
 * RowBinaryWithNamesAndTypes.
 */
import type { FactRow } from '#engine/actor/ports.ts'
import { unitsOf, type Amount } from '#engine/value/amount.ts'
import { writer, type ClickHouseColumn, type Write } from './row-binary.ts'
import { RowBytes } from './row-bytes.ts'

/** A map that is encoded once for all rows that have it. */
interface EncodedMap {
  value: object
  bytes?: Buffer
}

/** A version: its high 64 bits, little endian, and `row` x 2^16 as the low ones. */
export interface RowVersion {
  high: Buffer
  row: number
}

export class RowBlock {
  readonly #shared: readonly (readonly [name: string, write: Write])[]
  readonly #own: readonly Write[]
  readonly #head: Buffer
  #out: RowBytes
  #rows = 0

  /** `own`: the columns that each row has of its own. @throws Error if the table has not all of them */
  constructor(columns: readonly ClickHouseColumn[], own: readonly string[]) {
    const last = own.map((name) => columns.find((column) => column.name === name) ?? missing(name))
    const first = columns.filter(({ name }) => !own.includes(name))
    this.#shared = first.map(({ name, type }) => [name, writer(type)])
    this.#own = last.map(({ type }) => ownWriter(type))
    const head = new RowBytes(columns.length * 64)
    const all = [...first, ...last]
    head.varint(all.length)
    for (const { name } of all) head.text(name)
    for (const { type } of all) head.text(type)
    this.#head = head.done()
    this.#out = new RowBytes(1 << 20)
  }

  /** The columns that rows share. */
  shared(row: FactRow): Buffer {
    const out = new RowBytes(1024)
    for (const [name, write] of this.#shared) write(out, row[name])
    return Buffer.from(out.done())
  }

  /** `own`: values in the order of the columns. Decimals may be amounts; maps are encoded ones, versions a `RowVersion`. */
  add(shared: Buffer, own: readonly unknown[]): void {
    this.#out.append(shared)
    for (let at = 0; at < own.length; at++) this.#own[at]!(this.#out, own[at])
    this.#rows++
  }

  get rows(): number {
    return this.#rows
  }

  get bytes(): number {
    return this.#out.length
  }

  /** All rows so far; the block is empty then. */
  take(): Buffer {
    const body = Buffer.concat([this.#head, this.#out.done()])
    this.#out = new RowBytes(1 << 20)
    this.#rows = 0
    return body
  }
}

const missing = (name: string): never => {
  throw new Error(`no such column: ${name}`)
}

function ownWriter(type: string): Write {
  const write = writer(type)
  if (type === 'Decimal(38, 14)') return (out, value) => (isAmount(value) ? amount(out, value) : write(out, value))
  if (type === 'Nullable(Decimal(38, 14))')
    return (out, value) => {
      if (!isAmount(value)) return write(out, value)
      out.byte(0)
      amount(out, value)
    }
  if (type === 'UInt128')
    return (out, value) => {
      const { high, row } = value as RowVersion
      out.uint32((row << 16) >>> 0)
      out.uint32(Math.floor(row / 2 ** 16))
      out.append(high)
    }
  if (type.startsWith('Map(')) return (out, value) => map(out, value as EncodedMap | undefined, write)
  return write
}

const isAmount = (value: unknown): value is Amount => typeof value === 'object' && value !== null

/** Amounts below this many units are exact as one number of 10^-14. */
const wholeMax = 90

function amount(out: RowBytes, value: Amount): void {
  const { whole, rest } = value
  if (whole < wholeMax && whole > -wholeMax) out.int128(whole * 1e14 + rest)
  else out.integer(unitsOf(value), 16)
}

function map(out: RowBytes, found: EncodedMap | undefined, write: Write): void {
  if (found === undefined) return write(out, {})
  if (found.bytes === undefined) {
    const bytes = new RowBytes(256)
    write(bytes, found.value)
    found.bytes = Buffer.from(bytes.done())
  }
  out.append(found.bytes)
}
