import { t } from '#engine/value/schema.ts'
import { table } from '#engine/actor/table.ts'
import { shownSeverities, anomalyTypes } from '#streams/anomaly.ts'

const flag = t.Integer({ minimum: 0, maximum: 1 })
const orNull = t.Union([t.String(), t.Null()])

/** Anomalies as the anomaly actor appends them. Times are ISO 8601 UTC; `date` and `review_until` are YYYY-MM-DD. */
export const anomalyState = table({
  name: 'anomaly_state',
  row: t.Object({
    org_id: t.String(),
    date: t.String(),
    anomaly_type: t.Enum(anomalyTypes),
    anomaly_key: t.String(),
    label: t.String(),
    id: t.String(),
    severity: t.Enum(shownSeverities),
    method: t.String(),
    actual_usd: t.Number(),
    expected_usd: t.Number(),
    deviation_percent: t.Number(),
    root_cause: t.String(),
    explained: t.String(),
    top_resources: t.String(),
    cloud_account_id: t.String(),
    team_id: t.String(),
    origin: t.Enum(['daily', 'running']),
    suppressed: flag,
    story: t.String(),
    recurrence: t.String(),
    notified: flag,
    notified_at: orNull,
    created_at: t.String(),
    review_state: t.String(),
    review_until: orNull,
    review_note: t.String(),
    reviewed_by: t.String(),
    reviewed_at: orNull,
    withdrawn: flag,
  }),
})

export const anomalyTables = [anomalyState]
