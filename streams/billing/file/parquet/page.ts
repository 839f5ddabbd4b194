/** An open page of a column. Levels and values are decoded one at a time. */
import { crc32 } from 'node:zlib'
import type { CompressionCodec, PageHeader } from 'hyparquet'
import { unpackPage } from './codec.ts'
import { broken, unread } from './fault.ts'
import { plainValues, valuesOf, type Next } from './plain.ts'
import { RunReader } from './run-reader.ts'
import type { Leaf } from './schema.ts'
import type { Convert } from './value.ts'

export interface Page {
  /** Values, including nulls and empty lists. */
  count: number
  repetition: RunReader | undefined
  definition: RunReader | undefined
  /** The next value that is not null. */
  next: () => unknown
}

export interface PageParts {
  header: PageHeader
  /** As in the file, without the header. */
  bytes: Uint8Array
  codec: CompressionCodec
}

/** Verifies the checksum if the page has one. */
function checkSum({ header, bytes }: PageParts): void {
  if (header.crc !== undefined && crc32(bytes) !== header.crc >>> 0)
    throw broken('the checksum of a page does not match')
}

export function dictionaryOf(parts: PageParts, { element }: Leaf, convert: Convert): unknown[] {
  checkSum(parts)
  const { header, codec } = parts
  const bytes = unpackPage(codec, parts.bytes, header.uncompressed_page_size)
  const count = header.dictionary_page_header?.num_values ?? 0
  if (count < 0 || count > bytes.length * 8) throw broken('a dictionary does not have its declared content')
  const next = plainValues({ type: element.type!, length: element.type_length ?? 0, bytes })
  return Array.from({ length: count }, () => convert(next()))
}

export function openPage(parts: PageParts, leaf: Leaf, dictionary: readonly unknown[], convert: Convert): Page {
  checkSum(parts)
  const { levels, values, encoding, count } =
    parts.header.type === 'DATA_PAGE_V2' ? secondVersion(parts) : firstVersion(parts, leaf)
  const { repetition, definition } = levels
  const open = (level: Level | undefined, most: number) =>
    level && new RunReader(level.bytes, level.from, level.to, bitsOf(most))
  const present = () => {
    const definitions = open(definition, leaf.definitionMax)
    let found = 0
    for (let i = 0; i < count; i++) if (!definitions || definitions.next() === leaf.definitionMax) found++
    return found
  }
  const type = leaf.element.type!
  return {
    count,
    repetition: open(leaf.repetitionMax > 0 ? repetition : undefined, leaf.repetitionMax),
    definition: open(leaf.definitionMax > 0 ? definition : undefined, leaf.definitionMax),
    next:
      encoding === 'RLE_DICTIONARY' || encoding === 'PLAIN_DICTIONARY'
        ? fromDictionary(values, dictionary)
        : convertNext(
            valuesOf({ type, length: leaf.element.type_length ?? 0, encoding, bytes: values, count: present }),
            convert,
          ),
  }
}

const convertNext =
  (next: Next, convert: Convert): (() => unknown) =>
  () =>
    convert(next())

function fromDictionary(bytes: Uint8Array, dictionary: readonly unknown[]): () => unknown {
  const indices = bytes.length > 0 ? new RunReader(bytes, 1, bytes.length, bytes[0]!) : undefined
  return () => {
    const index = indices ? indices.next() : dictionary.length
    if (index >= dictionary.length) throw broken('a page refers to a value that its dictionary does not have')
    return dictionary[index]
  }
}

/** Position of levels in the bytes. */
interface Level {
  bytes: Uint8Array
  from: number
  to: number
}

interface PageContents {
  levels: { repetition?: Level | undefined; definition?: Level | undefined }
  values: Uint8Array
  encoding: NonNullable<PageHeader['data_page_header']>['encoding']
  count: number
}

const bitsOf = (most: number): number => 32 - Math.clz32(most)

function firstVersion({ header, bytes: packed, codec }: PageParts, leaf: Leaf): PageContents {
  const page = header.data_page_header
  if (!page) throw broken('a page has no header')
  const bytes = unpackPage(codec, packed, header.uncompressed_page_size)
  let at = 0
  const level = (most: number, encoding: string): Level | undefined => {
    if (most === 0) return undefined
    if (encoding !== 'RLE') throw unread(`has levels in the unsupported encoding ${encoding}`)
    const size = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(at, true)
    const found = { bytes, from: at + 4, to: at + 4 + size }
    at = found.to
    return found
  }
  const repetition = level(leaf.repetitionMax, page.repetition_level_encoding)
  const definition = level(leaf.definitionMax, page.definition_level_encoding)
  return {
    levels: { repetition, definition },
    values: bytes.subarray(at),
    encoding: page.encoding,
    count: page.num_values,
  }
}

function secondVersion({ header, bytes, codec }: PageParts): PageContents {
  const page = header.data_page_header_v2
  if (!page) throw broken('a page has no header')
  const { repetition_levels_byte_length: first, definition_levels_byte_length: second } = page
  const from = first + second
  if (first < 0 || second < 0 || from > bytes.length) throw broken('a page ends early')
  const repetition = { bytes, from: 0, to: first }
  const definition = { bytes, from: first, to: from }
  const packed = bytes.subarray(from)
  const values = page.is_compressed === false ? packed : unpackPage(codec, packed, header.uncompressed_page_size - from)
  return { levels: { repetition, definition }, values, encoding: page.encoding, count: page.num_values }
}
