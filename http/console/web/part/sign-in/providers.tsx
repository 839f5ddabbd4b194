/** Signing in elsewhere, as far as that is set up. The page leaves for the provider; nothing of it is loaded here. */
import { useEffect, useState } from 'preact/hooks'
import type { Reply } from '../../api.ts'
import { beginOutside, redirectOf, type Outside } from '../../start-session.ts'
import { Problem, problemOf } from '../../problem.ts'
import { refuse, askWithoutToken } from '../../session.ts'
import { EmailField, Form, type Way } from './form.tsx'

type Methods = Reply<'GET /auth/browser/methods'>
type Provider = NonNullable<Methods['google']>

const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

/** 192 bits. */
const random = (): string => base64url(crypto.getRandomValues(new Uint8Array(24)))

export function ProviderButtons({ way }: { way: Way }) {
  const [methods, setMethods] = useState<Methods | undefined>()
  useEffect(() => {
    askWithoutToken('GET /auth/browser/methods').then(setMethods, () => undefined)
  }, [])
  const [isOpen, setOpen] = useState(false)
  const { google, github } = methods ?? {}
  return (
    <div class="elsewhere">
      <p class="or faint">or</p>
      {google && (
        <button type="button" onClick={() => toGoogle(google)}>
          Sign in with Google
        </button>
      )}
      {github && (
        <button type="button" onClick={() => void toGitHub(github).catch(refuse)}>
          Sign in with GitHub
        </button>
      )}
      {isOpen ? (
        <Form title="Single sign-on" action="Continue to your provider" doing={toProvider}>
          <EmailField {...way} />
          <p class="faint">The domain of your email address selects your organization’s identity provider.</p>
        </Form>
      ) : (
        <button type="button" onClick={() => setOpen(true)}>
          Sign in with single sign-on
        </button>
      )}
      <p class="faint">
        First time here? <code>npm run -s tidemark -- console</code> prints a sign-in link for the operator.
      </p>
    </div>
  )
}

function leave(to: string, outside: Omit<Outside, 'back'>, asked: Readonly<Record<string, string>> = {}): void {
  beginOutside({ ...outside, back: location.href })
  const address = new URL(to)
  for (const [name, value] of Object.entries(asked)) address.searchParams.set(name, value)
  location.assign(address)
}

const common = ({ clientID }: Provider, state: string) => ({
  client_id: clientID,
  redirect_uri: redirectOf(),
  state,
})

/** The ID token comes in the fragment: it reaches nobody but this page. */
function toGoogle(provider: Provider): void {
  const [state, nonce] = [random(), random()]
  const asked = { ...common(provider, state), response_type: 'id_token', scope: 'openid email profile', nonce }
  leave(provider.authorizeURL, { provider: 'google', state, nonce }, asked)
}

async function toGitHub(provider: Provider): Promise<void> {
  const [state, verifier] = [random(), `${random()}${random()}`]
  // A page that came without TLS has nothing to hash with: then the code is bound by its state alone.
  const subtle = crypto.subtle as SubtleCrypto | undefined
  const hash = await subtle?.digest('SHA-256', new TextEncoder().encode(verifier))
  const proof = hash && { code_challenge: base64url(new Uint8Array(hash)), code_challenge_method: 'S256' }
  const asked = { ...common(provider, state), scope: 'user:email', ...proof }
  leave(provider.authorizeURL, { provider: 'github', state, ...(proof && { verifier }) }, asked)
}

const noProvider = (email: string): Problem =>
  new Problem(404, {
    code: 'not_found',
    detail: `No organization here has single sign-on for addresses at ${email.split('@')[1] ?? ''}. Check the address, or sign in another way.`,
  })

/** @throws Problem where no organization signs in that address */
async function toProvider(field: (name: string) => string): Promise<void> {
  const email = field('email')
  const none = (error: unknown): undefined => {
    if (problemOf(error).status !== 404) throw error
  }
  const saml = await askWithoutToken('POST /auth/saml/initiate', { email }).catch(none)
  const begun = saml ?? (await askWithoutToken('POST /auth/oidc/initiate', { email }).catch(none))
  if (!begun) throw noProvider(email)
  const { redirectURL, state, codeVerifier: verifier } = begun
  leave(redirectURL, { provider: saml ? 'saml' : 'oidc', state, verifier })
}
