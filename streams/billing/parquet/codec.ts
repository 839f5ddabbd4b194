/** How pages are unpacked. Never to more than they say they hold, so that a small file cannot fill the memory. */
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { compressors } from 'hyparquet-compressors'
import type { CompressionCodec } from 'hyparquet'
import { broken } from './fault.ts'

type Unpack = (bytes: Uint8Array, size: number) => Uint8Array

/** Node's own are several times as fast as those in JavaScript. */
const codecs: Readonly<Partial<Record<CompressionCodec, Unpack>>> = {
  UNCOMPRESSED: (bytes) => bytes,
  SNAPPY: compressors.SNAPPY!,
  LZ4: compressors.LZ4!,
  LZ4_RAW: compressors.LZ4_RAW!,
  GZIP: (bytes, size) => gunzipSync(bytes, { maxOutputLength: Math.max(1, size) }),
  BROTLI: (bytes, size) => brotliDecompressSync(bytes, { maxOutputLength: Math.max(1, size) }),
  ZSTD: (bytes, size) => zstdDecompressSync(bytes, { maxOutputLength: Math.max(1, size) }),
}

export const isCodec = (name: string | undefined): name is CompressionCodec => name !== undefined && name in codecs

export const codecNames = 'snappy, gzip, zstd, brotli and lz4'

/** @throws Fault `invalid` `parquet_invalid` */
export function unpacked(codec: CompressionCodec, bytes: Uint8Array, size: number): Uint8Array {
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
