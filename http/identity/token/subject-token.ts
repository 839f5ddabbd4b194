/**
 * Tokens by which identity pools of clouds recognize an organization (RFC 7523). They are signed with the published
 * keys and only valid for the audience of the pool: this service does not accept them.
 */
import { randomUUID } from 'node:crypto'
import jwt from 'jsonwebtoken'
import type { KeyRing } from './key.ts'

/** Seconds of validity: long enough to be exchanged. */
const secondsGood = 600

export interface SubjectTools {
  keys: Pick<KeyRing, 'signer'>
  publicUrl: () => string
  now: () => Date
}

/** Identifies one organization, whatever pool another one names. */
export const subjectOf = (orgId: string): string => `organization:${orgId}`

/** The commands by which a cloud trusts `issuer`. If it could not read the keys there, a comment says what is missing. */
export const trustCommands = (issuer: string, cloud: string, commands: readonly string[]): string[] =>
  issuer.startsWith('https://')
    ? [...commands]
    : [`# PUBLIC_URL must be set to an https address that ${cloud} can reach, such as https://tidemark.example.com.`]

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
