/** Tokens by which builders report (decision G-98): HS256, good for the one revision that they name. */
import jwt from 'jsonwebtoken'
import { Fault } from '#engine/value/fault.ts'

/** Seconds a token is good for, and seconds after which none is taken however long it claims to be. */
const secondsGood = 30 * 60
/** Seconds that the clock of whoever signed may be ahead. */
const aheadSecondsMax = 60

export function callbackToken(secret: string, revisionId: string, now: Date): string {
  const iat = Math.floor(now.getTime() / 1000)
  return jwt.sign({ rev: revisionId, iat, exp: iat + secondsGood }, secret, { algorithm: 'HS256' })
}

/**
 * Checks a token before anything is read of its revision.
 * @throws Fault `unauthenticated` `invalid_callback_token` for all that was not signed for this revision and is good now
 */
export function checkCallbackToken(secret: string, token: string, revisionId: string, now: Date): void {
  const seconds = now.getTime() / 1000
  const { rev, iat, exp } = claimsOf(secret, token, seconds)
  const isTimed = Number.isSafeInteger(iat) && Number.isSafeInteger(exp)
  if (rev !== revisionId || !isTimed) throw invalid()
  const age = Math.floor(seconds) - (iat as number)
  if (age > secondsGood || age < -aheadSecondsMax) throw invalid()
}

/** What a token says that bears our signature and has not ended; a number of dots and letters says nothing. */
function claimsOf(secret: string, token: string, seconds: number): Record<string, unknown> {
  try {
    const clockTimestamp = Math.floor(seconds)
    const { header, payload } = jwt.verify(token, secret, { algorithms: ['HS256'], clockTimestamp, complete: true })
    // What a signer calls critical and we do not know is not to be taken (RFC 7515, 4.1.11).
    return typeof payload === 'object' && header.crit === undefined ? payload : {}
  } catch {
    throw invalid()
  }
}

const invalid = (): Fault =>
  Fault.unauthenticated('invalid_callback_token', 'The token is not valid for this revision, or has expired.')
