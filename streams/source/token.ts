/** Tokens with which builders report results (decision G-98): HS256, valid only for the named revision. */
import jwt from 'jsonwebtoken'
import { Fault } from '#engine/value/fault.ts'

/** Seconds a token is valid, and the maximum age accepted, whatever the token claims. */
const secondsGood = 30 * 60
/** Maximum seconds that the signer's clock may be ahead. */
const aheadSecondsMax = 60

export function callbackToken(secret: string, revisionId: string, now: Date): string {
  const iat = Math.floor(now.getTime() / 1000)
  return jwt.sign({ rev: revisionId, iat, exp: iat + secondsGood }, secret, { algorithm: 'HS256' })
}

/**
 * Checks a token before anything of its revision is read.
 * @throws Fault `unauthenticated` `invalid_callback_token` unless it was signed for this revision and is valid now
 */
export function checkCallbackToken(secret: string, token: string, revisionId: string, now: Date): void {
  const seconds = now.getTime() / 1000
  const { rev, iat, exp } = claimsOf(secret, token, seconds)
  const isTimed = Number.isSafeInteger(iat) && Number.isSafeInteger(exp)
  if (rev !== revisionId || !isTimed) throw invalid()
  const age = Math.floor(seconds) - (iat as number)
  if (age > secondsGood || age < -aheadSecondsMax) throw invalid()
}

/**
 * The claims of a token with our signature that has not expired; empty if the payload is not an object.
 * @throws Fault `unauthenticated` `invalid_callback_token` for any other token
 */
function claimsOf(secret: string, token: string, seconds: number): Record<string, unknown> {
  try {
    const clockTimestamp = Math.floor(seconds)
    const { header, payload } = jwt.verify(token, secret, { algorithms: ['HS256'], clockTimestamp, complete: true })
    // Tokens with unknown critical headers must be refused (RFC 7515, 4.1.11).
    return typeof payload === 'object' && header.crit === undefined ? payload : {}
  } catch {
    throw invalid()
  }
}

const invalid = (): Fault =>
  Fault.unauthenticated('invalid_callback_token', 'The token is not valid for this revision, or has expired.')
