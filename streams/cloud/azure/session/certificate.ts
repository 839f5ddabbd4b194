/** A certificate by which Entra recognizes an application, and the statements that its key signs. */
import { createHash, createPrivateKey, randomUUID, X509Certificate, type KeyObject } from 'node:crypto'
import jwt from 'jsonwebtoken'

export interface ApplicationCertificate {
  key: KeyObject
  /** SHA-256 of the certificate, as Entra finds it. */
  thumbprint: string
  /** Milliseconds since 1970. */
  endsAt: number
}

const lengthMax = 16_384
/** A chain may follow the certificate itself. */
const certificatesMax = 10
const block = /-----BEGIN ([A-Z0-9 ]{1,40})-----[A-Za-z0-9+/=\r\n]+-----END \1-----/g

/** @throws Error whose message says what the PEM text must be */
export function readCertificate(pem: string): ApplicationCertificate {
  if (pem.length > lengthMax) throw new Error(`must be at most ${lengthMax} characters`)
  const blocks = Map.groupBy(pem.matchAll(block), ([, label = '']) => label)
  if (blocks.has('ENCRYPTED PRIVATE KEY')) throw new Error('must contain a private key without a password')
  const chain = blocks.get('CERTIFICATE') ?? []
  const keys = [...(blocks.get('PRIVATE KEY') ?? []), ...(blocks.get('RSA PRIVATE KEY') ?? [])]
  if (chain.length === 0 || chain.length > certificatesMax || keys.length !== 1)
    throw new Error('must be PEM text with a certificate and its private key')
  const key = readKey(keys[0]![0])
  const certificate = chain.map(([text]) => readOne(text)).find((one) => one.checkPrivateKey(key))
  if (!certificate) throw new Error('must contain the certificate of its private key')
  return {
    key,
    thumbprint: createHash('sha256').update(certificate.raw).digest('base64url'),
    endsAt: certificate.validToDate.getTime(),
  }
}

function readKey(pem: string): KeyObject {
  const key = readOrUndefined(() => createPrivateKey(pem))
  if (key?.asymmetricKeyType !== 'rsa' || (key.asymmetricKeyDetails?.modulusLength ?? 0) < 2048)
    throw new Error('must contain an RSA key of 2048 bits or more')
  return key
}

function readOne(pem: string): X509Certificate {
  const found = readOrUndefined(() => new X509Certificate(pem))
  if (!found) throw new Error('must contain certificates that can be read')
  return found
}

/** Errors of the parser may contain parts of the key. */
function readOrUndefined<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** Seconds of validity: long enough to be sent. */
const secondsGood = 600

/** RFC 7523, as Entra wants it. `audience` is the address to which it is sent. */
export function signStatement(
  { key, thumbprint }: ApplicationCertificate,
  clientID: string,
  audience: string,
  now: number,
): string {
  const iat = Math.floor(now / 1000)
  const claims = {
    aud: audience,
    iss: clientID,
    sub: clientID,
    jti: randomUUID(),
    iat,
    nbf: iat,
    exp: iat + secondsGood,
  }
  return jwt.sign(claims, key, {
    algorithm: 'PS256',
    header: { alg: 'PS256', typ: 'JWT', 'x5t#S256': thumbprint },
  })
}
