/**
 * Requests to an organization's OpenID provider. Its address, and all addresses in its document, come from a customer:
 * every request uses the client that cannot reach private networks. Each kind of failure has its own code.
 */
import { LRUCache } from 'lru-cache'
import type * as client from 'openid-client'
import { Fault } from '#engine/value/fault.ts'
import type { OidcConnection } from './oidc-entity.ts'
import { oidcSecretSealed } from '#http/identity/sealed-columns.ts'
import type { IdentityTools } from '#http/identity/tools.ts'
import { fetchOutside } from '#streams/delivery/outbound.ts'

/** Seconds by which the provider's clock may differ from ours. */
const skewSeconds = 60
const timeoutMs = 10_000
const answerBytesMax = 256 * 1024

/** Signature algorithms with a private key of the provider: a shared key, or none, proves nothing. */
const algorithms: ReadonlySet<string> = new Set(
  'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' '),
)

/** Loaded on use: it is large, and most installations do not need it. */
const library = () => import('openid-client')

/** Cached discovery documents of issuers. Keys are fetched at each sign-in, so that new ones are known at once. */
const documents = new LRUCache<string, client.ServerMetadata>({ max: 500, ttl: 5 * 60_000 })

const guardFetch =
  (allowPrivate: boolean): client.CustomFetch =>
  async (url, { method, headers, body }) => {
    const sent = body instanceof URLSearchParams ? body.toString() : typeof body === 'string' ? body : undefined
    const answer = await fetchOutside(url, {
      method,
      headers,
      ...(sent !== undefined && { body: sent }),
      timeoutMs,
      bytesMax: answerBytesMax,
      allowPrivate,
    })
    const known = Object.entries(answer.headers).map(([name, value]): [string, string] => [name, [value].flat().join()])
    const isEmpty = answer.status === 204 || answer.status === 304 || answer.body.length === 0
    return new Response(isEmpty ? null : new Uint8Array(answer.body), { status: answer.status, headers: known })
  }

/**
 * @throws Fault `transient` `upstream_failed`; `refused` `address_refused`, `issuer_mismatch` or `id_token_algorithm`
 */
async function documentOf({ allowPrivate }: IdentityTools, issuer: string): Promise<client.ServerMetadata> {
  const known = documents.get(issuer)
  if (known) return known
  const { allowInsecureRequests, customFetch, discovery } = await library()
  const found = await discovery(new URL(issuer), 'unused', undefined, undefined, {
    [customFetch]: guardFetch(allowPrivate),
    timeout: timeoutMs / 1000,
    ...(allowPrivate && { execute: [allowInsecureRequests] }),
  }).catch((error: unknown) => {
    throw faultOf(error)
  })
  // The library accepts issuers for many tenants, whose people are not those of one organization.
  const metadata = { ...found.serverMetadata() }
  if (new URL(metadata.issuer).href !== new URL(issuer).href) throw mismatch(metadata.issuer)
  documents.set(issuer, metadata)
  return metadata
}

const mismatch = (cause?: unknown): Fault =>
  new Fault(
    'refused',
    'issuer_mismatch',
    'The discovery document of the identity provider names a different issuer.',
    {},
    cause,
  )

/** The library's configuration for one sign-in, so that it caches no keys. @throws as `documentOf` */
async function configurationOf(
  tools: IdentityTools,
  { orgId, issuer, clientId, sealed }: OidcConnection,
): Promise<client.Configuration> {
  const found = await documentOf(tools, issuer)
  const lib = await library()
  const offered = namesIn(found.id_token_signing_alg_values_supported, 'RS256')
  const metadata = {
    ...found,
    id_token_signing_alg_values_supported: offered.filter((name) => algorithms.has(name)),
  }
  const secret = tools.open(oidcSecretSealed, orgId, sealed) as string
  const ways = namesIn(found.token_endpoint_auth_methods_supported, 'client_secret_basic')
  const proof = ways.includes('client_secret_basic') ? lib.ClientSecretBasic(secret) : lib.ClientSecretPost(secret)
  const about = {
    [lib.clockTolerance]: skewSeconds,
    [lib.clockSkew]: Math.round((tools.now().getTime() - Date.now()) / 1000),
  }
  const configuration = new lib.Configuration(metadata, clientId, about, proof)
  configuration[lib.customFetch] = guardFetch(tools.allowPrivate)
  configuration.timeout = timeoutMs / 1000
  if (tools.allowPrivate) lib.allowInsecureRequests(configuration)
  // Otherwise the library accepts an unsigned ID token that comes directly from the provider.
  lib.enableNonRepudiationChecks(configuration)
  return configuration
}

/** A list in a document; `usual` if it is missing. @throws Fault `upstream_failed` if it is not a list */
function namesIn(listed: unknown, usual: string): string[] {
  const names: unknown = listed ?? [usual]
  if (!Array.isArray(names)) throw wrongAnswer('a list that is none')
  return names.filter((name): name is string => typeof name === 'string')
}

/** The parameters of an authorization request. */
export interface AuthorizationRequest {
  redirectUri: string
  scopes: readonly string[]
  state: string
  nonce: string
  verifier: string
  email: string
}

/** The URL that the browser is sent to. @throws as `documentOf` */
export async function authorizationUrl(
  tools: IdentityTools,
  connection: OidcConnection,
  { redirectUri, scopes, state, nonce, verifier, email }: AuthorizationRequest,
): Promise<string> {
  const configuration = await configurationOf(tools, connection)
  const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await library()
  const { authorization_endpoint: page = '' } = configuration.serverMetadata()
  if (!new RegExp(tools.allowPrivate ? '^https?://' : '^https://').test(page))
    throw wrongAnswer('no authorization page')
  return buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri,
    scope: scopes.join(' '),
    state,
    nonce,
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    login_hint: email,
  }).href
}

/** What a provider says about a person: in the signed token, or in its response about the person who was signed. */
export type Claims = Readonly<Record<string, unknown>> & { readonly sub: string }

/**
 * Exchanges the code in a response (`url`) for the claims of the person.
 * @throws Fault `unauthenticated` with a code for what is wrong; those of `documentOf`
 */
export async function claimsBy(
  tools: IdentityTools,
  connection: OidcConnection,
  url: URL,
  expected: { state: string; nonce: string; verifier: string },
): Promise<Claims> {
  const configuration = await configurationOf(tools, connection)
  const { authorizationCodeGrant, fetchUserInfo } = await library()
  try {
    const granted = await authorizationCodeGrant(configuration, url, {
      expectedState: expected.state,
      expectedNonce: expected.nonce,
      pkceCodeVerifier: expected.verifier,
      idTokenExpected: true,
    })
    const claims = granted.claims()!
    checkIssued(claims, connection.clientId, tools.now())
    const { userinfo_endpoint: more } = configuration.serverMetadata()
    if (claims[connection.emailClaim] !== undefined || more === undefined) return claims
    return { ...(await fetchUserInfo(configuration, granted.access_token, claims.sub)), sub: claims.sub }
  } catch (error) {
    throw faultOf(error)
  }
}

/** The library checks neither if there is a single audience. @throws Fault `id_token_audience`, `id_token_expired` */
function checkIssued({ azp, iat }: client.IDToken, clientId: string, now: Date): void {
  if (azp !== undefined && azp !== clientId) throw refusal(...claimFaults['azp']!)
  if (iat > now.getTime() / 1000 + skewSeconds) throw expiredFault()
}

const refusal = (code: string, message: string, why: unknown = code): Fault =>
  new Fault('unauthenticated', code, message, {}, why)

const wrongAnswer = (cause: unknown): Fault =>
  new Fault('transient', 'upstream_failed', 'The identity provider returned an unexpected response.', {}, cause)

/** The provider's own error code for messages, if it is a plain word. */
const word = (text: unknown): string => (typeof text === 'string' && /^\w{1,40}$/.test(text) ? text : 'an error')

interface Wrong {
  code?: unknown
  error?: unknown
  cause?: unknown
  message?: unknown
}

/** Converts an error of the library. */
function faultOf(error: unknown): Fault {
  if (error instanceof Fault) return error
  const { code, cause } = error as Wrong
  if (cause instanceof Fault) return cause
  const known = typeof code === 'string' && Object.hasOwn(meanings, code) ? meanings[code] : undefined
  return known ? known(error as Wrong) : wrongAnswer(error)
}

const unknownClient = (why?: unknown): Fault =>
  refusal(
    'client_refused',
    'The identity provider rejected the client credentials.',
    why === undefined ? undefined : `client_refused: ${word(why)}`,
  )

const meanings: Readonly<Record<string, (error: Wrong) => Fault>> = {
  OAUTH_AUTHORIZATION_RESPONSE_ERROR: ({ error }) =>
    refusal('provider_refused', 'The identity provider did not sign anyone in.', `provider_refused: ${word(error)}`),
  OAUTH_RESPONSE_BODY_ERROR: ({ error }) =>
    error === 'invalid_grant'
      ? refusal(
          'code_refused',
          'The identity provider rejected its authorization code: it was already used, or belongs to another sign-in.',
        )
      : unknownClient(error),
  OAUTH_WWW_AUTHENTICATE_CHALLENGE: () => unknownClient(),
  OAUTH_JWT_TIMESTAMP_CHECK_FAILED: () => expiredFault(),
  OAUTH_JWT_CLAIM_COMPARISON_FAILED: ({ cause }) => wrongClaim(cause),
  OAUTH_KEY_SELECTION_FAILED: () =>
    refusal('id_token_key', 'The ID token is signed with a key that the identity provider does not publish.'),
  OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED: (error) =>
    isOf(error, 'sub')
      ? refusal('id_token_subject', 'The ID token and the user info are for different people.')
      : mismatch(error),
  OAUTH_UNSUPPORTED_OPERATION: () => wrongAlgorithm(),
  OAUTH_INVALID_RESPONSE: ({ cause }) => wrongResponse(cause),
}

const expiredFault = (): Fault =>
  refusal('id_token_expired', 'The ID token has expired or is not valid yet. Check the clocks.')

const wrongAlgorithm = (): Fault =>
  refusal('id_token_algorithm', 'The ID token is signed with an algorithm that does not prove its origin.')

/** The details of a library error, from the error or its cause. */
function detailOf(error: unknown): Record<string, unknown> {
  const { cause } = (error ?? {}) as Wrong
  return typeof cause === 'object' && cause !== null ? (cause as Record<string, unknown>) : {}
}

const isOf = (error: unknown, attribute: string): boolean =>
  [detailOf(error), detailOf(detailOf(error))].some((detail) => detail['attribute'] === attribute)

const claimFaults: Readonly<Record<string, readonly [code: string, message: string]>> = {
  iss: ['id_token_issuer', 'The ID token is from a different issuer.'],
  aud: ['id_token_audience', 'The ID token is for a different client.'],
  azp: ['id_token_audience', 'The ID token is for a different client.'],
  nonce: ['id_token_nonce', 'The ID token belongs to a different sign-in.'],
}

function wrongClaim(cause: unknown): Fault {
  const { claim } = detailOf(cause)
  const [code, message] = claimFaults[typeof claim === 'string' ? claim : ''] ?? [
    'id_token_invalid',
    'The ID token is invalid.',
  ]
  return refusal(code, message)
}

/** The library distinguishes these only by their messages. */
function wrongResponse(cause: unknown): Fault {
  const { message } = (cause ?? {}) as Wrong
  const text = typeof message === 'string' ? message : ''
  if (text.includes('response parameter') && text.includes('"iss"')) return mismatchedAnswer()
  if (text.includes('"state"'))
    return refusal('invalid_state', 'This response does not belong to a sign-in that was started here.')
  if (text.includes('"alg"')) return wrongAlgorithm()
  if (text.includes('signature')) return refusal('id_token_signature', 'The signature of the ID token is wrong.')
  if (!/JWT|id_token/i.test(text)) return wrongAnswer(cause)
  return refusal('id_token_invalid', 'The ID token is invalid.', text.slice(0, 100))
}

/** RFC 9207. */
const mismatchedAnswer = (): Fault => refusal('issuer_mismatch', 'The response is from a different identity provider.')
