import { t } from '#engine/value/schema.ts'
import { table } from '#engine/actor/table.ts'

/** Security events as the security actor appends them: one row per event. `at` is ISO 8601 UTC. */
export const securityEventTable = table({
  name: 'security_event',
  row: t.Object({
    org_id: t.String(),
    event_id: t.String(),
    at: t.String(),
    type: t.String(),
    user_id: t.String(),
    principal: t.String(),
    email: t.String(),
    ip: t.String(),
    user_agent: t.String(),
    request_id: t.String(),
    detail: t.Record(t.String(), t.String()),
  }),
})

export const securityTables = [securityEventTable]
