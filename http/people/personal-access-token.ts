/** The backend of the settings page for tokens (decision G-15): a signed-in person creates tokens; a token cannot. */
import { checkRowLimit } from '#actors/row-limit.ts'
import { t } from '#engine/value/schema.ts'
import { Name, orNull, Timestamp, timestamp } from '#http/edge/parameter/field.ts'
import { checkAnalyst } from '#http/identity/token/analyst-view.ts'
import { recordEvent } from '#http/identity/organization/audit.ts'
import { PersonalAccessToken, personalScopes } from '#http/identity/entity.ts'
import { addToken, revokeToken, endOf } from '#http/identity/token/pat.ts'
import { tokenEnd } from '#http/identity/token/token-end.ts'
import { intersectRights, systemRights } from '#http/identity/organization/role.ts'
import { transaction } from '#http/store/keyed-transaction.ts'
import { badInput } from '#http/edge/problem.ts'
import { reply } from '#http/store/reply.ts'
import { route, type Route } from '#http/edge/route.ts'

const Scope = t.Enum(personalScopes, {
  description: 'what it can access: the API, or the analyst ClickHouse with the views that its permissions allow',
})

/** Roles to which a token can be restricted. */
const narrow = ['viewer'] as const
const narrowerText = 'limits the token to the permissions of a viewer, for read-only use'

const fields = {
  id: t.String(),
  name: t.String(),
  scope: Scope,
  role: orNull(t.Enum(narrow, { description: `${narrowerText}; null: all permissions of its user` })),
  prefix: t.String({ description: 'svc_pat_ and the last four characters' }),
  createdAt: Timestamp,
  lastUsedAt: orNull(Timestamp),
  expiresAt: orNull(Timestamp),
}

const example = {
  id: '5d3b8f0a-6c1e-4b7a-9f2d-1a2b3c4d5e6f',
  name: 'agent',
  scope: 'api',
  role: 'viewer',
  prefix: 'svc_pat_…xxxx',
  createdAt: '2026-01-15T10:00:00.000Z',
  lastUsedAt: null,
  expiresAt: '2026-04-15T10:00:00.000Z',
}

const show = (token: PersonalAccessToken) => ({
  id: token.id,
  name: token.name,
  scope: token.scope as (typeof personalScopes)[number],
  role: token.role === 'viewer' ? token.role : null,
  prefix: `svc_pat_…${token.lastFour}`,
  createdAt: token.createdAt.toISOString(),
  lastUsedAt: timestamp(token.lastUsedAt),
  expiresAt: timestamp(endOf(token)),
})

const routeBase = { permission: 'session', tags: ['Authentication'] } as const
const path = '/settings/personal-access-tokens'

export const personalAccessTokens: readonly Route[] = [
  route({
    ...routeBase,
    method: 'GET',
    path,
    summary: 'List your tokens in this organization that are not revoked, newest first',
    description:
      'Includes expired ones, at most 1000. Secrets are never returned again. Does not list tokens of other users or machine tokens.',
    reply: t.Array(t.Object(fields, { examples: [example] })),
    handle: async ({ caller: { orgId, userId } }, { em }) => {
      const where = { orgId, userId, revokedAt: null }
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
    summary: 'Create a token with your permissions; its secret is only shown now',
    description:
      'The token is limited to this organization and follows your role; with role viewer it also has at most the permissions ' +
      'of a viewer. Scope api is for this API, scope analyst for the analyst ClickHouse: it reads the views whose ' +
      'permissions you have (403 nothing_to_read if there are none, 403 report_scope if your role is limited to some ' +
      'accounts or teams). Without expiresAt it is valid for 90 days, with null until it is revoked; its user is notified by ' +
      'email once, a week before it expires. A token cannot create other tokens: this requires a signed-in user.',
    secret: true,
    status: 201,
    refuses: { 403: ['nothing_to_read', 'report_scope'], 422: ['limit_reached'] },
    headers: { Location: 'URL of the new token' },
    body: t.Object(
      {
        name: Name,
        expiresAt: t.Optional(
          orNull(
            t.String({
              format: 'date-time',
              maxLength: 40,
              description: 'expiry; omitted: 90 days from now; null: never',
            }),
          ),
        ),
        scope: t.Optional(Scope),
        role: t.Optional(orNull(t.Enum(narrow, { description: `${narrowerText}; omitted: all your permissions` }))),
      },
      { examples: [{ name: 'ci' }, { name: 'agent', role: 'viewer' }, { name: 'grafana', scope: 'analyst' }] },
    ),
    reply: t.Object(
      { ...fields, token: t.String() },
      { examples: [{ ...example, token: `svc_pat_${'x'.repeat(43)}` }] },
    ),
    handle: async ({ caller, body, client }, { em, identity }) => {
      const now = identity.now()
      const expiresAt = tokenEnd(typeof body.expiresAt === 'string' ? new Date(body.expiresAt) : body.expiresAt, now)
      if (expiresAt && expiresAt <= now) {
        throw badInput({ in: 'body', name: '/expiresAt', code: 'minimum', message: 'must be in the future' })
      }
      const { orgId, userId, principal } = caller
      const { name, scope = 'api', role = null } = body
      if (scope === 'analyst') checkAnalyst(role === null ? caller : intersectRights(caller, systemRights(role)))
      return transaction(em, async (tx) => {
        const given = { name, userId, role, expiresAt, scope }
        await checkRowLimit(tx, 'personal_access_token', orgId)
        const { token, secret } = await addToken(tx, orgId, given, now)
        const detail = {
          tokenID: token.id,
          name: token.name,
          ...(scope !== 'api' && { scope }),
          ...(role !== null && { role }),
        }
        await recordEvent(tx, { type: 'token_created', orgId, userId, principal, detail }, client, now)
        return reply({ ...show(token), token: secret }, { headers: { Location: `${path}/${token.id}` } })
      })
    },
  }),
  route({
    ...routeBase,
    method: 'DELETE',
    path: `${path}/:tokenID`,
    summary: 'Revoke one of your tokens immediately',
    description: "Returns 404 for another user's token. This cannot be undone.",
    status: 204,
    params: t.Object({ tokenID: t.String() }),
    handle: async ({ caller, params: { tokenID }, client }, { em, identity }) => {
      await revokeToken(em, caller, tokenID, client, identity.now())
      identity.changed({ tokenId: tokenID })
    },
  }),
]
