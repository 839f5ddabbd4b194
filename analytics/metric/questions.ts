import { t } from '#engine/value/schema.ts'
import { questions } from '#analytics/store/query.ts'
import { everything, narrowed } from '#analytics/store/slice.ts'

const query = questions(import.meta.url)

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

export const metricDaily = query(
  'metric_daily',
  t.Object({ ...asked, uid: t.String() }),
  t.Object({ day: t.String(), metric: t.String(), ...measured, total: t.Number() }),
  { ...january, uid: 'r1' },
)

export const metricQuestions = [metricSummary, metricByResource, metricDaily]
