import { t, type Static } from '#engine/value/schema.ts'
import { orgWide, subject } from '#engine/actor/subject.ts'
import { cents } from '#streams/figure.ts'
import { text } from '#streams/text.ts'

/** What an anomaly may be found in. */
export const anomalyTypes = ['org', 'cloud_account', 'resource_group', 'resource', 'team'] as const
export type AnomalyType = (typeof anomalyTypes)[number]

/** How far a cost lies above its baseline, the least first. */
export const anomalySeverities = ['warning', 'critical', 'emergency'] as const
export type AnomalySeverity = (typeof anomalySeverities)[number]
/** What people say of an anomaly: somebody looks at it, or it is no surprise until a day. */
export const reviewStates = ['acknowledged', 'expected'] as const
export type ReviewState = (typeof reviewStates)[number]

/** Suppressed ones are shown as `info`, which no threshold is of. */
export const shownSeverities = ['info', ...anomalySeverities] as const

const fixed = { kind: 'actor', place: () => orgWide } as const
const day = t.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' })
const series = {
  date: day,
  type: t.Enum(anomalyTypes),
  key: text({ minLength: 1 }),
}

export const TopResource = t.Object({
  resourceUid: text(),
  resourceName: text(),
  costUSD: t.Number(),
  deltaUSD: t.Number({ description: 'increase over its own average of the previous seven days' }),
})
type TopResource = Static<typeof TopResource>

/** As it is put out. */
export const shownResource = (one: TopResource): TopResource => ({
  ...one,
  costUSD: cents(one.costUSD),
  deltaUSD: cents(one.deltaUSD),
})

/** The anomalies of a day that have one cause, and which of them one is: `size` of them tell people together, in the order of `place`. */
export const StoryPlace = t.Object({
  key: text({ minLength: 1 }),
  /** A message tells of 100 at most: the first of them have part 0. */
  part: t.Integer({ minimum: 0 }),
  /** 0: nobody is notified of it. */
  size: t.Integer({ minimum: 0 }),
  place: t.Integer({ minimum: 0 }),
})

/** A dimension of cost passed its threshold on a day. Found again for the same day it replaces what was found. Amounts are US dollars. */
export const anomalyFound = subject({
  ...fixed,
  name: 'anomaly.found',
  summary: 'The cost of a dimension is above its baseline.',
  schema: t.Object({
    ...series,
    label: text({ description: 'display name' }),
    severity: t.Enum(anomalySeverities),
    method: t.Enum(['percent', 'zscore']),
    actualUsd: t.Number(),
    expectedUsd: t.Number(),
    deviationPercent: t.Number(),
    suppressed: t.Boolean(),
    rootCause: t.String({ maxLength: 8192 }),
    explained: t.Array(t.Object({ cause: text(), usd: t.Number() })),
    topResources: t.Array(TopResource),
    cloudAccountId: text(),
    teamId: text(),
    origin: t.Enum(['daily', 'running']),
    recurrence: t.Optional(
      text({ description: 'when similar cost occurs, for example every Friday; empty for new anomalies' }),
    ),
    isQuiet: t.Optional(t.Boolean({ description: 'true: recurring, so nobody is notified' })),
    story: t.Optional(StoryPlace),
  }),
  examples: [
    {
      date: '2026-01-15',
      type: 'org',
      key: 'o1',
      label: 'Example Ltd',
      severity: 'critical',
      method: 'percent',
      actualUsd: 200,
      expectedUsd: 100,
      deviationPercent: 100,
      suppressed: false,
      rootCause: 'Unexplained increase: 100.00 US dollars above the baseline.',
      explained: [],
      topResources: [{ resourceUid: 'i-1', resourceName: 'web-1', costUSD: 200, deltaUSD: 100 }],
      cloudAccountId: '',
      teamId: '',
      origin: 'daily',
    },
  ],
})

/** What was found while the day was not over did not last. */
export const anomalyCleared = subject({
  ...fixed,
  name: 'anomaly.cleared',
  summary: 'An anomaly that was found before its day ended did not last.',
  schema: t.Object(series),
  examples: [{ date: '2026-01-15', type: 'org', key: 'o1' }],
})

/** A receiver has accepted a message that tells of the anomaly. */
export const anomalyNotified = subject({
  ...fixed,
  name: 'anomaly.notified',
  summary: 'People were notified about an anomaly.',
  schema: t.Object({ ...series, at: t.String({ format: 'date-time' }) }),
  examples: [{ date: '2026-01-15', type: 'org', key: 'o1', at: '2026-01-16T04:30:05.000Z' }],
})

export const AnomalyReview = t.Object({
  state: t.Enum(reviewStates),
  /** Of what is expected: the last day on which it is. */
  until: t.Optional(day),
  note: t.Optional(text()),
  userId: text(),
  at: t.String({ format: 'date-time' }),
})
export type AnomalyReview = Static<typeof AnomalyReview>

/** Command: somebody says something of an anomaly, in place of what was said before, or takes that back (null). */
export const anomalyReviewed = subject({
  ...fixed,
  name: 'anomaly.reviewed',
  summary: 'Review an anomaly.',
  once: true,
  schema: t.Object({ ...series, review: t.Union([AnomalyReview, t.Null()]) }),
  examples: [
    {
      date: '2026-01-15',
      type: 'org',
      key: 'o1',
      review: { state: 'expected', until: '2026-01-31', note: 'Sale', userId: 'u1', at: '2026-01-16T09:00:00.000Z' },
    },
    { date: '2026-01-15', type: 'org', key: 'o1', review: null },
  ],
})

export const anomalyMessages = [anomalyFound, anomalyCleared, anomalyNotified, anomalyReviewed]
