import { t } from '#engine/value/schema.ts'
import { table } from '#engine/actor/table.ts'

/** Savings by day, resource and source, as the saving actor appends them. US dollars, exact. */
export const savingDaily = table({
  name: 'saving_daily',
  row: t.Object({
    org_id: t.String(),
    day: t.String(),
    cloud_account_id: t.String(),
    resource_uid: t.String(),
    source: t.String(),
    source_id: t.String(),
    provider: t.String(),
    region: t.String(),
    service_name: t.String(),
    resource_type: t.String(),
    purchase_type: t.String(),
    saved: t.String(),
    basis: t.String(),
    estimated: t.Union([t.String(), t.Null()]),
    observed: t.Union([t.String(), t.Null()]),
    verified: t.Union([t.String(), t.Null()]),
    claim_id: t.String(),
    /** Only for recommendations; empty for other sources. */
    rule_id: t.String(),
    category: t.String(),
    /** Why `verified` is null; empty if not checked yet. */
    reason: t.String(),
  }),
})

export const savingTables = [savingDaily]
