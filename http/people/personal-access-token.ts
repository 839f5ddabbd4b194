/** The backend of the settings page (decision G-15): a person signed in makes tokens, a token does not. */
import { checkRowLimit } from '#actors/row-limit.ts'
import { t } from '#engine/schema.ts'
import { Name, orNull, Timestamp, timestamp } from '#http/edge/field.ts'
import { checkAnalyst } from '#http/identity/analyst-view.ts'
import { recordEvent } from '#http/identity/audit.ts'
import { PersonalAccessToken, personalScopes } from '#http/identity/entity.ts'
import { addToken, revokeToken } from '#http/identity/pat.ts'
import { tokenEnd } from '#http/identity/token-end.ts'
import { narrowed, systemRights } from '#http/identity/role.ts'
import { transaction } from '#http/store/keyed.ts'
import { badInput } from '#http/edge/problem.ts'
import { reply } from '#http/store/reply.ts'
import { route, type Route } from '#http/edge/route.ts'

const Scope = t.Enum(personalScopes, {
  description:
    'what it is good for: the API, or the ClickHouse of analysts, where it reads the views that its permissions open',
})

/** What a token may be narrowed to. */
const narrow = ['viewer'] as const
const narrowerText = 'no more than a viewer may, as for what shall only look'

const fields = {
  id: t.String(),
  name: t.String(),
  scope: Scope,
  role: orNull(t.Enum(narrow, { description: `${narrowerText}; null: all that its person may` })),
  prefix: t.String({ description: 'svc_pat_, and the last four characters' }),
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
  expiresAt: timestamp(token.expiresAt),
})

const fixed = { permission: 'session', tags: ['Authentication'] } as const
const path = '/settings/personal-access-tokens'

export const personalAccessTokens: readonly Route[] = [
  route({
    ...fixed,
    method: 'GET',
    path,
    summary: 'Your tokens of the organization that are not revoked, newest first',
    description:
      'Expired ones too, 1000 at most. Secrets are never shown again. Tokens of others and of no person are not answered.',
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
    ...fixed,
    method: 'POST',
    path,
    summary: 'Make a token that may do what you may; its secret is shown this once',
    description:
      'It is of this organization alone and follows your role; with role viewer it may do no more than a viewer too. Scope api is for this API, scope analyst for the ClickHouse of analysts: it reads the views whose permissions you have (403 nothing_to_read if there are none, 403 report_scope if your role sees some accounts or teams alone). Without expiresAt it is good for 90 days, with null until it is revoked; a week before it ends its person is told by mail, once. A token makes no other token: this takes a person signed in.',
    secret: true,
    status: 201,
    refuses: { 403: ['nothing_to_read', 'report_scope'], 422: ['limit_reached'] },
    headers: { Location: 'where the token is' },
    body: t.Object(
      {
        name: Name,
        expiresAt: t.Optional(
          orNull(
            t.String({
              format: 'date-time',
              maxLength: 40,
              description: 'when it ends; left out: 90 days from now; null: it does not end',
            }),
          ),
        ),
        scope: t.Optional(Scope),
        role: t.Optional(orNull(t.Enum(narrow, { description: `${narrowerText}; left out: all that you may` }))),
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
      if (scope === 'analyst') checkAnalyst(role === null ? caller : narrowed(caller, systemRights(role)))
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
    ...fixed,
    method: 'DELETE',
    path: `${path}/:tokenID`,
    summary: 'Revoke one of your tokens, at once',
    description: '404 for a token of somebody else. It cannot be taken back.',
    status: 204,
    params: t.Object({ tokenID: t.String() }),
    handle: async ({ caller, params: { tokenID }, client }, { em, identity }) => {
      await revokeToken(em, caller, tokenID, client, identity.now())
      identity.changed({ tokenId: tokenID })
    },
  }),
]
