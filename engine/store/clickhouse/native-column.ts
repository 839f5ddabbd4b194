/**
 * Columns as ClickHouse's Native: the server takes them over as they are, where it would read rows cell by cell.
 * Writers exist for the types that our tables use.
 */
import { writer, type Write } from './row-binary.ts'
import { RowBytes } from './row-bytes.ts'

/** Values of one column. Rows can share a value: it is added once, and each row names it by its number, from 0. */
export interface NativeColumn {
  add: (value: unknown) => void
  /** Bytes of the values so far. */
  readonly bytes: number
  /** What precedes the values of the column. */
  readonly prefix: Buffer
  /** `rows`: the number of each row's value; without it each value is one row. */
  write: (out: Buffer[], rows?: Uint32Array) => void
}

/** `isShared`: rows are given by their numbers. @throws Error for a type without a writer: a defect of ours */
export function nativeColumn(type: string, { write = writer, isShared = true } = {}): NativeColumn {
  const [, outer, inner = ''] = /^(\w+)\((.*)\)$/s.exec(type) ?? []
  if (outer === 'Nullable') return new NullableColumn(write(inner), isShared)
  if (type === 'LowCardinality(String)') return new DictionaryColumn()
  if (outer === 'Array' || outer === 'LowCardinality') throw new Error(`no column for ${type}`)
  if (outer !== 'Map') return new PlainColumn(write(type), isShared)
  const comma = inner.lastIndexOf(', ')
  return new MapColumn(nativeColumn(inner.slice(0, comma)), nativeColumn(inner.slice(comma + 2)))
}

const nothing = Buffer.alloc(0)

class PlainColumn implements NativeColumn {
  readonly prefix = nothing
  readonly #write: Write
  readonly #out = new RowBytes(0)
  /** Where each value ends; undefined if they are not shared. */
  readonly #ends: number[] | undefined

  constructor(write: Write, isShared: boolean) {
    this.#write = write
    if (isShared) this.#ends = []
  }

  get bytes(): number {
    return this.#out.length
  }

  add(value: unknown): void {
    this.#write(this.#out, value)
    this.#ends?.push(this.#out.length)
  }

  write(out: Buffer[], rows?: Uint32Array): void {
    const bytes = this.#out.done()
    const ends = this.#ends
    if (!rows || !ends) out.push(bytes)
    else if (ends.length === 1) out.push(Buffer.alloc(rows.length * bytes.length, bytes))
    else out.push(gather(bytes, ends, rows))
  }
}

function gather(bytes: Buffer, ends: readonly number[], rows: Uint32Array): Buffer {
  const starts = [0, ...ends]
  let size = 0
  for (const row of rows) size += ends[row]! - starts[row]!
  const all = Buffer.allocUnsafe(size)
  let to = 0
  for (const row of rows) {
    const end = ends[row]!
    const length = end - starts[row]!
    // A short value is copied faster than a call takes.
    if (length < 32) for (let at = starts[row]!; at < end; at++) all[to++] = bytes[at]!
    else to += bytes.copy(all, to, starts[row]!, end)
  }
  return all
}

class NullableColumn implements NativeColumn {
  readonly prefix = nothing
  readonly #nulls: PlainColumn
  readonly #values: PlainColumn

  constructor(write: Write, isShared: boolean) {
    this.#nulls = new PlainColumn((out, value) => out.byte(value as number), isShared)
    this.#values = new PlainColumn(write, isShared)
  }

  get bytes(): number {
    return this.#nulls.bytes + this.#values.bytes
  }

  /** A null has the value that the type has by default. */
  add(value: unknown): void {
    this.#nulls.add(value === null || value === undefined ? 1 : 0)
    this.#values.add(value ?? undefined)
  }

  write(out: Buffer[], rows?: Uint32Array): void {
    this.#nulls.write(out, rows)
    this.#values.write(out, rows)
  }
}

/** Version of the keys: those that follow, and no others. */
const keysVersion = int64s([1])
/** The keys follow, and they are all there are. The lowest byte is the width of an index. */
const keysFollow = 0x600

/** Texts of which each is written once. */
class DictionaryColumn implements NativeColumn {
  readonly prefix = keysVersion
  readonly #numbers = new Map<string, number>()
  readonly #keys = new PlainColumn(writer('String'), false)
  readonly #values: number[] = []
  #last: string | undefined
  #number = 0

  get bytes(): number {
    return this.#keys.bytes + this.#values.length
  }

  add(value: unknown): void {
    const text = (value ?? '') as string
    if (text !== this.#last) this.#find(text)
    this.#values.push(this.#number)
  }

  #find(text: string): void {
    const known = this.#numbers.get(text)
    if (known === undefined) {
      this.#keys.add(text)
      this.#numbers.set(text, this.#numbers.size)
    }
    this.#number = known ?? this.#numbers.size - 1
    this.#last = text
  }

  write(out: Buffer[], rows?: Uint32Array): void {
    const values = this.#values
    const { size } = this.#numbers
    const length = rows?.length ?? values.length
    if (length === 0) return
    const indexes =
      size <= 2 ** 8 ? new Uint8Array(length) : size <= 2 ** 16 ? new Uint16Array(length) : new Uint32Array(length)
    // With one key all are 0.
    if (size > 1)
      if (rows) for (let row = 0; row < length; row++) indexes[row] = values[rows[row]!]!
      else for (let row = 0; row < length; row++) indexes[row] = values[row]!
    out.push(int64s([keysFollow + Math.log2(indexes.BYTES_PER_ELEMENT), size]))
    this.#keys.write(out)
    out.push(int64s([length]), bytesOf(indexes))
  }
}

class MapColumn implements NativeColumn {
  readonly prefix: Buffer
  readonly #keys: NativeColumn
  readonly #values: NativeColumn
  /** Number of entries up to the end of each map. */
  readonly #ends: number[] = []
  #entries = 0

  constructor(keys: NativeColumn, values: NativeColumn) {
    this.#keys = keys
    this.#values = values
    this.prefix = Buffer.concat([keys.prefix, values.prefix])
  }

  get bytes(): number {
    return this.#keys.bytes + this.#values.bytes + this.#ends.length * 8
  }

  add(value: unknown): void {
    for (const [name, entry] of Object.entries((value ?? {}) as object)) {
      this.#keys.add(name)
      this.#values.add(entry)
      this.#entries++
    }
    this.#ends.push(this.#entries)
  }

  write(out: Buffer[], rows: Uint32Array = Uint32Array.from(this.#ends.keys())): void {
    const ends = this.#ends
    const starts = [0, ...ends]
    const till: number[] = []
    let size = 0
    for (const row of rows) till.push((size += ends[row]! - starts[row]!))
    const entries = new Uint32Array(size)
    let to = 0
    for (const row of rows) for (let at = starts[row]!; at < ends[row]!; at++) entries[to++] = at
    out.push(int64s(till))
    this.#keys.write(out, entries)
    this.#values.write(out, entries)
  }
}

/** Safe integers of 8 bytes each, little endian. */
function int64s(numbers: readonly number[]): Buffer {
  const halves = new Uint32Array(numbers.length * 2)
  for (const [n, number] of numbers.entries()) {
    halves[n * 2] = number
    halves[n * 2 + 1] = number / 2 ** 32
  }
  return bytesOf(halves)
}

/** Every system that this runs on is little endian, as the format is. */
function bytesOf({ buffer, byteOffset, byteLength }: Uint8Array | Uint16Array | Uint32Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}
