/**
 * Converts the format Native to a client's protocol revision. The embedded engine writes revision 0. Later revisions
 * differ in two ways that affect results: each block begins with a block info, and after each column's type comes a
 * byte that says whether the column has a custom serialization. To insert these, the end of every column must be found,
 * which depends on its type.
 */
import { refusal } from './error-codes.ts'

/** First revision with the serialization byte. */
const WITH_SERIALIZATION = 54_454
/** Field 1: no overflows; field 2: no bucket (-1); end. */
const BLOCK_INFO = Buffer.from([1, 0, 2, 0xff, 0xff, 0xff, 0xff, 0])
const ORDINARY = Buffer.from([0])

/** Bytes per value, for types of fixed width. */
const WIDTHS: Readonly<Record<string, number>> = {
  Nothing: 1,
  Bool: 1,
  Int8: 1,
  UInt8: 1,
  Enum8: 1,
  Int16: 2,
  UInt16: 2,
  Enum16: 2,
  BFloat16: 2,
  Date: 2,
  Int32: 4,
  UInt32: 4,
  Float32: 4,
  Date32: 4,
  DateTime: 4,
  Time: 4,
  IPv4: 4,
  Int64: 8,
  UInt64: 8,
  Float64: 8,
  DateTime64: 8,
  Time64: 8,
  Int128: 16,
  UInt128: 16,
  UUID: 16,
  IPv6: 16,
  Int256: 32,
  UInt256: 32,
}

const SHAPES: Readonly<Record<string, string>> = {
  Point: 'Tuple(Float64, Float64)',
  Ring: 'Array(Point)',
  LineString: 'Array(Point)',
  MultiLineString: 'Array(LineString)',
  Polygon: 'Array(Ring)',
  MultiPolygon: 'Array(Polygon)',
}

/** How to skip the values of a type. `prefix` is read once per column, before all nested values. */
interface Type {
  readonly prefix: (reader: Reader) => void
  readonly values: (reader: Reader, rows: number) => void
}

class Reader {
  readonly bytes: Buffer
  at = 0

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  skip(bytes: number): void {
    this.at += bytes
    if (!(this.at <= this.bytes.length)) throw refusal(33, 'The response ends inside a column.')
  }

  varint(): number {
    let n = 0
    for (let scale = 1; scale < 2 ** 56; scale *= 128) {
      const byte = this.bytes[this.at++]
      if (byte === undefined) break
      n += (byte & 0x7f) * scale
      if (byte < 0x80) return n
    }
    throw refusal(33, 'The response ends inside a number.')
  }

  text(): string {
    const length = this.varint()
    this.skip(length)
    return this.bytes.toString('utf8', this.at - length, this.at)
  }

  number64(): number {
    this.skip(8)
    return Number(this.bytes.readBigUInt64LE(this.at - 8))
  }
}

const nothing = (): void => {}
const fixedWidth = (width: number): Type => ({ prefix: nothing, values: (reader, rows) => reader.skip(rows * width) })

const strings: Type = {
  prefix: nothing,
  values(reader, rows) {
    for (let row = 0; row < rows; row++) reader.skip(reader.varint())
  },
}

const nullable = (of: Type): Type => ({
  prefix: of.prefix,
  values(reader, rows) {
    reader.skip(rows)
    of.values(reader, rows)
  },
})

/** The last offset is the number of values of all rows together. */
const array = (of: Type): Type => ({
  prefix: of.prefix,
  values(reader, rows) {
    if (rows === 0) return
    reader.skip((rows - 1) * 8)
    of.values(reader, reader.number64())
  },
})

const tuple = (of: readonly Type[]): Type => ({
  prefix: (reader) => of.forEach((one) => one.prefix(reader)),
  values: (reader, rows) => (of.length === 0 ? reader.skip(rows) : of.forEach((one) => one.values(reader, rows))),
})

/**
 * A dictionary for the block, then each row's index into it. The lowest byte of the header gives the width of an index.
 */
const dictionary = (keys: Type): Type => ({
  prefix: (reader) => reader.skip(8),
  values(reader, rows) {
    if (rows === 0) return
    const width = 2 ** (reader.bytes[reader.at] ?? 0)
    reader.skip(8)
    keys.values(reader, reader.number64())
    reader.skip(8 + rows * width)
  },
})

/** The arguments of a type, split at commas outside quotes and parentheses. */
function argumentsOf(text: string): string[] {
  const found: string[] = ['']
  let depth = 0
  for (const [piece] of text.matchAll(/'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`|[^]/g)) {
    if (piece === '(') depth++
    if (piece === ')') depth--
    if (piece === ',' && depth === 0) found.push('')
    else found[found.length - 1] += piece
  }
  return found.map((one) => one.trim()).filter(Boolean)
}

/** A tuple element may have a name before its type. */
const dropName = (element: string): string => element.replace(/^(?:\w+|`(?:[^`\\]|\\.)*`)\s+(?=[A-Z])/, '')

const decimalWidth = (digits: number): number => (digits <= 9 ? 4 : digits <= 18 ? 8 : digits <= 38 ? 16 : 32)

const NESTING: Readonly<Record<string, (args: string[]) => Type>> = {
  String: () => strings,
  FixedString: ([bytes]) => fixedWidth(Number(bytes)),
  Decimal: ([digits]) => fixedWidth(decimalWidth(Number(digits))),
  Nullable: ([of]) => nullable(typeOf(of!)),
  Array: ([of]) => array(typeOf(of!)),
  Map: (of) => array(tuple(of.map(typeOf))),
  Tuple: (of) => tuple(of.map((one) => typeOf(dropName(one)))),
  Nested: (of) => array(tuple(of.map((one) => typeOf(dropName(one))))),
  LowCardinality: ([of]) => dictionary(typeOf(of!.replace(/^Nullable\((.*)\)$/s, '$1'))),
  SimpleAggregateFunction: (args) => typeOf(args.at(-1)!),
}

/** @throws Error for types whose format is not known here */
function typeOf(name: string): Type {
  const [, head = '', args = ''] = /^(\w+)(?:\((.*)\))?$/s.exec(name) ?? []
  const width = head.startsWith('Interval') ? 8 : WIDTHS[head]
  if (width !== undefined) return fixedWidth(width)
  if (SHAPES[head]) return typeOf(SHAPES[head])
  const nesting = NESTING[head]
  if (!nesting) throw refusal(48, `${name} is not supported by this driver. Cast it, for example with toString(...).`)
  return nesting(argumentsOf(args))
}

/** Converts an answer from revision 0 to `revision`. */
export function nativeOf(answer: Buffer, revision: number): Buffer {
  if (revision <= 0) return answer
  const reader = new Reader(answer)
  const types = new Map<string, Type>()
  const out: Buffer[] = []
  let told = 0
  const tell = (extra?: Buffer): void => {
    out.push(answer.subarray(told, reader.at), ...(extra ? [extra] : []))
    told = reader.at
  }
  while (reader.at < answer.length) {
    tell(BLOCK_INFO)
    const columns = reader.varint()
    const rows = reader.varint()
    for (let column = 0; column < columns; column++) {
      reader.skip(reader.varint())
      const name = reader.text()
      const type = types.get(name) ?? typeOf(name)
      types.set(name, type)
      if (revision >= WITH_SERIALIZATION) tell(ORDINARY)
      if (rows === 0) continue
      type.prefix(reader)
      type.values(reader, rows)
    }
  }
  tell()
  return Buffer.concat(out)
}
