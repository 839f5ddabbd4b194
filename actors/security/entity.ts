import { defineEntity, p } from '@mikro-orm/core'

const schema = defineEntity({
  name: 'SecurityLog',
  tableName: 'security_log',
  properties: {
    orgId: p.text().primary(),
    key: p.text().primary(),
    /** Number of messages, including repeats. */
    events: p.integer(),
    lastAt: p.datetime(3).nullable(),
  },
})

/**
 * How far the security events of an organization have been copied to ClickHouse. Written only by the security actor.
 */
export class SecurityLog extends schema.class {}
schema.setClass(SecurityLog)
