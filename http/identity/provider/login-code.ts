/**
 * The end of a sign-in through an organization's own provider, with any protocol: a code, used by the page that started
 * the sign-in.
 */
import { Fault } from '#engine/value/fault.ts'
import { Member, User } from '#http/identity/entity.ts'
import { OidcConnection } from './oidc-entity.ts'
import { LoginCode } from './entity.ts'
import { SamlConnection } from './saml-entity.ts'
import { hashOf } from '#http/identity/token/secret.ts'
import { startSession, type SignedIn } from '#http/identity/session/session.ts'
import type { Client, IdentityTools } from '#http/identity/tools.ts'

/** A sign-in that has started. */
export interface StartedSignIn {
  redirectURL: string
  state: string
  codeVerifier: string
}

/** Milliseconds for which the code is valid. */
export const codeMs = 60_000

const badCode = (why: string): Fault =>
  new Fault('unauthenticated', 'invalid_credentials', 'The sign-in code is invalid or has expired.', {}, why)

/**
 * Exchanges the code for a session, in the page that started the sign-in. The code is used up in any case.
 * @throws Fault `invalid_credentials`; `sign_in_not_begun_here` for a wrong verifier
 */
export async function providerLogIn(
  tools: IdentityTools,
  method: 'saml' | 'oidc',
  { token, codeVerifier = '' }: { token: string; codeVerifier?: string },
  client: Client,
): Promise<SignedIn> {
  const em = tools.em()
  const found = await em.findOne(LoginCode, { hash: hashOf(token), purpose: method })
  // Of two requests with the same code, one deletes it.
  const taken = found && (await em.nativeDelete(LoginCode, { hash: found.hash })) === 1
  if (!taken || found.expiresAt <= tools.now()) throw badCode('the code is not good')
  const { orgId, userId, verifierHash } = found
  if (verifierHash !== hashOf(codeVerifier)) {
    const message = 'This sign-in was started on another page, or not at all. Start it again.'
    throw new Fault('unauthenticated', 'sign_in_not_begun_here', message, {}, 'sign_in_not_begun_here')
  }
  const user = await em.findOneOrFail(User, { id: userId })
  const enabled = { orgId, enabled: true }
  const providers = method === 'saml' ? em.count(SamlConnection, enabled) : em.count(OidcConnection, enabled)
  if ((await providers) === 0) throw badCode('no such provider')
  if ((await em.count(Member, { orgId, userId })) === 0) throw badCode('no longer a member')
  return startSession(tools, user, { method, boundTo: orgId }, client)
}
