import { t } from '#engine/schema.ts'
import { table } from '#engine/table.ts'
import { query } from '#analytics/query.ts'
import { everything, narrowed } from '#analytics/slice.ts'

/** Samples as the resource actor appends them: one row a (resource, metric, ts), the newest version wins. `ts` is ISO 8601 UTC. */
export const metricSampleTable = table({
  name: 'metric_sample',
  row: t.Object({
    org_id: t.String(),
    resource_uid: t.String(),
    metric: t.String(),
    ts: t.String(),
    value: t.Number(),
    cloud_account_id: t.String(),
  }),
})

const list = t.Array(t.String())
const measured = { avg_percent: t.Number(), p95_percent: t.Number(), max_percent: t.Number() }

/** Times are `YYYY-MM-DD HH:MM:SS.mmm` UTC, `until` excluded; an empty list means all. */
const asked = { org: t.String(), since: t.String(), until: t.String(), ...narrowed }

const january = {
  org: 'o1',
  since: '2026-01-01 00:00:00.000',
  until: '2026-02-01 00:00:00.000',
  ...everything,
}

export const metricSummary = query(
  'metric_summary',
  t.Object(asked),
  t.Object({ metric: t.String(), ...measured, samples: t.Integer() }),
  january,
)

export const metricByResource = query(
  'metric_by_resource',
  t.Object({ ...asked, uids: list, top: t.Integer({ minimum: 1 }) }),
  t.Object({ resource_uid: t.String(), metric: t.String(), ...measured, total: t.Number(), samples: t.Integer() }),
  { ...january, uids: [], top: 50 },
)
