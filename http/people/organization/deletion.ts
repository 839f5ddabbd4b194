/** An owner closes the organization, which is deleted after a grace period, or restores it. */
import { dayMs } from '#engine/value/day.ts'
import { Fault } from '#engine/value/fault.ts'
import { t } from '#engine/value/schema.ts'
import { Timestamp } from '#http/edge/parameter/field.ts'
import { badInput } from '#http/edge/problem.ts'
import { route, type Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import { recordEvent } from '#http/identity/organization/audit.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import { closeOrganization, restoreOrganization } from '#http/identity/organization/closing.ts'
import { Organization } from '#http/identity/entity.ts'
import { closingMail, sendMail } from '#http/identity/person/mail.ts'
import { SecurityEvent } from '#http/identity/organization/record-entity.ts'
import type { Client } from '#http/identity/tools.ts'
import { transaction } from '#http/store/keyed-transaction.ts'
import { reply } from '#http/store/reply.ts'
import { asService } from '#http/store/tenant.ts'

const Deletion = t.Object(
  {
    orgID: t.String(),
    requestedAt: Timestamp,
    deletesAt: t.String({
      format: 'date-time',
      description: 'until then, an owner can restore it; after that, all data of the organization is deleted',
    }),
  },
  {
    title: 'OrganizationDeletion',
    examples: [
      {
        orgID: '9f4f1c1e-0f0a-4c1a-9d52-3f6f0f6f0a01',
        requestedAt: '2026-01-15T10:00:00.000Z',
        deletesAt: '2026-01-22T10:00:00.000Z',
      },
    ],
  },
)

/** @throws Fault `missing` for another organization than the caller's, `forbidden` if the caller is not an owner */
function ownedBy({ orgId, role }: Caller, asked: string): string {
  if (orgId !== asked) throw Fault.missing('organization', asked)
  if (role !== 'owner') throw Fault.forbidden('forbidden', 'Only an owner can delete or restore an organization.')
  return orgId
}

async function requestDeletion(orgId: string, name: string, caller: Caller, { identity }: Services, client: Client) {
  const now = identity.now()
  return transaction(identity.em(), async (em) => {
    const organization = await em.findOneOrFail(Organization, { id: orgId })
    if (organization.name !== name)
      throw badInput({ in: 'body', name: '/name', code: 'mismatch', message: 'must be the name of the organization' })
    const { userId, principal } = caller
    const { closedAt, deletesAt, isNew } = await closeOrganization(em, { orgId, by: userId }, now)
    const shown = { orgID: orgId, requestedAt: closedAt.toISOString(), deletesAt: deletesAt.toISOString() }
    if (!isNew) return reply(shown, {})
    const detail = { deletesAt: shown.deletesAt }
    const type = 'organization_deletion_requested'
    // Limits mails, so that closing and restoring repeatedly does not fill mailboxes.
    const dayAgo = new Date(now.getTime() - dayMs)
    const isTold = (await em.count(SecurityEvent, { orgId, type, at: { $gt: dayAgo } })) > 0
    await recordEvent(em, { type, orgId, userId, principal, detail }, client, now)
    if (isTold) return reply(shown, {})
    const owners = await em.execute<{ email: string }[]>(
      `select u.email from member m join app_user u on u.id = m.user_id
       where m.org_id = ? and m.role_id = 'owner' and m.status = 'active' order by u.email`,
      [orgId],
    )
    for (const { email } of owners) await sendMail(em, identity, closingMail(email, organization.name, deletesAt))
    return reply(shown, {})
  })
}

async function restore(orgId: string, { userId, principal }: Caller, { identity }: Services, client: Client) {
  return transaction(identity.em(), async (em) => {
    await restoreOrganization(em, orgId)
    await recordEvent(em, { type: 'organization_restored', orgId, userId, principal }, client, identity.now())
    const { id, name } = await em.findOneOrFail(Organization, { id: orgId })
    return reply({ id, name }, {})
  })
}

const routeBase = { permission: 'session', whileClosed: true, tags: ['Organizations'] } as const
const params = t.Object({ orgID: t.String() })

export const organisationDeletion: readonly Route[] = [
  route({
    ...routeBase,
    method: 'DELETE',
    path: '/organisations/:orgID',
    summary: 'Close the organization and delete all its data after seven days',
    description:
      'From now on, its data is not shown, its tokens are rejected with 403 organization_closed, producer messages are ' +
      'dropped, and schedules, notifications and discoveries are paused. Until deletesAt, an owner can restore it with POST ' +
      '/organisations/{orgID}/restore; after that, it is deleted from every store. Confirm with the name of the ' +
      'organization. All owners are notified by email. Repeating the request changes nothing. Only owners of the ' +
      'organization.',
    status: 202,
    params,
    body: t.Object(
      { name: t.String({ maxLength: 400, description: 'as in GET /organisations' }) },
      { examples: [{ name: 'Acme' }] },
    ),
    reply: Deletion,
    handle: async ({ caller, params: { orgID }, body, client }, services) => {
      const orgId = ownedBy(caller, orgID)
      const made = await asService(() => requestDeletion(orgId, body.name, caller, services, client))
      services.identity.changed({ orgId })
      return made
    },
  }),
  route({
    ...routeBase,
    method: 'POST',
    path: '/organisations/:orgID/restore',
    summary: 'Restore a closed organization; it reopens within five seconds',
    description:
      'Paused work resumes; messages that producers sent in the meantime were dropped. Only owners of the organization.',
    params,
    reply: t.Object({ id: t.String(), name: t.String() }),
    example: { id: '9f4f1c1e-0f0a-4c1a-9d52-3f6f0f6f0a01', name: 'Acme' },
    refuses: { 409: ['invalid_transition'] },
    handle: async ({ caller, params: { orgID }, client }, services) => {
      const orgId = ownedBy(caller, orgID)
      const made = await asService(() => restore(orgId, caller, services, client))
      services.identity.changed({ orgId })
      return made
    },
  }),
]
