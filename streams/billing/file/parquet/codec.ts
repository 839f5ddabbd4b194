/** Decompresses pages, to at most their declared size, so that a small file cannot fill the memory. */
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { compressors } from 'hyparquet-compressors'
import type { CompressionCodec } from 'hyparquet'
import { broken } from './fault.ts'
import { framedSize, lz4Size, snappySize } from './packed-size.ts'

type Unpack = (bytes: Uint8Array, size: number) => Uint8Array

const nothing = new Uint8Array()

/**
 * The libraries for snappy and lz4 pad a page that is too short and truncate one that is too long, so the size is
 * checked first. The other codecs are Node's own, which are several times as fast as JavaScript.
 */
const codecs: Readonly<Partial<Record<CompressionCodec, Unpack>>> = {
  UNCOMPRESSED: (bytes) => bytes,
  SNAPPY: (bytes, size) => (snappySize(bytes) === size ? compressors.SNAPPY!(bytes, size) : nothing),
  LZ4: (bytes, size) =>
    framedSize(bytes) === size || lz4Size(bytes) === size ? compressors.LZ4!(bytes, size) : nothing,
  LZ4_RAW: (bytes, size) => (lz4Size(bytes) === size ? compressors.LZ4_RAW!(bytes, size) : nothing),
  GZIP: (bytes, size) => gunzipSync(bytes, { maxOutputLength: Math.max(1, size) }),
  BROTLI: (bytes, size) => brotliDecompressSync(bytes, { maxOutputLength: Math.max(1, size) }),
  ZSTD: (bytes, size) => zstdDecompressSync(bytes, { maxOutputLength: Math.max(1, size) }),
}

export const isCodec = (name: string | undefined): name is CompressionCodec => name !== undefined && name in codecs

export const codecNames = 'snappy, gzip, zstd, brotli and lz4'

/** @throws Fault `invalid` `parquet_invalid` */
export function unpackPage(codec: CompressionCodec, bytes: Uint8Array, size: number): Uint8Array {
  if (size === 0) return new Uint8Array()
  const page = unpack(codec, bytes, size)
  if (page.length !== size) throw broken('a page does not have its declared length')
  return page
}

function unpack(codec: CompressionCodec, bytes: Uint8Array, size: number): Uint8Array {
  try {
    return codecs[codec]!(bytes, size)
  } catch {
    throw broken(`a page is not valid ${codec.toLowerCase()}`)
  }
}
