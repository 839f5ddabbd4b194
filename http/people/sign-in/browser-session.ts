/** Browser sessions: the same sign-in methods, with the refresh token in a cookie instead of the response. */
import { t } from '#engine/value/schema.ts'
import { orNull } from '#http/edge/parameter/field.ts'
import { route, type Request, type Route } from '#http/edge/route.ts'
import { callerBy } from '#http/edge/scope.ts'
import type { Services } from '#http/edge/services.ts'
import { checkSameSite, handedOver, logoutBrowser, refreshBrowser } from '#http/identity/session/browser.ts'
import { answerChallenge } from '#http/identity/second-factor/second-factor.ts'
import type { SignedIn as Begun } from '#http/identity/session/session.ts'
import { linkLogIn } from '#http/identity/session/sign-in-link.ts'
import { signUps } from '#http/identity/session/sign-up.ts'
import { waysIn } from '#http/identity/provider/social.ts'
import { reply } from '#http/store/reply.ts'
import { asService } from '#http/store/tenant.ts'
import { Me, meOf } from '#http/people/me.ts'
import { Login, reportRefusal, signIn } from './auth.ts'
import { Challenge } from './second-factor.ts'
import { Tenants, UserName } from './session-body.ts'

const BrowserSession = t.Object(
  {
    accessToken: t.String({ description: 'expires after 15 minutes; keep it in memory' }),
    expiresIn: t.Integer({ description: 'lifetime of the access token in seconds; refresh it before' }),
    user: UserName,
    tenants: Tenants,
    orgID: orNull(t.String({ description: 'the active organization; null if there is none' })),
    me: t.Optional(Me),
  },
  {
    title: 'BrowserSession',
    examples: [
      {
        accessToken: 'ACCESS_TOKEN',
        expiresIn: 900,
        user: { email: 'ana@example.com', name: 'Ana' },
        tenants: [{ id: '9f4f1c1e-0f0a-4c1a-9d52-3f6f0f6f0a01', name: 'Acme' }],
        orgID: '9f4f1c1e-0f0a-4c1a-9d52-3f6f0f6f0a01',
      },
    ],
  },
)

/** For a page of our own that sends its user to the provider. */
const Provider = orNull(t.Object({ authorizeURL: t.String(), clientID: t.String() }))

const setCookie = { 'Set-Cookie': 'the refresh token: HttpOnly, SameSite=Strict, for /auth/browser only' }
const cookie = { Cookie: 'as set by the sign-in; its name includes the port: tidemark_session_443' }
const open = { permission: 'public', tags: ['Authentication'], secret: true } as const
const routeBase = { ...open, method: 'POST', unkeyed: true, headers: setCookie } as const

/** For actions that pages of other sites must not take. @throws Fault `cross_site` */
const ownPage = <T>(
  { headers }: Pick<Request<unknown, unknown, unknown>, 'headers'>,
  { identity }: Services,
  work: () => Promise<T>,
) => {
  checkSameSite(headers, identity.publicUrl())
  return asService(work)
}

/** Starts a session, and gives it to the browser. */
const began = (request: Request<unknown, unknown, unknown>, services: Services, begin: () => Promise<Begun>) =>
  ownPage(request, services, async () => handedOver(services.identity, await begin()))

export const browserSessions: readonly Route[] = [
  route({
    ...routeBase,
    limit: 'auth',
    path: '/auth/browser/login',
    summary: 'Sign in from a page of this service: like POST /auth/login, with the refresh token in a cookie',
    description:
      'A user with two-factor authentication gets 403 mfa_required with a challenge for POST /auth/browser/login/totp. Pages of other sites get 403 cross_site, here and on the related paths.',
    body: Login,
    reply: BrowserSession,
    refuses: {
      401: ['invalid_credentials', 'sign_in_not_begun_here'],
      403: ['mfa_required', 'cross_site', 'email_not_verified', 'sign_up_closed'],
      422: ['capability_missing'],
      429: ['too_many_attempts'],
      502: ['upstream_failed'],
    },
    handle: (request, services) => began(request, services, () => signIn(request, services)),
  }),
  route({
    ...routeBase,
    limit: 'auth',
    path: '/auth/browser/login/totp',
    summary: 'Complete a sign-in from a page with a two-factor code',
    description:
      'Like POST /auth/login/totp, but the refresh token is set in a cookie that scripts cannot read. Only for pages of this origin: others get 403 cross_site.',
    body: Challenge,
    reply: BrowserSession,
    refuses: { 400: ['invalid_otp'], 401: ['invalid_challenge'], 403: ['cross_site'], 429: ['too_many_attempts'] },
    handle: (request, services) =>
      began(request, services, () => answerChallenge(services.identity, request.body, request.client)),
  }),
  route({
    ...routeBase,
    limit: 'auth',
    path: '/auth/browser/link',
    summary: 'Sign in with the token of a link created by an operator',
    description: 'A link works once, until it expires; after that it returns 401 invalid_link.',
    body: t.Object(
      { token: t.String({ minLength: 1, maxLength: 128, description: 'from the fragment of the link' }) },
      { examples: [{ token: 'k0S1c2Xw7TqNq2m3v4b5n6m7a8s9d0f1g2h3j4k5l6z' }] },
    ),
    reply: BrowserSession,
    refuses: { 401: ['invalid_link'], 403: ['mfa_required', 'cross_site'] },
    handle: (request, services) => {
      const { body, client } = request
      const { identity } = services
      return began(request, services, () =>
        linkLogIn(identity, body.token, client).catch((error: unknown) =>
          reportRefusal(error, (fault) => identity.refusedSignIn('link', fault, client)),
        ),
      )
    },
  }),
  route({
    ...routeBase,
    // Every browser tab in an office requests it four times an hour.
    limit: 'inbound',
    path: '/auth/browser/refresh',
    summary: 'Get a new access token for the session in the cookie, optionally for another organization',
    description:
      'Like POST /auth/refresh, with the caller as GET /auth/me shows them, so that a page needs one request to begin. Returns 401 no_session without a cookie; an invalid cookie is cleared with 401 invalid_token.',
    takes: cookie,
    body: t.Object(
      {
        tenantID: t.Optional(
          t.String({ maxLength: 128, description: 'the organization to switch to; accepts its invitation' }),
        ),
      },
      { examples: [{}] },
    ),
    reply: BrowserSession,
    refuses: { 401: ['no_session', 'invalid_token'], 403: ['not_a_member', 'cross_site'] },
    handle: (request, services) => {
      const { headers, body, client } = request
      const { identity } = services
      return ownPage(request, services, async () => {
        const { payload, headers: said } = await refreshBrowser(identity, headers, body.tenantID, client)
        const caller = await callerBy(identity.authenticator, { authorization: `Bearer ${payload.accessToken}` })
        return reply({ ...payload, me: await meOf(caller, identity) }, { headers: said })
      })
    },
  }),
  route({
    ...routeBase,
    limit: 'inbound',
    path: '/auth/browser/logout',
    summary: 'End the session in the cookie, if any, and clear the cookie',
    description: 'Returns 204 even without a session. Only for pages of this origin: others get 403 cross_site.',
    takes: cookie,
    status: 204,
    refuses: { 403: ['cross_site'] },
    handle: (request, services) =>
      ownPage(request, services, () => logoutBrowser(services.identity, request.headers, request.client)),
  }),
  route({
    ...open,
    method: 'GET',
    limit: 'inbound',
    path: '/auth/browser/methods',
    summary: 'List the sign-in methods that are set up here',
    description: 'A provider is null if it is not set up, or does not return its sign-in page within two seconds.',
    reply: t.Object({
      password: t.Boolean(),
      saml: t.Boolean(),
      oidc: t.Boolean(),
      google: Provider,
      github: Provider,
      signUp: t.Enum(signUps, {
        description: 'who can sign up: anyone, people invited by an organization, or no one',
      }),
    }),
    example: { password: true, saml: true, oidc: true, google: null, github: null, signUp: 'invited' },
    handle: async (_request, { identity }) => ({ ...(await waysIn(identity.social)), signUp: identity.signUp }),
  }),
]
