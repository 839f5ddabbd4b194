/**
 * Tokens of an organization's directory: created by a signed-in admin; they belong to the organization and no person.
 */
import { randomUUID } from 'node:crypto'
import { Fault } from '#engine/value/fault.ts'
import { isUuid } from '#engine/value/id.ts'
import { t } from '#engine/value/schema.ts'
import { Name, orNull, Timestamp, timestamp } from '#http/edge/parameter/field.ts'
import { badInput } from '#http/edge/problem.ts'
import { route, type Route } from '#http/edge/route.ts'
import { recordEvent } from '#http/identity/organization/audit.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import { PersonalAccessToken } from '#http/identity/entity.ts'
import { addToken } from '#http/identity/token/pat.ts'
import { transaction } from '#http/store/keyed-transaction.ts'
import { reply } from '#http/store/reply.ts'

const fields = {
  id: t.String(),
  name: t.String(),
  prefix: t.String({ description: 'svc_pat_ and the last four characters' }),
  madeBy: t.Enum(['owner', 'admin'], {
    description: 'only a token created by an owner can create, change and remove owners',
  }),
  createdAt: Timestamp,
  lastUsedAt: orNull(Timestamp),
  expiresAt: orNull(Timestamp),
}

const shownToken = {
  id: '5b0f0a52-6a43-4c87-8f1d-2f2e8b1f0c77',
  name: 'Entra ID',
  prefix: 'svc_pat_…Qx3Z',
  madeBy: 'admin' as const,
  createdAt: '2026-01-15T10:00:00.000Z',
  lastUsedAt: null,
  expiresAt: null,
}

const show = (token: PersonalAccessToken) => ({
  id: token.id,
  name: token.name,
  prefix: `svc_pat_…${token.lastFour}`,
  madeBy: token.role === 'owner' ? ('owner' as const) : ('admin' as const),
  createdAt: token.createdAt.toISOString(),
  lastUsedAt: timestamp(token.lastUsedAt),
  expiresAt: timestamp(token.expiresAt),
})

const path = '/organisations/:orgID/scim/tokens'
const routeBase = { permission: 'admin', tags: ['Organizations'] } as const
const params = t.Object({ orgID: t.String() })
const live = (orgId: string) => ({ orgId, scope: 'scim' as const, revokedAt: null })

/** Only the caller's own organization is accessible; any other looks missing. */
function own(caller: Caller, orgId: string): string {
  if (caller.orgId !== orgId) throw Fault.missing('organization', orgId)
  return orgId
}

/** A token cannot create tokens. @throws Fault `forbidden` */
function checkPerson({ kind }: Caller): void {
  if (kind !== 'session')
    throw Fault.forbidden('forbidden', 'This requires a signed-in user, not a personal access token.')
}

export const scimTokens: readonly Route[] = [
  route({
    ...routeBase,
    method: 'GET',
    path,
    summary: 'List SCIM tokens that are not revoked, newest first',
    description: 'Without their secrets. At most 1,000; personal access tokens are not listed here.',
    params,
    reply: t.Array(t.Object(fields)),
    example: [shownToken],
    handle: async ({ caller, params: { orgID } }, { em }) => {
      const where = live(own(caller, orgID))
      const found = await em.find(PersonalAccessToken, where, {
        orderBy: { createdAt: 'desc', id: 'asc' },
        limit: 1000,
      })
      return found.map(show)
    },
  }),
  route({
    ...routeBase,
    method: 'POST',
    path,
    summary: "Create a SCIM token for the organization's directory; its secret is only shown now",
    description:
      'It is only valid for /scim/v2, and is kept when its creator leaves. A token created by an admin cannot create, change or remove owners.',
    secret: true,
    status: 201,
    headers: { Location: 'URL of the new token' },
    params,
    body: t.Object(
      { name: Name, expiresAt: t.Optional(orNull(t.String({ format: 'date-time', maxLength: 40 }))) },
      { examples: [{ name: 'Entra ID' }] },
    ),
    reply: t.Object({ ...fields, token: t.String() }),
    example: { ...shownToken, token: 'svc_pat_…' },
    handle: async ({ caller, params: { orgID }, body, client }, { em, identity }) => {
      const orgId = own(caller, orgID)
      checkPerson(caller)
      const now = identity.now()
      const expiresAt = body.expiresAt ? new Date(body.expiresAt) : null
      if (expiresAt && expiresAt <= now) {
        throw badInput({ in: 'body', name: '/expiresAt', code: 'minimum', message: 'must be in the future' })
      }
      const role = caller.role === 'owner' ? ('owner' as const) : ('admin' as const)
      const { userId, principal } = caller
      return transaction(em, async (tx) => {
        const given = { name: body.name, userId: randomUUID(), role, expiresAt, scope: 'scim' as const }
        const { token, secret } = await addToken(tx, orgId, given, now)
        const detail = { tokenID: token.id, name: token.name, scope: 'scim' }
        await recordEvent(tx, { type: 'token_created', orgId, userId, principal, detail }, client, now)
        const headers = { Location: `/organisations/${orgId}/scim/tokens/${token.id}` }
        return reply({ ...show(token), token: secret }, { headers })
      })
    },
  }),
  route({
    ...routeBase,
    method: 'DELETE',
    path: `${path}/:scimTokenID`,
    summary: 'Revoke a SCIM token immediately',
    description: 'The directory that uses it gets 401 from then on; the user data it has sent is kept.',
    status: 204,
    params: t.Object({ orgID: t.String(), scimTokenID: t.String() }),
    handle: async ({ caller, params: { orgID, scimTokenID: id }, client }, { em, identity }) => {
      const orgId = own(caller, orgID)
      const token = isUuid(id) ? await em.findOne(PersonalAccessToken, { ...live(orgId), id }) : null
      if (!token) throw Fault.missing('token', id)
      const now = identity.now()
      const { userId, principal } = caller
      await em.transactional(async (tx) => {
        await tx.nativeUpdate(PersonalAccessToken, { orgId, id }, { revokedAt: now })
        const detail = { tokenID: id, name: token.name }
        await recordEvent(tx, { type: 'token_revoked', orgId, userId, principal, detail }, client, now)
      })
      identity.changed({ tokenId: id })
    },
  }),
]
