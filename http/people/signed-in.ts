import { t } from '#engine/schema.ts'

/** What a session is used with. */
export const Pair = { accessToken: t.String({ description: 'good for 15 minutes' }), refreshToken: t.String() }

/** The answer to a sign-in. */
export const SignedIn = t.Object(
  {
    ...Pair,
    tenants: t.Array(t.Object({ id: t.String(), name: t.String() }), {
      description: 'oldest first; those that have invited you too, entered by naming one at POST /auth/refresh',
    }),
    user: t.Object({ email: t.String(), name: t.String() }),
  },
  { title: 'SignedIn' },
)
