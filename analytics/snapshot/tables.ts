import { t } from '#engine/value/schema.ts'
import { table } from '#engine/actor/table.ts'

/** Closed months with their totals (decision G-24), as the snapshot actor appends them; `period` is 202601 for January 2026. */
export const snapshotState = table({
  name: 'snapshot_state',
  row: t.Object({
    org_id: t.String(),
    period: t.Integer(),
    total_cost_usd: t.String(),
    total_savings_usd: t.String(),
    resources: t.Integer({ minimum: 0 }),
    created_at: t.String(),
  }),
})

export const snapshotTables = [snapshotState]
