import { t } from '#engine/value/schema.ts'
import { questions } from '#analytics/store/query.ts'
import { everything, resourceFilters } from '#analytics/store/slice.ts'

const query = questions(import.meta.url)

const list = t.Array(t.String())
const percentColumns = { avg_percent: t.Number(), p95_percent: t.Number(), max_percent: t.Number() }

/** Times are `YYYY-MM-DD HH:MM:SS.mmm` UTC, `until` excluded; an empty list means all. */
const rangeParams = { org: t.String(), since: t.String(), until: t.String(), ...resourceFilters }

const january = {
  org: 'o1',
  since: '2026-01-01 00:00:00.000',
  until: '2026-02-01 00:00:00.000',
  ...everything,
}

export const metricSummary = query(
  'metric_summary',
  t.Object(rangeParams),
  t.Object({ metric: t.String(), ...percentColumns, samples: t.Integer() }),
  january,
)

export const metricByResource = query(
  'metric_by_resource',
  t.Object({ ...rangeParams, uids: list, top: t.Integer({ minimum: 1 }) }),
  t.Object({
    resource_uid: t.String(),
    metric: t.String(),
    ...percentColumns,
    total: t.Number(),
    samples: t.Integer(),
  }),
  { ...january, uids: [], top: 50 },
)

export const metricDaily = query(
  'metric_daily',
  t.Object({ ...rangeParams, uid: t.String() }),
  t.Object({ day: t.String(), metric: t.String(), ...percentColumns, total: t.Number() }),
  { ...january, uid: 'r1' },
)

export const metricQuestions = [metricSummary, metricByResource, metricDaily]
