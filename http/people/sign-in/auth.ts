/** Signing up, in and out. Responses do not reveal whether an address has an account. */
import { Fault } from '#engine/value/fault.ts'
import { t } from '#engine/value/schema.ts'
import { logIn, resetPassword, sendCode, signUp, verifyEmail } from '#http/identity/session/login.ts'
import { providerLogIn } from '#http/identity/provider/login-code.ts'
import { initiate, metadata, providerNamed, takeSamlAnswer } from '#http/identity/provider/saml.ts'
import { logout, refreshSession, type SignedIn as Begun } from '#http/identity/session/session.ts'
import { socialLogIn } from '#http/identity/provider/social.ts'
import { badInput } from '#http/edge/problem.ts'
import { route, type Request, type Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import type { Client } from '#http/identity/tools.ts'
import { asService } from '#http/store/tenant.ts'
import { Email, Name, Password } from '#http/edge/parameter/field.ts'
import type { Static } from '#engine/value/schema.ts'
import { Pair, SignedIn } from './session-body.ts'

const Otp = t.String({ pattern: '^[0-9]{6}$', maxLength: 6, description: 'six digits, from the email' })
const Secret = t.String({ minLength: 1, maxLength: 16_384 })

/** The body of a sign-in with any method. */
export const Login = t.Object(
  {
    provider: t.Enum(['email', 'google', 'github', 'saml', 'oidc', 'oauth_a', 'oauth_b'], {
      description: 'oauth_a is google, oauth_b is github',
    }),
    email: t.Optional(Email),
    password: t.Optional(t.String({ minLength: 1, maxLength: 1024 })),
    token: t.Optional({
      ...Secret,
      description: 'google: the ID token; github: the code of its authorization page; saml and oidc: the one-time code',
    }),
    nonce: t.Optional(t.String({ maxLength: 1024, description: 'google: the expected nonce in the ID token' })),
    codeVerifier: t.Optional(
      t.String({
        maxLength: 128,
        description: 'github: the PKCE verifier; saml and oidc: the codeVerifier from the start of the sign-in',
      }),
    ),
    redirectURI: t.Optional(
      t.String({ maxLength: 2048, description: 'github: the same redirect URI as in the authorization request' }),
    ),
  },
  { examples: [{ provider: 'email', email: 'ana@example.com', password: 'correct horse battery' }] },
)

const Message = t.Object({ message: t.String() })

const names: Readonly<Record<string, string>> = { oauth_a: 'google', oauth_b: 'github' }

/** @throws Fault `invalid` with each missing one of `wanted` */
function requireFields<K extends 'email' | 'password' | 'token'>(body: Static<typeof Login>, ...wanted: K[]) {
  const missing = wanted.filter((name) => body[name] === undefined)
  if (missing.length > 0) {
    throw badInput(
      ...missing.map((name) => ({ in: 'body' as const, name: `/${name}`, code: 'required', message: 'is required' })),
    )
  }
  return body as Static<typeof Login> & Record<K, string>
}

/** Starts a session with the requested method. @throws Fault as `logIn`, `providerLogIn` and `socialLogIn` */
export async function signIn(
  { body, client }: Pick<Request<unknown, unknown, Static<typeof Login>>, 'body' | 'client'>,
  { identity }: Pick<Services, 'identity'>,
): Promise<Begun> {
  const provider = names[body.provider] ?? body.provider
  if (provider === 'email') return logIn(identity, requireFields(body, 'email', 'password'), client)
  const given = requireFields(body, 'token')
  const method = provider as 'google' | 'github' | 'saml' | 'oidc'
  const signed = signedBy(method, given, identity, client)
  return signed.catch((error: unknown) =>
    reportRefusal(error, (fault) => identity.refusedSignIn(method, fault, client)),
  )
}

function signedBy(
  method: 'google' | 'github' | 'saml' | 'oidc',
  given: Static<typeof Login> & { token: string },
  identity: Services['identity'],
  client: Client,
): Promise<Begun> {
  if (method === 'saml' || method === 'oidc') return providerLogIn(identity, method, given, client)
  return socialLogIn(identity, { ...given, provider: method }, client)
}

/** Reports a refusal and throws it on. */
export function reportRefusal(error: unknown, tell: (fault: Fault) => void): never {
  if (error instanceof Fault && error.kind === 'unauthenticated') tell(error)
  throw error
}

const routeBase = {
  method: 'POST',
  permission: 'public',
  limit: 'auth',
  tags: ['Authentication'],
  secret: true,
} as const

export const auth: readonly Route[] = [
  route({
    ...routeBase,
    path: '/auth/login',
    summary: 'Sign in with a password, Google, GitHub, or a SAML or OpenID Connect code',
    description:
      "A user with two-factor authentication gets 403 mfa_required with a challenge for POST /auth/login/totp; after a sign-in at an organization's identity provider it is not required.",
    body: Login,
    reply: SignedIn,
    refuses: {
      401: ['invalid_credentials', 'sign_in_not_begun_here'],
      403: ['email_not_verified', 'mfa_required', 'sign_up_closed'],
      422: ['capability_missing'],
      429: ['too_many_attempts'],
      502: ['upstream_failed'],
    },
    handle: (request, services) => asService(() => signIn(request, services)),
  }),
  route({
    ...routeBase,
    path: '/auth/signup',
    summary: 'Sign up; a code to confirm the email address is sent',
    description:
      'Returns the same response if the address already has an account; its owner is notified by email instead. The account ' +
      'belongs to no organization yet and cannot sign in until the address is confirmed. Weak passwords are rejected. If ' +
      'sign-up is by invitation only (SIGN_UP), other people get an email that says so and no account; if sign-up is ' +
      'disabled, everyone gets 403.',
    status: 201,
    body: t.Object(
      { email: Email, password: Password, name: Name },
      { examples: [{ email: 'ana@example.com', password: 'correct horse battery', name: 'Ana' }] },
    ),
    reply: t.Object({ email: t.String(), verificationRequired: t.Boolean() }),
    example: { email: 'ana@example.com', verificationRequired: true },
    refuses: { 400: ['weak_password'], 403: ['sign_up_closed'] },
    handle: ({ body, client }, { identity }) => asService(() => signUp(identity, body, client)),
  }),
  route({
    ...routeBase,
    path: '/auth/email/verify',
    summary: 'Send a new code to confirm an email address',
    description:
      'Always returns 202, whether or not the address has a pending confirmation. The code has six digits and expires after ten minutes.',
    status: 202,
    body: t.Object({ email: Email }, { examples: [{ email: 'ana@example.com' }] }),
    reply: Message,
    example: { message: 'If the address has an account, an email is on its way.' },
    handle: ({ body, client }, { identity }) => asService(() => sendCode(identity, body.email, 'verify', client)),
  }),
  route({
    ...routeBase,
    method: 'PATCH',
    path: '/auth/email/otp/validate',
    summary: 'Confirm an email address with its code',
    description:
      'Wrong and expired codes return the same error; after five attempts a code becomes invalid. This does not sign in.',
    body: t.Object({ email: Email, otp: Otp }, { examples: [{ email: 'ana@example.com', otp: '123456' }] }),
    reply: t.Object({ verified: t.Boolean() }),
    example: { verified: true },
    refuses: { 400: ['invalid_otp'], 429: ['too_many_attempts'] },
    handle: async ({ body, client }, { identity }) => {
      await asService(() => verifyEmail(identity, body.email, body.otp, client))
      return { verified: true }
    },
  }),
  route({
    ...routeBase,
    path: '/auth/refresh',
    summary: 'Exchange a refresh token for a new pair, optionally for another organization',
    description:
      'A refresh token can be used once. Reusing it ends its session, except within 10 seconds, when it returns the same new token.',
    body: t.Object(
      {
        refreshToken: Secret,
        tenantID: t.Optional(
          t.String({ maxLength: 128, description: 'the organization to switch to; accepts its invitation' }),
        ),
      },
      { examples: [{ refreshToken: 'REFRESH_TOKEN', tenantID: '9f4f1c1e-0f0a-4c1a-9d52-3f6f0f6f0a01' }] },
    ),
    reply: t.Object(Pair),
    example: { accessToken: 'ACCESS_TOKEN', refreshToken: 'REFRESH_TOKEN' },
    refuses: { 401: ['invalid_token'], 403: ['not_a_member'] },
    handle: ({ body, client }, { identity }) =>
      asService(() => refreshSession(identity, body.refreshToken, body.tenantID, client)),
  }),
  route({
    ...routeBase,
    path: '/auth/password/forget',
    summary: 'Send a code to set a new password',
    description: 'Always returns 202, whether or not the address has an account.',
    status: 202,
    body: t.Object({ email: Email }, { examples: [{ email: 'ana@example.com' }] }),
    reply: Message,
    example: { message: 'If the address has an account, an email is on its way.' },
    handle: ({ body, client }, { identity }) => asService(() => sendCode(identity, body.email, 'reset', client)),
  }),
  route({
    ...routeBase,
    method: 'PATCH',
    path: '/auth/password/reset',
    summary: 'Set a new password with the code and end all sessions',
    description:
      'Also confirms the email address. It does not sign in. Weak passwords are rejected; after five wrong attempts a code becomes invalid.',
    body: t.Object(
      { email: Email, otp: Otp, newPassword: Password },
      { examples: [{ email: 'ana@example.com', otp: '123456', newPassword: 'staple of another horse' }] },
    ),
    reply: t.Object({ reset: t.Boolean() }),
    example: { reset: true },
    refuses: { 400: ['invalid_otp', 'weak_password'], 429: ['too_many_attempts'] },
    handle: async ({ body, client }, { identity }) => {
      await asService(() => resetPassword(identity, body, client))
      return { reset: true }
    },
  }),
  route({
    ...routeBase,
    path: '/auth/logout',
    summary: 'End the session of this token',
    description:
      'Its access tokens and its refresh token become invalid. Other sessions of the user are kept. A personal access token has no session: revoke it instead.',
    permission: 'session',
    orgOptional: true,
    status: 204,
    handle: async ({ caller, client }, { identity }) => {
      await asService(() => logout(identity, caller.sessionId ?? '', client))
    },
  }),
  route({
    ...routeBase,
    path: '/auth/saml/initiate',
    summary: "Get the URL to sign in with an organization's identity provider",
    description:
      'Selected by the domain of the address. Returns 404 if no organization has an identity provider for it. Keep `state` ' +
      'and `codeVerifier` in the page, and send the browser to redirectURL; it returns to the application with a one-time ' +
      'code, which POST /auth/login with provider saml accepts only with the `codeVerifier`.',
    body: t.Object({ email: Email }, { examples: [{ email: 'ana@example.com' }] }),
    reply: t.Object({
      redirectURL: t.String(),
      state: t.String({
        description: 'returned with the code; if it differs, the sign-in was started by someone else',
      }),
      codeVerifier: t.String({ description: 'for POST /auth/login; it must not leave the page otherwise' }),
    }),
    example: {
      redirectURL: 'https://idp.example.com/sso?SAMLRequest=REQUEST&RelayState=STATE',
      state: 'STATE',
      codeVerifier: 'f5V1nq9r7uXw2bK8cLs4dJt6hGy3mPz0',
    },
    refuses: { 404: ['not_found'] },
    handle: ({ body }, { identity }) => asService(() => initiate(identity, body.email)),
  }),
  route({
    ...routeBase,
    path: '/auth/saml/acs',
    summary: 'Receive the response of an identity provider and redirect the browser with a one-time code',
    description:
      "Not for programs: the browser posts the identity provider's signed response here. An unacceptable response returns " +
      '401 without a redirect: `provider_refused` if the provider reports that it did not sign anyone in, `weak_signature` ' +
      'if it signs with SHA-1, otherwise `invalid_credentials`. So does a response without a request from this service: ' +
      'sign-ins must start here.',
    status: 303,
    form: true,
    headers: {
      Location: 'the application (APP_URL, or the console), with a code that expires in a minute, and the state',
    },
    media: 'text/plain',
    reply: t.String(),
    // Identity providers add parameters of their own.
    query: t.Object({}, { additionalProperties: true }),
    body: t.Object(
      {
        SAMLResponse: t.String({ minLength: 1, maxLength: 1024 * 1024 }),
        RelayState: t.Optional(t.String({ maxLength: 128 })),
      },
      { additionalProperties: true, examples: [{ SAMLResponse: 'PHNhbWxwOlJlc3BvbnNl', RelayState: 'STATE' }] },
    ),
    example: '',
    refuses: { 401: ['invalid_credentials', 'provider_refused', 'weak_signature'] },
    handle: async ({ body, client }, { identity }) => {
      const code = asService(() => takeSamlAnswer(identity, body))
      return code.catch((error: unknown) =>
        asService(async () => {
          const orgId = await providerNamed(identity, body.RelayState)
          return reportRefusal(error, (fault) => identity.refusedSignIn('saml', fault, client, orgId))
        }),
      )
    },
  }),
  route({
    ...routeBase,
    method: 'GET',
    path: '/auth/saml/metadata',
    summary: 'Get the service provider metadata to configure an identity provider',
    description: 'SAML 2.0 metadata of this service as XML.',
    media: 'application/samlmetadata+xml',
    reply: t.String(),
    example:
      '<?xml version="1.0"?><EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://tidemark.example.com/auth/saml/metadata"/>',
    handle: async (_request, { identity }) => metadata(identity),
  }),
]
