/**
 * Access tokens of an account's service account: requested with its key, or exchanged for a token of this installation.
 */
import { createHash, sign } from 'node:crypto'
import { t, type Static, type TSchema } from '#engine/value/schema.ts'
import type { Caller } from '#streams/cloud/call/call.ts'
import { bucketOf, cloudFault, type CloudAccount } from '#streams/cloud/connector.ts'
import { askValue, decodeAnswer, type Question, type Wire } from './api.ts'
import {
  credentialsOf,
  principalOf,
  tokenAddress,
  type Federation,
  type GcpCredentials,
  type ServiceKey,
} from './credentials.ts'
import { gcpFault } from './fault.ts'

export interface GcpOptions extends Wire {
  caller: Caller
  /**
   * Makes a token of this installation for a workload identity pool. It is for a single organization: otherwise one
   * organization could use another's pool. Missing if not available.
   */
  subjectToken?: ((orgId: string, audience: string) => Promise<string>) | undefined
}

const scope = 'https://www.googleapis.com/auth/cloud-platform'

/** Seconds for which a token is requested; it is renewed ten minutes before its end. */
const heldSeconds = 3600
const renewMs = 600_000

interface CachedToken {
  token: Promise<Token>
}

interface Token {
  value: string
  /** Real time, because Google uses it for expiry. */
  endsAt: number
}

/** Per installation, by account and credentials, so that an account's tokens are never used for another. */
const tokenCaches = new WeakMap<Caller, Map<string, CachedToken>>()
const sharedMax = 10_000

export interface Tokens {
  principal: string
  token: () => Promise<string>
  /** Removes a token that the cloud has refused from the cache. */
  forget: () => void
}

/** `anew` ignores the cache, to check the credentials. */
export function tokensOf(account: CloudAccount, options: GcpOptions, anew = false): Tokens {
  const credentials = credentialsOf(account)
  const known = tokenCaches.get(options.caller) ?? new Map<string, CachedToken>()
  tokenCaches.set(options.caller, known)
  const secret = createHash('sha256').update(JSON.stringify(account.credentials)).digest('base64')
  const key = JSON.stringify([account.orgId, account.id, secret, options.endpoint ?? ''])
  let own = anew ? undefined : known.get(key)
  const forget = () => {
    if (own !== undefined && known.get(key) === own) known.delete(key)
    own = undefined
  }
  const take = (): CachedToken => {
    if (known.size >= sharedMax) known.clear()
    const held = { token: fetchToken(account, credentials, options) }
    known.set(key, held)
    return held
  }
  const token = async (): Promise<string> => {
    own ??= anew ? take() : (known.get(key) ?? take())
    try {
      const held = await own.token
      if (held.endsAt - Date.now() > renewMs) return held.value
      forget()
      own = known.get(key) ?? take()
      return (await own.token).value
    } catch (error) {
      forget()
      throw error
    }
  }
  return { principal: principalOf(credentials), token, forget }
}

const fetchToken = (account: CloudAccount, credentials: GcpCredentials, options: GcpOptions): Promise<Token> =>
  credentials.kind === 'key' ? signedFor(account, credentials, options) : exchangeToken(account, credentials, options)

const TokenAnswer = t.Object({ access_token: t.String({ minLength: 1 }), expires_in: t.Optional(t.Number()) })

/** RFC 7523: a statement signed with the service account's key. */
async function signedFor(
  account: CloudAccount,
  { email, key, keyId }: ServiceKey,
  options: GcpOptions,
): Promise<Token> {
  const iat = Math.floor(Date.now() / 1000)
  const header = { alg: 'RS256', typ: 'JWT', ...(keyId !== undefined && { kid: keyId }) }
  const claims = { iss: email, scope, aud: tokenAddress, iat, exp: iat + heldSeconds }
  const text = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  const assertion = `${text}.${sign('RSA-SHA256', Buffer.from(text), key).toString('base64url')}`
  const body = new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion }).toString()
  return tokenIn(
    await question(account, options, { service: 'oauth2', path: '/token', method: 'POST', body }, TokenAnswer),
  )
}

/** RFC 8693: exchanges our token for one of the pool, and that for one of the service account. */
async function exchangeToken(account: CloudAccount, federation: Federation, options: GcpOptions): Promise<Token> {
  const { audience, tokenType, email } = federation
  if (!options.subjectToken)
    throw cloudFault(
      'user_action',
      'credentials_refused',
      'This installation has no token for a workload identity pool.',
      {
        fixHint: 'Set a service account key for the account, or set PUBLIC_URL for this installation.',
      },
    )
  const body = new URLSearchParams({
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    audience,
    scope,
    requested_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    subject_token: await options.subjectToken(account.orgId, audience),
    subject_token_type: tokenType,
  }).toString()
  const own = tokenIn(
    await question(account, options, { service: 'sts', path: '/token', method: 'POST', body }, TokenAnswer),
  )
  return email === undefined ? own : impersonate(account, email, own, options)
}

const ImpersonationAnswer = t.Object({ accessToken: t.String({ minLength: 1 }), expireTime: t.String() })

async function impersonate(account: CloudAccount, email: string, own: Token, options: GcpOptions): Promise<Token> {
  const path = `/projects/-/serviceAccounts/${email}:generateAccessToken`
  const body = { scope: [scope], lifetime: `${heldSeconds}s` }
  const call: Question = { service: 'iamcredentials', path, method: 'POST', body }
  const { accessToken, expireTime } = await question(account, options, call, ImpersonationAnswer, own.value)
  return { value: accessToken, endsAt: Date.parse(expireTime) || Date.now() + heldSeconds * 1000 }
}

const tokenIn = ({ access_token: value, expires_in: seconds = heldSeconds }: Static<typeof TokenAnswer>): Token => ({
  value,
  endsAt: Date.now() + seconds * 1000,
})

/** Every refusal here means that the credentials are refused. */
async function question<S extends TSchema>(
  account: CloudAccount,
  options: GcpOptions,
  call: Question,
  schema: S,
  token?: string,
): Promise<Static<S>> {
  const { service } = call
  const door = { provider: 'gcp', account: account.id, service, region: '' }
  const of = { service, permission: 'token', project: account.externalId }
  return options.caller.call(
    door,
    async (signal) =>
      decodeAnswer(schema, await askValue(options, call, { token, keep: `gcp ${account.id}`, signal }), call),
    (error) => {
      const fault = gcpFault(error, of)
      if (bucketOf(fault) !== 'user_action') return fault
      const fixHint =
        'Check the service account and its key, or the pool and its provider (tidemark account policy gcp).'
      return cloudFault(
        'user_action',
        'credentials_refused',
        `Google rejected the credentials of the account: ${fault.message}`,
        { fixHint },
        error,
      )
    },
  )
}
