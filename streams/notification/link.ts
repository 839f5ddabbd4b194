/**
 * Links in messages that work without signing in. Anyone with a link can use it for its purpose; links are signed, so
 * nobody can create or change one.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/**
 * `event`: read the content of one delivery. `unsubscribe`: receive no more mails about an event type by a person's
 * built-in mail, or no more mails of a channel while its receiver is `to`. `confirm`: agree to mails of a channel for
 * the receiver `to`. `report`: receive no more mails of a scheduled report for the receiver `to`.
 */
export type LinkClaim =
  | { what: 'event'; orgId: string; deliveryId: string; createdAt: string }
  | { what: 'confirm'; orgId: string; channelId: string; to: string; nonce: string; createdAt: string }
  | { what: 'report'; orgId: string; scheduleId: string; to: string }
  | { what: 'unsubscribe'; orgId: string; channelId: string; eventType: string; to: string }

/** A hash that stands for an address without revealing it. */
export const addressMark = (email: string): string =>
  createHash('sha256').update(email.toLowerCase()).digest('base64url').slice(0, 16)

const signatureOf = (payload: string, secret: Buffer): Buffer => createHmac('sha256', secret).update(payload).digest()

/** `<payload>.<signature>`, both base64url. */
export function linkToken(claim: LinkClaim, secret: Buffer): string {
  const payload = Buffer.from(JSON.stringify(claim)).toString('base64url')
  return `${payload}.${signatureOf(payload, secret).toString('base64url')}`
}

/** The content of a token; undefined unless it was signed with one of the secrets. */
export function readLink(token: string, secrets: readonly Buffer[]): LinkClaim | undefined {
  const [payload = '', signature = '', ...more] = token.split('.')
  const given = Buffer.from(signature, 'base64url')
  const isOurs = secrets
    .map((secret) => signatureOf(payload, secret))
    .some((wanted) => given.length === wanted.length && timingSafeEqual(given, wanted))
  if (!isOurs || more.length > 0) return undefined
  return JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as LinkClaim
}
