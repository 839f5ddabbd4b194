import { defineEntity, p } from '@mikro-orm/core'
import { tenantPolicy } from '#engine/actor/tenant-policy.ts'
import type { BillWarning } from '#streams/billing/warning.ts'

/** Statuses as stored. `ok` is shown as `stale` long after the last success. */
export const syncStatuses = ['pending', 'backfilling', 'syncing', 'ok', 'failed'] as const
type SyncStatus = (typeof syncStatuses)[number]

export interface ToldExport {
  exportId: string
  message: string
}

const schema = defineEntity({
  name: 'BillingSync',
  tableName: 'billing_sync',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    cloudAccountId: p.text().primary(),
    provider: p.text().default(''),
    status: p.enum(syncStatuses).$type<SyncStatus>().default('pending'),
    /** The run in progress; empty if there is none. */
    runId: p.text().default(''),
    /** Whether the run in progress is to check the export first. */
    isCheck: p.boolean().default(false),
    /** A run with a check that was requested during another run and follows it; empty if there is none. */
    waitingRunId: p.text().default(''),
    /** End of the last complete run. */
    lastSyncedAt: p.datetime(3).nullable(),
    /** The newest day (YYYY-MM-DD) that has been read; empty before the first. */
    through: p.text().default(''),
    /** The month (YYYY-MM) at which reading the history continues, towards older ones; empty when it is complete. */
    nextMonth: p.text().default(''),
    /** Months of history with lines; reset after the first nightly run. */
    monthsBackfilled: p.integer().default(0),
    /** Why the last run failed; null from the start of the next one. Outcomes of exports do not change it. */
    message: p.text().nullable(),
    /**
     * Messages about exports that replaced nothing, the newest last: added by `held` and `incomplete`, removed by
     * `replaced` of the same export. Runs and their results leave them alone. Whether a message is still valid depends
     * on the account's own row, which changes in the commit that supersedes an export (`open-export-text.ts`).
     */
    told: p.json<ToldExport[]>().defaultRaw(`'[]'`),
    /** Warnings about the bills from the last time they were read, newest billing period first. */
    warnings: p.json<BillWarning[]>().defaultRaw(`'[]'`),
  },
})

/** How far the bills of one cloud account have been read. Written only by the billing sync actor. */
export class BillingSync extends schema.class {}
schema.setClass(BillingSync)
