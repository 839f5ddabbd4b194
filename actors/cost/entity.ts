import { defineEntity, p } from '@mikro-orm/core'
import { tenantPolicy } from '#engine/actor/tenant-policy.ts'

const schema = defineEntity({
  name: 'CostWatch',
  tableName: 'cost_watch',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    key: p.text().primary(),
    /** Whether changes of today wait to be evaluated. */
    isWaiting: p.boolean(),
    /** Whether savings wait to be verified against changed bills. */
    isCounting: p.boolean().default(false),
  },
})

/** Which changed costs of an organization wait to be evaluated. Written only by the cost watch actor. */
export class CostWatch extends schema.class {}
schema.setClass(CostWatch)
