import { securityEventTable } from '#analytics/security/tables.ts'
import { defineActor } from '#engine/actor/actor.ts'
import { securityRecorded } from '#streams/security.ts'
import { SecurityLog } from './entity.ts'

/** Copies an organization's security events to ClickHouse for analysts; the edge's own table remains authoritative. */
export const securityActor = defineActor({
  kind: 'security',
  entity: SecurityLog,
  address: { orgId: 'orgId', key: 'key' },
  initial: () => ({ events: 0, lastAt: null }),
  reactions: (on) => [
    on(
      securityRecorded,
      () => 'log',
      (log, event, turn) => {
        const at = new Date(event.at)
        log.events += 1
        if (!log.lastAt || log.lastAt < at) log.lastAt = at
        turn.append(
          securityEventTable,
          {
            org_id: turn.address.orgId,
            event_id: event.eventId,
            at: event.at,
            type: event.type,
            user_id: event.userId,
            principal: event.principal,
            email: event.email,
            ip: event.ip,
            user_agent: event.userAgent,
            request_id: event.requestId,
            detail: event.detail,
          },
          at,
        )
      },
    ),
  ],
})
