/** A second factor: enrolling, disabling, and the second step of a sign-in. */
import { t } from '#engine/value/schema.ts'
import { orNull, Timestamp } from '#http/edge/parameter/field.ts'
import { route, type Route } from '#http/edge/route.ts'
import {
  answerChallenge,
  beginSecondFactor,
  confirmSecondFactor,
  disableSecondFactor,
  secondFactorOf,
} from '#http/identity/second-factor/second-factor.ts'
import { asService } from '#http/store/tenant.ts'
import { SignedIn } from './session-body.ts'

const Code = t.String({
  minLength: 6,
  maxLength: 32,
  description: 'six digits from the authenticator app, or a recovery code',
})
const CurrentPassword = t.Optional(
  t.String({
    minLength: 1,
    maxLength: 1024,
    description:
      'required unless the account has none; in that case POST /auth/second-factor requires a session that started within the last five minutes',
  }),
)

/** Completes a sign-in. */
export const Challenge = t.Object(
  {
    challenge: t.String({ minLength: 1, maxLength: 128, description: 'from the mfa_required response' }),
    code: Code,
  },
  { examples: [{ challenge: 'k0S1c2Xw7TqNq2m3v4b5n6m7a8s9d0f1g2h3j4k5l6z', code: '123456' }] },
)

const path = '/auth/second-factor'
const routeBase = { permission: 'session', orgOptional: true, tags: ['Authentication'], secret: true } as const

export const secondFactors: readonly Route[] = [
  route({
    method: 'POST',
    path: '/auth/login/totp',
    summary: 'Complete a sign-in with a two-factor code',
    description:
      'Sign-in with two-factor authentication returns 403 mfa_required; its challenge is valid for five minutes and five attempts.',
    permission: 'public',
    limit: 'auth',
    tags: ['Authentication'],
    secret: true,
    body: Challenge,
    reply: SignedIn,
    refuses: { 400: ['invalid_otp'], 401: ['invalid_challenge'], 429: ['too_many_attempts'] },
    handle: ({ body, client }, { identity }) => asService(() => answerChallenge(identity, body, client)),
  }),
  route({
    ...routeBase,
    method: 'GET',
    path,
    summary: 'Get your two-factor status',
    description: 'Requires a signed-in user, with or without an organization. The secret is never returned again.',
    reply: t.Object({
      enabled: t.Boolean(),
      enabledAt: orNull(Timestamp),
      recoveryCodesLeft: t.Integer({ description: 'unused, out of ten' }),
    }),
    example: { enabled: true, enabledAt: '2026-01-15T10:00:00.000Z', recoveryCodesLeft: 10 },
    handle: ({ caller }, { identity }) => asService(() => secondFactorOf(identity, caller.userId)),
  }),
  route({
    ...routeBase,
    method: 'POST',
    path,
    summary: 'Start enrolling an authenticator app: returns the TOTP secret, to be confirmed with a code',
    description:
      'Six digits, 30 seconds, SHA-1, as supported by all authenticator apps. A new secret replaces an unconfirmed one. An account without a password gets 403 fresh_sign_in_required in a session that started more than five minutes ago.',
    status: 201,
    body: t.Object({ password: CurrentPassword }, { examples: [{ password: 'correct horse battery' }] }),
    reply: t.Object({
      secret: t.String({ description: 'base32' }),
      otpauthURL: t.String({ description: 'the secret as a URI for a QR code' }),
    }),
    example: {
      secret: 'BASE32SECRET',
      otpauthURL: 'otpauth://totp/Tidemark:ana%40example.com?issuer=Tidemark&secret=BASE32SECRET',
    },
    refuses: {
      403: ['fresh_sign_in_required', 'invalid_password'],
      409: ['already_exists'],
      429: ['too_many_attempts'],
    },
    handle: ({ caller, body, client }, { identity }) =>
      asService(() => beginSecondFactor(identity, caller, body.password, client)),
  }),
  route({
    ...routeBase,
    method: 'POST',
    path: `${path}/confirm`,
    summary: 'Enable two-factor authentication with the first code; shows ten recovery codes, only now',
    description:
      'Completes an enrollment started with POST /auth/second-factor; returns 409 without one. Each recovery code replaces one authenticator code: keep them safe.',
    body: t.Object(
      { code: t.String({ pattern: '^[0-9]{6}$', maxLength: 6, description: 'six digits from the authenticator app' }) },
      { examples: [{ code: '123456' }] },
    ),
    reply: t.Object({ recoveryCodes: t.Array(t.String()) }),
    example: { recoveryCodes: ['RECOVERY-CODE-1'] },
    refuses: { 400: ['invalid_otp'], 409: ['invalid_transition'], 429: ['too_many_attempts'] },
    handle: ({ caller, body, client }, { identity }) =>
      asService(() => confirmSecondFactor(identity, caller, body.code, client)),
  }),
  route({
    ...routeBase,
    method: 'POST',
    path: `${path}/disable`,
    summary: 'Disable two-factor authentication with the password and a code',
    description:
      'Recovery codes are accepted. An account without a password needs only the code. Returns 409 if two-factor authentication is not enabled.',
    status: 204,
    body: t.Object(
      { password: CurrentPassword, code: Code },
      { examples: [{ password: 'correct horse battery', code: '123456' }] },
    ),
    refuses: {
      400: ['invalid_otp'],
      403: ['invalid_password'],
      409: ['invalid_transition'],
      429: ['too_many_attempts'],
    },
    handle: async ({ caller, body, client }, { identity }) => {
      await asService(() => disableSecondFactor(identity, caller, body, client))
    },
  }),
]
