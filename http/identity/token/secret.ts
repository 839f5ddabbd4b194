/** Random secrets that are shown once and stored as a hash; for 256 random bits a fast hash is safe. */
import { createHash, createHmac, randomBytes } from 'node:crypto'

/** 43 characters of base64url, 256 bits. */
export const newSecret = (): string => randomBytes(32).toString('base64url')

/** SHA-256, 64 hex digits. */
export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

/** HMAC-SHA256, base64url: 43 characters. */
export const keyedHash = (key: Buffer, text: string): string =>
  createHmac('sha256', key).update(text).digest('base64url')
