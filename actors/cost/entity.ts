import { defineEntity, p } from '@mikro-orm/core'
import { tenantPolicy } from '#engine/tenant-policy.ts'

const schema = defineEntity({
  name: 'CostWatch',
  tableName: 'cost_watch',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    key: p.text().primary(),
    /** Whether changes of today wait to be looked at. */
    isWaiting: p.boolean(),
  },
})

/** Whether changed costs of an organization's running day wait to be looked at. Written only by the cost watch actor. */
export class CostWatch extends schema.class {}
schema.setClass(CostWatch)
