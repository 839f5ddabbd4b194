/**
 * Access tokens for the application that a subscription's owner has created for us: one for each audience, by its
 * secret or by a federated token.
 */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { parseJson } from '#engine/value/json.ts'
import { decoder, t } from '#engine/value/schema.ts'
import type { Caller } from '#streams/cloud/call/call.ts'
import { cloudFault, type CloudAccount } from '#streams/cloud/connector.ts'
import { fetchAnswer } from './fetch.ts'
import { azureFault, AzureRefusal } from './fault.ts'
import { guidShape, type AzurePrincipal, type FederatedToken } from '#streams/cloud/azure/permission/principal.ts'

const Guid = t.String({ pattern: guidShape.source })
const decode = decoder(
  t.Object(
    {
      tenantID: Guid,
      clientID: Guid,
      clientSecret: t.Optional(t.String({ minLength: 1, maxLength: 16_384 })),
      kubeconfigs: t.Optional(t.Record(t.String(), t.String())),
    },
    { additionalProperties: false },
  ),
)

/** @throws a `user_action` fault for invalid credentials */
export function principalOf({ credentials }: Pick<CloudAccount, 'credentials'>): AzurePrincipal {
  const folded = (text: unknown) => (typeof text === 'string' ? text.toLowerCase() : text)
  try {
    const { tenantID, clientID, ...rest } = (credentials ?? {}) as Record<string, unknown>
    return decode({ ...rest, tenantID: folded(tenantID), clientID: folded(clientID) })
  } catch (error) {
    const fixHint =
      'Set the credentials { tenantID, clientID, clientSecret } of the account. The first two must be GUIDs.'
    throw cloudFault('user_action', 'credentials_refused', 'The account has no application.', { fixHint }, error)
  }
}

/** Issuer of tokens; the only one supported. */
const authority = 'https://login.microsoftonline.com'

export interface TokenOptions {
  caller: Caller
  /** Address of a stand-in for all services, for tests. */
  endpoint?: string | undefined
  federated?: FederatedToken | undefined
}

/** Milliseconds before a token's end at which it is renewed. */
const renewBeforeMs = 5 * 60_000
/** Tokens with a shorter lifetime are renewed halfway. */
const shortMs = 10 * 60_000

interface CachedToken {
  token: Promise<{ token: string; renewAt: number }>
}

/** Per installation, by account, application and audience, so that an account's tokens are never used for another. */
const tokenCaches = new WeakMap<Caller, Map<string, CachedToken>>()
const heldMax = 10_000

export interface Tokens {
  /** A token that is valid for a while. `anew` ignores the cache. @throws a `cloudFault` */
  of: (audience: string, anew?: boolean) => Promise<string>
  /** Removes a token that the cloud has refused from the cache. */
  forget: (audience: string) => void
}

/** Tokens of the account's application. Uses real time, because tokens expire by it. */
export function tokensOf(account: CloudAccount, options: TokenOptions, signal?: AbortSignal): Tokens {
  const principal = principalOf(account)
  const known = tokenCaches.get(options.caller) ?? new Map<string, CachedToken>()
  tokenCaches.set(options.caller, known)
  const { tenantID, clientID, clientSecret = '' } = principal
  const secret = createHash('sha256').update(clientSecret).digest('base64')
  const keyOf = (audience: string) =>
    JSON.stringify([account.orgId, account.id, tenantID, clientID, secret, options.endpoint, audience])
  const forget = (audience: string) => void known.delete(keyOf(audience))
  const of = async (audience: string, anew = false): Promise<string> => {
    const key = keyOf(audience)
    const standing = anew ? undefined : known.get(key)
    if (standing) {
      const { token, renewAt } = await standing.token
      if (Date.now() < renewAt) return token
    }
    if (known.size >= heldMax) known.clear()
    const made: CachedToken = { token: signedIn(account, principal, audience, options, signal) }
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

const decodeToken = decoder(
  t.Object({ access_token: t.String({ pattern: '^[\\x21-\\x7e]{1,32768}$' }), expires_in: t.Number({ minimum: 1 }) }),
)

/** OAuth 2.0, client credentials: by a secret (RFC 6749, 4.4) or an assertion (RFC 7523, 2.2). */
async function signedIn(
  account: CloudAccount,
  principal: AzurePrincipal,
  audience: string,
  { caller, endpoint, federated }: TokenOptions,
  signal?: AbortSignal,
): Promise<{ token: string; renewAt: number }> {
  const proof = await proofOf(account, principal, federated)
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: principal.clientID,
    scope: `${audience}/.default`,
    ...proof,
  }).toString()
  const url = `${(endpoint ?? authority).replace(/\/+$/, '')}/${principal.tenantID}/oauth2/v2.0/token`
  const asked = { operation: 'Sign in', permission: '' }
  const door = { provider: 'azure', account: account.id, service: 'login', region: '', operation: 'token' }
  return caller.call(
    door,
    async (late) => {
      const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' }
      const request = { method: 'POST', headers, body, signal: late, bytesMax: 1024 * 1024 }
      const answer = await fetchAnswer(url, { ...request, accountId: account.id, isStandIn: endpoint !== undefined })
      const text = answer.body.toString('utf8')
      if (answer.status !== 200) throw refusalOf(answer.status, text)
      const { access_token: token, expires_in: seconds } = decodeToken(parseJson(text))
      const heldMs = seconds * 1000
      return { token, renewAt: Date.now() + (heldMs > shortMs ? heldMs - renewBeforeMs : heldMs / 2) }
    },
    (error) => azureFault(error, asked),
    { signal },
  )
}

/**
 * The refusal in an answer of Entra. Its error number is in the text: `AADSTS7000215: Invalid client secret provided.`
 */
function refusalOf(status: number, text: string): AzureRefusal {
  try {
    const { error = '', error_description: said = '' } = parseJson(text) as Record<string, string>
    const [number] = /^AADSTS\d+/.exec(said) ?? []
    const isDown = status >= 500 || status === 429
    return new AzureRefusal(status, isDown ? '' : (number ?? error), said.split(/\r?\n| Trace ID:/)[0]!.slice(0, 500))
  } catch {
    return new AzureRefusal(status, '', '')
  }
}

async function proofOf(
  { orgId }: CloudAccount,
  { clientSecret }: AzurePrincipal,
  federated: FederatedToken | undefined,
): Promise<Record<string, string>> {
  if (clientSecret !== undefined) return { client_secret: clientSecret }
  if (federated?.orgId !== orgId)
    throw cloudFault('user_action', 'credentials_refused', 'The application has no client secret.', {
      fixHint: 'Set the credentials { tenantID, clientID, clientSecret } of the account.',
    })
  const assertion = await readFile(federated.file, 'utf8').catch((error: unknown) => {
    throw cloudFault(
      'user_action',
      'credentials_refused',
      'This installation has no federated token: the token file cannot be read.',
      { fixHint: 'Check AZURE_FEDERATED_TOKEN_FILE.' },
      error,
    )
  })
  return {
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: assertion.trim(),
  }
}
