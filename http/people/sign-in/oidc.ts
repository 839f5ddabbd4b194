/** Sign-in at the OpenID provider of an organization: the way there and back. */
import type { Fault } from '#engine/value/fault.ts'
import { t } from '#engine/value/schema.ts'
import { Email } from '#http/edge/parameter/field.ts'
import { route, type Route } from '#http/edge/route.ts'
import { initiateOidc, takeOidcAnswer } from '#http/identity/provider/oidc.ts'
import { asService } from '#http/store/tenant.ts'
import { reportRefusal } from './auth.ts'

const routeBase = { permission: 'public', limit: 'auth', tags: ['Authentication'], secret: true } as const

export const oidcSignIns: readonly Route[] = [
  route({
    ...routeBase,
    method: 'POST',
    path: '/auth/oidc/initiate',
    summary: "Get the URL to sign in with an organization's OpenID provider",
    description:
      'Keep `state` and `codeVerifier` in the page. The browser returns to the application with a code, which POST /auth/login accepts only with the `codeVerifier`. Returns 502 `upstream_failed` if the provider does not respond, and 422 `issuer_mismatch` if its document names another issuer.',
    body: t.Object({ email: Email }, { examples: [{ email: 'eva@example.com' }] }),
    reply: t.Object({
      redirectURL: t.String(),
      state: t.String({
        description: 'returned with the code; if it differs, the sign-in was started by someone else',
      }),
      codeVerifier: t.String({ description: 'for POST /auth/login; it must not leave the page otherwise' }),
    }),
    example: {
      redirectURL: 'https://idp.example.com/authorize?client_id=tidemark&state=Zk3pQ0yJ8mT1',
      state: 'Zk3pQ0yJ8mT1',
      codeVerifier: 'f5V1nq9r7uXw2bK8cLs4dJt6hGy3mPz0',
    },
    refuses: { 404: ['not_found'], 422: ['address_refused', 'issuer_mismatch'], 502: ['upstream_failed'] },
    handle: ({ body }, { identity }) => asService(() => initiateOidc(identity, body.email)),
  }),
  route({
    ...routeBase,
    method: 'GET',
    path: '/auth/oidc/:orgID/callback',
    summary: 'Receive the redirect from an OpenID provider and redirect the browser with a one-time code',
    description:
      'If the response is invalid, the browser is redirected with the parameter `error`, a code: `provider_refused`, ' +
      '`provider_gone`, `issuer_mismatch`, `code_refused`, `client_refused`, `id_token_issuer`, `id_token_audience`, ' +
      '`id_token_nonce`, `id_token_expired`, `id_token_key`, `id_token_signature`, `id_token_algorithm`, `id_token_subject`, ' +
      '`id_token_invalid`, `email_missing`, `email_not_verified`, `domain_not_proved`, `person_of_another_domain`, ' +
      '`deactivated`, `upstream_failed`. A response that does not belong to a pending sign-in returns 401 `invalid_state` ' +
      'without a redirect.',
    status: 303,
    refuses: { 401: ['invalid_state'] },
    headers: {
      Location:
        'the application (APP_URL, or the console), with the state, and a code that expires in a minute or an `error`',
    },
    media: 'text/plain',
    reply: t.String({ examples: ['See Other'] }),
    params: t.Object({ orgID: t.String() }),
    // Identity providers add parameters of their own.
    query: t.Object(
      {
        state: t.Optional(t.String({ maxLength: 128, description: 'as at the start of the sign-in' })),
        code: t.Optional(t.String({ maxLength: 8192, description: 'from the provider' })),
        iss: t.Optional(t.String({ maxLength: 1024, description: 'issuer of the response (RFC 9207)' })),
        error: t.Optional(t.String({ maxLength: 256, description: 'why the provider did not sign anyone in' })),
      },
      { additionalProperties: true },
    ),
    handle: ({ params: { orgID }, query, url, client }, { identity }) => {
      const search = url.includes('?') ? url.slice(url.indexOf('?')) : ''
      const answer = { orgId: orgID, state: query.state ?? '', search }
      const failed = (fault: Fault, of = '') => identity.refusedSignIn('oidc', fault, client, of)
      const led = asService(() => takeOidcAnswer(identity, answer, failed))
      return led.catch((error: unknown) => reportRefusal(error, failed))
    },
  }),
]
