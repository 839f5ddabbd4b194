/** Signing in at the OpenID provider of an organization: there, and back. */
import type { Fault } from '#engine/fault.ts'
import { t } from '#engine/schema.ts'
import { Email } from '#http/edge/field.ts'
import { route, type Route } from '#http/edge/route.ts'
import { initiateOidc, takeOidcAnswer } from '#http/identity/oidc.ts'
import { asService } from '#http/store/tenant.ts'
import { noted } from '#http/people/auth.ts'

const fixed = { permission: 'public', limit: 'auth', tags: ['Authentication'], secret: true } as const

export const oidcSignIns: readonly Route[] = [
  route({
    ...fixed,
    method: 'POST',
    path: '/auth/oidc/initiate',
    summary: 'Where to send the browser to sign in with the OpenID provider of an organization',
    description:
      'Keep `state` and `codeVerifier` in the page. The browser comes back to the application with a code, which POST /auth/login takes with the `codeVerifier` alone. 502 `upstream_failed` while the provider does not answer, 422 `issuer_mismatch` where its document is of another.',
    body: t.Object({ email: Email }, { examples: [{ email: 'eva@example.com' }] }),
    reply: t.Object({
      redirectURL: t.String(),
      state: t.String({ description: 'stands beside the code; another one is of a sign-in that somebody else began' }),
      codeVerifier: t.String({ description: 'for POST /auth/login: it never leaves the page otherwise' }),
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
    ...fixed,
    method: 'GET',
    path: '/auth/oidc/:orgID/callback',
    summary: 'Where OpenID providers send people back to; leads the browser on with a one-time code',
    description:
      'What is wrong with an answer stands in the parameter `error` of the address that the browser is led to, as a code: `provider_refused`, `provider_gone`, `issuer_mismatch`, `code_refused`, `client_refused`, `id_token_issuer`, `id_token_audience`, `id_token_nonce`, `id_token_expired`, `id_token_key`, `id_token_signature`, `id_token_algorithm`, `id_token_subject`, `id_token_invalid`, `email_missing`, `email_not_verified`, `domain_not_proved`, `person_of_another_domain`, `deactivated`, `upstream_failed`. An answer to no sign-in that waits gets 401 `invalid_state`, and leads nowhere.',
    status: 303,
    refuses: { 401: ['invalid_state'] },
    headers: {
      Location:
        'the application (APP_URL, or the console), with the state, and a code that is good for a minute or an `error`',
    },
    media: 'text/plain',
    reply: t.String({ examples: ['See Other'] }),
    params: t.Object({ orgID: t.String() }),
    // Identity providers send more beside it, as they like.
    query: t.Object(
      {
        state: t.Optional(t.String({ maxLength: 128, description: 'as the sign-in was begun with' })),
        code: t.Optional(t.String({ maxLength: 8192, description: 'of the provider' })),
        iss: t.Optional(t.String({ maxLength: 1024, description: 'who answers (RFC 9207)' })),
        error: t.Optional(t.String({ maxLength: 256, description: 'why the provider signs nobody in' })),
      },
      { additionalProperties: true },
    ),
    handle: ({ params: { orgID }, query, url, client }, { identity }) => {
      const search = url.includes('?') ? url.slice(url.indexOf('?')) : ''
      const answer = { orgId: orgID, state: query.state ?? '', search }
      const failed = (fault: Fault, of = '') => identity.refusedSignIn('oidc', fault, client, of)
      const led = asService(() => takeOidcAnswer(identity, answer, failed))
      return led.catch((error: unknown) => noted(error, failed))
    },
  }),
]
