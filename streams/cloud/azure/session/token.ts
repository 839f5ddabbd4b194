/**
 * Access tokens for an account, one for each audience: of the application that a subscription's owner has created for
 * us, by its secret, its certificate or a token that it trusts; or of a managed identity of this machine.
 */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { parseJson } from '#engine/value/json.ts'
import { decoder, t } from '#engine/value/schema.ts'
import type { Caller } from '#streams/cloud/call/call.ts'
import { cloudFault, type CloudAccount } from '#streams/cloud/connector.ts'
import { fetchAnswer, type Request } from './fetch.ts'
import { azureFault, AzureRefusal } from './fault.ts'
import { readCertificate, signStatement } from './certificate.ts'
import { azureClouds, publicCloud } from './cloud.ts'
import { principalOf } from './credentials.ts'
import {
  mayUseIdentity,
  type AzurePrincipal,
  type FederatedToken,
  type ManagedIdentity,
} from '#streams/cloud/azure/permission/principal.ts'

export interface TokenOptions {
  caller: Caller
  /** Address of a stand-in for all services, for tests. */
  endpoint?: string | undefined
  federated?: FederatedToken | undefined
  /** Identities of this machine; none may be used if missing. */
  identities?: readonly ManagedIdentity[] | undefined
  /** Makes a token of this installation that names one organization, for an audience. Missing if not available. */
  subjectToken?: ((orgId: string, audience: string) => Promise<string>) | undefined
}

/** Milliseconds before a token's end at which it is renewed. */
const renewBeforeMs = 5 * 60_000
/** Tokens with a shorter lifetime are renewed halfway. */
const shortMs = 10 * 60_000

interface Token {
  token: string
  renewAt: number
}

interface CachedToken {
  token: Promise<Token>
}

/** Per installation, by account, identity, proof and audience, so that an account's tokens are never used for another. */
const tokenCaches = new WeakMap<Caller, Map<string, CachedToken>>()
const heldMax = 10_000

export interface Tokens {
  /** A token that is valid for a while. `anew` ignores the cache. @throws a `cloudFault` */
  of: (audience: string, anew?: boolean) => Promise<string>
  /** Removes a token that the cloud has refused from the cache. */
  forget: (audience: string) => void
}

/** Tokens of the account. Uses real time, because tokens expire by it. */
export function tokensOf(account: CloudAccount, options: TokenOptions, signal?: AbortSignal): Tokens {
  const principal = principalOf(account)
  const known = tokenCaches.get(options.caller) ?? new Map<string, CachedToken>()
  tokenCaches.set(options.caller, known)
  const { kubeconfigs: _, ...identity } = principal
  const proof = createHash('sha256')
    .update(JSON.stringify(Object.entries(identity).toSorted(([a], [b]) => (a < b ? -1 : 1))))
    .digest('base64')
  const keyOf = (audience: string) => JSON.stringify([account.orgId, account.id, proof, options.endpoint, audience])
  const forget = (audience: string) => void known.delete(keyOf(audience))
  const of = async (audience: string, anew = false): Promise<string> => {
    const key = keyOf(audience)
    const standing = anew ? undefined : known.get(key)
    if (standing) {
      const { token, renewAt } = await standing.token
      if (Date.now() < renewAt) return token
    }
    if (known.size >= heldMax) known.clear()
    const made: CachedToken = { token: fetchToken(account, principal, audience, options, signal) }
    known.set(key, made)
    try {
      return (await made.token).token
    } catch (error) {
      if (known.get(key) === made) known.delete(key)
      throw error
    }
  }
  return { of, forget }
}

/** The metadata service of a machine writes seconds as text. */
const decodeToken = decoder(
  t.Object({
    access_token: t.String({ pattern: '^[\\x21-\\x7e]{1,32768}$' }),
    expires_in: t.Union([t.Number({ minimum: 1 }), t.String({ pattern: '^[1-9][0-9]{0,8}$' })]),
  }),
)

async function fetchToken(
  account: CloudAccount,
  principal: AzurePrincipal,
  audience: string,
  options: TokenOptions,
  signal?: AbortSignal,
): Promise<Token> {
  const { caller, endpoint } = options
  const { url, ...asked } = principal.managedIdentity
    ? identityRequest(account, principal, audience, options)
    : await applicationRequest(account, principal, audience, options)
  const door = { provider: 'azure', account: account.id, service: 'login', region: '', operation: 'token' }
  return caller.call(
    door,
    async (late) => {
      const request = { ...asked, signal: late, bytesMax: 1024 * 1024, accountId: account.id }
      // A managed identity is found at a fixed address of the machine itself.
      const isInside = endpoint !== undefined || principal.managedIdentity === true
      const answer = await fetchAnswer(url, { ...request, isInside })
      const text = answer.body.toString('utf8')
      if (answer.status !== 200) throw refusalOf(answer.status, text)
      const { access_token: token, expires_in: seconds } = decodeToken(parseJson(text))
      const heldMs = Number(seconds) * 1000
      return { token, renewAt: Date.now() + (heldMs > shortMs ? heldMs - renewBeforeMs : heldMs / 2) }
    },
    (error) => azureFault(error, { operation: 'Sign in', permission: '' }),
    { signal },
  )
}

type TokenRequest = Pick<Request, 'method' | 'headers' | 'body'> & { url: string }

/** OAuth 2.0, client credentials: by a secret (RFC 6749, 4.4) or an assertion (RFC 7523, 2.2). */
async function applicationRequest(
  account: CloudAccount,
  principal: AzurePrincipal,
  audience: string,
  options: TokenOptions,
): Promise<TokenRequest> {
  const { authority } = azureClouds[principal.cloud ?? publicCloud]
  const path = `/${principal.tenantID}/oauth2/v2.0/token`
  const proof = await proofOf(account, principal, `${authority}${path}`, options)
  return {
    url: `${(options.endpoint ?? authority).replace(/\/+$/, '')}${path}`,
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: principal.clientID,
      scope: `${audience}/.default`,
      ...proof,
    }).toString(),
  }
}

/** The metadata service of Azure's machines, which answers only to the machine itself. */
const metadata = 'http://169.254.169.254'

function identityRequest(
  { orgId }: CloudAccount,
  { clientID }: AzurePrincipal,
  audience: string,
  { identities = [], endpoint }: TokenOptions,
): TokenRequest {
  if (!mayUseIdentity(identities, orgId, clientID))
    throw refused('The organization may not use this managed identity.', 'AZURE_MANAGED_IDENTITIES does not name both.')
  const query = new URLSearchParams({ 'api-version': '2018-02-01', resource: audience, client_id: clientID })
  return {
    url: `${(endpoint ?? metadata).replace(/\/+$/, '')}/metadata/identity/oauth2/token?${query}`,
    method: 'GET',
    headers: { metadata: 'true', accept: 'application/json' },
  }
}

/** Statuses of the metadata service while it is being updated. */
const passing = [404, 410]

/**
 * The refusal in an answer of Entra. Its error number is in the text: `AADSTS7000215: Invalid client secret provided.`
 */
function refusalOf(status: number, text: string): AzureRefusal {
  if (passing.includes(status)) return new AzureRefusal(503, '', '')
  try {
    const { error = '', error_description: said = '' } = parseJson(text) as Record<string, string>
    const [number] = /^AADSTS\d+/.exec(said) ?? []
    const isDown = status >= 500 || status === 429
    return new AzureRefusal(status, isDown ? '' : (number ?? error), said.split(/\r?\n| Trace ID:/)[0]!.slice(0, 500))
  } catch {
    return new AzureRefusal(status, '', '')
  }
}

const assertion = (token: string) => ({
  client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
  client_assertion: token,
})

const refused = (message: string, fixHint: string, cause?: unknown) =>
  cloudFault('user_action', 'credentials_refused', message, { fixHint }, cause)

/** `address` is that of the tokens, as statements name it. */
async function proofOf(
  { orgId }: CloudAccount,
  { clientID, clientSecret, certificate, workloadIdentity, cloud = publicCloud }: AzurePrincipal,
  address: string,
  { federated, subjectToken }: TokenOptions,
): Promise<Record<string, string>> {
  if (clientSecret !== undefined) return { client_secret: clientSecret }
  if (certificate !== undefined) return assertion(statementBy(certificate, clientID, address))
  if (workloadIdentity) {
    if (!subjectToken)
      throw refused('This installation has no tokens that an application can trust.', 'Set PUBLIC_URL for it.')
    return assertion(await subjectToken(orgId, azureClouds[cloud].tokenExchange))
  }
  if (federated?.orgId !== orgId)
    throw refused(
      'The application has no client secret.',
      'Set one of clientSecret, certificate and workloadIdentity in the credentials of the account.',
    )
  const token = await readFile(federated.file, 'utf8').catch((error: unknown) => {
    throw refused(
      'This installation has no federated token: the token file cannot be read.',
      'Check AZURE_FEDERATED_TOKEN_FILE.',
      error,
    )
  })
  return assertion(token.trim())
}

function statementBy(pem: string, clientID: string, address: string): string {
  const certificate = readCertificate(pem)
  if (certificate.endsAt > Date.now()) return signStatement(certificate, clientID, address, Date.now())
  const ended = new Date(certificate.endsAt).toISOString().slice(0, 10)
  throw cloudFault('user_action', 'credentials_expired', `The certificate of the application expired on ${ended}.`, {
    fixHint: 'Create a new certificate for the application and set it on the account.',
  })
}
