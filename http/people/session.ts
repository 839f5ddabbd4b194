/** Your own sessions, and the password they begin with. */
import { t } from '#engine/schema.ts'
import { Password, Timestamp } from '#http/edge/field.ts'
import { route, type Route } from '#http/edge/route.ts'
import { changePassword } from '#http/identity/login.ts'
import { endOthers, endSession, sessionsOf } from '#http/identity/own-session.ts'
import { methods } from '#http/identity/session-entity.ts'
import { asService } from '#http/store/tenant.ts'

const Shown = t.Object(
  {
    id: t.String(),
    method: t.Enum(methods, { description: 'how it began' }),
    secondFactor: t.Boolean({ description: 'whether a second factor was shown' }),
    createdAt: Timestamp,
    lastUsedAt: { ...Timestamp, description: 'when it began or was refreshed last' },
    ip: t.String({ description: 'where it began' }),
    userAgent: t.String(),
    current: t.Boolean({ description: 'the one that asks' }),
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

const fixed = { permission: 'session', orgOptional: true, tags: ['Authentication'], secret: true } as const

export const sessions: readonly Route[] = [
  route({
    ...fixed,
    method: 'POST',
    path: '/auth/password/change',
    summary: 'Set another password; ends all your other sessions',
    description:
      'This session goes on. 409 for an account that has no password: it sets one by POST /auth/password/forget. Weak passwords are refused.',
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
    ...fixed,
    method: 'GET',
    path: '/auth/sessions',
    summary: 'Your sessions that are alive, newest first',
    description: 'A session through an identity provider of an organization sees those of that organization alone.',
    reply: t.Array(Shown),
    handle: ({ caller }, { identity }) => asService(() => sessionsOf(identity, caller)),
  }),
  route({
    ...fixed,
    method: 'DELETE',
    path: '/auth/sessions',
    summary: 'End all your sessions but this one',
    description: 'Tokens of ended sessions are refused at once. Personal access tokens stay.',
    status: 204,
    handle: ({ caller, client }, { identity }) => asService(() => endOthers(identity, caller, client)),
  }),
  route({
    ...fixed,
    method: 'DELETE',
    path: '/auth/sessions/:sessionID',
    summary: 'End one of your sessions, at once',
    description: '404 for a session of somebody else and for one that has ended. The present one may be ended too.',
    status: 204,
    params: t.Object({ sessionID: t.String() }),
    handle: ({ caller, params: { sessionID }, client }, { identity }) =>
      asService(() => endSession(identity, caller, sessionID, client)),
  }),
]
