import { t } from '#engine/schema.ts'
import { questions } from '#analytics/store/query.ts'

const query = questions(import.meta.url)

const list = t.Array(t.String())

/** `until` is a midnight, `YYYY-MM-DD HH:MM:SS.mmm` UTC, and excluded; the four lists go together by their places. */
export const recommendationMetrics = query(
  'recommendation_metrics',
  t.Object({
    org: t.String(),
    account: t.String(),
    uid: t.String(),
    until: t.String(),
    stored: list,
    names: list,
    days: t.Array(t.Integer({ minimum: 1 })),
    steps: t.Array(t.Integer({ minimum: 1 })),
  }),
  t.Object({
    metric: t.String(),
    average: t.Number(),
    p95: t.Number(),
    maximum: t.Number(),
    /** When each step begins, seconds since 1970, ascending; and its mean. */
    seconds: t.Array(t.Integer()),
    means: t.Array(t.Number()),
  }),
  {
    org: 'o1',
    account: 'acct-1',
    uid: 'i-1',
    until: '2026-02-01 00:00:00.000',
    stored: ['cpu_percent'],
    names: ['cpu_percent'],
    days: [31],
    steps: [10_800],
  },
)

export const recommendationQuestions = [recommendationMetrics]
