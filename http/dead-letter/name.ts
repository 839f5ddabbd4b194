/**
 * The public name of a dead letter. Its id contains the position of its message in a lane, from which one could tell
 * how many messages of others came in between. The name is the encrypted id: it reveals nothing, never changes, and
 * only this installation can decrypt it.
 */
import { createCipheriv, createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto'

/** The purpose that the keys are derived for. */
export const letterPurpose = 'dead-letter'

const macBytes = 16
const longest = 1024

const keyOf = (secret: Buffer, use: 'mac' | 'cipher'): Buffer => createHmac('sha256', secret).update(use).digest()

const macOf = (id: Buffer, secret: Buffer): Buffer =>
  createHmac('sha256', keyOf(secret, 'mac')).update(id).digest().subarray(0, macBytes)

/**
 * An authentication code of the id, followed by the id encrypted with it, so that the same id always has the same name.
 */
export function letterName(id: string, secret: Buffer): string {
  const text = Buffer.from(id)
  const mac = macOf(text, secret)
  const cipher = createCipheriv('aes-256-ctr', keyOf(secret, 'cipher'), mac)
  return Buffer.concat([mac, cipher.update(text), cipher.final()]).toString('base64url')
}

/** The id, decrypted with any of the keys; undefined if the name is not one of ours. */
export function letterId(name: string, secrets: readonly Buffer[]): string | undefined {
  if (name.length > longest || !/^[\w-]+$/.test(name)) return undefined
  const bytes = Buffer.from(name, 'base64url')
  const [mac, hidden] = [bytes.subarray(0, macBytes), bytes.subarray(macBytes)]
  if (mac.length < macBytes || bytes.toString('base64url') !== name) return undefined
  for (const secret of secrets) {
    const decipher = createDecipheriv('aes-256-ctr', keyOf(secret, 'cipher'), mac)
    const text = Buffer.concat([decipher.update(hidden), decipher.final()])
    if (timingSafeEqual(macOf(text, secret), mac)) return text.toString()
  }
  return undefined
}
