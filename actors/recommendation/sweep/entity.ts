import { defineEntity, p } from '@mikro-orm/core'
import { tenantPolicy } from '#engine/actor/tenant-policy.ts'

const accountSchema = defineEntity({
  name: 'AccountSweep',
  tableName: 'account_sweep',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    cloudAccountId: p.text().primary(),
    /** The last sweep whose findings have all been processed. */
    settledRunId: p.text().default(''),
  },
})

/** How far the sweep of one account is. Written only by the account-sweep actor. */
export class AccountSweep extends accountSchema.class {}
accountSchema.setClass(AccountSweep)

const watchSchema = defineEntity({
  name: 'SweepWatch',
  tableName: 'sweep_watch',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    key: p.text().primary(),
    isWaiting: p.boolean(),
  },
})

/** Whether a sweep requested by changes is due soon. Written only by the sweep-watch actor. */
export class SweepWatch extends watchSchema.class {}
watchSchema.setClass(SweepWatch)
