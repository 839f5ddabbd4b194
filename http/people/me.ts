/** Who calls, and what they may do where they work. */
import { isUuid } from '#engine/id.ts'
import { t } from '#engine/schema.ts'
import { orNull, timestamp } from '#http/edge/field.ts'
import { route, type Route } from '#http/edge/route.ts'
import { User } from '#http/identity/entity.ts'
import { permissions } from '#http/identity/role.ts'
import { asService } from '#http/store/tenant.ts'
import { Scope } from '#http/people/role.ts'

const Me = t.Object(
  {
    user: orNull(
      t.Object(
        { id: t.String(), email: t.String(), name: t.String() },
        { description: 'null for a token of a machine' },
      ),
    ),
    orgID: orNull(t.String({ description: 'where they work; null while that is no organization' })),
    role: t.String({ description: 'a system role, or the id of one of the organization; empty without one' }),
    isAdmin: t.Boolean({ description: 'whether they may do what owners and admins alone may' }),
    permissions: t.Array(t.String({ enum: [...permissions] }), { description: 'by name' }),
    reportScope: Scope,
    needsSecondFactor: t.Boolean({
      description:
        'whether the organization demands a second factor that the session did not show; until then it answers nothing',
    }),
    isClosed: t.Boolean({
      description: 'whether the organization waits for its deletion; until it is restored requests in it are refused',
    }),
    deletesAt: orNull(
      t.String({ format: 'date-time', description: 'when a closed organization is deleted, shown to its owners' }),
    ),
    kind: t.Enum(['session', 'pat'], { description: 'a person signed in, or a personal access token' }),
  },
  {
    title: 'Me',
    examples: [
      {
        user: { id: '0d4f1c1e-0f0a-4c1a-9d52-3f6f0f6f0a02', email: 'ana@example.com', name: 'Ana' },
        orgID: '9f4f1c1e-0f0a-4c1a-9d52-3f6f0f6f0a01',
        role: 'viewer',
        isAdmin: false,
        permissions: ['service.view', 'space.view'],
        reportScope: { all: true, cloudAccountIDs: [], teamIDs: [] },
        needsSecondFactor: false,
        isClosed: false,
        deletesAt: null,
        kind: 'session',
      },
    ],
  },
)

export const me: readonly Route[] = [
  route({
    method: 'GET',
    path: '/auth/me',
    summary: 'Who you are, and what you may do in the organization you work in',
    description:
      'By session or personal access token. user is null for a token of no person. Without an organization orgID is null and permissions is empty. reportScope says which accounts and teams reports show you.',
    permission: 'user',
    orgOptional: true,
    tags: ['Authentication'],
    secret: true,
    reply: Me,
    handle: async ({ caller }, { identity }) => {
      const { userId: id, orgId, role, isAdmin, reportScope, kind, lacksSecondFactor = false, deletesAt } = caller
      // Of a session without an organization there is no other way to its person.
      const user = isUuid(id) ? await asService(() => identity.em().findOne(User, { id })) : null
      return {
        user: user && { id: user.id, email: user.email, name: user.name },
        orgID: orgId || null,
        role,
        isAdmin,
        permissions: [...caller.permissions].toSorted(),
        reportScope: {
          all: reportScope.all,
          cloudAccountIDs: [...reportScope.cloudAccountIDs],
          teamIDs: [...reportScope.teamIDs],
        },
        needsSecondFactor: lacksSecondFactor,
        isClosed: deletesAt !== undefined,
        deletesAt: role === 'owner' ? timestamp(deletesAt) : null,
        kind: kind === 'pat' ? ('pat' as const) : ('session' as const),
      }
    },
  }),
]
