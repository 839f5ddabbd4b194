/**
 * Browser sessions for our own pages. The refresh token is only in a cookie, which no script can read and no page of
 * another site sends; the page keeps the access token in memory. Otherwise sessions and refreshes work as everywhere.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { dayMs } from '#engine/value/day.ts'
import { Fault } from '#engine/value/fault.ts'
import { secondsGood, decodeToken, type Claims } from '#http/identity/token/access-token.ts'
import { logout, refreshSession, sessionOf, tenantsOf, type SignedIn } from './session.ts'
import { Session } from './session-entity.ts'
import type { Client, IdentityTools } from '#http/identity/tools.ts'
import { reply, type Reply } from '#http/store/reply.ts'

const keptSeconds = (30 * dayMs) / 1000

/** What a page gets of its session. */
export interface BrowserSession {
  accessToken: string
  /** Seconds for which the access token is valid. */
  expiresIn: number
  user: { email: string; name: string }
  tenants: { id: string; name: string }[]
  /** The active organization; null if there is none. */
  orgID: string | null
}

/** The sign-in page of a service reached at `publicUrl`. */
export const consoleOf = (publicUrl: string): string => `${publicUrl.replace(/\/$/, '')}/console/`

/** Includes the port, since cookies ignore ports and another product on this host may have its own. */
function nameOf({ port, protocol }: URL): string {
  return `tidemark_session_${port || (protocol === 'https:' ? 443 : 80)}`
}

/** The `Set-Cookie` header that stores a refresh token in the browser; without a token, one that deletes it. */
function cookieOf(publicUrl: string, token = ''): string {
  const url = new URL(publicUrl)
  return [
    `${nameOf(url)}=${token}`,
    `Path=${url.pathname.replace(/\/$/, '')}/auth/browser`,
    `Max-Age=${token === '' ? 0 : keptSeconds}`,
    'HttpOnly',
    'SameSite=Strict',
    ...(url.protocol === 'https:' ? ['Secure'] : []),
  ].join('; ')
}

/** The refresh token in the cookie; empty if there is none. */
function tokenIn({ cookie = '' }: IncomingHttpHeaders, publicUrl: string): string {
  const start = `${nameOf(new URL(publicUrl))}=`
  const sent = cookie.split(';').map((pair) => pair.trim())
  return sent.find((pair) => pair.startsWith(start))?.slice(start.length) ?? ''
}

const hostOf = (origin: string): string | undefined => (URL.canParse(origin) ? new URL(origin).host : undefined)

/**
 * Accepts requests from our own pages, and from clients that are not browsers. Browsers name the site; older ones only
 * send the origin.
 * @throws Fault `forbidden` `cross_site`
 */
export function checkSameSite(
  { host, origin, 'sec-fetch-site': site = 'same-origin' }: IncomingHttpHeaders,
  publicUrl: string,
): void {
  // A proxy may have replaced the host name that the browser used.
  const own = [host?.toLowerCase(), new URL(publicUrl).host]
  const from = origin === undefined ? own[1] : hostOf(origin)
  if (site === 'same-origin' && from !== undefined && from !== '' && own.includes(from)) return
  throw Fault.forbidden(
    'cross_site',
    'Only pages of this service may call this. Other clients sign in with /auth/login.',
  )
}

const readClaims = (accessToken: string): Claims => decodeToken(accessToken)!.payload as object as Claims

/** Gives a session to a browser: the refresh token as a cookie, the rest to its page. */
export function handedOver(
  tools: IdentityTools,
  { accessToken, refreshToken, user, tenants }: SignedIn,
): Reply<BrowserSession> {
  const orgID = readClaims(accessToken).org_id ?? null
  const headers = { 'Set-Cookie': cookieOf(tools.publicUrl(), refreshToken) }
  return reply({ accessToken, expiresIn: secondsGood, user, tenants, orgID }, { headers })
}

/**
 * Refreshes the session of the cookie, for another organization if one is named.
 * @throws Fault `no_session`; `invalid_token`, which deletes the cookie; `not_a_member`
 */
export async function refreshBrowser(
  tools: IdentityTools,
  sent: IncomingHttpHeaders,
  tenantID: string | undefined,
  client: Client,
): Promise<Reply<BrowserSession>> {
  const token = tokenIn(sent, tools.publicUrl())
  if (token === '') throw Fault.unauthenticated('no_session', 'This browser has no session. Sign in.')
  const pair = await refreshSession(tools, token, tenantID, client).catch((error: unknown) => {
    throw error instanceof Fault && error.kind === 'unauthenticated' ? withoutCookie(tools, error) : error
  })
  const { sid, email, name } = readClaims(pair.accessToken)
  const em = tools.em()
  const tenants = await tenantsOf(em, await em.findOneOrFail(Session, { id: sid }))
  return handedOver(tools, { ...pair, tenants, user: { email, name } })
}

const withoutCookie = (tools: IdentityTools, { kind, code, message, detail, cause }: Fault): Fault =>
  new Fault(kind, code, message, { ...detail, setCookie: cookieOf(tools.publicUrl()) }, cause)

/** Ends the session of the cookie, if there is one, and deletes the cookie. */
export async function logoutBrowser(
  tools: IdentityTools,
  sent: IncomingHttpHeaders,
  client: Client,
): Promise<Reply<undefined>> {
  const session = await sessionOf(tools.em(), tokenIn(sent, tools.publicUrl()))
  if (session && !session.revokedAt) await logout(tools, session.id, client)
  return reply(undefined, { headers: { 'Set-Cookie': cookieOf(tools.publicUrl()) } })
}
