/**
 * Programs of agents that ask a person for access with OAuth 2.1. Nothing is stored before the person agrees: a
 * registered client and an authorization code are signed texts.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import { Fault } from '#engine/value/fault.ts'
import { hashOf, keyedHash } from './secret.ts'

/** A program as it registered. */
export interface AgentClient {
  name: string
  redirectURIs: readonly string[]
  /** It takes refresh tokens. */
  refreshes?: true
}

/** What a person allowed, until the program exchanges the code for a token. */
export interface AgentGrant {
  /** Id of the token that it becomes: a code that is used again finds it taken. */
  tokenId: string
  orgId: string
  userId: string
  clientName: string
  /** Hash of the id of the client. */
  client: string
  redirectURI: string
  /** SHA-256 of the verifier, base64url (RFC 7636). */
  challenge: string
  /** Null: everything that the person may do. */
  role: 'viewer' | null
  /** Milliseconds since 1970. */
  expiresAt: number
}

/** Milliseconds for which a code is valid. */
export const agentCodeMs = 60_000

export type Secrets = readonly Buffer[]

export const signText = (purpose: string, value: object, [secret]: Secrets): string => {
  const text = Buffer.from(JSON.stringify(value)).toString('base64url')
  return `${text}.${keyedHash(secret!, `${purpose}\n${text}`)}`
}

/** The signed value; undefined if none of the keys signed it for this purpose. */
export function readSigned<T>(purpose: string, signed: string, secrets: Secrets): T | undefined {
  const [text = '', signature = ''] = signed.split('.')
  const given = Buffer.from(signature)
  const isOurs = secrets.some((secret) => {
    const own = Buffer.from(keyedHash(secret, `${purpose}\n${text}`))
    return own.length === given.length && timingSafeEqual(own, given)
  })
  return isOurs ? (JSON.parse(Buffer.from(text, 'base64url').toString()) as T) : undefined
}

export const clientIdOf = (client: AgentClient, secrets: Secrets): string => signText('agent-client', client, secrets)
export const codeOf = (grant: AgentGrant, secrets: Secrets): string => signText('agent-code', grant, secrets)

/** A refusal of OAuth, whose code is that of RFC 6749. */
export const oauthFault = (
  code: 'invalid_client' | 'invalid_grant' | 'invalid_request' | 'invalid_redirect_uri' | 'invalid_target',
  message: string,
): Fault => Fault.invalid(code, message)

/** @throws Fault `invalid_client` */
export function clientOf(clientId: string, secrets: Secrets): AgentClient {
  const client = readSigned<AgentClient>('agent-client', clientId, secrets)
  if (client) return client
  throw oauthFault('invalid_client', 'The client is not registered here. Register it again.')
}

/**
 * The grant of a code of this client that has not expired, for the verifier that only the client knows.
 * @throws Fault `invalid_client`, `invalid_grant`
 */
export function grantOf(
  given: { code: string; codeVerifier: string; redirectURI: string; clientId: string },
  secrets: Secrets,
  now: Date,
): AgentGrant & Pick<AgentClient, 'refreshes'> {
  const { refreshes } = clientOf(given.clientId, secrets)
  const grant = readSigned<AgentGrant>('agent-code', given.code, secrets)
  const isGood =
    grant !== undefined &&
    grant.expiresAt > now.getTime() &&
    grant.redirectURI === given.redirectURI &&
    grant.client === hashOf(given.clientId) &&
    grant.challenge === createHash('sha256').update(given.codeVerifier).digest('base64url')
  if (isGood) return { ...grant, ...(refreshes && { refreshes }) }
  throw oauthFault('invalid_grant', 'The code is invalid or has expired, or is not of this client. Sign in again.')
}

const loopback: readonly string[] = ['localhost', '127.0.0.1', '[::1]']
/** Schemes of editors that agents run in. Others of programs have the form of a domain name (RFC 8252). */
const editorSchemes: readonly string[] = ['cursor:', 'vscode:', 'vscode-insiders:', 'windsurf:']

const parse = (uri: string): URL | undefined => (URL.canParse(uri) ? new URL(uri) : undefined)

/** Whether a code may be sent there: https, this machine, or a program of its user. */
export function isRedirectURI(uri: string): boolean {
  const url = parse(uri)
  if (!url || uri.includes('#') || url.username !== '' || url.password !== '') return false
  if (url.protocol === 'https:') return true
  if (url.protocol === 'http:') return loopback.includes(url.hostname)
  return editorSchemes.includes(url.protocol) || /^[a-z][a-z0-9-]*(?:\.[a-z0-9-]+)+:$/.test(url.protocol)
}

/** Whether the client registered this address. On this machine any port is good: it is chosen when the program starts. */
export function isRegistered(uri: string, { redirectURIs }: AgentClient): boolean {
  if (!isRedirectURI(uri)) return false
  const portless = (one: string) => {
    const url = new URL(one)
    if (url.protocol === 'http:') url.port = ''
    return url.href
  }
  return redirectURIs.some((one) => one === uri || portless(one) === portless(uri))
}
