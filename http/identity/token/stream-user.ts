/**
 * Users of the stream: producers, consumers, executors and builders. Their passwords are shown once and stored as
 * hashes.
 */
import { randomBytes } from 'node:crypto'
import { defineEntity, p } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { tenantPolicy } from '#engine/actor/tenant-policy.ts'
import { Fault } from '#engine/value/fault.ts'
import { isUuid } from '#engine/value/id.ts'
import { Organization } from '#http/identity/entity.ts'
import { isOfOrganization, streamUserKinds, streamUserName, type StreamUserKind } from '#streams/stream-user.ts'
import { checkedName } from '#streams/text.ts'

const streamUser = defineEntity({
  name: 'StreamUser',
  tableName: 'stream_user',
  policies: [tenantPolicy],
  properties: {
    /** Its user name on the server. */
    id: p.string().length(64).primary(),
    kind: p.enum(streamUserKinds).$type<StreamUserKind>(),
    /** Null: it serves all organizations. */
    orgId: p.string().nullable(),
    name: p.text(),
    /** bcrypt hash, as the server requires, of 192 random bits. */
    hash: p.text(),
    createdAt: p.datetime(3),
    revokedAt: p.datetime(3).nullable(),
  },
  indexes: [{ properties: ['orgId', 'createdAt'] }],
})

/** A user that may connect to the stream. Written only by `http/identity`. */
export class StreamUser extends streamUser.class {}
streamUser.setClass(StreamUser)

export interface StreamUserRequest {
  kind: StreamUserKind
  /** Only for producers and consumers. */
  orgId: string | null
  name: string
  hash: string
}

/** @throws Fault `missing` for an unknown organization */
export async function addStreamUser(em: EntityManager, request: StreamUserRequest, now: Date): Promise<StreamUser> {
  const { kind, orgId, name, hash } = request
  if (isOfOrganization(kind) && !(orgId && isUuid(orgId) && (await em.findOne(Organization, { id: orgId }))))
    throw Fault.missing('organization', orgId ?? '')
  const id = streamUserName(kind, randomBytes(6).toString('hex'))
  const user = em.create(StreamUser, {
    id,
    kind,
    orgId: isOfOrganization(kind) ? orgId : null,
    name: checkedName(name),
    hash,
    createdAt: now,
    revokedAt: null,
  })
  await em.persist(user).flush()
  return user
}

/** @throws Fault `missing` */
export async function revokeStreamUser(
  em: EntityManager,
  kind: StreamUserKind,
  id: string,
  now: Date,
): Promise<StreamUser> {
  const user = await em.findOne(StreamUser, { id, kind, revokedAt: null })
  if (!user) throw Fault.missing(kind, id)
  user.revokedAt = now
  await em.flush()
  return user
}

/** Users that may connect, oldest first; not those of closed organizations. */
export async function streamUsers(
  em: EntityManager,
  where: { kind?: StreamUserKind; orgId?: string } = {},
): Promise<StreamUser[]> {
  const found = await em.find(StreamUser, { ...where, revokedAt: null }, { orderBy: { createdAt: 'asc', id: 'asc' } })
  const rows = await em.execute<{ org_id: string }[]>('select org_id from closed_organization')
  const closed = new Set(rows.map((row) => row.org_id))
  return found.filter(({ orgId }) => !orgId || !closed.has(orgId))
}
