import { defineEntity, p } from '@mikro-orm/core'
import { tenantPolicy } from '#engine/actor/tenant-policy.ts'
import type { BillWarning } from '#streams/billing/warning.ts'

/** As stored. `stale` is what an `ok` becomes when it is read long after the last success. */
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
    /** The run under way; empty when there is none. */
    runId: p.text().default(''),
    /** Whether somebody asked for the run under way to check the export first. */
    isCheck: p.boolean().default(false),
    /** A run with checks that was asked for while another was under way: it follows. Empty when there is none. */
    waitingRunId: p.text().default(''),
    /** End of the last run that read everything it was to read. */
    lastSyncedAt: p.datetime(3).nullable(),
    /** The newest day (YYYY-MM-DD) that has been read; empty before the first. */
    through: p.text().default(''),
    /** The month (YYYY-MM) at which the history goes on, towards older ones; empty when all of it has been read. */
    nextMonth: p.text().default(''),
    /** Months of history with lines, until a nightly run has followed. */
    monthsBackfilled: p.integer().default(0),
    /** Why the last run failed; null from the beginning of the next. What became of an export does not touch it. */
    message: p.text().nullable(),
    /**
     * What people were told of exports that replaced nothing, the newest last: put by `held` and `incomplete`, taken away by
     * `replaced` of the same export. Runs, and what comes of them, leave it alone. Whether a word still stands is not known
     * here but of the account's own row, which changes in the commit that overtakes an export (`standing.ts`).
     */
    told: p.json<ToldExport[]>().defaultRaw(`'[]'`),
    /** What is to be known of the bills as they were read last, the newest billing period first. */
    warnings: p.json<BillWarning[]>().defaultRaw(`'[]'`),
  },
})

/** How far the bills of one cloud account have been read. Written only by the billing sync actor. */
export class BillingSync extends schema.class {}
schema.setClass(BillingSync)
