import { createHash, hash } from 'node:crypto'

/**
 * The UUID that names these parts, the same for the same parts everywhere and always: SHA-256 of the parts, each behind
 * its length so that no two lists read alike, cut to an RFC 9562 UUID of version 8.
 */
export function uuidOf(...parts: readonly string[]): string {
  const hex = hash('sha256', parts.map((part) => `${Buffer.byteLength(part)}:${part}`).join(''))
  const variant = '89ab'[Number.parseInt(hex[16]!, 16) & 3]!
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Whether `text` is a UUID as we write them: in lower case, so that one thing has one name. */
export const isUuid = (text: string): boolean => uuid.test(text)

/** Whether a uuid column takes `text`: in upper case too. */
export const isUuidOfAnyCase = (text: string): boolean => isUuid(text.toLowerCase())

/** The UUID of version 5 (RFC 9562, 5.5) of a name in a namespace, for ids that others work out too. @throws where the namespace is no UUID */
export function uuid5(namespace: string, name: string): string {
  if (!isUuid(namespace)) throw new Error('a namespace must be a UUID')
  const bytes = createHash('sha1')
    .update(Buffer.from(namespace.replaceAll('-', ''), 'hex'))
    .update(name)
    .digest()
  bytes[6] = (bytes[6]! & 0x0f) | 0x50
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`
}
