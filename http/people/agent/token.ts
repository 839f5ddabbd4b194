/** Exchanges what a person agreed to for tokens, and renews them. */
import { checkRowLimit } from '#actors/row-limit.ts'
import { t } from '#engine/value/schema.ts'
import { route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import { Member, PersonalAccessToken } from '#http/identity/entity.ts'
import { recordEvent } from '#http/identity/organization/audit.ts'
import { clientOf, grantOf, oauthFault } from '#http/identity/token/agent-client.ts'
import { accessEnd, agentPair, refreshAgent, requireIssued } from '#http/identity/token/agent-refresh.ts'
import { addToken } from '#http/identity/token/pat.ts'
import { tokenEnd } from '#http/identity/token/token-end.ts'
import type { Client } from '#http/identity/tools.ts'
import { asOrganization, asService } from '#http/store/tenant.ts'
import { reply } from '#http/store/reply.ts'
import { clientFields, checkResource, open, refusal, tags, URI } from './oauth.ts'

/** What was missing in a form whose members depend on its kind. @throws Fault `invalid_request` */
function needed(value: string | undefined, name: string): string {
  if (value !== undefined) return value
  throw oauthFault('invalid_request', `${name} is missing.`)
}

export const tokenExchange = route({
  method: 'POST',
  path: '/oauth/token',
  summary: 'Exchange an authorization code or a refresh token for an access token',
  description:
    'The token is a personal access token of the person who agreed, shown in the console under Account, and revoked there or with the membership. It is valid for 90 days, and afterwards the program asks again. For a program that registered for refresh tokens it is valid for an hour, and refreshed until then. A refresh token is good once: used a second time, it revokes the token.',
  permission: 'public',
  limit: 'auth',
  tags,
  form: true,
  unkeyed: true,
  bare: true,
  secret: true,
  refusal,
  body: t.Object(
    {
      grant_type: t.Enum(['authorization_code', 'refresh_token']),
      client_id: clientFields.client_id,
      code: t.Optional(t.String({ minLength: 1, maxLength: 8192 })),
      redirect_uri: t.Optional(URI),
      code_verifier: t.Optional(t.String({ minLength: 43, maxLength: 128 })),
      refresh_token: t.Optional(t.String({ minLength: 1, maxLength: 8192 })),
      resource: t.Optional(t.String({ maxLength: 1000 })),
    },
    {
      ...open,
      examples: [
        {
          grant_type: 'authorization_code',
          code: 'CODE',
          client_id: 'CLIENT_ID',
          redirect_uri: 'https://agent.example.com/callback',
          code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
        },
      ],
    },
  ),
  reply: t.Object({
    access_token: t.String(),
    token_type: t.Literal('Bearer'),
    expires_in: t.Integer({ description: 'seconds' }),
    refresh_token: t.Optional(t.String({ description: 'for programs that registered for it' })),
    scope: t.String({ description: 'read: at most the permissions of a viewer; all: those of the person' }),
  }),
  example: { access_token: `svc_pat_${'x'.repeat(43)}`, token_type: 'Bearer', expires_in: 7_776_000, scope: 'read' },
  refuses: { 400: ['invalid_client', 'invalid_grant', 'invalid_request', 'invalid_target'], 422: ['limit_reached'] },
  handle: async ({ body, client }, services) => {
    const { identity } = services
    const now = identity.now()
    checkResource(body.resource, identity.publicUrl())
    const { role, expiresAt, ...issued } =
      body.grant_type === 'refresh_token'
        ? await refreshed(body, { client, now }, services)
        : await firstToken(body, { client, now }, services)
    return reply(
      {
        ...issued,
        token_type: 'Bearer' as const,
        expires_in: Math.floor((expiresAt.getTime() - now.getTime()) / 1000),
        scope: role === null ? 'all' : 'read',
      },
      { headers: { Pragma: 'no-cache' } },
    )
  },
})

interface Issued {
  access_token: string
  refresh_token?: string
  role: string | null
  expiresAt: Date
}

interface TokenForm {
  client_id: string
  code?: string
  redirect_uri?: string
  code_verifier?: string
  refresh_token?: string
}

interface Asking {
  client: Client
  now: Date
}

type Tools = Pick<Services, 'identity' | 'linkSecrets'>

/** @throws Fault `invalid_client`, `invalid_grant`, `invalid_request`, `refused` `limit_reached` */
async function firstToken(body: TokenForm, { client, now }: Asking, { identity, linkSecrets }: Tools): Promise<Issued> {
  const secrets = linkSecrets()
  const grant = grantOf(
    {
      code: needed(body.code, 'code'),
      codeVerifier: needed(body.code_verifier, 'code_verifier'),
      redirectURI: needed(body.redirect_uri, 'redirect_uri'),
      clientId: body.client_id,
    },
    secrets,
    now,
  )
  const { tokenId: id, orgId, userId, clientName: name, role } = grant
  const end = tokenEnd(undefined, now)!
  const pair = grant.refreshes && agentPair({ tokenId: id, count: 0, client: grant.client }, secrets)
  const expiresAt = pair ? accessEnd(now, end) : end
  const secret = await asOrganization(orgId, () =>
    asService(() =>
      identity.em().transactional(async (tx) => {
        const isUsed = (await tx.count(PersonalAccessToken, { id })) > 0
        const isMember = (await tx.count(Member, { orgId, userId, status: 'active' })) > 0
        if (isUsed || !isMember) throw oauthFault('invalid_grant', 'The code was used already. Sign in again.')
        await checkRowLimit(tx, 'personal_access_token', orgId)
        const renewed = pair && { secret: pair.accessToken, refreshEndsAt: end }
        const made = await addToken(tx, orgId, { id, name, userId, role, expiresAt, ...renewed }, now)
        const detail = { tokenID: id, name, ...(role !== null && { role }), agent: 'true' }
        await recordEvent(tx, { type: 'token_created', orgId, userId, principal: userId, detail }, client, now)
        return made.secret
      }),
    ),
  )
  return { access_token: secret, ...(pair && { refresh_token: pair.refreshToken }), role, expiresAt }
}

/** @throws Fault `invalid_client`, `invalid_grant`, `invalid_request` */
async function refreshed(body: TokenForm, { client, now }: Asking, { identity, linkSecrets }: Tools): Promise<Issued> {
  const secrets = linkSecrets()
  clientOf(body.client_id, secrets)
  const given = { refreshToken: needed(body.refresh_token, 'refresh_token'), clientId: body.client_id }
  // What is refused changes something too: it is committed first.
  const outcome = await asService(() =>
    identity.em().transactional((tx) => refreshAgent(tx, given, secrets, { now, client })),
  )
  if (outcome.tokenId !== undefined) identity.changed({ tokenId: outcome.tokenId })
  const { pair, token } = requireIssued(outcome)
  const { role = null, expiresAt } = token
  return { access_token: pair.accessToken, refresh_token: pair.refreshToken, role, expiresAt: expiresAt! }
}
