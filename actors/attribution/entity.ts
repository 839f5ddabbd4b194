import { defineEntity, p } from '@mikro-orm/core'
import { tenantPolicy } from '#engine/actor/tenant-policy.ts'

const log = defineEntity({
  name: 'AttributionLog',
  tableName: 'attribution_log',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    /** Always `all`: one row for each organization. */
    key: p.text().primary(),
    /** Number of messages processed. */
    changes: p.integer(),
    /** Time of the newest change among them. */
    lastAt: p.datetime(3).nullable(),
  },
})

/**
 * How far the teams and groups of an organization have been copied to ClickHouse. Written only by the attribution
 * actor.
 */
export class AttributionLog extends log.class {}
log.setClass(AttributionLog)

const clock = defineEntity({
  name: 'AttributionClock',
  tableName: 'attribution_clock',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    at: p.datetime(3),
    /** Whether there is, or was, a rule that assigns resources to teams. Below: one that distributes shared costs. */
    allocated: p.boolean().default(false),
    shared: p.boolean().default(false),
  },
})

/**
 * When teams and groups of an organization last changed. A change locks this row. Written only by
 * actors/attribution/change.ts.
 */
export class AttributionClock extends clock.class {}
clock.setClass(AttributionClock)
