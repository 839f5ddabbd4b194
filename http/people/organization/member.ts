import type { EntityManager } from '@mikro-orm/postgresql'
import { checkRowLimit } from '#actors/row-limit.ts'
import { Fault } from '#engine/value/fault.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { Email, Timestamp } from '#http/edge/parameter/field.ts'
import { recordEvent } from '#http/identity/organization/audit.ts'
import { Member, memberStatuses, Organization, User } from '#http/identity/entity.ts'
import { newUser, normalizeEmail } from '#http/identity/session/login.ts'
import { invitedMail, sendMail } from '#http/identity/person/mail.ts'
import { countOutsideMail } from '#http/identity/person/outside-mail.ts'
import { transaction } from '#http/store/keyed-transaction.ts'
import { isUuid } from '#engine/value/id.ts'
import { keepOwner, removeMember } from '#http/identity/organization/member.ts'
import { isSystemRole } from '#http/identity/organization/role.ts'
import type { Client } from '#http/identity/tools.ts'
import { badInput } from '#http/edge/problem.ts'
import { reply } from '#http/store/reply.ts'
import { route, type Route } from '#http/edge/route.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import type { Services } from '#http/edge/services.ts'
import { asService } from '#http/store/tenant.ts'

const MemberView = t.Object(
  {
    userID: t.String(),
    email: t.String(),
    name: t.String({ description: 'the email address while the invitation is pending' }),
    roleID: t.String({ description: 'owner, admin, editor, viewer or a role ID' }),
    status: t.Enum(memberStatuses, { description: 'invited until the person enters the organization' }),
    createdAt: Timestamp,
  },
  {
    title: 'Member',
    examples: [
      {
        userID: '0d4f1c1e-0f0a-4c1a-9d52-3f6f0f6f0a02',
        email: 'ana@example.com',
        name: 'Ana',
        roleID: 'admin',
        status: 'active',
        createdAt: '2026-01-15T10:00:00.000Z',
      },
    ],
  },
)

interface Row {
  user_id: string
  email: string
  name: string
  role_id: string
  status: Member['status']
  created_at: string
}

/**
 * Members by address; only one if `userId` is given. A person who has not accepted is shown with what the inviter
 * knows: the address.
 */
async function members(em: EntityManager, orgId: string, userId = ''): Promise<Static<typeof MemberView>[]> {
  const rows = await em.execute<Row[]>(
    `select m.user_id, u.email, case m.status when 'active' then u.name else u.email end as name, m.role_id, m.status, m.created_at
     from member m join app_user u on u.id = m.user_id
     where m.org_id = ? and (? = '' or m.user_id::text = ?) order by u.email limit 10000`,
    [orgId, userId, userId],
  )
  return rows.map((row) => ({
    userID: row.user_id,
    email: row.email,
    name: row.name,
    roleID: row.role_id,
    status: row.status,
    createdAt: new Date(row.created_at).toISOString(),
  }))
}

/**
 * @throws Fault `invalid` for a role that the organization does not have, `forbidden` if a caller who is not an owner
 * changes an owner, or makes one
 */
async function checkRole(em: EntityManager, caller: Caller, roleId: string, before = ''): Promise<void> {
  const isKnown = isSystemRole(roleId) || (isUuid(roleId) && (await lockRole(em, caller.orgId, roleId)))
  if (!isKnown)
    throw badInput({ in: 'body', name: '/roleID', code: 'unknown', message: 'must be a role of the organization' })
  if (caller.role !== 'owner' && (roleId === 'owner' || before === 'owner')) {
    throw Fault.forbidden('forbidden', 'Only an owner can create, change and remove owners.')
  }
}

/** Whether the role exists; it is locked until the transaction ends. */
async function lockRole(em: EntityManager, orgId: string, id: string): Promise<boolean> {
  const rows = await em.execute<object[]>('select id from role where org_id = ? and id = ? for share', [orgId, id])
  return rows.length > 0
}

async function getMember(em: EntityManager, orgId: string, userId: string): Promise<Member> {
  const member = isUuid(userId) ? await em.findOne(Member, { orgId, userId }) : null
  if (!member) throw Fault.missing('member', userId)
  return member
}

/** A person without an account gets one that waits for its sign-up. */
async function invite(
  caller: Caller,
  { email: given, roleID: roleId }: { email: string; roleID: string },
  { identity }: Services,
  client: Client,
) {
  const email = normalizeEmail(given)
  const now = identity.now()
  const { orgId, userId: by, principal } = caller
  return transaction(identity.em(), async (em) => {
    await checkRole(em, caller, roleId)
    const user = (await em.findOne(User, { email })) ?? newUser(em, email, email, now)
    if ((await em.count(Member, { orgId, userId: user.id })) > 0) {
      throw Fault.conflict('already_exists', 'This person is already a member or already invited.')
    }
    await checkRowLimit(em, 'member', orgId)
    em.persist(em.create(Member, { orgId, userId: user.id, roleId, status: 'invited', createdAt: now }))
    const { name } = await em.findOneOrFail(Organization, { id: orgId })
    await countOutsideMail(em, { orgId, to: email, limits: identity.outsideMails, now })
    await sendMail(em, identity, invitedMail(email, name, identity.appUrl()))
    const happened = {
      type: 'member_invited',
      orgId,
      userId: by,
      principal,
      email,
      detail: { roleID: roleId },
    } as const
    await recordEvent(em, happened, client, now)
    const [member] = await members(em, orgId, user.id)
    return reply(member!, { headers: { Location: `/members/${user.id}` } })
  })
}

const routeBase = { permission: 'admin', tags: ['Organizations'] } as const
const params = t.Object({ userID: t.String() })

export const memberRoutes: readonly Route[] = [
  route({
    ...routeBase,
    method: 'GET',
    path: '/members',
    summary: 'List members of the organization, sorted by email address',
    description: 'Includes people with a pending invitation. Owners and admins only.',
    reply: t.Array(MemberView),
    handle: async ({ caller }, { em }) => members(em, caller.orgId),
  }),
  route({
    ...routeBase,
    method: 'POST',
    path: '/members',
    summary: 'Invite a person by email; active once the person enters the organization',
    description:
      'The response is the same whether or not the address has an account. An account created because of the invitation enters at its first sign-in; an existing account enters with POST /auth/refresh and its tenantID, or with X-Org-Id. Until then, nothing about the person is shown. Owners and admins only.',
    status: 201,
    headers: { Location: 'URL of the new member' },
    body: t.Object(
      { email: Email, roleID: t.String({ minLength: 1, maxLength: 64 }) },
      { examples: [{ email: 'ben@example.com', roleID: 'viewer' }] },
    ),
    reply: MemberView,
    refuses: { 409: ['already_exists'], 422: ['limit_reached'], 429: ['too_many_mails'] },
    handle: ({ caller, body, client }, services) => asService(() => invite(caller, body, services, client)),
  }),
  route({
    ...routeBase,
    method: 'PATCH',
    path: '/members/:userID',
    summary: 'Change the role of a member',
    description:
      'Takes effect within five seconds. Only owners can create or change owners, and the last owner cannot be changed. Owners and admins only.',
    params,
    body: t.Object({ roleID: t.String({ minLength: 1, maxLength: 64 }) }, { examples: [{ roleID: 'viewer' }] }),
    reply: MemberView,
    refuses: { 409: ['invalid_transition'] },
    handle: async ({ caller, params: { userID }, body, client }, { em, identity }) => {
      await em.transactional(async (tx) => {
        const member = await getMember(tx, caller.orgId, userID)
        await checkRole(tx, caller, body.roleID, member.roleId)
        if (member.roleId === 'owner' && body.roleID !== 'owner') await keepOwner(tx, caller.orgId, member.userId)
        const detail = { member: userID, from: member.roleId, to: body.roleID }
        member.roleId = body.roleID
        const { orgId, userId, principal } = caller
        await recordEvent(tx, { type: 'member_changed', orgId, userId, principal, detail }, client, identity.now())
      })
      identity.changed({ userId: userID })
      return (await members(em, caller.orgId, userID))[0]!
    },
  }),
  route({
    ...routeBase,
    method: 'DELETE',
    path: '/members/:userID',
    summary: 'Remove a member or withdraw an invitation; their tokens for the organization are revoked',
    description:
      "The person's account and what they created are kept. Only owners can remove owners, and the last owner cannot be removed. Owners and admins only.",
    status: 204,
    params,
    refuses: { 409: ['invalid_transition'] },
    handle: async ({ caller, params: { userID }, client }, { em, identity }) => {
      await em.transactional(async (tx) => {
        const member = await getMember(tx, caller.orgId, userID)
        await checkRole(tx, caller, 'viewer', member.roleId)
        await removeMember(tx, member, identity.now())
        const { orgId, userId, principal } = caller
        const detail = { member: userID, roleID: member.roleId }
        await recordEvent(tx, { type: 'member_removed', orgId, userId, principal, detail }, client, identity.now())
      })
      identity.changed({ userId: userID })
    },
  }),
]
