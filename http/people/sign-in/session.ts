/** A person's own sessions, and their password. */
import { t } from '#engine/value/schema.ts'
import { Password, Timestamp } from '#http/edge/parameter/field.ts'
import { route, type Route } from '#http/edge/route.ts'
import { changePassword } from '#http/identity/session/login.ts'
import { endOthers, endSession, sessionsOf } from '#http/identity/session/own-session.ts'
import { methods } from '#http/identity/session/session-entity.ts'
import { asService } from '#http/store/tenant.ts'

const SessionView = t.Object(
  {
    id: t.String(),
    method: t.Enum(methods, { description: 'sign-in method' }),
    secondFactor: t.Boolean({ description: 'whether two-factor authentication was used' }),
    createdAt: Timestamp,
    lastUsedAt: { ...Timestamp, description: 'last sign-in or refresh' },
    ip: t.String({ description: 'IP address at the start' }),
    userAgent: t.String(),
    current: t.Boolean({ description: 'the session of this request' }),
  },
  {
    title: 'Session',
    examples: [
      {
        id: 'bc9e6679-7425-40de-944b-e07fc1f90ae7',
        method: 'email',
        secondFactor: true,
        createdAt: '2026-01-15T10:00:00.000Z',
        lastUsedAt: '2026-01-20T08:30:00.000Z',
        ip: '198.51.100.24',
        userAgent: 'Mozilla/5.0',
        current: true,
      },
    ],
  },
)

const routeBase = { permission: 'session', orgOptional: true, tags: ['Authentication'], secret: true } as const

export const sessions: readonly Route[] = [
  route({
    ...routeBase,
    method: 'POST',
    path: '/auth/password/change',
    summary: 'Change the password and end all your other sessions',
    description:
      'This session continues. Returns 409 for an account without a password: set one with POST /auth/password/forget. Weak passwords are rejected.',
    body: t.Object(
      { currentPassword: t.String({ minLength: 1, maxLength: 1024 }), newPassword: Password },
      { examples: [{ currentPassword: 'correct horse battery', newPassword: 'staple of another horse' }] },
    ),
    reply: t.Object({ changed: t.Boolean() }),
    example: { changed: true },
    refuses: {
      400: ['weak_password'],
      403: ['invalid_password'],
      409: ['invalid_transition'],
      429: ['too_many_attempts'],
    },
    handle: ({ caller, body, client }, { identity }) => asService(() => changePassword(identity, caller, body, client)),
  }),
  route({
    ...routeBase,
    method: 'GET',
    path: '/auth/sessions',
    summary: 'List your active sessions, newest first',
    description: "A session through an organization's identity provider sees only the sessions of that organization.",
    reply: t.Array(SessionView),
    handle: ({ caller }, { identity }) => asService(() => sessionsOf(identity, caller)),
  }),
  route({
    ...routeBase,
    method: 'DELETE',
    path: '/auth/sessions',
    summary: 'End all your sessions except this one',
    description: 'Tokens of ended sessions are rejected immediately. Personal access tokens are kept.',
    status: 204,
    handle: ({ caller, client }, { identity }) => asService(() => endOthers(identity, caller, client)),
  }),
  route({
    ...routeBase,
    method: 'DELETE',
    path: '/auth/sessions/:sessionID',
    summary: 'End one of your sessions immediately',
    description:
      "Returns 404 for another user's session and for one that has ended. You can also end the current session.",
    status: 204,
    params: t.Object({ sessionID: t.String() }),
    handle: ({ caller, params: { sessionID }, client }, { identity }) =>
      asService(() => endSession(identity, caller, sessionID, client)),
  }),
]
