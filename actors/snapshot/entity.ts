import { defineEntity, p } from '@mikro-orm/core'
import { tenantPolicy } from '#engine/actor/tenant-policy.ts'

const schema = defineEntity({
  name: 'Snapshot',
  tableName: 'snapshot',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    /** YYYY-MM, UTC. */
    period: p.text().primary(),
    /** A UUID derived from organization and period. */
    id: p.uuid(),
    /** US dollars, exact. */
    totalCostUsd: p.decimal('string').precision(38).scale(14),
    totalSavingsUsd: p.decimal('string').precision(38).scale(14),
    /** Number of resources in the month's bills. */
    resourceCount: p.integer(),
    createdAt: p.datetime(3),
  },
})

/** The totals of a closed month; never changed. Written only by the snapshot actor. */
export class Snapshot extends schema.class {}
schema.setClass(Snapshot)
