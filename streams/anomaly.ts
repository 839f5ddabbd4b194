/** Messages of cost anomalies: found, cleared, notified and reviewed. */
import { t, type Static } from '#engine/value/schema.ts'
import { orgWide, subject } from '#engine/actor/subject.ts'
import { cents } from '#streams/figure.ts'
import { text } from '#streams/text.ts'

/** Scopes in which an anomaly can be found. */
export const anomalyTypes = ['org', 'cloud_account', 'resource_group', 'resource', 'team'] as const
export type AnomalyType = (typeof anomalyTypes)[number]

/** How far a cost is above its baseline, lowest first. */
export const anomalySeverities = ['warning', 'critical', 'emergency'] as const
export type AnomalySeverity = (typeof anomalySeverities)[number]
/** Reviews by people: acknowledged, or expected until a day. */
export const reviewStates = ['acknowledged', 'expected'] as const

/** Suppressed anomalies are shown as `info`, which has no threshold. */
export const shownSeverities = ['info', ...anomalySeverities] as const

const ofOrg = { kind: 'actor', place: () => orgWide } as const
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

/** A resource in its public form. */
export const shownResource = (one: TopResource): TopResource => ({
  ...one,
  costUSD: cents(one.costUSD),
  deltaUSD: cents(one.deltaUSD),
})

/**
 * The anomalies of a day with one cause, and the place of this one among them: the `size` anomalies that are notified
 * together, in the order of `place`.
 */
export const StoryPlace = t.Object({
  key: text({ minLength: 1 }),
  /** A message contains 100 at most: the first of them have part 0. */
  part: t.Integer({ minimum: 0 }),
  /** 0: no one is notified. */
  size: t.Integer({ minimum: 0 }),
  place: t.Integer({ minimum: 0 }),
})

/**
 * A dimension of cost passed its threshold on a day. A later one for the same day replaces it. Amounts are in US
 * dollars.
 */
export const anomalyFound = subject({
  ...ofOrg,
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

/** Withdraws an anomaly that was found before the day was over and did not last. */
export const anomalyCleared = subject({
  ...ofOrg,
  name: 'anomaly.cleared',
  summary: 'An anomaly that was found before its day ended did not last.',
  schema: t.Object(series),
  examples: [{ date: '2026-01-15', type: 'org', key: 'o1' }],
})

/** A receiver has accepted a message about the anomaly. */
export const anomalyNotified = subject({
  ...ofOrg,
  name: 'anomaly.notified',
  summary: 'People were notified about an anomaly.',
  schema: t.Object({ ...series, at: t.String({ format: 'date-time' }) }),
  examples: [{ date: '2026-01-15', type: 'org', key: 'o1', at: '2026-01-16T04:30:05.000Z' }],
})

export const AnomalyReview = t.Object({
  state: t.Enum(reviewStates),
  /** For expected anomalies: the last day on which they are expected. */
  until: t.Optional(day),
  note: t.Optional(text()),
  userId: text(),
  at: t.String({ format: 'date-time' }),
})
export type AnomalyReview = Static<typeof AnomalyReview>

/** Command: set the review of an anomaly, or remove it (null). */
export const anomalyReviewed = subject({
  ...ofOrg,
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
