/**
 * How a page gets its session: by a sign-in link, by what an identity provider led back with, or by the cookie of before.
 * Secrets of the address are taken out of it at once, before anything is asked.
 */
import { signal } from '@preact/signals'
import { go, place } from './place.ts'
import { problemOf, type Problem } from './problem.ts'
import { renew, session, signIn } from './session.ts'

/** Why nobody is signed in, where something was tried. */
export const refused = signal<Problem | undefined>(undefined)

/** A sign-in elsewhere that this page began; others must not be able to end one in it. */
export interface Outside {
  provider: 'google' | 'github' | 'saml'
  state: string
  nonce?: string
  verifier?: string
  /** Where the person was. */
  back: string
}

const kept = 'signing-in'
export const beginOutside = (outside: Outside): void => sessionStorage.setItem(kept, JSON.stringify(outside))

function taken(): Outside | undefined {
  const text = sessionStorage.getItem(kept)
  sessionStorage.removeItem(kept)
  return text === null ? undefined : (JSON.parse(text) as Outside)
}

export async function begin(): Promise<void> {
  const fragment = new URLSearchParams(location.hash.slice(1))
  const query = new URLSearchParams(location.search)
  const [link, idToken, code] = [fragment.get('token'), fragment.get('id_token'), query.get('code')]
  const state = fragment.get('state') ?? query.get('state') ?? ''
  if (location.hash !== '' || code !== null) {
    for (const name of ['code', 'state', 'scope', 'authuser', 'prompt']) query.delete(name)
    go(place.value.view, query, { replace: true })
  }
  try {
    if (link !== null) await byLink(link)
    else if (idToken !== null || code !== null) await byOutside({ idToken, code, state })
    else await byCookie()
  } catch (error) {
    refused.value = problemOf(error)
    // What was tried did not work; who was signed in before still is.
    if (!(await renew().catch(() => false))) session.value = null
  }
}

async function byLink(token: string): Promise<void> {
  await signIn('POST /auth/browser/link', { token })
}

/** The cookie of before. While nothing answers it is asked again. */
async function byCookie(): Promise<void> {
  for (;;) {
    try {
      await renew()
      return
    } catch (error) {
      if (problemOf(error).status !== 0 && problemOf(error).status < 500) throw error
      await new Promise((resolve) => setTimeout(resolve, 1000))
    }
  }
}

interface Answered {
  idToken: string | null
  code: string | null
  state: string
}

async function byOutside({ idToken, code, state }: Answered): Promise<void> {
  const begun = taken()
  if (!begun || (begun.provider !== 'saml' && begun.state !== state)) {
    if (await renew()) return
    throw new Error('This sign-in was not begun in this window; begin it here.')
  }
  const { provider, nonce, verifier, back } = begun
  const token = (provider === 'google' ? idToken : code) ?? ''
  const more = {
    ...(provider === 'google' && nonce !== undefined && { nonce }),
    ...(provider === 'github' && {
      redirectURI: redirectOf(),
      ...(verifier !== undefined && { codeVerifier: verifier }),
    }),
  }
  await signIn('POST /auth/browser/login', { provider, token, ...more })
  history.replaceState(null, '', back)
  dispatchEvent(new PopStateEvent('popstate'))
}

/** Where identity providers lead back to: the page without a view. */
export const redirectOf = (): string => new URL('./', location.href.replace(/[?#].*$/, '')).href
