/** Signing in: a password and what else the installation has set up, and the second factor where a person has one. */
import { useEffect, useState } from 'preact/hooks'
import { addressOf } from '../address.ts'
import type { Reply } from '../api.ts'
import { beginOutside, redirectOf, refused } from '../begin.ts'
import { typed } from '../form.ts'
import { html } from '../html.ts'
import { problemOf, type Problem } from '../problem.ts'
import { send, signIn } from '../session.ts'

type Methods = Reply<'GET /auth/browser/methods'>

const random = (): string =>
  btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(24)))).replaceAll(/[+/=]/g, '')

const back = (): string => location.href

export function SignIn() {
  const [problem, setProblem] = useState<Problem | undefined>(refused.value)
  const [challenge, setChallenge] = useState<string | undefined>()
  const tried = (work: Promise<void>) =>
    work.catch((error: unknown) => {
      const found = problemOf(error)
      if (found.code === 'mfa_required') setChallenge(found.text('challenge'))
      else setProblem(found)
    })
  const wrong = problem ?? refused.value
  return html`<main class="alone sign-in">
    <h1><span class="mark" aria-hidden="true"></span>Tidemark</h1>
    ${wrong && html`<p class="note bad" role="alert">${wrong.message}</p>`}
    ${challenge === undefined ? html`<${Password} tried=${tried} /><${Elsewhere} tried=${tried} />` : html`<${SecondFactor} challenge=${challenge} tried=${tried} />`}
  </main>`
}

type Tried = { tried: (work: Promise<void>) => Promise<unknown> }

function Password({ tried }: Tried) {
  const [isBusy, setBusy] = useState(false)
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    setBusy(true)
    await tried(
      signIn('POST /auth/browser/login', {
        provider: 'email',
        email: typed(event.target, 'email'),
        password: typed(event.target, 'password'),
      }),
    )
    setBusy(false)
  }
  return html`<form onSubmit=${submit}>
    <label>E-mail <input name="email" type="email" autocomplete="username" required /></label>
    <label>Password <input name="password" type="password" autocomplete="current-password" required /></label>
    <button type="submit" class="main" disabled=${isBusy}>Sign in</button>
  </form>`
}

function SecondFactor({ challenge, tried }: Tried & { challenge: string }) {
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const code = typed(event.target, 'code').trim()
    void tried(signIn('POST /auth/browser/login/totp', { challenge, code }))
  }
  return html`<form onSubmit=${submit}>
    <label>Six digits of your device, or a recovery code <input name="code" autocomplete="one-time-code" inputmode="numeric" required autofocus /></label>
    <button type="submit" class="main">Go on</button>
  </form>`
}

/** Other ways, as far as they are set up. The page leaves for the provider; nothing of it is loaded here. */
function Elsewhere({ tried }: Tried) {
  const [methods, setMethods] = useState<Methods | undefined>()
  useEffect(() => {
    fetch(addressOf('GET /auth/browser/methods'))
      .then(async (response) => setMethods(((await response.json()) as { data: Methods }).data))
      .catch(() => undefined)
  }, [])
  const { google, github } = methods ?? {}
  return html`<div class="elsewhere">
    ${google && html`<button type="button" onClick=${() => toGoogle(google)}>Sign in with Google</button>`}
    ${github && html`<button type="button" onClick=${() => void toGitHub(github)}>Sign in with GitHub</button>`}
    <details><summary>Single sign-on of your organization</summary><form onSubmit=${(event: SubmitEvent) => {
      event.preventDefault()
      void tried(toProvider(typed(event.target, 'email')))
    }}>
      <label>E-mail <input name="email" type="email" required /></label><button type="submit">Go to your provider</button>
    </form></details>
    <p class="faint">No account yet? <code>npm run -s tidemark -- console</code> prints a link that signs its operator in.</p>
  </div>`
}

type Provider = { authorizeURL: string; clientID: string }

function toGoogle({ authorizeURL, clientID }: Provider): void {
  const [state, nonce] = [random(), random()]
  beginOutside({ provider: 'google', state, nonce, back: back() })
  const to = new URL(authorizeURL)
  const asked = {
    response_type: 'id_token',
    client_id: clientID,
    redirect_uri: redirectOf(),
    scope: 'openid email profile',
    state,
    nonce,
  }
  for (const [name, value] of Object.entries(asked)) to.searchParams.set(name, value)
  location.assign(to)
}

async function toGitHub({ authorizeURL, clientID }: Provider): Promise<void> {
  const [state, verifier] = [random(), `${random()}${random()}`]
  beginOutside({ provider: 'github', state, verifier, back: back() })
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  const challenge = btoa(String.fromCharCode(...new Uint8Array(hash)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
  const to = new URL(authorizeURL)
  const asked = {
    client_id: clientID,
    redirect_uri: redirectOf(),
    scope: 'user:email',
    state,
    code_challenge: challenge,
    code_challenge_method: 'S256',
  }
  for (const [name, value] of Object.entries(asked)) to.searchParams.set(name, value)
  location.assign(to)
}

/** @throws Problem where no organization signs in that address */
async function toProvider(email: string): Promise<void> {
  const response = await send('POST /auth/saml/initiate', { email })
  const body = (await response.json()) as { data?: { redirectURL: string }; detail?: string }
  if (!body.data) throw new Error(body.detail ?? 'No organization signs in this address.')
  beginOutside({ provider: 'saml', state: '', back: back() })
  location.assign(body.data.redirectURL)
}
