/** What PostgreSQL stores of a password (RFC 5803), so that the password itself is not in a statement or its log. */
import { hash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'

const iterations = 4096

const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()

/** The password must consist of ASCII characters. */
export function scramVerifier(password: string, salt: Buffer = randomBytes(16)): string {
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256')
  const storedKey = hash('sha256', hmac(salted, 'Client Key'), 'base64')
  const serverKey = hmac(salted, 'Server Key').toString('base64')
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${serverKey}`
}
