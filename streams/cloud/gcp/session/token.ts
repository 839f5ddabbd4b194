/**
 * Access tokens of an account's service account, by Google's own library: requested with its key, or exchanged for a token
 * of this installation. The library is given checked members of the credentials, never the document itself, and it has no
 * way out but ours. Tokens of the service account of this machine come from the machine (`metadata.ts`).
 */
import { createHash } from 'node:crypto'
import type { AuthClient } from 'google-auth-library'
import type { Fault } from '#engine/value/fault.ts'
import type { Caller } from '#streams/cloud/call/call.ts'
import { bucketOf, cloudFault, type CloudAccount } from '#streams/cloud/connector.ts'
import type { Wire } from './api.ts'
import {
  credentialsOf,
  principalOf,
  exchangeAddress,
  type Federation,
  type GcpCredentials,
  type ServiceKey,
} from './credentials.ts'
import { gcpFault, type GcpCallInfo } from './fault.ts'
import { attachedToken } from './metadata.ts'
import { googleAuth, transporterOf } from './package.ts'

export interface GcpOptions extends Wire {
  caller: Caller
  /**
   * Makes a token of this installation for a workload identity pool. It is for a single organization: otherwise one
   * organization could use another's pool. Missing if not available.
   */
  subjectToken?: ((orgId: string, audience: string) => Promise<string>) | undefined
  /** The only organization that may use the service account of this machine. */
  attachedOrg?: string | undefined
}

const scope = 'https://www.googleapis.com/auth/cloud-platform'

/** A token is valid for an hour; it is renewed ten minutes before its end. */
const heldMs = 3_600_000
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

/** Each try is a new client: it keeps nothing, and what fails once is not remembered. */
async function fetchToken(account: CloudAccount, credentials: GcpCredentials, options: GcpOptions): Promise<Token> {
  if (credentials.kind === 'attached') return fetchAttached(account, options)
  const service = credentials.kind === 'key' ? 'oauth2' : 'sts'
  const ask = credentials.kind === 'key' ? clientOfKey(credentials) : clientOfPool(account, credentials, options)
  return options.caller.call(
    { provider: 'gcp', account: account.id, service, region: '' },
    async (signal) => {
      const client = await ask(await transporterOf(options, { keep: `gcp ${account.id}`, signal }))
      const { token } = await client.getAccessToken()
      return readToken(token, client.credentials.expiry_date, service)
    },
    (error) => faultOfToken(error, { service, permission: 'token', project: account.externalId }),
  )
}

/** Another organization's account must not use our identity. */
async function fetchAttached(account: CloudAccount, options: GcpOptions): Promise<Token> {
  if (options.attachedOrg === undefined || options.attachedOrg !== account.orgId)
    throw cloudFault(
      'user_action',
      'credentials_refused',
      'The organization may not use the service account of this machine.',
      { fixHint: 'The operator must set GCP_ATTACHED_IDENTITY_ORG to the ID of the organization.' },
    )
  return options.caller.call(
    { provider: 'gcp', account: account.id, service: 'metadata', region: '' },
    async (signal) => {
      const { token, endsAt } = await attachedToken(options, signal)
      return readToken(token, endsAt, 'metadata')
    },
    (error) => faultOfToken(error, { service: 'metadata', permission: 'token', project: account.externalId }),
  )
}

type Transporter = Awaited<ReturnType<typeof transporterOf>>
type ClientFor = (transporter: Transporter) => Promise<AuthClient>

/** RFC 7523: a statement signed with the service account's key. */
const clientOfKey =
  ({ email, key }: ServiceKey): ClientFor =>
  async (transporter) => {
    const { JWT } = await googleAuth()
    return new JWT({ email, key, scopes: [scope], transporter })
  }

/**
 * RFC 8693: exchanges our token for one of the pool, and that for one of the service account, if there is one. Where our
 * token comes from is not up to the document of the account.
 */
function clientOfPool(
  { orgId }: CloudAccount,
  { audience, tokenType, impersonation }: Federation,
  { subjectToken }: GcpOptions,
): ClientFor {
  if (!subjectToken)
    throw cloudFault(
      'user_action',
      'credentials_refused',
      'This installation has no token for a workload identity pool.',
      {
        fixHint: 'Set a service account key for the account, or set PUBLIC_URL for this installation.',
      },
    )
  return async (transporter) => {
    const { IdentityPoolClient } = await googleAuth()
    class PoolClient extends IdentityPoolClient {
      /** The library gives its client for the exchange no transporter but its own. */
      override async getAccessToken() {
        Object.assign(this.stsCredential, { transporter })
        return super.getAccessToken()
      }
    }
    return new PoolClient({
      type: 'external_account',
      audience,
      subject_token_type: tokenType,
      subject_token_supplier: { getSubjectToken: () => subjectToken(orgId, audience) },
      token_url: exchangeAddress,
      ...(impersonation !== undefined && { service_account_impersonation_url: impersonation }),
      scopes: [scope],
      transporter,
    })
  }
}

/** @throws a `system` fault `unknown_answer` without a token */
function readToken(value: unknown, endsAt: unknown, service: string): Token {
  if (typeof value !== 'string' || !/^[\x21-\x7e]{1,32768}$/.test(value))
    throw cloudFault('system', 'unknown_answer', `${service} returned no token.`)
  const now = Date.now()
  return { value, endsAt: typeof endsAt === 'number' && endsAt > now ? endsAt : now + heldMs }
}

/** Every refusal here means that the credentials are refused. */
function faultOfToken(error: unknown, asked: GcpCallInfo): Fault {
  const fault = gcpFault(error, asked)
  if (bucketOf(fault) !== 'user_action') return fault
  const fixHint =
    'Check the service account and its key, the pool and its provider (tidemark account policy gcp), or the service account of the machine.'
  return cloudFault(
    'user_action',
    'credentials_refused',
    `Google rejected the credentials of the account: ${fault.message}`,
    { fixHint },
    error,
  )
}
