/**
 * Who is signed in. The access token lives in this page's memory alone; the refresh token in a cookie that no script can
 * read. Pages of one browser renew it one at a time.
 */
import { signal } from '@preact/signals'
import { addressOf } from './address.ts'
import type { Operations } from './operation/index.ts'
import { away, Problem } from './problem.ts'

export type SignedIn = Operations['POST /auth/browser/refresh']['reply']
export type Me = Operations['GET /auth/me']['reply']

export interface Session extends Omit<SignedIn, 'accessToken'> {
  me: Me
}

/** Undefined until it is known; null: nobody is signed in. */
export const session = signal<Session | null | undefined>(undefined)

let accessToken = ''
let renewing: Promise<boolean> | undefined

export const bearer = (): string => accessToken

/** A request that carries no token of its own: the cookie, or what a person typed. */
export async function send(operation: string, body?: unknown): Promise<Response> {
  const [method = 'GET'] = operation.split(' ')
  return fetch(addressOf(operation), {
    method,
    credentials: 'same-origin',
    ...(method !== 'GET' && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body ?? {}) }),
  }).catch(() => {
    throw away()
  })
}

const answered = async <T>(response: Response): Promise<T> => {
  const body = (await response.json().catch(() => ({}))) as Record<string, unknown>
  if (!response.ok) throw new Problem(response.status, body, Number(response.headers.get('Retry-After')) || undefined)
  return body['data'] as T
}

/** @throws Problem as the API says it */
export async function signIn(operation: string, body: unknown): Promise<void> {
  await take(await answered<SignedIn>(await send(operation, body)))
}

async function take({ accessToken: token, ...of }: SignedIn): Promise<void> {
  accessToken = token
  const response = await fetch(addressOf('GET /auth/me'), { headers: { Authorization: `Bearer ${token}` } }).catch(
    () => {
      throw away()
    },
  )
  session.value = { ...of, me: await answered<Me>(response) }
}

/** One at a time over all pages: a refresh token is good for one use. */
const alone = <T>(work: () => Promise<T>): Promise<T> =>
  navigator.locks ? navigator.locks.request('tidemark-session', work) : work()

/** Renews the access token. False where nobody is signed in any more. @throws Problem when nothing answers */
export function renew(tenantID?: string): Promise<boolean> {
  renewing ??= alone(async () => {
    const response = await send('POST /auth/browser/refresh', tenantID === undefined ? {} : { tenantID })
    if (response.status === 401 || response.status === 403) {
      accessToken = ''
      session.value = null
      return false
    }
    await take(await answered<SignedIn>(response))
    return true
  }).finally(() => {
    renewing = undefined
  })
  return renewing
}

export async function signOut(): Promise<void> {
  await send('POST /auth/browser/logout').catch(() => undefined)
  accessToken = ''
  session.value = null
}

/** What the API would need of the caller's role; views say so instead of showing what cannot work. Of `session` it needs a person alone. */
export function may(permission: string): boolean {
  const me = session.value?.me
  if (!me) return false
  return permission === 'session' || me.isAdmin || me.permissions.some((one) => one === permission)
}

let looking: Promise<void> | undefined

/** Asks once more what the caller may do: an answer has refused what was thought to be allowed. */
export function lookAgain(): Promise<void> {
  looking ??= (async () => {
    const now = session.value
    const headers = { Authorization: `Bearer ${accessToken}` }
    const response = await fetch(addressOf('GET /auth/me'), { headers }).catch(() => undefined)
    if (!now || !response?.ok || session.value !== now) return
    const { data: me } = (await response.json()) as { data: Me }
    if (JSON.stringify(me) !== JSON.stringify(now.me)) session.value = { ...now, me }
  })().finally(() => {
    looking = undefined
  })
  return looking
}

/** A role in words: those that an organization has made are known by their ids here. */
export const roleText = (role: string): string =>
  role === '' ? 'none' : /^[a-z]+$/.test(role) ? role : 'one of your organization’s own'
