import { defineEntity, p } from '@mikro-orm/core'
import { tenantPolicy } from '#engine/policy.ts'

const schema = defineEntity({
  name: 'CostWatch',
  tableName: 'cost_watch',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    key: p.text().primary(),
    /** Whether changes wait to be looked at, and whether some are of today. */
    isWaiting: p.boolean(),
    isToday: p.boolean(),
  },
})

/** What of an organization's changed costs nobody has looked at yet. Written only by the cost watch actor. */
export class CostWatch extends schema.class {}
schema.setClass(CostWatch)
