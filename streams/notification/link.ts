/** Links in messages that open without signing in: whoever has one may do what it is for, and nobody can make or change one. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/**
 * `event`: to read what one delivery told. `unsubscribe`: to get no more of an event type by a person's built-in mail, or
 * nothing more by a channel while its mails go to whom `to` stands for. `confirm`: to agree to mails of a channel, for whom `to` stands for. `report`: to get no more of a scheduled report, for whom
 * `to` stands for.
 */
export type LinkClaim =
  | { what: 'event'; orgId: string; deliveryId: string; createdAt: string }
  | { what: 'confirm'; orgId: string; channelId: string; to: string; nonce: string; createdAt: string }
  | { what: 'report'; orgId: string; scheduleId: string; to: string }
  | { what: 'unsubscribe'; orgId: string; channelId: string; eventType: string; to: string }

/** Stands for an address, and tells none. */
export const addressMark = (email: string): string =>
  createHash('sha256').update(email.toLowerCase()).digest('base64url').slice(0, 16)

const signatureOf = (payload: string, secret: Buffer): Buffer => createHmac('sha256', secret).update(payload).digest()

/** `<payload>.<signature>`, both base64url. */
export function linkToken(claim: LinkClaim, secret: Buffer): string {
  const payload = Buffer.from(JSON.stringify(claim)).toString('base64url')
  return `${payload}.${signatureOf(payload, secret).toString('base64url')}`
}

/** What a token says; undefined unless it was made with one of the secrets. */
export function readLink(token: string, secrets: readonly Buffer[]): LinkClaim | undefined {
  const [payload = '', signature = '', ...more] = token.split('.')
  const given = Buffer.from(signature, 'base64url')
  const isOurs = secrets
    .map((secret) => signatureOf(payload, secret))
    .some((wanted) => given.length === wanted.length && timingSafeEqual(given, wanted))
  if (!isOurs || more.length > 0) return undefined
  return JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as LinkClaim
}
