/** The caller, and their permissions in their organization. */
import { isUuid } from '#engine/value/id.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { orNull, timestamp } from '#http/edge/parameter/field.ts'
import { route, type Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import { User } from '#http/identity/entity.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import { OrganizationSetting } from '#http/identity/organization/setting-entity.ts'
import { permissions } from '#http/identity/organization/role.ts'
import { asService } from '#http/store/tenant.ts'
import { Scope } from '#http/people/organization/role.ts'

export const Me = t.Object(
  {
    user: orNull(
      t.Object({ id: t.String(), email: t.String(), name: t.String() }, { description: 'null for a machine token' }),
    ),
    orgID: orNull(t.String({ description: 'the current organization; null if there is none' })),
    role: t.String({ description: 'a system role, or the ID of a custom role; empty without a role' }),
    isAdmin: t.Boolean({ description: 'whether they have the rights of owners and admins' }),
    permissions: t.Array(t.String({ enum: [...permissions] }), { description: 'sorted by name' }),
    reportScope: Scope,
    needsSecondFactor: t.Boolean({
      description:
        'whether the organization requires two-factor authentication and the session has not used it; until then, requests in it are rejected',
    }),
    isClosed: t.Boolean({
      description:
        'whether the organization is waiting for deletion; until it is restored, requests in it are rejected',
    }),
    deletesAt: orNull(
      t.String({ format: 'date-time', description: 'when a closed organization is deleted; only for its owners' }),
    ),
    hidesFirstSteps: t.Boolean({
      description: 'whether the console no longer shows the first steps of the organization',
    }),
    kind: t.Enum(['session', 'pat'], { description: 'a signed-in user, or a personal access token' }),
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
        hidesFirstSteps: false,
        kind: 'session',
      },
    ],
  },
)

export const me: readonly Route[] = [
  route({
    method: 'GET',
    path: '/auth/me',
    summary: 'Get the caller and their permissions in the current organization',
    description:
      'For sessions and personal access tokens. user is null for a token without a user. Without an organization, orgID is null and permissions is empty. reportScope lists the accounts and teams that reports show you.',
    permission: 'user',
    orgOptional: true,
    tags: ['Authentication'],
    secret: true,
    reply: Me,
    handle: ({ caller }, { identity }) => meOf(caller, identity),
  }),
]

/** The caller as their pages see them. */
export async function meOf(
  {
    userId: id,
    orgId,
    role,
    isAdmin,
    permissions: own,
    reportScope,
    kind,
    lacksSecondFactor = false,
    deletesAt,
  }: Caller,
  identity: Pick<Services['identity'], 'em'>,
): Promise<Static<typeof Me>> {
  // A session without an organization can only be resolved to its person this way.
  const user = isUuid(id) ? await asService(() => identity.em().findOne(User, { id })) : null
  const setting = orgId ? await asService(() => identity.em().findOne(OrganizationSetting, { orgId })) : null
  return {
    user: user && { id: user.id, email: user.email, name: user.name },
    orgID: orgId || null,
    role,
    isAdmin,
    permissions: [...own].toSorted(),
    reportScope: {
      all: reportScope.all,
      cloudAccountIDs: [...reportScope.cloudAccountIDs],
      teamIDs: [...reportScope.teamIDs],
    },
    needsSecondFactor: lacksSecondFactor,
    isClosed: deletesAt !== undefined,
    deletesAt: role === 'owner' ? timestamp(deletesAt) : null,
    hidesFirstSteps: setting?.hidesFirstSteps ?? false,
    kind: kind === 'pat' ? 'pat' : 'session',
  }
}
