/**
 * Refresh tokens of agents, for programs that registered for them. The token of such a program is one row, whose secret
 * changes with each refresh: a refresh token is a signed text that counts them, so one that is used a second time is
 * known, and ends the row.
 */
import type { EntityManager } from '@mikro-orm/postgresql'
import { hourMs } from '#engine/value/day.ts'
import { isUuid } from '#engine/value/id.ts'
import { Member, PersonalAccessToken } from '#http/identity/entity.ts'
import { recordEvent } from '#http/identity/organization/audit.ts'
import type { Client } from '#http/identity/tools.ts'
import { oauthFault, readSigned, signText, type Secrets } from './agent-client.ts'
import { hashOf, keyedHash } from './secret.ts'

/** Milliseconds for which an access token is valid if it can be refreshed. */
const agentAccessMs = hourMs
/** Milliseconds within which a repeat gets the same response, because the first one may have been lost. */
const graceMs = 10_000

interface AgentRefresh {
  tokenId: string
  /** Refreshes before it was issued. */
  count: number
  /** Hash of the id of the client. */
  client: string
}

const purpose = 'agent-refresh'

/** The secret of the row after so many refreshes: a repeat computes the same one. */
const accessOf = ({ tokenId, count }: AgentRefresh, secret: Buffer): string =>
  `svc_pat_${keyedHash(secret, `agent-access\n${tokenId}\n${count}`)}`

export interface AgentPair {
  accessToken: string
  refreshToken: string
}

/** The pair of a token that was refreshed `count` times. */
export const agentPair = (refresh: AgentRefresh, secrets: Secrets): AgentPair => ({
  accessToken: accessOf(refresh, secrets[0]!),
  refreshToken: signText(purpose, refresh, secrets),
})

/** Until when an access token issued at `now` is valid: an hour, and no longer than what was agreed to. */
export const accessEnd = (now: Date, refreshEndsAt: Date): Date =>
  new Date(Math.min(now.getTime() + agentAccessMs, refreshEndsAt.getTime()))

/** `tokenId`: the token that was refreshed or revoked; callers must announce that it has changed. */
export interface RefreshOutcome {
  tokenId?: string
  /** Undefined: refused. */
  issued?: { pair: AgentPair; token: PersonalAccessToken }
}

interface Given {
  refreshToken: string
  clientId: string
}

/**
 * A new pair; the access token before it is no longer valid. Refused if it is not valid, or was used before, which
 * revokes the token.
 */
export async function refreshAgent(
  em: EntityManager,
  { refreshToken, clientId }: Given,
  secrets: Secrets,
  { now, client }: { now: Date; client: Client },
): Promise<RefreshOutcome> {
  const given = readSigned<AgentRefresh>(purpose, refreshToken, secrets)
  if (!given || given.client !== hashOf(clientId) || !isUuid(given.tokenId)) return {}
  await em.execute('select from personal_access_token where id = ? for update', [given.tokenId])
  const token = await em.findOne(PersonalAccessToken, { id: given.tokenId, revokedAt: null }, { refresh: true })
  if (!token || !(await isAllowed(em, token, now))) return {}
  const { tokenId } = given
  const count = token.refreshCount ?? 0
  if (given.count === count) {
    const pair = rotate(token, { ...given, count: count + 1 }, secrets, now)
    return { tokenId, issued: { pair, token } }
  }
  const pair = agentPair({ ...given, count }, secrets)
  if (given.count === count - 1 && isLost(token, pair, now)) return { tokenId, issued: { pair, token } }
  await revoke(em, token, { now, client })
  return { tokenId }
}

function rotate(token: PersonalAccessToken, next: AgentRefresh, secrets: Secrets, now: Date): AgentPair {
  const pair = agentPair(next, secrets)
  Object.assign(token, {
    refreshCount: next.count,
    refreshedAt: now,
    hash: hashOf(pair.accessToken),
    lastFour: pair.accessToken.slice(-4),
    expiresAt: accessEnd(now, token.refreshEndsAt!),
  })
  return pair
}

/** Whether the response with this pair may have been lost. After a change of the key, the row has another secret. */
const isLost = ({ refreshedAt, hash }: PersonalAccessToken, { accessToken }: AgentPair, now: Date): boolean =>
  now.getTime() - (refreshedAt?.getTime() ?? 0) < graceMs && hashOf(accessToken) === hash

/** Whether its person may still use it. */
async function isAllowed(
  em: EntityManager,
  { orgId, userId, refreshEndsAt }: PersonalAccessToken,
  now: Date,
): Promise<boolean> {
  if (!refreshEndsAt || refreshEndsAt <= now) return false
  return (await em.count(Member, { orgId, userId, status: 'active' })) > 0
}

async function revoke(
  em: EntityManager,
  token: PersonalAccessToken,
  { now, client }: { now: Date; client: Client },
): Promise<void> {
  const { id, orgId, userId, name } = token
  token.revokedAt = now
  const detail = { tokenID: id, name }
  await recordEvent(em, { type: 'refresh_reused', orgId, userId, principal: `pat:${id}`, detail }, client, now)
}

/** @throws Fault `invalid_grant` */
export function requireIssued({ issued }: RefreshOutcome): NonNullable<RefreshOutcome['issued']> {
  if (issued) return issued
  throw oauthFault('invalid_grant', 'The refresh token is invalid, has expired, or was used before. Sign in again.')
}
