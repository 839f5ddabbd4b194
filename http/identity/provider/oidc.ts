/**
 * Sign-in through an organization's own OpenID provider: by a code, with PKCE, state and nonce, each valid for one
 * sign-in. The same rules as for SAML: such a sign-in is valid for that organization only. It ends with a code of ours,
 * which only the page that started it can use.
 */
import { Fault } from '#engine/value/fault.ts'
import type { User } from '#http/identity/entity.ts'
import { normalizeEmail } from '#http/identity/session/login.ts'
import { authorizationUrl, claimsBy, type Claims } from './oidc-client.ts'
import { OidcConnection, OidcSignIn } from './oidc-entity.ts'
import { LoginCode, ProviderDomain } from './entity.ts'
import { codeMs, type StartedSignIn } from './login-code.ts'
import { addressOf, domainOf, isSubject, nameOf, userVouchedFor, type NotVouched } from './person.ts'
import { oidcSignInSealed } from '#http/identity/sealed-columns.ts'
import { hashOf, newSecret } from '#http/identity/token/secret.ts'
import type { IdentityTools } from '#http/identity/tools.ts'
import { transaction } from '#http/store/keyed-transaction.ts'
import { reply, type Reply } from '#http/store/reply.ts'

const signInMs = 10 * 60_000

/** The callback address. Each provider has its own, so that one cannot answer for another (RFC 9700, 4.4). */
export const callbackOf = (tools: Pick<IdentityTools, 'publicUrl'>, orgId: string): string =>
  `${tools.publicUrl()}/auth/oidc/${orgId}/callback`

/**
 * Where to send the browser for this address, the state it returns with, and the verifier that the page must present in
 * the end.
 * @throws Fault `missing` if no organization has that domain; `upstream_failed`, `address_refused` or `issuer_mismatch`
 */
export async function initiateOidc(tools: IdentityTools, email: string): Promise<StartedSignIn> {
  const { orgId } =
    (await tools.em().findOne(ProviderDomain, { domain: domainOf(email), verifiedAt: { $ne: null } })) ?? {}
  const connection = orgId === undefined ? null : await tools.em().findOne(OidcConnection, { orgId, enabled: true })
  if (!connection) throw Fault.missing('identity provider for this address', domainOf(email))
  const [state, nonce, verifier, codeVerifier] = [newSecret(), newSecret(), newSecret(), newSecret()]
  const redirectUri = callbackOf(tools, connection.orgId)
  const asked = { redirectUri, scopes: connection.scopes, state, nonce, verifier, email: normalizeEmail(email) }
  const redirectURL = await authorizationUrl(tools, connection, asked)
  await tools.em().insert(OidcSignIn, {
    hash: hashOf(state),
    orgId: connection.orgId,
    sealed: tools.seal(oidcSignInSealed, connection.orgId, { verifier, nonce }),
    verifierHash: hashOf(codeVerifier),
    createdAt: tools.now(),
  })
  return { redirectURL, state, codeVerifier }
}

export interface OidcAnswer {
  /** From the path. */
  orgId: string
  state: string
  /** The query of the URL that the browser returned to. */
  search: string
}

/**
 * Handles a provider's response. Sends the browser to the application, with a code that is valid once and for a minute,
 * or with an error code. `failed` is called for a refused sign-in.
 * @throws Fault `invalid_state` if no sign-in waits for it; then the browser is not redirected
 */
export async function takeOidcAnswer(
  tools: IdentityTools,
  { orgId, state, search }: OidcAnswer,
  failed: (fault: Fault, orgId: string) => void,
): Promise<Reply<string>> {
  const begun = await takenSignIn(tools, state)
  if (!begun)
    throw refusedFault('invalid_state', 'This response does not belong to a pending sign-in that was started here.')
  try {
    if (begun.orgId !== orgId)
      throw refusedFault('issuer_mismatch', 'The response is from a different identity provider.')
    const user = await signedInBy(tools, begun, state, search)
    const code = newSecret()
    const expiresAt = new Date(tools.now().getTime() + codeMs)
    const { verifierHash } = begun
    return await transaction(tools.em(), async (em) => {
      const row = { hash: hashOf(code), userId: user.id, orgId, purpose: 'oidc' as const, verifierHash, expiresAt }
      await em.insert(LoginCode, row)
      return redirectToApp(tools, { code, state })
    })
  } catch (error) {
    if (!(error instanceof Fault) || error.kind === 'defect') throw error
    failed(error, begun.orgId)
    return redirectToApp(tools, { error: error.code, state })
  }
}

/** Always to our own application, whatever was requested. */
function redirectToApp(tools: IdentityTools, said: Readonly<Record<string, string>>): Reply<string> {
  const to = new URL(tools.appUrl())
  for (const [name, value] of Object.entries(said)) to.searchParams.set(name, value)
  return reply('', { headers: { Location: to.href } })
}

/** The sign-in that a response belongs to. Of two responses with the same state, one finds it. */
async function takenSignIn(tools: IdentityTools, state: string): Promise<OidcSignIn | undefined> {
  const hash = hashOf(state)
  const found = await tools.em().findOne(OidcSignIn, { hash })
  if (!found || (await tools.em().nativeDelete(OidcSignIn, { hash })) === 0) return undefined
  return tools.now().getTime() - found.createdAt.getTime() < signInMs ? found : undefined
}

async function signedInBy(
  tools: IdentityTools,
  { orgId, sealed }: OidcSignIn,
  state: string,
  search: string,
): Promise<User> {
  const connection = await tools.em().findOne(OidcConnection, { orgId, enabled: true })
  if (!connection)
    throw refusedFault('provider_gone', 'The organization no longer uses this identity provider for sign-in.')
  const url = new URL(callbackOf(tools, orgId))
  url.search = search
  const secrets = tools.open(oidcSignInSealed, orgId, sealed) as { verifier: string; nonce: string }
  const claims = await claimsBy(tools, connection, url, { state, ...secrets })
  return userVouchedFor(tools, toVouchedPerson(connection, claims), notVouched)
}

/** Providers write it in several ways; if it is missing, the address is not verified. */
const isTrue = (said: unknown): boolean => said === true || said === 1 || said === '1' || said === 'true'

/** @throws Fault `id_token_subject`, `email_missing`, `email_not_verified` */
export function toVouchedPerson(
  { orgId, issuer, emailClaim, emailVerifiedClaim, nameClaim }: OidcConnection,
  claims: Claims,
): Parameters<typeof userVouchedFor>[1] {
  if (!isSubject(claims.sub))
    throw refusedFault('id_token_subject', 'The subject is too long, or contains characters that are not allowed.')
  const email = addressOf(claims[emailClaim])
  if (email === undefined) {
    throw refusedFault('email_missing', 'The identity provider does not send an email address in the configured claim.')
  }
  if (!isTrue(claims[emailVerifiedClaim])) {
    throw refusedFault('email_not_verified', 'The identity provider does not report the email address as verified.')
  }
  return {
    orgId,
    issuer: `oidc:${orgId}:${issuer}`,
    subject: claims.sub,
    email,
    name: nameOf(claims[nameClaim], email),
  }
}

const notVouchedErrors: Readonly<Record<NotVouched, readonly [code: string, message: string]>> = {
  'another domain': ['domain_not_proved', 'The email address is in a domain that the organization has not verified.'],
  'a person of another domain': [
    'person_of_another_domain',
    "The email address of this person's account is in a domain that the organization has not verified.",
  ],
  deactivated: ['deactivated', 'This person is deactivated in the directory of the organization.'],
  'no new people': ['sign_up_closed', 'Sign-up is disabled. Ask the operator for an account.'],
}

const notVouched = (why: NotVouched): Fault => refusedFault(...notVouchedErrors[why])

const refusedFault = (code: string, message: string): Fault => new Fault('unauthenticated', code, message, {}, code)
