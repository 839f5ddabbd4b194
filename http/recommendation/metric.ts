/** Usage of a recommendation's resource, by the metrics that its rule reads (decision G-69). */
import type { DetailRow } from '#actors/recommendation/row.ts'
import { ruleOf } from '#actors/recommendation/rule/catalogue.ts'
import { recommendationMetrics } from '#analytics/recommendation/questions.ts'
import { clickhouseTime } from '#analytics/store/time.ts'
import { dayOf, startOf } from '#engine/value/day.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { olderNameOf } from '#streams/cloud/resource/older-metric.ts'
import { metricMeanings, type RuleMetric } from '#streams/metric/messages.ts'
import { Timestamp } from '#http/edge/parameter/field.ts'
import type { Services } from '#http/edge/services.ts'

/** Maximum points of one metric. */
export const pointsMax = 336

export const Metric = t.Object(
  {
    name: t.String(),
    unit: t.String({ description: 'such as percent, bytes, ms; count for counters' }),
    windowDays: t.Integer({ description: 'whole days, UTC, ending yesterday' }),
    avg: t.Number(),
    p95: t.Number({ description: 'exact, interpolated between the two nearest samples' }),
    max: t.Number(),
    points: t.Array(t.Object({ t: Timestamp, v: t.Number() }), {
      maxItems: pointsMax,
      description: 'mean of the samples in each step; steps without samples are omitted',
    }),
  },
  { title: 'RecommendationMetric' },
)

/** A metric, and the number of days before today that are read. */
export interface MetricWindow {
  name: string
  days: number
}

const path = /^(\w+)\.\w+\.(\d+)d$/

/** From the paths that a rule reads (`cpu_percent.p99.14d`): each metric once, with its longest window, by name. */
export function wantedOf(paths: readonly string[]): MetricWindow[] {
  const longest = new Map<string, number>()
  for (const one of paths) {
    const [, name, days] = path.exec(one) ?? []
    if (name !== undefined) longest.set(name, Math.max(longest.get(name) ?? 0, Number(days)))
  }
  return [...longest].map(([name, days]) => ({ name, days })).toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

/** Seconds that make readable steps. */
const steps = [300, 600, 900, 1800, 3600, 7200, 10_800, 14_400, 21_600, 43_200, 86_400]

/** The shortest step with which so many days do not have too many points. */
export const stepOf = (days: number): number =>
  steps.find((seconds) => (days * 86_400) / seconds <= pointsMax) ?? Math.ceil((days * 86_400) / pointsMax)

/** Empty for a rule without metrics, or that is no longer in the catalogue. */
export async function metricsOf(
  { rule_id: ruleId, cloud_account_id: account, resource_uid: uid, resource_type: type }: DetailRow,
  { analytics, now }: Pick<Services, 'analytics' | 'now'>,
): Promise<Static<typeof Metric>[]> {
  const wanted = wantedOf(ruleOf(ruleId)?.needs.metrics ?? [])
  return wanted.length === 0 ? [] : readMetrics(wanted, { account, uid, type }, { analytics, now })
}

/** These metrics of a resource; those without samples are left out. */
export async function readMetrics(
  wanted: readonly MetricWindow[],
  { type, ...resource }: { account: string; uid: string; type: string },
  { analytics, now }: Pick<Services, 'analytics' | 'now'>,
): Promise<Static<typeof Metric>[]> {
  const called = wanted.flatMap(({ name, days }) =>
    [name, olderNameOf(name as RuleMetric, type)].flatMap((stored) =>
      stored === undefined ? [] : [{ stored, name, days }],
    ),
  )
  const rows = await analytics(recommendationMetrics, {
    ...resource,
    until: clickhouseTime(startOf(dayOf(now()))),
    stored: called.map(({ stored }) => stored),
    names: called.map(({ name }) => name),
    days: called.map(({ days }) => days),
    steps: called.map(({ days }) => stepOf(days)),
  })
  return rows.map(({ metric, average, p95, maximum, seconds, means }) => ({
    name: metric,
    unit: metricMeanings[metric as RuleMetric]?.unit ?? 'count',
    windowDays: wanted.find(({ name }) => name === metric)!.days,
    avg: average,
    p95,
    max: maximum,
    points: seconds.map((at, n) => ({ t: new Date(at * 1000).toISOString(), v: means[n]! })),
  }))
}
