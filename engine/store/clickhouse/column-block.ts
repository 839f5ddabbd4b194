/**
 * Rows of one table that have most columns in common: what they share is written once. By column, as Native, which
 * costs the server a fraction of what rows do.
 */
import type { FactRow } from '#engine/actor/ports.ts'
import { unitsOf, type Amount } from '#engine/value/amount.ts'
import { nativeColumn, type NativeColumn } from './native-column.ts'
import { writer, type ClickHouseColumn, type Write } from './row-binary.ts'
import { RowBytes } from './row-bytes.ts'

/** A version: its high 64 bits, little endian, and `row` x 2^16 as the low ones. */
export interface RowVersion {
  high: Buffer
  row: number
}

/** What rows share. Below: its number in the block with these columns, and the bytes that each row has of it there. */
export interface SharedValues {
  readonly values: readonly unknown[]
  columns?: readonly NativeColumn[]
  number: number
  bytes: number
}

/** Rows in the format Native, and the columns that they have. */
export interface NativeRows {
  columns: readonly string[]
  bytes: Buffer
}

export class ColumnBlock {
  readonly #first: readonly ClickHouseColumn[]
  readonly #last: readonly ClickHouseColumn[]
  #shared: readonly NativeColumn[] = []
  #own: readonly NativeColumn[] = []
  /** Of each row the number of what it shares. */
  #rows: number[] = []
  #distinct = 0
  #sharedBytes = 0

  /** `own`: the columns that each row has of its own. @throws Error if the table has not all of them */
  constructor(columns: readonly ClickHouseColumn[], own: readonly string[]) {
    this.#last = own.map((name) => columns.find((column) => column.name === name) ?? missing(name))
    this.#first = columns.filter(({ name }) => !own.includes(name))
    this.#clear()
  }

  #clear(): void {
    this.#shared = this.#first.map(({ type }) => nativeColumn(type))
    this.#own = this.#last.map(({ type }) => ownColumn(type))
    this.#rows = []
    this.#distinct = 0
    this.#sharedBytes = 0
  }

  shared(row: FactRow): SharedValues {
    return { values: this.#first.map(({ name }) => row[name]), number: 0, bytes: 0 }
  }

  /** `own`: values in the order of the columns. Decimals may be amounts; maps are shared ones, versions a `RowVersion`. */
  add(shared: SharedValues, own: readonly unknown[]): void {
    if (shared.columns !== this.#shared) this.#addShared(shared)
    this.#rows.push(shared.number)
    this.#sharedBytes += shared.bytes
    for (let at = 0; at < own.length; at++) this.#own[at]!.add(own[at])
  }

  #addShared(shared: SharedValues): void {
    const before = bytesOf(this.#shared)
    for (const [at, column] of this.#shared.entries()) column.add(shared.values[at])
    shared.columns = this.#shared
    shared.number = this.#distinct++
    shared.bytes = bytesOf(this.#shared) - before
  }

  get rows(): number {
    return this.#rows.length
  }

  /** At least what `take` returns, but for names and types. */
  get bytes(): number {
    return this.#sharedBytes + bytesOf(this.#own)
  }

  /** All rows so far; the block is empty then. */
  take(): NativeRows {
    const all = [...this.#first, ...this.#last]
    const head = new RowBytes(16)
    head.varint(all.length)
    head.varint(this.#rows.length)
    const out: Buffer[] = [head.done()]
    const rows = Uint32Array.from(this.#rows)
    const write = ({ name, type }: ClickHouseColumn, column: NativeColumn, of?: Uint32Array) => {
      const heading = new RowBytes(128)
      heading.text(name)
      heading.text(type)
      out.push(heading.done(), column.prefix)
      column.write(out, of)
    }
    for (const [at, column] of this.#first.entries()) write(column, this.#shared[at]!, rows)
    for (const [at, column] of this.#last.entries()) write(column, this.#own[at]!)
    this.#clear()
    return { columns: all.map(({ name }) => name), bytes: Buffer.concat(out) }
  }
}

const bytesOf = (columns: readonly NativeColumn[]): number => columns.reduce((sum, { bytes }) => sum + bytes, 0)

const missing = (name: string): never => {
  throw new Error(`no such column: ${name}`)
}

const ownColumn = (type: string): NativeColumn =>
  type.startsWith('Map(')
    ? new SharedMaps(nativeColumn(type))
    : nativeColumn(type, { write: ownWriter, isShared: false })

function ownWriter(type: string): Write {
  const write = writer(type)
  if (type === 'Decimal(38, 14)') return (out, value) => (isAmount(value) ? amount(out, value) : write(out, value))
  if (type !== 'UInt128') return write
  return (out, value) => {
    const { high, row } = value as RowVersion
    out.uint32((row << 16) >>> 0)
    out.uint32(Math.floor(row / 2 ** 16))
    out.append(high)
  }
}

const isAmount = (value: unknown): value is Amount => typeof value === 'object' && value !== null

/** Below so many units all numbers here are exact. */
const wholeMax = 2 ** 52
const half = 2 ** 24
/** 10^14 in two numbers of up to 24 bits. */
const [unitHigh, unitLow] = [Math.floor(1e14 / half), 1e14 % half]

/** As a count of 10^-14 in 128 bits. Numbers of 24 bits are multiplied, because bigints take ten times as long. */
function amount(out: RowBytes, value: Amount): void {
  const whole = Math.abs(value.whole)
  if (whole >= wholeMax) return out.integer(unitsOf(value), 16)
  const low = whole % half
  const high = (whole - low) / half
  const first = low * unitLow + Math.abs(value.rest)
  const second = high * unitLow + low * unitHigh + Math.floor(first / half)
  const third = high * unitHigh + Math.floor(second / half)
  const a = (first % half) + (second % 2 ** 8) * half
  const b = Math.floor((second % half) / 2 ** 8) + (third % 2 ** 16) * 2 ** 16
  const [c, d] = [Math.floor(third / 2 ** 16), Math.floor(third / 2 ** 48)]
  if (value.whole >= 0 && value.rest >= 0) return out.words(a, b, c, d)
  const isZero = [a === 0, a === 0 && b === 0]
  out.words(-a, ~b + Number(isZero[0]), ~c + Number(isZero[1]), ~d)
}

/** Maps that many rows have: each object `{ value }` is written once. */
class SharedMaps implements NativeColumn {
  readonly #maps: NativeColumn
  readonly #numbers = new Map<unknown, number>()
  readonly #rows: number[] = []
  /** Of each map, and of all rows. */
  readonly #sizes: number[] = []
  bytes = 0

  constructor(maps: NativeColumn) {
    this.#maps = maps
  }

  get prefix(): Buffer {
    return this.#maps.prefix
  }

  add(map: unknown): void {
    let number = this.#numbers.get(map)
    if (number === undefined) {
      const before = this.#maps.bytes
      this.#maps.add((map as { value: object } | undefined)?.value)
      this.#sizes.push(this.#maps.bytes - before)
      this.#numbers.set(map, (number = this.#numbers.size))
    }
    this.#rows.push(number)
    this.bytes += this.#sizes[number]!
  }

  write(out: Buffer[]): void {
    this.#maps.write(out, Uint32Array.from(this.#rows))
  }
}
