/**
 * Tokens by which identity pools of clouds know an organization of ours (RFC 7523). They are signed by the keys that are published, and
 * are for the audience of the pool alone: nothing here takes them.
 */
import { randomUUID } from 'node:crypto'
import jwt from 'jsonwebtoken'
import type { KeyRing } from './key.ts'

/** Seconds: long enough to be exchanged. */
const secondsGood = 600

export interface SubjectTools {
  keys: Pick<KeyRing, 'signer'>
  publicUrl: () => string
  now: () => Date
}

/** Of one organization, whatever another one names as its pool. */
export const subjectOf = (orgId: string): string => `organization:${orgId}`

export async function subjectToken(
  { keys, publicUrl, now }: SubjectTools,
  orgId: string,
  audience: string,
): Promise<string> {
  const { kid, key } = await keys.signer()
  const iat = Math.floor(now().getTime() / 1000)
  const payload = {
    iss: publicUrl(),
    sub: subjectOf(orgId),
    aud: audience,
    jti: randomUUID(),
    iat,
    nbf: iat,
    exp: iat + secondsGood,
  }
  return jwt.sign(payload, key, { algorithm: 'RS256', header: { alg: 'RS256', typ: 'JWT', kid } })
}
