/** An OpenID provider that says whatever a test has it say, rightly signed or not. */
import type { IncomingMessage } from 'node:http'
import type { JWK } from 'jose'
import { clientID } from '#test/harness/openid.ts'
import {
  firstPair,
  opened,
  seconds,
  signed,
  type Answer,
  type Pair,
  type Site,
} from '#test/http/identity/social-provider.ts'

export interface Bent {
  site: Site
  issuer: string
  pair: Pair
  /** What it publishes. */
  keys: JWK[]
  /** Its document, beside what all have. */
  document: Record<string, unknown>
  /** The ID token for what the product asked with. */
  idToken: (nonce: string) => Promise<string> | string
  /** What it answers about a person beside the ID token. */
  userInfo: Record<string, unknown> | undefined
  claims: (nonce: string, more?: object) => Record<string, unknown>
  /** Answers instead, where it is set. */
  instead: ((path: string) => ReturnType<Answer> | undefined) | undefined
  /** What its token endpoint was sent. */
  sent: URLSearchParams[]
}

/** Opens one that does everything right, until a test bends it. */
export async function bentIssuer(email: string): Promise<Bent> {
  const pair = await firstPair()
  const bent = {
    pair,
    keys: [pair.jwk],
    document: {},
    userInfo: undefined,
    instead: undefined,
    sent: [],
  } as unknown as Bent
  let token = ''
  bent.site = await opened((request, body) => bent.instead?.(request.url!) ?? answered(bent, request, body, token))
  bent.issuer = bent.site.url
  bent.claims = (nonce, more = {}) => ({
    iss: bent.issuer,
    aud: clientID,
    sub: 'subject-1',
    nonce,
    email,
    email_verified: true,
    iat: seconds(),
    exp: seconds() + 300,
    ...more,
  })
  bent.idToken = (nonce) => signed(bent.claims(nonce), bent.pair)
  return Object.assign(bent, {
    /** Makes the token that the next exchange gets. */
    ready: async (nonce: string) => void (token = await bent.idToken(nonce)),
  })
}

function answered(bent: Bent, request: IncomingMessage, body: string, token: string): ReturnType<Answer> {
  const { url } = bent.site
  if (request.url === '/jwks') return { json: { keys: bent.keys } }
  if (request.url === '/userinfo') return { json: bent.userInfo ?? {} }
  if (request.url === '/token') {
    bent.sent.push(new URLSearchParams(body))
    return { json: { access_token: 'a', token_type: 'Bearer', expires_in: 60, id_token: token } }
  }
  const places = { jwks_uri: `${url}/jwks`, authorization_endpoint: `${url}/auth`, token_endpoint: `${url}/token` }
  return { json: { issuer: url, ...places, ...bent.document } }
}

export const ready = (bent: Bent, nonce: string): Promise<void> =>
  (bent as Bent & { ready: (nonce: string) => Promise<void> }).ready(nonce)
