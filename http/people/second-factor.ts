/** A second factor: enrolling, disabling, and the second half of a sign-in. */
import { t } from '#engine/schema.ts'
import { orNull, Timestamp } from '#http/edge/field.ts'
import { route, type Route } from '#http/edge/route.ts'
import {
  answerChallenge,
  beginSecondFactor,
  confirmSecondFactor,
  disableSecondFactor,
  secondFactorOf,
} from '#http/identity/second-factor.ts'
import { asService } from '#http/store/tenant.ts'
import { SignedIn } from '#http/people/signed-in.ts'

const Code = t.String({
  minLength: 6,
  maxLength: 32,
  description: 'six digits of the device, or a recovery code',
})
const CurrentPassword = t.Optional(
  t.String({
    minLength: 1,
    maxLength: 1024,
    description:
      'needed unless the account has none; then POST /auth/second-factor wants a session that began within five minutes',
  }),
)

/** What finishes a sign-in. */
export const Challenge = t.Object(
  {
    challenge: t.String({ minLength: 1, maxLength: 128, description: 'from the answer mfa_required' }),
    code: Code,
  },
  { examples: [{ challenge: 'k0S1c2Xw7TqNq2m3v4b5n6m7a8s9d0f1g2h3j4k5l6z', code: '123456' }] },
)

const path = '/auth/second-factor'
const fixed = { permission: 'session', orgOptional: true, tags: ['Authentication'], secret: true } as const

export const secondFactors: readonly Route[] = [
  route({
    method: 'POST',
    path: '/auth/login/totp',
    summary: 'Finish a sign-in that asked for a second factor',
    description:
      'A sign-in of somebody with a second factor answers 403 mfa_required, its member challenge good for five minutes and five tries.',
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
    ...fixed,
    method: 'GET',
    path,
    summary: 'Whether you have a second factor',
    description: 'Takes a person signed in, with or without an organization. The secret is never shown again.',
    reply: t.Object({
      enabled: t.Boolean(),
      enabledAt: orNull(Timestamp),
      recoveryCodesLeft: t.Integer({ description: 'not used yet, of ten' }),
    }),
    example: { enabled: true, enabledAt: '2026-01-15T10:00:00.000Z', recoveryCodesLeft: 10 },
    handle: ({ caller }, { identity }) => asService(() => secondFactorOf(identity, caller.userId)),
  }),
  route({
    ...fixed,
    method: 'POST',
    path,
    summary: 'Begin to enroll a device: the secret of TOTP, to be confirmed by a code of it',
    description:
      'Six digits, 30 seconds, SHA-1, as all authenticator apps have it. A newer secret replaces one that was not confirmed. An account without a password gets 403 fresh_sign_in_required in a session that began more than five minutes ago.',
    status: 201,
    body: t.Object({ password: CurrentPassword }, { examples: [{ password: 'correct horse battery' }] }),
    reply: t.Object({
      secret: t.String({ description: 'base32' }),
      otpauthURL: t.String({ description: 'the same for a QR code' }),
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
    ...fixed,
    method: 'POST',
    path: `${path}/confirm`,
    summary: 'Enable the second factor by a first code; shows ten recovery codes, this once',
    description:
      'Ends an enrolment that POST /auth/second-factor began; 409 without one. Each recovery code stands for a code of the device once: keep them.',
    body: t.Object(
      { code: t.String({ pattern: '^[0-9]{6}$', maxLength: 6, description: 'six digits of the device' }) },
      { examples: [{ code: '123456' }] },
    ),
    reply: t.Object({ recoveryCodes: t.Array(t.String()) }),
    example: { recoveryCodes: ['RECOVERY-CODE-1'] },
    refuses: { 400: ['invalid_otp'], 409: ['invalid_transition'], 429: ['too_many_attempts'] },
    handle: ({ caller, body, client }, { identity }) =>
      asService(() => confirmSecondFactor(identity, caller, body.code, client)),
  }),
  route({
    ...fixed,
    method: 'POST',
    path: `${path}/disable`,
    summary: 'Disable the second factor, by the password and a code',
    description:
      'A recovery code will do. An account without a password needs the code alone. 409 without a second factor.',
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
