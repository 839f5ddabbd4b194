/**
 * Personal access tokens: created once, shown once, stored as their hash, bound to one organization (decision G-15).
 */
import { randomUUID } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import { Fault } from '#engine/value/fault.ts'
import { isUuid } from '#engine/value/id.ts'
import { recordEvent } from '#http/identity/organization/audit.ts'
import { Organization, PersonalAccessToken, type TokenScope } from '#http/identity/entity.ts'
import type { SystemRole } from '#http/identity/organization/role.ts'
import { checkedName } from '#streams/text.ts'
import { hashOf, newSecret } from './secret.ts'
import type { Client } from '#http/identity/tools.ts'

/** The format of a token: the prefix and 256 bits. */
export const tokenShape = /^svc_pat_[A-Za-z0-9_-]{43}$/

/** Ids are written in one way only, because not every comparison treats them as numbers. */

export interface TokenRequest {
  /** Default: a new one. */
  id?: string
  name: string
  /** The owner. */
  userId: string
  /** Null: whatever its user may do at the time. Otherwise, for a person's token, what both may do. */
  role: SystemRole | null
  /** Null or missing: it does not expire. */
  expiresAt?: Date | null
  /** Default: the API. */
  scope?: TokenScope
  /** Default: a random one. */
  secret?: string
  /** Until when an agent can refresh it. */
  refreshEndsAt?: Date
}

/** When its owner has to sign in again; null: never. */
export const endOf = ({ expiresAt, refreshEndsAt }: PersonalAccessToken): Date | null =>
  refreshEndsAt ?? expiresAt ?? null

/** Returns the token and its secret, which cannot be retrieved later. */
export async function addToken(
  em: EntityManager,
  orgId: string,
  { id = randomUUID(), role, name, expiresAt = null, userId, scope = 'api', secret, refreshEndsAt }: TokenRequest,
  now: Date,
): Promise<{ token: PersonalAccessToken; secret: string }> {
  const text = secret ?? `svc_pat_${newSecret()}`
  const token = em.create(PersonalAccessToken, {
    id,
    orgId,
    userId,
    name: checkedName(name),
    role,
    scope,
    hash: hashOf(text),
    lastFour: text.slice(-4),
    createdAt: now,
    expiresAt,
    refreshCount: refreshEndsAt ? 0 : null,
    refreshedAt: null,
    refreshEndsAt: refreshEndsAt ?? null,
    endToldAt: null,
    lastUsedAt: null,
    revokedAt: null,
  })
  await em.persist(token).flush()
  return { token, secret: text }
}

/** A machine token created by an operator, with fixed rights. @throws Fault `missing` for an unknown organization */
export async function createToken(
  em: EntityManager,
  orgId: string,
  request: Omit<TokenRequest, 'userId' | 'role'> & { role: SystemRole | null; userId?: string },
  now = new Date(),
): Promise<{ token: PersonalAccessToken; secret: string }> {
  if (!isUuid(orgId) || !(await em.findOne(Organization, { id: orgId }))) throw Fault.missing('organization', orgId)
  return addToken(em, orgId, { ...request, userId: request.userId ?? randomUUID() }, now)
}

/** Revokes a person's token. @throws Fault `missing` */
export async function revokeToken(
  em: EntityManager,
  { orgId, userId, principal }: { orgId: string; userId: string; principal: string },
  id: string,
  client: Client,
  now: Date,
): Promise<void> {
  const token = isUuid(id) ? await em.findOne(PersonalAccessToken, { orgId, userId, id, revokedAt: null }) : null
  if (!token) throw Fault.missing('token', id)
  await em.transactional(async (tx) => {
    await tx.nativeUpdate(PersonalAccessToken, { orgId, id }, { revokedAt: now })
    const detail = { tokenID: id, name: token.name }
    await recordEvent(tx, { type: 'token_revoked', orgId, userId, principal, detail }, client, now)
  })
}
