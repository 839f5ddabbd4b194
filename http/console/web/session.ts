/**
 * Who is signed in. The access token lives in this page's memory alone; the refresh token in a cookie that no script can
 * read. Pages of one browser use it one at a time; each stays in the organization that it is in.
 */
import { signal } from '@preact/signals'
import { addressOf } from './address.ts'
import type { Operations } from './operation.ts'
import { away, Problem, problemOf } from './problem.ts'

export type SignedIn = Operations['POST /auth/browser/refresh']['reply']
export type Me = Operations['GET /auth/me']['reply']

export interface Session extends Omit<SignedIn, 'accessToken' | 'expiresIn' | 'me'> {
  me: Me
}

/** Undefined until it is known; null: nobody is signed in. */
export const session = signal<Session | null | undefined>(undefined)

/** The session has ended under the page: it stays with what was typed, behind a sign-in, until somebody is signed in again. */
export const isOver = signal(false)

/** Why nobody is signed in, where something was tried. */
export const signInProblem = signal<Problem | undefined>(undefined)

/** Of a sign-in that waits for its second factor; empty without one. */
export const challenge = signal('')

let accessToken = ''
/** When the access token is to be renewed, milliseconds since 1970 by this machine's clock: so long before it runs out. */
let renewAt = Infinity
const earlyMs = 60_000
let renewing: Promise<boolean> | undefined

export const bearer = (): string => accessToken

/** Whose figures the page shows: the person and the organization. What is kept of one is nothing for another. */
export const viewerKey = (of = session.value): string => (of ? JSON.stringify([of.user.email, of.orgID]) : '')

/** Keeps why a sign-in went no further: what it wants still, or what is wrong. */
export function refuse(error: unknown): void {
  const problem = problemOf(error)
  const isHalf = problem.code === 'mfa_required'
  if (isHalf || problem.code === 'invalid_challenge') challenge.value = problem.text('challenge')
  signInProblem.value = isHalf ? undefined : problem
}

/** Asks what needs no token of its own: the cookie tells, or what a person typed. @throws Problem as the API says it */
export async function askWithoutToken<O extends keyof Operations>(
  operation: O,
  body?: unknown,
): Promise<Operations[O]['reply']> {
  const [method = 'GET'] = operation.split(' ')
  const how = { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body ?? {}) }
  const response = await fetch(addressOf(operation), {
    method,
    credentials: 'same-origin',
    ...(method !== 'GET' && how),
  }).catch(() => {
    throw away()
  })
  return readData<Operations[O]['reply']>(response)
}

const readData = async <T>(response: Response): Promise<T> => {
  const body = (await response.json().catch(() => ({}))) as Record<string, unknown>
  if (!response.ok) throw new Problem(response.status, body, Number(response.headers.get('Retry-After')) || undefined)
  return body['data'] as T
}

/** What begins a session. */
type SignInOperation = 'POST /auth/browser/login' | 'POST /auth/browser/login/totp' | 'POST /auth/browser/link'

/** @throws Problem as the API says it */
export const signIn = (operation: SignInOperation, body: unknown): Promise<void> =>
  alone(async () => {
    const begun = await askWithoutToken(operation, body)
    // A link says itself where it leads.
    await take(operation === 'POST /auth/browser/link' ? begun : await staying(begun))
  })

const organizationKey = 'organization'
/**
 * Says that this browser has a cookie, which no script sees: without it there is nothing to ask about. Of a session that
 * ended by itself it says so; whoever signs out takes it away.
 */
const signedInKey = 'signed-in'
const signedInMark = '1'
const endedMark = 'ended'

async function take({ accessToken: token, expiresIn, me: known, ...of }: SignedIn, before?: () => void): Promise<void> {
  const until = Date.now() + expiresIn * 1000 - earlyMs
  const me = known ?? (await requestMe(token))
  before?.()
  accessToken = token
  renewAt = until
  sessionStorage.setItem(organizationKey, viewerKey({ ...of, me }))
  localStorage.setItem(signedInKey, signedInMark)
  signInProblem.value = undefined
  challenge.value = ''
  isOver.value = false
  session.value = { ...of, me }
}

async function requestMe(token: string): Promise<Me> {
  const headers = { Authorization: `Bearer ${token}` }
  const response = await fetch(addressOf('GET /auth/me'), { headers }).catch(() => {
    throw away()
  })
  return readData<Me>(response)
}

/** The browser's session may have been led to another organization by another page: this one goes on where its person was. */
async function staying(given: SignedIn): Promise<SignedIn> {
  const [email, orgID] = JSON.parse(sessionStorage.getItem(organizationKey) ?? '[]') as [string?, (string | null)?]
  const isElsewhere = email === given.user.email && orgID !== given.orgID
  const there = isElsewhere ? given.tenants.find(({ id }) => id === orgID) : undefined
  return there ? nextOf(there.id).catch(() => given) : given
}

const nextOf = (tenantID?: string): Promise<SignedIn> =>
  askWithoutToken('POST /auth/browser/refresh', tenantID === undefined ? {} : { tenantID })

/** One at a time over all pages: a refresh token is good for one use, and the newest cookie counts. */
const alone = <T>(work: () => Promise<T>): Promise<T> =>
  navigator.locks ? navigator.locks.request('tidemark-session', work) : work()

/** Renews the access token. False where nobody is signed in any more. @throws Problem where it is refused or nothing answers */
export function renew(): Promise<boolean> {
  renewing ??= alone(async () => {
    const state = localStorage.getItem(signedInKey)
    if (state !== signedInMark) {
      if (state === null) forget()
      else endSession()
      return false
    }
    try {
      await take(await staying(await nextOf()))
      return true
    } catch (error) {
      if (problemOf(error).status !== 401) throw error
      endSession()
      return false
    }
  }).finally(() => {
    renewing = undefined
  })
  return renewing
}

/**
 * Renews an access token that is about to run out, before anything is refused for it. False where nobody is signed in any
 * more. Where nothing answers what is asked next says so.
 */
export const isFresh = async (): Promise<boolean> =>
  accessToken === '' || Date.now() < renewAt || renew().catch(() => true)

/** Goes to another organization, and takes up its invitation. `before` is called when it is sure. @throws Problem */
export const enter = (tenantID: string, before?: () => void): Promise<void> =>
  alone(async () => take(await nextOf(tenantID), before))

/** Nobody is signed in any more. A page that somebody works in is kept for them. */
export function endSession(): void {
  if (localStorage.getItem(signedInKey) !== null) localStorage.setItem(signedInKey, endedMark)
  accessToken = ''
  if (session.value) isOver.value = true
  else session.value = null
}

/** Somebody has signed out: nothing of theirs stays. */
function forget(): void {
  localStorage.removeItem(signedInKey)
  accessToken = ''
  isOver.value = false
  session.value = null
}

/** Goes on where another page of this browser has signed in again, and ends where it has signed out. */
export function watchOthers(): void {
  addEventListener('storage', ({ key, newValue }) => {
    if (key !== signedInKey || !session.value) return
    if (newValue === null) forget()
    else if (newValue === signedInMark && isOver.value) void renew().catch(() => undefined)
  })
}

const notSignedOut = new Problem(0, {
  code: 'unreachable',
  detail:
    'Cannot reach Tidemark. You are signed out of this page, but not of this browser. Reload the page when Tidemark is back, then sign out.',
})

export async function signOut(): Promise<void> {
  const isOut = await alone(() => askWithoutToken('POST /auth/browser/logout')).then(
    () => true,
    () => false,
  )
  if (!isOut) signInProblem.value = notSignedOut
  sessionStorage.removeItem(organizationKey)
  forget()
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
  role === '' ? 'none' : /^[a-z]+$/.test(role) ? role : 'a custom role'
