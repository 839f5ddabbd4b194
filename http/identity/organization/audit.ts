/**
 * Events that administrators must be able to look up later: written in the transaction of the change, then copied for
 * analysts.
 */
import { randomUUID } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import { tellRow } from '#engine/run/tell.ts'
import { Member } from '#http/identity/entity.ts'
import { SecurityEvent } from './record-entity.ts'
import type { Client } from '#http/identity/tools.ts'
import { tell } from '#engine/run/tell.ts'
import { securityRecorded, type SecurityEventType } from '#streams/security.ts'

export interface NewSecurityEvent {
  type: SecurityEventType
  /** Empty if it concerns no known organization. */
  orgId: string
  userId?: string
  /** The principal of the caller; empty for nobody. */
  principal?: string
  /** The entered address, or the one that the event is about. */
  email?: string
  detail?: Record<string, string>
  /** Set if a repeat of the cause would record the event again: it is recorded once per id. */
  id?: string
}

const userAgentMax = 200

/** Writes one event in the transaction of `em`. */
export async function recordEvent(
  em: EntityManager,
  happened: NewSecurityEvent,
  client: Client,
  at: Date,
): Promise<void> {
  const { type, orgId, userId = '', principal = '', email = '', detail = {}, id = randomUUID() } = happened
  if (happened.id !== undefined && (await em.count(SecurityEvent, { id })) > 0) return
  const seen = { ip: client.ip, userAgent: client.userAgent.slice(0, userAgentMax), requestId: client.requestId }
  em.persist(
    em.create(SecurityEvent, {
      id,
      orgId,
      type,
      at,
      userId: userId || null,
      principal,
      email: email || null,
      ...seen,
      detail,
    }),
  )
  await em.flush()
  if (orgId === '') return
  const data = { eventId: id, type, at: at.toISOString(), userId, principal, email, ...seen, detail }
  await tell(em, tellRow(securityRecorded, orgId, data, { id, time: at }))
}

/**
 * Writes an event about a person for each organization that the person is a member of; none for an unknown person, or
 * where the person is only invited.
 */
export async function recordOfUser(
  em: EntityManager,
  userId: string | undefined,
  happened: Omit<NewSecurityEvent, 'orgId' | 'userId'>,
  client: Client,
  at: Date,
): Promise<void> {
  const members = userId === undefined ? [] : await em.find(Member, { userId, status: 'active' })
  const orgIds = members.length > 0 ? members.map((member) => member.orgId) : ['']
  for (const orgId of orgIds) await recordEvent(em, { ...happened, orgId, ...(userId && { userId }) }, client, at)
}
