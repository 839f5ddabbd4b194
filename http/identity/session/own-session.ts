/** A person's own sessions: listing and ending them. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { Fault } from '#engine/value/fault.ts'
import { isUuid } from '#engine/value/id.ts'
import { recordEvent, recordOfUser } from '#http/identity/organization/audit.ts'
import { Session, type Method } from './session-entity.ts'
import type { Client, IdentityTools } from '#http/identity/tools.ts'
import type { Self } from '#http/identity/second-factor/second-factor.ts'

export interface ShownSession {
  id: string
  method: Method
  secondFactor: boolean
  createdAt: string
  /** When its tokens were last created or refreshed. */
  lastUsedAt: string
  ip: string
  userAgent: string
  current: boolean
}

interface Row {
  id: string
  method: Method
  second_factor: boolean
  created_at: string
  last_used_at: string
  ip: string
  user_agent: string
}

const sessionsMax = 1000

/**
 * The sessions that a session may see and end: those of its person; for a session through an organization's own
 * provider, only those of that organization.
 */
async function reach(em: EntityManager, { userId, sessionId = '' }: Self) {
  const { boundTo = null } = await em.findOneOrFail(Session, { id: sessionId })
  return { userId, revokedAt: null, ...(boundTo !== null && { boundTo }) }
}

/** Live sessions, newest first. */
export async function sessionsOf(tools: IdentityTools, self: Self): Promise<ShownSession[]> {
  const em = tools.em()
  const { userId, boundTo = null } = (await reach(em, self)) as { userId: string; boundTo?: string }
  const rows = await em.execute<Row[]>(
    `select s.id, s.method, s.second_factor, s.created_at, s.ip, s.user_agent,
       coalesce((select max(r.created_at) from refresh_token r where r.session_id = s.id), s.created_at) as last_used_at
     from session s
     where s.user_id = ? and s.revoked_at is null and s.expires_at > ? and (?::text is null or s.bound_to = ?)
     order by s.created_at desc, s.id limit ?`,
    [userId, tools.now().toISOString(), boundTo, boundTo, sessionsMax],
  )
  return rows.map((row) => ({
    id: row.id,
    method: row.method,
    secondFactor: row.second_factor,
    createdAt: new Date(row.created_at).toISOString(),
    lastUsedAt: new Date(row.last_used_at).toISOString(),
    ip: row.ip,
    userAgent: row.user_agent,
    current: row.id === self.sessionId,
  }))
}

/** Ends one of the person's sessions. @throws Fault `missing` */
export async function endSession(tools: IdentityTools, self: Self, id: string, client: Client): Promise<void> {
  const ended = isUuid(id) ? await endThose(tools, self, { id }, client) : 0
  if (ended === 0) throw Fault.missing('session', id)
}

/** Ends all sessions except the one of the request. */
export const endOthers = async (tools: IdentityTools, self: Self, client: Client): Promise<void> => {
  await endThose(tools, self, { id: { $ne: self.sessionId ?? '' } }, client)
}

async function endThose(
  tools: IdentityTools,
  self: Self,
  which: { id: string | { $ne: string } },
  client: Client,
): Promise<number> {
  const { userId, principal } = self
  const now = tools.now()
  const ended = await tools.em().transactional(async (em) => {
    const own = await reach(em, self)
    const gone = await em.find(Session, { ...own, ...which }, { fields: ['id'] })
    if (gone.length === 0) return 0
    const ids = gone.map(({ id }) => id)
    await em.nativeUpdate(Session, { id: { $in: ids } }, { revokedAt: now })
    const detail = ids.length === 1 ? { sessionID: ids[0]! } : { sessions: String(ids.length) }
    const happened = { type: 'session_ended', principal, detail } as const
    if ('boundTo' in own) await recordEvent(em, { ...happened, orgId: String(own.boundTo), userId }, client, now)
    else await recordOfUser(em, userId, happened, client, now)
    return ids.length
  })
  if (ended > 0) tools.changed({ userId })
  return ended
}
