/**
 * How a page gets its session: by a sign-in link, by what an identity provider led back with, or by the cookie of before.
 * Secrets of the address are taken out of it at once, before anything is asked.
 */
import { go, currentRoute } from './router.ts'
import { Problem, problemOf } from './problem.ts'
import { challenge, refuse, renew, session, signIn } from './session.ts'

/** A sign-in elsewhere that this page began; others must not be able to end one in it. */
export interface Outside {
  provider: 'google' | 'github' | 'saml' | 'oidc'
  state: string
  nonce?: string
  verifier?: string
  /** Where the person was. */
  back: string
}

const pendingSignInKey = 'signing-in'
export const beginOutside = (outside: Outside): void =>
  sessionStorage.setItem(pendingSignInKey, JSON.stringify(outside))

/** The sign-in that was begun here, once. */
function takePendingSignIn(): Outside | undefined {
  const text = sessionStorage.getItem(pendingSignInKey)
  sessionStorage.removeItem(pendingSignInKey)
  return text === null ? undefined : (JSON.parse(text) as Outside)
}

/** What the address brought. */
interface AddressTokens {
  link: string | null
  idToken: string | null
  code: string | null
  /** The code of a refusal. */
  error: string | null
  state: string
}

/** Reads the address, and takes out of it what nobody is to find there. */
function takeAddressTokens(): AddressTokens {
  const fragment = new URLSearchParams(location.hash.slice(1))
  const query = new URLSearchParams(location.search)
  // Providers lead to the page without a view; views have parameters of the same names.
  const led = currentRoute.value.view === 'overview' ? query : new URLSearchParams()
  const [code, error] = [led.get('code'), fragment.get('error') ?? led.get('error')]
  const state = fragment.get('state') ?? led.get('state') ?? ''
  if (code !== null || led.has('error'))
    for (const name of ['code', 'state', 'error', 'error_description', 'error_uri']) query.delete(name)
  if (location.hash !== '' || query.toString() !== new URLSearchParams(location.search).toString())
    go(currentRoute.value.view, query, { replace: true })
  return { link: fragment.get('token'), idToken: fragment.get('id_token'), code, error, state }
}

export async function begin(): Promise<void> {
  const { link, ...outside } = takeAddressTokens()
  try {
    if (link !== null) await signIn('POST /auth/browser/link', { token: link })
    else if (outside.idToken !== null || outside.code !== null || outside.error !== null) await byOutside(outside)
    else await byCookie()
  } catch (error) {
    await without(error)
  }
}

/** What was tried did not work; who was signed in before still is. */
async function without(error: unknown): Promise<void> {
  const isHalf = problemOf(error).code === 'mfa_required'
  if (!isHalf && (await renew().catch(() => false))) return
  refuse(error)
  session.value ??= null
}

/** A link that is put into the address of a page that is open does not load it. */
export function watchFragment(): void {
  addEventListener('hashchange', () => {
    if (/[#&](token|id_token|error)=/.test(location.hash)) void begin()
  })
}

/** Gives up a sign-in whose second factor is not there. */
export async function giveUp(): Promise<void> {
  challenge.value = ''
  await renew().catch(() => undefined)
}

/** The cookie of before. While nothing answers it is asked again. */
async function byCookie(): Promise<void> {
  for (;;) {
    try {
      await renew()
      return
    } catch (error) {
      const { status, retryAfter = 1 } = problemOf(error)
      if (status !== 0 && status !== 429 && status < 500) throw error
      await new Promise((resolve) => setTimeout(resolve, Math.min(60, retryAfter) * 1000))
    }
  }
}

const notBegun = (): Problem =>
  new Problem(401, {
    code: 'not_begun_here',
    detail: 'This sign-in was not started in this window, so you were not signed in. Start it here.',
  })

const calledOff = (code: string): Problem =>
  new Problem(401, {
    code: 'called_off',
    detail: `The identity provider did not sign you in${/^\w{1,40}$/.test(code) ? ` (error: ${code})` : ''}. Try again, or sign in another way.`,
  })

/** What our own codes mean to who signs in; who set the provider finds them in the audit trail. */
const reasons: Readonly<Record<string, string>> = {
  provider_refused: 'The identity provider refused the sign-in.',
  upstream_failed: 'The identity provider is not responding correctly. Try again in a moment.',
  email_missing: 'The identity provider did not supply your email address.',
  email_not_verified: 'The identity provider has not verified your email address.',
  domain_not_proved: 'Your email address is at a domain that your organization has not verified.',
  deactivated: 'Your organization’s directory has deactivated your account.',
  id_token_expired: 'The clocks of the identity provider and this service differ.',
}

const notLetIn = (code: string): Problem => {
  const said = Object.hasOwn(reasons, code) ? `${reasons[code]} You were not signed in.` : undefined
  return said === undefined ? calledOff(code) : new Problem(401, { code: 'called_off', detail: said })
}

async function byOutside({ idToken, code, error, state }: Omit<AddressTokens, 'link'>): Promise<void> {
  const begun = takePendingSignIn()
  if (!begun || begun.state === '' || begun.state !== state) throw notBegun()
  const { provider, back } = begun
  history.replaceState(null, '', back)
  dispatchEvent(new PopStateEvent('popstate'))
  const token = provider === 'google' ? idToken : code
  if (token === null) throw provider === 'oidc' ? notLetIn(error ?? '') : calledOff(error ?? '')
  await signIn('POST /auth/browser/login', { provider, token, ...proofOf(begun) })
}

/** What shows that the sign-in was begun here. */
function proofOf({ provider, nonce, verifier }: Outside) {
  const proof = verifier !== undefined && { codeVerifier: verifier }
  if (provider === 'google') return nonce !== undefined && { nonce }
  if (provider === 'github') return { redirectURI: redirectOf(), ...proof }
  return proof
}

/** Where identity providers lead back to: the page without a view. */
export const redirectOf = (): string => new URL('./', location.href.replace(/[?#].*$/, '')).href
