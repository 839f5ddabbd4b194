/** Reads a page's values one at a time, in every Parquet encoding. Reading past the end throws. */
import type { Encoding, ParquetType } from 'hyparquet'
import { deltaBinaryUnpack } from 'hyparquet/src/delta.js'
import { byteStreamSplit } from 'hyparquet/src/encoding.js'
import { broken, unread } from './fault.ts'
import { RunReader } from './run-reader.ts'
import type { Raw } from './value.ts'

export type Next = () => Raw

export interface EncodedValues {
  type: ParquetType
  /** Bytes per value of FIXED_LEN_BYTE_ARRAY. */
  length: number
  encoding: Encoding
  bytes: Uint8Array
  /** Returns the number of values in the page that are not null. */
  count: () => number
}

/** Maximum bytes of a text; a longer one means that the file is corrupt. */
const bytesMax = 16 * 1024 * 1024

export function valuesOf(values: EncodedValues): Next {
  const { encoding, type } = values
  if (encoding === 'PLAIN') return plainValues(values)
  if (encoding === 'RLE' && type === 'BOOLEAN') return rleBooleans(values)
  if (encoding === 'DELTA_BINARY_PACKED') return readFromArray(integers(readerOf(values.bytes), type, values.count()))
  if (encoding === 'DELTA_LENGTH_BYTE_ARRAY') return deltaLengths(values)
  if (encoding === 'DELTA_BYTE_ARRAY') return deltaBytes(values)
  if (encoding === 'BYTE_STREAM_SPLIT') return split(values)
  throw unread(`has values in the unsupported encoding ${encoding}`)
}

export function plainValues({ type, length, bytes }: Pick<EncodedValues, 'type' | 'length' | 'bytes'>): Next {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = 0
  const moved = (size: number): number => (at += size) - size
  if (type === 'BYTE_ARRAY') return () => part(bytes, moved(4), view)
  if (type === 'DOUBLE') return () => view.getFloat64(moved(8), true)
  if (type === 'INT64') return () => view.getBigInt64(moved(8), true)
  if (type === 'INT32') return () => view.getInt32(moved(4), true)
  if (type === 'FLOAT') return () => view.getFloat32(moved(4), true)
  if (type === 'INT96') return () => nanoseconds(view, moved(12))
  if (type === 'BOOLEAN') return () => ((view.getUint8(at >>> 3) >>> (moved(1) & 7)) & 1) === 1
  return () => cut(bytes, moved(length), length)

  function part(all: Uint8Array, from: number, lengths: DataView): Uint8Array {
    const size = lengths.getUint32(from, true)
    return cut(all, moved(size), size)
  }
}

function cut(bytes: Uint8Array, from: number, size: number): Uint8Array {
  if (size < 0 || size > bytesMax || from + size > bytes.length) throw broken('a value is longer than its page')
  return bytes.subarray(from, from + size)
}

const julianEpoch = 2_440_588n
const dayNs = 86_400_000_000_000n

/** Converts INT96 (nanoseconds of the day, Julian day number) to nanoseconds since 1970. */
const nanoseconds = (view: DataView, at: number): bigint =>
  (BigInt(view.getInt32(at + 8, true)) - julianEpoch) * dayNs + view.getBigInt64(at, true)

function rleBooleans({ bytes }: EncodedValues): Next {
  const size = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(0, true)
  const runs = new RunReader(bytes, 4, 4 + size, 1)
  return () => runs.next() === 1
}

interface Reader {
  view: DataView
  offset: number
}

const readerOf = (bytes: Uint8Array): Reader => ({
  view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength),
  offset: 0,
})

function integers(reader: Reader, type: ParquetType, count: number): Int32Array | BigInt64Array {
  const all = type === 'INT64' ? new BigInt64Array(count) : new Int32Array(count)
  if (count > 0) deltaBinaryUnpack(reader, count, all)
  return all
}

function readFromArray(all: ArrayLike<Raw>): Next {
  let at = 0
  return () => {
    if (at >= all.length) throw broken('a page ends early')
    return all[at++]!
  }
}

function deltaLengths({ bytes, count }: EncodedValues): Next {
  const reader = readerOf(bytes)
  const lengths = readFromArray(integers(reader, 'INT32', count()))
  let at = reader.offset
  return () => {
    const size = lengths() as number
    const value = cut(bytes, at, size)
    at += size
    return value
  }
}

/** Each value shares a prefix with the one before. */
function deltaBytes({ bytes, count }: EncodedValues): Next {
  const reader = readerOf(bytes)
  const number = count()
  const shared = readFromArray(integers(reader, 'INT32', number))
  const lengths = readFromArray(integers(reader, 'INT32', number))
  let at = reader.offset
  let last: Uint8Array = new Uint8Array()
  return () => {
    const [begin, size] = [shared() as number, lengths() as number]
    const end = cut(bytes, at, size)
    if (begin < 0 || begin > last.length || begin + size > bytesMax) throw broken('a value is longer than its page')
    at += size
    last = begin === 0 ? end : Buffer.concat([last.subarray(0, begin), end])
    return last
  }
}

const widths: Readonly<Partial<Record<ParquetType, number>>> = { INT32: 4, FLOAT: 4, INT64: 8, DOUBLE: 8 }

function split({ bytes, type, length, count }: EncodedValues): Next {
  const number = count()
  if (number * (widths[type] ?? length) > bytes.length) throw broken('a page ends early')
  return readFromArray(byteStreamSplit(readerOf(bytes), number, type, length) as ArrayLike<Raw>)
}
