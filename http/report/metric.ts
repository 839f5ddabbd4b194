import { clickhouseTime } from '#analytics/store/time.ts'
import { metricByResource, metricDaily, metricSummary } from '#analytics/metric/questions.ts'
import { days } from '#engine/value/day.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { orNull, Timestamp } from '#http/edge/parameter/field.ts'
import { list } from '#http/edge/parameter/paging.ts'
import { range, rangeOf, type Range } from '#http/edge/parameter/range.ts'
import { narrowing, narrowingOf } from '#http/report/filter/filter.ts'
import type { Route } from '#http/edge/route.ts'
import { report } from '#http/report/report.ts'

/** As producers call them, and as connectors of clouds do. */
const bytesIn = ['network_in_bytes', 'network_bytes_in']
const bytesOut = ['network_out_bytes', 'network_bytes_out']

/** Resources in one answer. */
const resourcesMax = 50

const Utilization = t.Object(
  {
    avgPercent: orNull(t.Number()),
    p95Percent: orNull(t.Number({ description: 'exact, interpolated between the two nearest samples' })),
    maxPercent: orNull(t.Number()),
    samples: t.Integer(),
  },
  { description: 'percent, two decimal places; null without samples' },
)

const Network = t.Object({
  inBytes: orNull(t.Number({ description: 'sum of all samples' })),
  outBytes: orNull(t.Number({ description: 'sum of all samples' })),
})

export const metricReports: readonly Route[] = [
  report({
    path: '/reports/metrics',
    summary: 'Get utilization over all resources',
    description:
      'In percent, over all samples between from and to; null if there are none. Not every cloud reports memory and disk.',
    query: t.Object({ ...range, ...narrowing }),
    reply: t.Object({ from: Timestamp, to: Timestamp, cpu: Utilization, memory: Utilization, disk: Utilization }),
    example: {
      from: '2026-01-01T00:00:00.000Z',
      to: '2026-01-31T23:59:59.999Z',
      cpu: { avgPercent: 12.4, p95Percent: 48.2, maxPercent: 97.1, samples: 8928 },
      memory: { avgPercent: null, p95Percent: null, maxPercent: null, samples: 0 },
      disk: { avgPercent: null, p95Percent: null, maxPercent: null, samples: 0 },
    },
    handle: async ({ caller, query }, { analytics, now }) => {
      const asked = rangeOf(query, now())
      const rows = await analytics(metricSummary, { ...moments(asked), ...narrowingOf(caller, query) })
      return {
        from: asked.from.toISOString(),
        to: asked.to.toISOString(),
        cpu: utilization(rows, 'cpu_percent'),
        memory: utilization(rows, 'memory_percent'),
        disk: utilization(rows, 'disk_percent'),
      }
    },
  }),

  report({
    path: '/reports/resources/metrics',
    summary: 'Get utilization by resource',
    description: `Without resource_uid: the resources with samples in the range, sorted by UID, at most ${resourcesMax}.`,
    query: t.Object({
      resource_uid: t.Optional(list(t.String(), { maxItems: resourcesMax })),
      ...range,
      ...narrowing,
    }),
    reply: t.Array(t.Object({ resourceUid: t.String(), cpu: Utilization, memory: Utilization, network: Network })),
    example: [
      {
        resourceUid: 'i-0a1b2c3d4e5f60718',
        cpu: { avgPercent: 12.4, p95Percent: 48.2, maxPercent: 97.1, samples: 8928 },
        memory: { avgPercent: null, p95Percent: null, maxPercent: null, samples: 0 },
        network: { inBytes: 52428800, outBytes: 104857600 },
      },
    ],
    handle: async ({ caller, query }, { analytics, now }) => {
      const rows = await analytics(metricByResource, {
        ...moments(rangeOf(query, now())),
        ...narrowingOf(caller, query),
        uids: query.resource_uid ?? [],
        top: resourcesMax,
      })
      const byResource = Map.groupBy(rows, (row) => row.resource_uid)
      return [...byResource].map(([resourceUid, own]) => ({
        resourceUid,
        cpu: utilization(own, 'cpu_percent'),
        memory: utilization(own, 'memory_percent'),
        network: { inBytes: total(own, bytesIn), outBytes: total(own, bytesOut) },
      }))
    },
  }),
]

const Values = t.Array(orNull(t.Number()), { description: 'by index, parallel to days; null: no samples' })
const Percents = t.Object(
  { avgPercent: Values, p95Percent: Values, maxPercent: Values },
  { description: 'percent, two decimal places' },
)

const Daily = t.Object(
  {
    resourceUid: t.String(),
    days: t.Array(t.String(), { description: 'all UTC days of the range, oldest first' }),
    cpu: Percents,
    memory: Percents,
    disk: Percents,
    network: t.Object({ inBytes: Values, outBytes: Values }, { description: 'sums of the samples of each day' }),
  },
  {
    title: 'ResourceMetricsDaily',
    examples: [
      {
        resourceUid: 'i-1',
        days: ['2026-01-01', '2026-01-02'],
        cpu: { avgPercent: [12.5, null], p95Percent: [40, null], maxPercent: [71, null] },
        memory: { avgPercent: [null, null], p95Percent: [null, null], maxPercent: [null, null] },
        disk: { avgPercent: [null, null], p95Percent: [null, null], maxPercent: [null, null] },
        network: { inBytes: [1500, null], outBytes: [0, null] },
      },
    ],
  },
)

export const metricDailyReports: readonly Route[] = [
  report({
    path: '/reports/resources/metrics/daily',
    summary: 'Get daily utilization of a resource',
    description:
      'One value per day (UTC) in each list, in percent, for the network in bytes; null for days without samples. An unknown resource also returns nulls.',
    query: t.Object({ resource_uid: t.String({ minLength: 1, maxLength: 1024 }), ...range, ...narrowing }),
    reply: Daily,
    handle: async ({ caller, query }, { analytics, now }) => {
      const asked = rangeOf(query, now())
      const uid = query.resource_uid
      const rows = await analytics(metricDaily, { ...moments(asked), ...narrowingOf(caller, query), uid })
      const all = [...days(asked.fromDay, asked.toDay)]
      const found = new Map(rows.map((row) => [`${row.day} ${row.metric}`, row]))
      const of = (metric: string, column: 'avg_percent' | 'p95_percent' | 'max_percent') =>
        all.map((day) => found.get(`${day} ${metric}`)?.[column] ?? null)
      const percents = (metric: string) => ({
        avgPercent: of(metric, 'avg_percent'),
        p95Percent: of(metric, 'p95_percent'),
        maxPercent: of(metric, 'max_percent'),
      })
      const bytes = (names: readonly string[]) =>
        all.map((day) => names.map((name) => found.get(`${day} ${name}`)).find(Boolean)?.total ?? null)
      return {
        resourceUid: uid,
        days: all,
        cpu: percents('cpu_percent'),
        memory: percents('memory_percent'),
        disk: percents('disk_percent'),
        network: { inBytes: bytes(bytesIn), outBytes: bytes(bytesOut) },
      }
    },
  }),
]

/** The range as ClickHouse reads it. */
const moments = ({ from, to }: Range) => ({ since: clickhouseTime(from), until: clickhouseTime(to) })
type Row = Static<(typeof metricSummary)['row']>

function utilization(rows: readonly Row[], metric: string): Static<typeof Utilization> {
  const row = rows.find((candidate) => candidate.metric === metric)
  if (!row) return { avgPercent: null, p95Percent: null, maxPercent: null, samples: 0 }
  return { avgPercent: row.avg_percent, p95Percent: row.p95_percent, maxPercent: row.max_percent, samples: row.samples }
}

/** The first of the names that there is anything of: what has both is counted once. */
const total = (rows: readonly Static<(typeof metricByResource)['row']>[], names: readonly string[]): number | null =>
  names.map((name) => rows.find(({ metric }) => metric === name)).find((row) => row !== undefined)?.total ?? null
