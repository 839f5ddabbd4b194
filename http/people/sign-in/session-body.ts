import { t } from '#engine/value/schema.ts'

/** The tokens of a session. */
export const Pair = { accessToken: t.String({ description: 'valid for 15 minutes' }), refreshToken: t.String() }

export const Tenants = t.Array(t.Object({ id: t.String(), name: t.String() }), {
  description:
    'oldest first; includes organizations that have invited you, which you enter by naming one in POST /auth/refresh',
})

export const UserName = t.Object({ email: t.String(), name: t.String() })

/** The response to a sign-in. */
export const SignedIn = t.Object(
  { ...Pair, tenants: Tenants, user: UserName },
  {
    title: 'SignedIn',
    examples: [
      {
        accessToken: 'ACCESS_TOKEN',
        refreshToken: 'REFRESH_TOKEN',
        tenants: [{ id: '9f4f1c1e-0f0a-4c1a-9d52-3f6f0f6f0a01', name: 'Acme' }],
        user: { email: 'ana@example.com', name: 'Ana' },
      },
    ],
  },
)
