import { t } from '#engine/schema.ts'
import { subject } from '#engine/subject.ts'
import { metricNames } from '#streams/metric/names.ts'
import { text } from '#streams/text.ts'

export type { Metric } from '#streams/metric/names.ts'

const bound = { minimum: -1e15, maximum: 1e15 }

/**
 * Utilization samples of one resource, by the names and units of `metricMeanings`. A sample is known by (resource, metric, ts): sent
 * again it replaces itself.
 */
export const metricSample = subject({
  name: 'metric.sample',
  kind: 'metric',
  summary: 'Utilization samples of one resource, 1 to 5,000; the subject names the cloud account.',
  schema: t.Object({
    resourceUid: text({ minLength: 1, maxLength: 1024 }),
    samples: t.Array(
      t.Object({
        metric: t.Enum(metricNames),
        value: t.Number({
          ...bound,
          description: 'of a level its mean over the interval, else the sum of the interval',
        }),
        max: t.Optional(t.Number({ ...bound, description: 'highest in the interval; left out: value' })),
        sum: t.Optional(t.Number({ ...bound, description: 'total of the interval; left out: value' })),
        ts: t.String({ format: 'date-time', description: 'ISO 8601 with a zone, 1970 to 2100' }),
      }),
      { minItems: 1, maxItems: 5000 },
    ),
  }),
  examples: [
    {
      resourceUid: 'i-0a1b2c3d4e5f60718',
      samples: [
        { metric: 'cpu_percent', value: 12.5, ts: '2026-01-15T10:00:00Z' },
        { metric: 'memory_percent', value: 40, ts: '2026-01-15T10:00:00Z' },
      ],
    },
  ],
})

/**
 * The samples between two times were fetched from the cloud of an account, and stand before this; `fetched` are the metrics that it
 * sent, by type of resource.
 */
export const metricCollected = subject({
  name: 'metric.collected',
  kind: 'actor',
  place: (data: { cloudAccountId: string }) => data.cloudAccountId,
  summary: 'The metrics of an account were fetched from its cloud up to a time.',
  schema: t.Object({
    cloudAccountId: text({ minLength: 1, maxLength: 1024 }),
    from: t.String({ format: 'date-time' }),
    through: t.String({ format: 'date-time' }),
    fetched: t.Record(t.String(), t.Array(t.String())),
    /** When the inventory was read whose resources were asked for: of those that came later nothing was fetched. */
    askedAt: t.Optional(t.String({ format: 'date-time' })),
  }),
  examples: [
    {
      cloudAccountId: 'acct-1',
      from: '2026-01-15T09:00:00.000Z',
      through: '2026-01-15T10:00:00.000Z',
      fetched: { 'aws-ec2': ['cpu_percent'] },
    },
  ],
})

export const metricMessages = [metricSample, metricCollected]
