import { defineEntity, p } from '@mikro-orm/core'
import { tenantPolicy } from '#engine/actor/tenant-policy.ts'

const log = defineEntity({
  name: 'AttributionLog',
  tableName: 'attribution_log',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    /** Always `all`: one an organization. */
    key: p.text().primary(),
    /** Messages taken. */
    changes: p.integer(),
    /** The newest change among them. */
    lastAt: p.datetime(3).nullable(),
  },
})

/** How far the teams and groups of an organization have come on their way to ClickHouse. Written only by the attribution actor. */
export class AttributionLog extends log.class {}
log.setClass(AttributionLog)

const clock = defineEntity({
  name: 'AttributionClock',
  tableName: 'attribution_clock',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    at: p.datetime(3),
    /** Whether there is, or was, a rule by which resources get their team, and one by which shared costs are handed out. */
    allocated: p.boolean().default(false),
    shared: p.boolean().default(false),
  },
})

/** When teams and groups of an organization last changed. Who changes them holds this row. Written only by actors/attribution/change.ts. */
export class AttributionClock extends clock.class {}
clock.setClass(AttributionClock)
