/** An OpenID provider and a GitHub of our own, on this machine, and sign-ins by them. */
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK, type JWTHeaderParameters } from 'jose'
import type { Fault } from '#engine/value/fault.ts'
import { User } from '#http/identity/entity.ts'
import { socialLogIn, type SocialLogin } from '#http/identity/provider/social.ts'
import type { SocialSettings } from '#http/identity/tools.ts'
import { asService } from '#http/store/tenant.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { testProduct } from '#test/harness/product.ts'

export const client = { ip: '127.0.0.1', userAgent: 'test', requestId: 'r1' }
export const unset: SocialSettings = {
  googleIssuer: 'http://127.0.0.1:9',
  googleClientIds: [],
  githubUrl: 'http://127.0.0.1:9',
  githubApiUrl: 'http://127.0.0.1:9',
  githubClientId: undefined,
  githubClientSecret: undefined,
}

export const tools = async () => (await testProduct()).product.get(tokens.identity)

export async function logIn(social: Partial<SocialSettings>, login: SocialLogin) {
  const identity = await tools()
  return asService(() => socialLogIn({ ...identity, social: { ...unset, ...social } }, login, client))
}

/** Kind and code of the refusal; `let in` without one. */
export const refusal = async (social: Partial<SocialSettings>, login: SocialLogin): Promise<string> =>
  logIn(social, login).then(
    () => 'let in',
    ({ kind, code }: Fault) => `${kind} ${code}`,
  )
export const bad = 'unauthenticated invalid_credentials'
export const away = 'transient upstream_failed'

export const userOf = async (email: string) => asService(async () => (await tools()).em().findOne(User, { email }))

export type Answer = (request: IncomingMessage, body: string) => { status?: number; json?: unknown; headers?: object }

export interface Site {
  url: string
  /** Paths that were asked for. */
  asked: string[]
  server: Server
}

export async function siteOf(answer: Answer): Promise<Site> {
  const asked: string[] = []
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    asked.push(request.url!)
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { status = 200, json = {}, headers = {} } = answer(request, Buffer.concat(chunks).toString())
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(JSON.stringify(json))
  }
  const server = createServer((request, response) => void serve(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, server }
}

export const sites: Site[] = []
export const opened = async (answer: Answer): Promise<Site> => {
  const site = await siteOf(answer)
  sites.push(site)
  return site
}

export interface Pair {
  kid: string
  jwk: JWK
  key: CryptoKey
}

export async function pairOf(alg = 'RS256'): Promise<Pair> {
  const { publicKey, privateKey } = await generateKeyPair(alg)
  const kid = randomUUID()
  return { kid, jwk: { ...(await exportJWK(publicKey)), kid, use: 'sig', alg }, key: privateKey }
}

let kept: Promise<Pair> | undefined
/** The pair that every provider of this process begins with: making one takes longer than most tests. */
export const firstPair = (): Promise<Pair> => (kept ??= pairOf())

/** An OpenID provider that publishes `keys`, which a test may change. */
export async function issuer() {
  const pair = await firstPair()
  const keys: JWK[] = [pair.jwk]
  const site: Site = await opened((request) => {
    const { url } = site
    if (request.url === '/jwks') return { json: { keys } }
    const places = { jwks_uri: `${url}/jwks`, authorization_endpoint: `${url}/authorize` }
    return { json: { issuer: url, ...places, id_token_signing_alg_values_supported: ['RS256'] } }
  })
  const social = { googleIssuer: site.url, googleClientIds: ['our-client', 'our-app'] }
  const claims = (email: string) => ({
    iss: site.url,
    aud: 'our-client',
    sub: randomUUID(),
    email,
    email_verified: true,
    name: 'Gea',
    iat: seconds(),
    exp: seconds() + 3600,
  })
  return { ...site, pair, keys, social, claims }
}

export const seconds = () => Math.floor(Date.now() / 1000)
export const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

export const signed = (claims: object, { kid, key }: Pair, header: Partial<JWTHeaderParameters> = {}) =>
  new SignJWT({ ...claims }).setProtectedHeader({ alg: 'RS256', kid, ...header }).sign(key)

export const google = (token: string, more: Partial<SocialLogin> = {}): SocialLogin => ({
  provider: 'google',
  token,
  ...more,
})

after(() => {
  for (const { server } of sites) {
    server.closeAllConnections()
    server.close()
  }
})
