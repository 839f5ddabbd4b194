import { granularities } from '#analytics/cost/questions.ts'
import { questions } from '#analytics/store/query.ts'
import { t } from '#engine/value/schema.ts'

const query = questions(import.meta.url)

/** `period` is 2026-01-31, 2026-W05 or 2026-01; empty for the whole range. Days are included at both ends. */
export const unitMetricByPeriod = query(
  'unit_metric_by_period',
  t.Object({
    org: t.String(),
    series: t.String(),
    from: t.String(),
    to: t.String(),
    granularity: t.Enum(granularities),
    aggregation: t.Enum(['sum', 'avg', 'max', 'last']),
  }),
  t.Object({ period: t.String(), units: t.Number() }),
  { org: 'o1', series: 's1', from: '2026-01-01', to: '2026-01-31', granularity: 'daily', aggregation: 'sum' },
)

export const unitMetricQuestions = [unitMetricByPeriod]
