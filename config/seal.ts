import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Fault } from '#engine/fault.ts'
import { parseJson } from '#engine/json.ts'

export interface Seal {
  /** AES-256-GCM of the JSON form: 12 bytes of nonce, 16 of tag, the rest text; base64. */
  seal: (secret: unknown) => string
  /** @throws Fault `defect` when it was sealed under another key, or changed */
  open: (sealed: string) => unknown
}

/** `key` is 32 bytes in base64. */
export function sealing(key: string): Seal {
  const bytes = Buffer.from(key, 'base64')
  return {
    seal(secret) {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', bytes, nonce)
      const text = Buffer.concat([cipher.update(JSON.stringify(secret), 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64')
    },
    open(sealed) {
      try {
        const all = Buffer.from(sealed, 'base64')
        const decipher = createDecipheriv('aes-256-gcm', bytes, all.subarray(0, 12), { authTagLength: 16 })
        decipher.setAuthTag(all.subarray(12, 28))
        return parseJson(Buffer.concat([decipher.update(all.subarray(28)), decipher.final()]).toString('utf8'))
      } catch (cause) {
        throw Fault.defect(new Error('credentials were sealed under another key', { cause }))
      }
    },
  }
}

/** 32 bytes that follow from the key, others for each purpose. */
export const secretOf = (key: string, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', Buffer.from(key, 'base64'), '', `tidemark ${purpose}`, 32))

/** The key kept in the data folder, for the owner's eyes only; made on first use. */
export function keptKey(dataDir: string): string {
  const file = path.join(dataDir, 'credentials.key')
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    mkdirSync(dataDir, { recursive: true })
    const key = randomBytes(32).toString('base64')
    writeFileSync(file, `${key}\n`, { mode: 0o600, flag: 'wx', flush: true })
    return key
  }
}
