import { t } from '#engine/schema.ts'
import { subject } from '#engine/subject.ts'
import { text } from '#streams/text.ts'

/** The measures every resource may have. Percentages are 0 to 100; bytes and requests are counts in the sample's interval. */
const metrics = [
  'cpu_percent',
  'memory_percent',
  'disk_percent',
  'network_in_bytes',
  'network_out_bytes',
  'request_count',
  'instance_count',
] as const
export type Metric = (typeof metrics)[number]

/** Utilization samples of one resource. A sample is known by (resource, metric, ts): sent again it replaces itself. */
export const metricSample = subject({
  name: 'metric.sample',
  kind: 'metric',
  summary: 'Utilization samples of one resource, 1 to 5,000; the subject names the cloud account.',
  schema: t.Object({
    resourceUid: text({ minLength: 1, maxLength: 1024 }),
    samples: t.Array(
      t.Object({
        metric: t.Enum(metrics),
        value: t.Number({ minimum: -1e15, maximum: 1e15 }),
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

export const metricMessages = [metricSample]
