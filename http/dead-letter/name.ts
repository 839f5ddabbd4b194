/**
 * What a dead letter is called outside. Its id says where in a lane its message stood, and two of them how many messages of others came
 * between: the name says nothing, is always the same, and only this installation knows what it means.
 */
import { createCipheriv, createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto'

/** What the secrets are derived for. */
export const letterPurpose = 'dead-letter'

const macBytes = 16
const longest = 1024

const keyOf = (secret: Buffer, use: 'mac' | 'cipher'): Buffer => createHmac('sha256', secret).update(use).digest()

const macOf = (id: Buffer, secret: Buffer): Buffer =>
  createHmac('sha256', keyOf(secret, 'mac')).update(id).digest().subarray(0, macBytes)

/** The code of the id in front of the id, which is enciphered by it: the same id has the same name. */
export function letterName(id: string, secret: Buffer): string {
  const text = Buffer.from(id)
  const mac = macOf(text, secret)
  const cipher = createCipheriv('aes-256-ctr', keyOf(secret, 'cipher'), mac)
  return Buffer.concat([mac, cipher.update(text), cipher.final()]).toString('base64url')
}

/** The id, whichever of the secrets it was named by; undefined for what is no name of ours. */
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
