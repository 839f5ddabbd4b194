/**
 * ClickHouse's own compression format, which the embedded engine supports only for files. Consecutive blocks of:
 * checksum of everything after it (16 bytes), method (1), length from the method on (4), uncompressed length (4), data.
 */
import { compress, uncompress } from 'lz4-napi'
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { cityHash128 } from './city-hash.ts'
import { refusal } from './error-codes.ts'

const CHECKSUM_BYTES = 16
const HEADER_BYTES = 9
/** Uncompressed bytes of a block, as in a ClickHouse server. */
const BLOCK_BYTES = 2 ** 20
const NONE = 0x02
const LZ4 = 0x82
const ZSTD = 0x90

const packZstd = promisify<Buffer, Buffer>(zlib.zstdCompress)
const unpackZstd = promisify<Buffer, zlib.ZstdOptions, Buffer>(zlib.zstdDecompress)

/**
 * `method` is the setting `network_compression_method`. The LZ4 library puts the length before the data; it is removed.
 */
async function compressWith(data: Buffer, method: string): Promise<[number, Buffer]> {
  if (method === 'ZSTD') return [ZSTD, await packZstd(data)]
  return [LZ4, (await compress(data)).subarray(4)]
}

/** Compresses bytes into blocks; no blocks for no bytes. */
export async function pack(bytes: Buffer, method = 'LZ4'): Promise<Buffer> {
  const blocks: Buffer[] = []
  for (let from = 0; from < bytes.length; from += BLOCK_BYTES) {
    const plain = bytes.subarray(from, from + BLOCK_BYTES)
    const [code, data] = await compressWith(plain, method.toUpperCase())
    const block = Buffer.allocUnsafe(CHECKSUM_BYTES + HEADER_BYTES + data.length)
    block.writeUInt8(code, CHECKSUM_BYTES)
    block.writeUInt32LE(HEADER_BYTES + data.length, CHECKSUM_BYTES + 1)
    block.writeUInt32LE(plain.length, CHECKSUM_BYTES + 5)
    data.copy(block, CHECKSUM_BYTES + HEADER_BYTES)
    const [low, high] = cityHash128(block.subarray(CHECKSUM_BYTES))
    block.writeBigUInt64LE(low, 0)
    block.writeBigUInt64LE(high, 8)
    blocks.push(block)
  }
  return Buffer.concat(blocks)
}

/**
 * Decompresses blocks. @throws Error in the engine's words: over `bytesMax`, truncated, corrupted, or an unknown method
 */
export async function unpack(bytes: Buffer, bytesMax: number): Promise<Buffer> {
  const blocks = [...split(bytes)]
  const total = blocks.reduce((sum, { length }) => sum + length, 0)
  if (total > bytesMax) throw refusal(223, 'The body is over 100 MB.')
  const plain: Buffer[] = []
  for (const block of blocks) plain.push(await unpackBlock(block))
  return Buffer.concat(plain)
}

interface Block {
  readonly method: number
  /** Uncompressed bytes. */
  readonly length: number
  readonly data: Buffer
}

function* split(bytes: Buffer): Generator<Block> {
  for (let from = 0; from < bytes.length;) {
    const start = from + CHECKSUM_BYTES
    const size = start + HEADER_BYTES > bytes.length ? 0 : bytes.readUInt32LE(start + 1)
    if (size < HEADER_BYTES || start + size > bytes.length)
      throw refusal(33, 'The body ends inside a compressed block, or is not compressed.')
    const block = bytes.subarray(start, start + size)
    const [low, high] = cityHash128(block)
    if (low !== bytes.readBigUInt64LE(from) || high !== bytes.readBigUInt64LE(from + 8))
      throw refusal(40, 'Checksum does not match: a compressed block was corrupted.')
    yield { method: block.readUInt8(0), length: block.readUInt32LE(5), data: block.subarray(HEADER_BYTES) }
    from = start + size
  }
}

async function unpackBlock({ method, length, data }: Block): Promise<Buffer> {
  const plain = await decompressWith(method, length, data).catch((error: Error) => {
    throw error.message.startsWith('Code: ') ? error : refusal(271, `A block cannot be decompressed: ${error.message}.`)
  })
  if (plain.length !== length) throw refusal(271, 'A block does not match its stated size.')
  return plain
}

async function decompressWith(method: number, length: number, data: Buffer): Promise<Buffer> {
  if (method === NONE) return data
  if (method === ZSTD) return unpackZstd(data, { maxOutputLength: Math.max(length, 1) })
  if (method !== LZ4) throw refusal(89, `The compression method 0x${method.toString(16)} is not supported.`)
  const prefix = Buffer.alloc(4)
  prefix.writeUInt32LE(length)
  return uncompress(Buffer.concat([prefix, data]))
}
