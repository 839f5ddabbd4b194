import { t } from '#engine/value/schema.ts'
import { table } from '#engine/actor/table.ts'

/**
 * Samples as the resource actor appends them: one row per (resource, metric, ts); the newest version counts. `ts` is
 * ISO 8601 UTC.
 */
export const metricSampleTable = table({
  name: 'metric_sample',
  row: t.Object({
    org_id: t.String(),
    resource_uid: t.String(),
    metric: t.String(),
    ts: t.String(),
    value: t.Number(),
    /** Null if the sender has none: then it is `value`. */
    max: t.Union([t.Number(), t.Null()]),
    sum: t.Union([t.Number(), t.Null()]),
    cloud_account_id: t.String(),
  }),
})

export const metricTables = [metricSampleTable]
