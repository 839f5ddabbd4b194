/** Access tokens: RS256, typ at+jwt, valid for 15 minutes, signed by our key with the token's `kid`. */
import { randomUUID } from 'node:crypto'
import jwt from 'jsonwebtoken'
import { Fault } from '#engine/value/fault.ts'
import type { KeyRing } from './key.ts'

/** The claims of an access token (decision G-11). */
export interface Claims {
  /** The user. */
  sub: string
  /** The session. */
  sid: string
  email: string
  name: string
  /** How the person signed in (RFC 8176): `pwd`, or `fed` with the provider. */
  amr: readonly string[]
  /** The active organization and the role in it. Each has two names, because clients differ in where they look. */
  'tenant-id'?: string
  org_id?: string
  role?: string
}

export interface VerifiedClaims extends Claims {
  /** Seconds since 1970. */
  exp: number
  /** The key that signed it. */
  kid: string
}

const audience = 'tidemark-api'
export const secondsGood = 15 * 60
/** Seconds by which the clock of another process of ours may be ahead. */
const skewSeconds = 30
const type = 'at+jwt'

export class AccessTokens {
  private readonly keys: KeyRing
  private readonly issuer: () => string
  private readonly now: () => Date

  constructor(keys: KeyRing, issuer: () => string, now: () => Date) {
    this.keys = keys
    this.issuer = issuer
    this.now = now
  }

  async sign(claims: Claims): Promise<string> {
    const { kid, key } = await this.keys.signer()
    const iat = Math.floor(this.now().getTime() / 1000)
    const payload = {
      ...claims,
      iss: this.issuer(),
      aud: audience,
      jti: randomUUID(),
      iat,
      nbf: iat,
      exp: iat + secondsGood,
    }
    return jwt.sign(payload, key, { algorithm: 'RS256', header: { alg: 'RS256', typ: type, kid } })
  }

  /** @throws Fault `unauthenticated` `invalid_token` for anything but a currently valid token of ours */
  async verify(token: string): Promise<VerifiedClaims> {
    const header = decodeToken(token)?.header
    if (header?.alg !== 'RS256' || header.typ !== type || typeof header.kid !== 'string') throw invalidToken()
    const key = await this.keys.verifier(header.kid)
    if (!key) throw invalidToken()
    const seconds = Math.floor(this.now().getTime() / 1000)
    const claims = this.decoded(token, key, seconds)
    if (!isWhole(claims) || claims.nbf > seconds + skewSeconds || claims.iat > seconds + skewSeconds)
      throw invalidToken()
    return { ...claims, kid: header.kid }
  }

  /** Whether the key that signed it is still one of ours. */
  async isKept({ kid }: Pick<VerifiedClaims, 'kid'>): Promise<boolean> {
    return (await this.keys.verifier(kid)) !== undefined
  }

  private decoded(token: string, key: jwt.PublicKey, clockTimestamp: number): unknown {
    try {
      return jwt.verify(token, key, {
        algorithms: ['RS256'],
        audience,
        issuer: this.issuer(),
        clockTimestamp,
        ignoreNotBefore: true,
      })
    } catch {
      throw invalidToken()
    }
  }
}

/** The content of a token, not verified yet; null if it is not a token. */
export function decodeToken(token: string): jwt.Jwt | null {
  try {
    return jwt.decode(token, { complete: true })
  } catch {
    return null
  }
}

function isWhole(claims: unknown): claims is VerifiedClaims & { nbf: number; iat: number } {
  const { sub, sid, exp, iat, nbf } = claims as Record<string, unknown>
  return [sub, sid].every((id) => typeof id === 'string' && id !== '') && [exp, iat, nbf].every(Number.isSafeInteger)
}

export const invalidToken = (): Fault =>
  Fault.unauthenticated('invalid_token', 'The token is unknown, expired or revoked.')
