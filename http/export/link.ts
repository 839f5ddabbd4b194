/** Signed links to exports: anyone with a link may fetch the file until it expires, and nobody can forge one. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { Fault } from '#engine/value/fault.ts'

/** Milliseconds for which a link works. */
const linkMs = 15 * 60_000

const signatureOf = (id: string, expires: number, secret: Buffer): Buffer =>
  createHmac('sha256', secret).update(`${id}\n${expires}`).digest()

/** A link expires at a whole second: `expires` is in seconds since 1970. */
export function linkTo(id: string, now: Date, secret: Buffer): { path: string; expiresAt: string } {
  const expires = Math.floor((now.getTime() + linkMs) / 1000)
  const signature = signatureOf(id, expires, secret).toString('base64url')
  return {
    path: `/exports/${id}?expires=${expires}&signature=${signature}`,
    expiresAt: new Date(expires * 1000).toISOString(),
  }
}

/** @throws Fault `forbidden` `signature_invalid` or `link_expired` */
export function checkLink(
  { id, expires, signature }: { id: string; expires: number; signature: string },
  now: Date,
  secrets: readonly Buffer[],
): void {
  const given = Buffer.from(signature, 'base64url')
  const isOurs = secrets
    .map((secret) => signatureOf(id, expires, secret))
    .some((wanted) => given.length === wanted.length && timingSafeEqual(given, wanted))
  if (!isOurs) throw Fault.forbidden('signature_invalid', 'The link has been modified.')
  if (now.getTime() >= expires * 1000) throw Fault.forbidden('link_expired', 'The link has expired.')
}
