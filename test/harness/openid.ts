/** An OpenID provider that stands for those of companies: `oidc-provider`, on this machine, with a page where people sign in. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ask, founder, proved, type Founder } from '#test/harness/people.ts'
import { testProduct, type Answer } from '#test/harness/product.ts'

/** What the provider knows of a person, by their name there. */
export interface Account {
  sub: string
  email?: string
  email_verified?: boolean
  name?: string
}

export interface OpenId {
  issuer: string
  accounts: Map<string, Account>
  close(): Promise<void>
}

const secret = 'a-secret-that-both-know-and-nobody-else'
export const clientSecret = secret
export const clientID = 'tidemark'

interface Library {
  default: new (issuer: string, configuration: object) => { callback(): Parameters<Server['on']>[1] }
}

/** Written as text, for the package says nothing of its types. */
const packageName: string = 'oidc-provider'

/** Opens a provider that sends people back to `redirectURIs`. `port` 0 takes any free one. */
export async function openIdProvider(redirectURIs: readonly string[], { port = 0, more = {} } = {}): Promise<OpenId> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const accounts = new Map<string, Account>()
  const { default: Provider } = (await import(packageName)) as Library
  const find = (_ctx: unknown, id: string) => ({
    accountId: id,
    claims: () => accounts.get(id) ?? { sub: id },
  })
  const provider = quietly(
    () =>
      new Provider(issuer, {
        clients: [{ client_id: clientID, client_secret: secret, redirect_uris: redirectURIs }],
        claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
        findAccount: find,
        ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, IdToken: 600, AuthorizationCode: 60 },
        cookies: { keys: ['only for tests'] },
        ...more,
      }),
  )
  server.on('request', provider.callback() as never)
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { issuer, accounts, close }
}

/** It warns of what is meant for development, which this is. */
function quietly<T>(work: () => T): T {
  const { warn, info } = console
  Object.assign(console, { warn: () => {}, info: () => {} })
  try {
    return work()
  } finally {
    Object.assign(console, { warn, info })
  }
}

/** A browser, as far as a sign-in needs one: it keeps cookies and follows where it is sent. */
export class Browser {
  private readonly cookies = new Map<string, string>()

  async go(url: string, form?: Record<string, string>): Promise<Response> {
    const response = await fetch(url, {
      method: form ? 'POST' : 'GET',
      redirect: 'manual',
      headers: { Cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form && { body: new URLSearchParams(form) }),
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '') this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
    return response
  }

  /** Goes where it is sent until it would come to `end`, or is asked something. */
  async follow(url: string, end: string): Promise<string> {
    let at = url
    for (let steps = 0; steps < 20; steps++) {
      if (at.startsWith(end)) return at
      const response = await this.go(at)
      const to = response.headers.get('location')
      if (to === null) return at
      at = new URL(to, at).href
    }
    throw new Error(`led around in circles at ${at}`)
  }
}

/** Signs in at the provider's page as `login` and says yes to everything; the address that the browser comes back to. */
export async function signInAt(url: string, login: string, end: string, browser = new Browser()): Promise<string> {
  let at = await browser.follow(url, end)
  for (const form of [{ prompt: 'login', login, password: 'x' }, { prompt: 'consent' }]) {
    if (at.startsWith(end)) return at
    const answer = await browser.go(at, form)
    at = await browser.follow(new URL(answer.headers.get('location') ?? at, at).href, end)
  }
  return at
}

/** An organization that signs its people in by OpenID Connect. */
export interface OpenIdWorld extends Founder {
  domain: string
  url: string
  /** Where its provider sends people back to. */
  redirectURI: string
}

/** An organization with a proved domain of its own and no provider yet. */
export async function openIdWorld(): Promise<OpenIdWorld> {
  const who = await founder('Signs in by OpenID')
  const { url } = await testProduct()
  const redirectURI = `${url}/auth/oidc/${who.orgId}/callback`
  return { ...who, domain: `${who.orgId.slice(0, 8)}.example`, url, redirectURI }
}

export const oidcOf = (domain: string, issuer: string, more: object = {}) => ({
  issuer,
  clientID,
  clientSecret: secret,
  emailDomains: [domain],
  ...more,
})

/** A provider that is set and switched off. */
export const oidcOff = (domain: string) => ({ ...oidcOf(domain, 'https://idp.example'), enabled: false })

/** Gives an organization its provider, and proves its domain. */
export async function connected(w: OpenIdWorld, issuer: string, more: object = {}): Promise<void> {
  const { status, body } = await putOidc(w, oidcOf(w.domain, issuer, more))
  if (status !== 200) throw new Error(`cannot set the provider: ${JSON.stringify(body)}`)
  if (body.data.domains[0].status !== 'verified') await proved(w, body.data.domains[0])
}

export const putOidc = (w: Founder, body: object): Promise<Answer> =>
  ask('PUT', `/organisations/${w.orgId}/oidc`, { token: w.accessToken, body })

export interface BegunSignIn {
  redirectURL: string
  state: string
  codeVerifier: string
}

export async function begun(w: OpenIdWorld, name = 'eva'): Promise<BegunSignIn> {
  const { status, body } = await ask('POST', '/auth/oidc/initiate', { body: { email: `${name}@${w.domain}` } })
  if (status !== 200) throw new Error(`cannot begin: ${JSON.stringify(body)}`)
  return body.data
}

/** Where the product leads a browser that comes back from the provider: the code or the error, and the state. */
export async function cameBack(address: string): Promise<{ status: number; at: string; said: Record<string, string> }> {
  const response = await fetch(address, { redirect: 'manual' })
  const to = response.headers.get('location')
  if (to === null) return { status: response.status, at: '', said: (await response.json()) as Record<string, string> }
  const { origin, pathname, searchParams } = new URL(to)
  return { status: response.status, at: `${origin}${pathname}`, said: Object.fromEntries(searchParams) }
}

export const exchanged = (code: string, codeVerifier: string | undefined): Promise<Answer> =>
  ask('POST', '/auth/login', {
    body: { provider: 'oidc', token: code, ...(codeVerifier !== undefined && { codeVerifier }) },
  })
