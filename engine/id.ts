import { createHash } from 'node:crypto'

/**
 * The UUID that names these parts, the same for the same parts everywhere and always: SHA-256 of the parts, each behind
 * its length so that no two lists read alike, cut to an RFC 9562 UUID of version 8.
 */
export function uuidOf(...parts: readonly string[]): string {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:${part}`)
  const bytes = hash.digest().subarray(0, 16)
  bytes[6] = (bytes[6]! & 0x0f) | 0x80
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
