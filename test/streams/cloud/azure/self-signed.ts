/** Certificates of applications: RSA keys that vouch for themselves, written in DER by hand. */
import { generateKeyPairSync, sign } from 'node:crypto'

const der = (tag: number, ...parts: Uint8Array[]): Buffer => {
  const body = Buffer.concat(parts)
  const length =
    body.length < 128 ? Buffer.from([body.length]) : Buffer.from([0x82, body.length >> 8, body.length & 0xff])
  return Buffer.concat([Buffer.from([tag]), length, body])
}
const sequence = (...parts: Uint8Array[]) => der(0x30, ...parts)

/** sha256WithRSAEncryption, and commonName. */
const [rsaSha256, commonName] = ['06092a864886f70d01010b0500', '0603550403'].map((hex) => Buffer.from(hex, 'hex'))
const time = (day: string) => der(0x18, Buffer.from(`${day.replaceAll('-', '')}000000Z`))

/** PEM of a certificate from 2026 to `until` (YYYY-MM-DD), and of its key. */
export function selfSigned({ until = '2126-01-01', bits = 2048 } = {}): { certificate: string; key: string } {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: bits })
  const name = sequence(der(0x31, sequence(commonName!, der(0x0c, Buffer.from('tidemark')))))
  const content = sequence(
    der(0x02, Buffer.from([1])),
    sequence(rsaSha256!),
    name,
    sequence(time('2026-01-01'), time(until)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
  )
  const signature = sign('sha256', content, privateKey)
  const whole = sequence(content, sequence(rsaSha256!), der(0x03, Buffer.from([0]), signature))
  return {
    certificate: `-----BEGIN CERTIFICATE-----\n${whole.toString('base64')}\n-----END CERTIFICATE-----\n`,
    key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
  }
}
