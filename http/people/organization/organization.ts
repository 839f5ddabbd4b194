import { randomUUID } from 'node:crypto'
import { Fault } from '#engine/value/fault.ts'
import { t } from '#engine/value/schema.ts'
import { Name, orNull, Timestamp, timestamp } from '#http/edge/parameter/field.ts'
import { recordEvent } from '#http/identity/organization/audit.ts'
import { Member, Organization } from '#http/identity/entity.ts'
import { checkFounding } from '#http/identity/organization/organization.ts'
import { checkedName } from '#streams/text.ts'
import { Session } from '#http/identity/session/session-entity.ts'
import { transaction } from '#http/store/keyed-transaction.ts'
import { reply } from '#http/store/reply.ts'
import { route, type Route } from '#http/edge/route.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import type { Services } from '#http/edge/services.ts'
import { asService } from '#http/store/tenant.ts'

const routeBase = { path: '/organisations', orgOptional: true, tags: ['Organizations'] } as const

/**
 * The person of the session becomes the owner.
 * @throws Fault `forbidden` for a session bound to one organization; as `checkFounding`
 */
async function create(name: string, caller: Caller, { identity }: Services, client: Parameters<typeof recordEvent>[2]) {
  const now = identity.now()
  return transaction(identity.em(), async (em) => {
    const session = await em.findOneOrFail(Session, { id: caller.sessionId! })
    if (session.boundTo !== null) {
      throw Fault.forbidden('forbidden', 'A session through an identity provider is limited to its organization.')
    }
    await checkFounding(em, identity.organizations, { userId: caller.userId, ip: client.ip }, now)
    const made = em.create(Organization, { id: randomUUID(), name: checkedName(name), createdAt: now })
    const owner = { orgId: made.id, userId: caller.userId, roleId: 'owner', status: 'active' as const, createdAt: now }
    em.persist([made, em.create(Member, owner)])
    await identity.place(em, made.id)
    const { userId, principal } = caller
    await recordEvent(em, { type: 'organization_created', orgId: made.id, userId, principal }, client, now)
    const shown = { id: made.id, name: made.name, createdAt: now.toISOString() }
    return reply(shown, { headers: { Location: '/organisations' } })
  })
}

interface Row {
  id: string
  name: string
  role_id: string
  delete_at: string | null
}

export const organisations: readonly Route[] = [
  route({
    ...routeBase,
    method: 'POST',
    summary: 'Create an organization; you become its owner',
    description:
      'To work in it, refresh with its ID as tenantID, or send it as X-Org-Id. By default, a user who owns three organizations cannot create more, and a user and an IP address can create ten per day.',
    permission: 'session',
    status: 201,
    headers: { Location: 'URL of the organizations' },
    body: t.Object({ name: Name }, { examples: [{ name: 'Acme' }] }),
    reply: t.Object({ id: t.String(), name: t.String(), createdAt: Timestamp }),
    example: { id: '9f4f1c1e-0f0a-4c1a-9d52-3f6f0f6f0a01', name: 'Acme', createdAt: '2026-01-15T10:00:00.000Z' },
    refuses: { 403: ['email_not_verified'], 422: ['organization_limit'], 429: ['too_many_organizations'] },
    handle: async ({ caller, body, client }, services) => {
      const made = await asService(() => create(body.name, caller, services, client))
      services.identity.changed({ userId: caller.userId })
      return made
    },
  }),
  route({
    ...routeBase,
    method: 'GET',
    summary: 'List your organizations and your role in each, oldest first',
    description: 'A session sees all organizations it can switch to; a personal access token sees only its own.',
    permission: 'user',
    reply: t.Array(
      t.Object({
        id: t.String(),
        name: t.String(),
        roleID: t.String(),
        isClosed: t.Boolean({ description: 'whether it is waiting for deletion: requests in it are rejected' }),
        deletesAt: orNull(
          t.String({
            format: 'date-time',
            description: 'when a closed organization is deleted; only for its owners, who can restore it until then',
          }),
        ),
      }),
    ),
    example: [
      { id: '9f4f1c1e-0f0a-4c1a-9d52-3f6f0f6f0a01', name: 'Acme', roleID: 'owner', isClosed: false, deletesAt: null },
    ],
    handle: async ({ caller }, { identity }) => {
      // A token knows only its own organization; a session all in which it may be active.
      const only = caller.kind === 'pat' ? caller.orgId : null
      const rows = await asService(() =>
        identity.em().execute<Row[]>(
          `select o.id, o.name, coalesce(m.role_id, ?) as role_id, c.delete_at from organization o
           left join closed_organization c on c.org_id = o.id::text
           left join member m on m.org_id = o.id::text and m.user_id::text = ?
           left join session s on s.id::text = ?
           where case when ?::text is null then m.user_id is not null and coalesce(s.bound_to, m.org_id) = m.org_id
                      else o.id::text = ? end
           order by m.created_at, o.id`,
          [caller.role, caller.userId, caller.sessionId ?? '', only, only],
        ),
      )
      return rows.map(({ id, name, role_id: roleID, delete_at: deleteAt }) => ({
        id,
        name,
        roleID,
        isClosed: deleteAt !== null,
        deletesAt: roleID === 'owner' ? timestamp(deleteAt === null ? null : new Date(deleteAt)) : null,
      }))
    },
  }),
]
