/** Sign-in with Google and GitHub. Their addresses are settings: no address in a token is ever fetched. */
import { setTimeout as sleep } from 'node:timers/promises'
import { createRemoteJWKSet, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose'
import type { EntityManager } from '@mikro-orm/postgresql'
import { Fault } from '#engine/value/fault.ts'
import { parseJson } from '#engine/value/json.ts'
import { decoder, t, type TSchema, type Static } from '#engine/value/schema.ts'
import { User, UserIdentity } from '#http/identity/entity.ts'
import { invalidCredentials, newUser, normalizeEmail } from '#http/identity/session/login.ts'
import { enter } from '#http/identity/second-factor/second-factor.ts'
import { maySignUp, signUpClosed } from '#http/identity/session/sign-up.ts'
import type { SignedIn } from '#http/identity/session/session.ts'
import type { Client, IdentityTools, SocialSettings } from '#http/identity/tools.ts'
import { fetchOutside, type OutsideRequest } from '#streams/delivery/outbound.ts'
import { onceMore } from '#http/store/fault.ts'
import { withoutHidden } from '#streams/text.ts'

/** A person as described by an issuer. The address is confirmed. */
interface Person {
  issuer: string
  subject: string
  email: string
  name: string
}

export interface SocialLogin {
  provider: 'google' | 'github'
  /** Google: the ID token. GitHub: the code from its authorization page. */
  token: string
  nonce?: string
  codeVerifier?: string
  redirectURI?: string
}

/**
 * @throws Fault `invalid_credentials`, `capability_missing` if it is not configured, `upstream_failed`, `mfa_required`,
 * `sign_up_closed`
 */
export async function socialLogIn(tools: IdentityTools, login: SocialLogin, client: Client): Promise<SignedIn> {
  const person = login.provider === 'google' ? await byGoogle(tools, login) : await byGitHub(tools.social, login)
  const user = await userOf(tools, person)
  return enter(tools, user, login.provider, client)
}

/** The user for an issuer's person: found by the issuer's id, otherwise by the confirmed address, otherwise new. */
async function userOf(tools: IdentityTools, { issuer, subject, email, name }: Person): Promise<User> {
  const now = tools.now()
  const found = async (em: EntityManager) => {
    const known = await em.findOne(UserIdentity, { issuer, subject })
    if (known) return em.findOneOrFail(User, { id: known.userId })
    const own = await em.findOne(User, { email })
    if (!(await maySignUp(tools.signUp, em, own))) throw signUpClosed(tools.signUp)
    const user = own ?? newUser(em, email, name, now)
    // The account may have been created by somebody else who never confirmed the address.
    if (!user.emailVerifiedAt) Object.assign(user, { name, passwordHash: null, emailVerifiedAt: now, updatedAt: now })
    em.persist(em.create(UserIdentity, { issuer, subject, userId: user.id, createdAt: now }))
    return user
  }
  return onceMore(() => tools.em().transactional(found))
}

const answerBytesMax = 256 * 1024
const timeoutMs = 10_000

type RequestOptions = Pick<Partial<OutsideRequest>, 'method' | 'headers' | 'body'>

/**
 * Reads JSON from an address that the operator has configured, which may be private. @throws Fault `upstream_failed`
 */
async function ask<S extends TSchema>(url: URL, shape: S, asked: RequestOptions = {}): Promise<Static<S>> {
  try {
    const bounds = { timeoutMs, bytesMax: answerBytesMax, allowPrivate: true }
    const { status, body } = await fetchOutside(url.href, { method: 'GET', ...asked, ...bounds })
    if (status < 200 || status > 299) throw new Error(`${url.host} responded with ${status}`)
    return decoder(shape)(parseJson(body.toString('utf8')))
  } catch (error) {
    throw upstreamFailed(error)
  }
}

const upstreamFailed = (cause: unknown): Fault =>
  new Fault('transient', 'upstream_failed', 'The identity provider returned an unexpected response.', {}, cause)

const Discovery = t.Object(
  { issuer: t.String(), jwks_uri: t.String(), authorization_endpoint: t.Optional(t.String()) },
  { additionalProperties: true },
)

interface Issuer {
  issuer: string
  keys: JWTVerifyGetKey
  /** The issuer's sign-in page. */
  authorizeURL: string | undefined
}

/** Undefined for anything that a browser must not be sent to. */
const pageAt = (url = ''): string | undefined => (/^https?:\/\//.test(url) ? url : undefined)

const issuers = new Map<string, Promise<Issuer>>()

/**
 * An issuer's published document, fetched once. Its keys are fetched again, at most twice a minute, for an unknown key.
 */
function issuerAt(issuer: string): Promise<Issuer> {
  const kept = issuers.get(issuer)
  if (kept) return kept
  const found = ask(new URL(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`), Discovery).then((d) => {
    // OpenID Connect Discovery 4.3: a document of another issuer must not be used.
    if (d.issuer.replace(/\/$/, '') !== issuer.replace(/\/$/, '')) throw upstreamFailed(`its issuer is ${d.issuer}`)
    const options = { timeoutDuration: timeoutMs, cooldownDuration: 30_000 }
    const keys = createRemoteJWKSet(new URL(d.jwks_uri), options)
    return { issuer: d.issuer, keys, authorizeURL: pageAt(d.authorization_endpoint) }
  })
  issuers.set(issuer, found)
  found.catch(() => issuers.delete(issuer))
  return found
}

async function byGoogle({ social, now }: IdentityTools, { token, nonce }: SocialLogin): Promise<Person> {
  if (social.googleClientIds.length === 0) throw notSetUp('google')
  const { issuer, keys } = await issuerAt(social.googleIssuer)
  const said = await verifyToken(token, keys, {
    // Google writes its name with and without the scheme.
    issuer: [issuer, issuer.replace('https://', '')],
    audience: [...social.googleClientIds],
    currentDate: now(),
  })
  const { sub, email, email_verified: isVerified, name } = said
  const isExpected = said['nonce'] === undefined ? nonce === undefined : said['nonce'] === nonce
  if (!isExpected || typeof sub !== 'string' || typeof email !== 'string' || isVerified !== true) throw refusedFault()
  return {
    issuer,
    subject: sub,
    email: normalizeEmail(email),
    name: (typeof name === 'string' && withoutHidden(name).trim()) || email,
  }
}

async function verifyToken(
  token: string,
  keys: JWTVerifyGetKey,
  expected: { issuer: string[]; audience: string[]; currentDate: Date },
): Promise<JWTPayload> {
  try {
    const options = { ...expected, algorithms: ['RS256', 'ES256'], requiredClaims: ['exp', 'iat', 'sub'] }
    return (await jwtVerify(token, keys, options)).payload
  } catch (error) {
    const { code } = error as { code?: string }
    const isAway = code === undefined || code === 'ERR_JWKS_TIMEOUT' || code === 'ERR_JOSE_GENERIC'
    if (!isAway) throw refusedFault()
    throw new Fault(
      'transient',
      'upstream_failed',
      'The signing keys of the identity provider cannot be loaded.',
      {},
      error,
    )
  }
}

const refusedFault = (): Fault =>
  Fault.unauthenticated(invalidCredentials().code, 'The identity token is not acceptable.')

const notSetUp = (provider: string): Fault =>
  Fault.refused('capability_missing', `Sign-in with ${provider} is not set up here.`)

const TokenReply = t.Object({ access_token: t.Optional(t.String()) }, { additionalProperties: true })
const GitHubUser = t.Object(
  { id: t.Integer(), login: t.String(), name: t.Optional(t.Union([t.String(), t.Null()])) },
  { additionalProperties: true },
)
const GitHubEmails = t.Array(
  t.Object({ email: t.String(), primary: t.Boolean(), verified: t.Boolean() }, { additionalProperties: true }),
)

/** GitHub has no ID tokens: its code is exchanged for an access token, which identifies the person. */
async function byGitHub(social: SocialSettings, { token, codeVerifier, redirectURI }: SocialLogin): Promise<Person> {
  const { githubUrl, githubApiUrl, githubClientId, githubClientSecret } = social
  if (!githubClientId || !githubClientSecret) throw notSetUp('github')
  const { access_token: granted } = await ask(new URL('/login/oauth/access_token', githubUrl), TokenReply, {
    method: 'POST',
    headers: { Accept: 'application/json', 'Content-Type': 'application/json' },
    body: JSON.stringify({
      client_id: githubClientId,
      client_secret: githubClientSecret,
      code: token,
      ...(codeVerifier !== undefined && { code_verifier: codeVerifier }),
      ...(redirectURI !== undefined && { redirect_uri: redirectURI }),
    }),
  })
  if (granted === undefined) throw refusedFault()
  const headers = {
    Accept: 'application/vnd.github+json',
    Authorization: `Bearer ${granted}`,
    'User-Agent': 'tidemark',
    'X-GitHub-Api-Version': '2022-11-28',
  }
  const api = (path: string) => new URL(`${githubApiUrl.replace(/\/$/, '')}${path}`)
  const [user, emails] = await Promise.all([
    ask(api('/user'), GitHubUser, { headers }),
    ask(api('/user/emails'), GitHubEmails, { headers }),
  ])
  const address = emails.find((email) => email.primary && email.verified)?.email
  if (address === undefined) throw refusedFault()
  return {
    issuer: githubUrl,
    subject: String(user.id),
    email: normalizeEmail(address),
    name: withoutHidden(user.name ?? '').trim() || user.login,
  }
}

/** Where a page sends people to sign in with another provider, and with which client id. */
interface Authorize {
  authorizeURL: string
  clientID: string
}

export interface WaysIn {
  password: boolean
  saml: boolean
  oidc: boolean
  google: Authorize | null
  github: Authorize | null
}

/** Milliseconds that a page waits for Google's document. */
const pageMs = 2_000

/** The configured ways to sign in, without those whose address is unavailable now. */
export async function waysIn(social: SocialSettings): Promise<WaysIn> {
  const { githubUrl, githubClientId, githubClientSecret } = social
  const github = githubClientId && githubClientSecret ? githubClientId : undefined
  return {
    password: true,
    saml: true,
    oidc: true,
    google: await googlePage(social),
    github: github ? { authorizeURL: `${githubUrl.replace(/\/$/, '')}/login/oauth/authorize`, clientID: github } : null,
  }
}

async function googlePage({ googleIssuer, googleClientIds: [clientID] }: SocialSettings): Promise<Authorize | null> {
  if (clientID === undefined) return null
  const over = new AbortController()
  const late = sleep(pageMs, undefined, { signal: over.signal }).catch(() => undefined)
  const found = await Promise.race([issuerAt(googleIssuer).catch(() => undefined), late])
  over.abort()
  return found?.authorizeURL === undefined ? null : { authorizeURL: found.authorizeURL, clientID }
}
