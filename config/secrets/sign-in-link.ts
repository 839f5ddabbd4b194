/** Links that sign a person in to the console once, made by the command line and the demo. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { recordEvent } from '#http/identity/organization/audit.ts'
import { consoleOf } from '#http/identity/session/browser.ts'
import type { User } from '#http/identity/entity.ts'
import { makeLinkToken } from '#http/identity/session/sign-in-link.ts'
import type { Client } from '#http/identity/tools.ts'

export interface LinkWanted {
  user: Pick<User, 'id' | 'email'>
  /** The organization in which the session begins. */
  orgId: string
  /** Milliseconds the link is valid. */
  goodMs: number
}

/**
 * Creates a link and records that the operator did, in the transaction of `em`. The token is in the fragment of the
 * URL, which browsers do not send.
 */
export async function consoleLink(
  em: EntityManager,
  publicUrl: string,
  { user, orgId, goodMs }: LinkWanted,
  client: Client,
  now: Date,
): Promise<{ link: string; expiresAt: Date }> {
  const expiresAt = new Date(now.getTime() + goodMs)
  const token = await makeLinkToken(em, { userId: user.id, orgId, expiresAt })
  const about = { orgId, userId: user.id, email: user.email, detail: { expiresAt: expiresAt.toISOString() } }
  await recordEvent(em, { type: 'sign_in_link_created', principal: 'operator', ...about }, client, now)
  return { link: `${consoleOf(publicUrl)}#token=${token}`, expiresAt }
}
