/**
 * `metric.*` facts of the rule language. Windows are whole days before today. A series sampled in less than
 * `coverageMin` of its buckets is unknown and left out. If it has no sample while others of the resource cover the
 * window, it is null: the series does not exist. Metrics that a cloud only sends when something happens are 0 without
 * samples, once our own collector has fetched the window.
 */
import { metricDays, metricFacts, quantileLevels } from '#analytics/recommendation/questions.ts'
import { portions } from '#analytics/store/query.ts'
import type { Static } from '#engine/value/schema.ts'
import { dayMs } from '#engine/value/day.ts'
import { olderNameOf } from '#streams/cloud/resource/older-metric.ts'
import { metricMeanings, olderMetrics, ruleMetrics, type RuleMetric } from '#streams/metric/messages.ts'
import type { MetricCoverage } from '#streams/recommendation.ts'
import { untilOf, type FactsOf, type GatherAbout, type GatherResource, type GatherTools } from './context.ts'

const coverageMin = 0.7

/** Maximum days before today that are read. */
const daysMax = 90

type Spread = Static<typeof metricFacts.row>
type MetricDay = Static<typeof metricDays.row>

/** One aggregate that rules read: `cpu_percent.p99.14d`. */
interface Reading {
  path: string
  metric: RuleMetric
  aggregate: string
  /** Days. */
  window: number
}

export interface MeasuredOf {
  facts: FactsOf
  measured: Map<string, MetricCoverage>
  /** The oldest sample of each resource in the last 90 days, milliseconds since 1970. */
  firstAt: Map<string, number>
}

const isRuleMetric = (name: string): name is RuleMetric => Object.hasOwn(metricMeanings, name)

/** @throws Error for a path that no rule may read */
export function readingOf(path: string): Reading {
  const [, metric = '', aggregate = '', days = ''] = /^(\w+)\.(\w+)\.(\d+)d$/.exec(path) ?? []
  if (!isRuleMetric(metric)) throw new Error(`${path} is not a metric aggregate.`)
  return { path, metric, aggregate, window: Number(days) }
}

export async function gatherMetrics(
  tools: GatherTools,
  page: readonly GatherResource[],
  about: GatherAbout,
): Promise<MeasuredOf> {
  const found: MeasuredOf = { facts: new Map(), measured: new Map(), firstAt: new Map() }
  for (const of of Map.groupBy(page, (resource) => `${resource.type} ${fetchedDays(resource, about)}`).values()) {
    const { type } = of[0]!
    const fetched: FetchedAbout = { ...about, fetchedDays: fetchedDays(of[0]!, about) }
    for (const some of portions(of, ({ uid }) => uid)) await gatherType(tools, type, some, fetched, found)
  }
  return found
}

/** For resources queried together: for how many whole days before today our own collector has everything. */
type FetchedAbout = GatherAbout & { fetchedDays: number }

async function gatherType(
  tools: GatherTools,
  type: string,
  page: readonly GatherResource[],
  about: FetchedAbout,
  found: MeasuredOf,
): Promise<void> {
  const uids = page.map(({ uid }) => uid)
  const until = new Date(untilOf(about)).toISOString().slice(0, 19).replace('T', ' ')
  const at = { org: about.orgId, account: about.account, uids, until }
  const sampled = Map.groupBy(await tools.ask(metricDays, at), (row) => row.resource_uid)
  const readings = (about.reads.get(type) ?? []).map(readingOf)
  const spreads = Map.groupBy(
    readings.length === 0 ? [] : await tools.ask(metricFacts, { ...at, ...toSampleParams(type, readings, about) }),
    (row) => row.resource_uid,
  )
  for (const { uid } of page) {
    const series = new Series(type, sampled.get(uid) ?? [], spreads.get(uid) ?? [], about)
    found.facts.set(uid, series.facts(readings))
    found.measured.set(uid, series.measured())
    const first = Math.min(...(sampled.get(uid) ?? []).map((row) => row.first_at))
    if (Number.isFinite(first)) found.firstAt.set(uid, first)
  }
}

/** Which samples are queried, and how they are combined. */
function toSampleParams(type: string, readings: readonly Reading[], about: FetchedAbout) {
  const own = [...new Set(readings.map(({ metric }) => metric))]
  const older = own.flatMap((name) => {
    const sample = olderNameOf(name, type)
    return sample === undefined ? [] : [{ sample, name }]
  })
  const windows = [...new Set(readings.map(({ window }) => window))].toSorted((a, b) => a - b)
  const { businessHours, timezone } = about.governance
  return {
    windows,
    metrics: [...own, ...older.map(({ sample }) => sample)],
    names: [...own, ...older.map(({ name }) => name)],
    deltas: own.filter((name) => metricMeanings[name].shape === 'delta'),
    padded: own.filter((name) => isZero(type, name, 0, about)),
    padded_days: about.fetchedDays,
    tz: timezone,
    business_days: [...businessHours.days],
    business_from: minutesOf(businessHours.from),
    business_to: minutesOf(businessHours.to),
  }
}

const minutesOf = (at: string): number => Number(at.slice(0, 2)) * 60 + Number(at.slice(3))

/** Whether a window without samples means that nothing happened. */
function isZero(type: string, metric: RuleMetric, window: number, about: FetchedAbout): boolean {
  const { collector } = about
  if (metricMeanings[metric].absent !== 'zero' || collector === undefined) return false
  return window <= about.fetchedDays && collector.fetches(type, metric)
}

/** Milliseconds: a resource discovered this shortly before the inventory was read may not have been visible in it. */
const discoveredMs = 60_000

/**
 * Whole days before today for which our own collector certainly has everything of the resource: for resources
 * discovered later it requests the past only once or twice.
 */
function fetchedDays({ createdAt }: GatherResource, about: GatherAbout): number {
  const { collector } = about
  const until = untilOf(about)
  if (collector === undefined || collector.through.getTime() < until) return 0
  const isFromBeginning = collector.askedAt && createdAt.getTime() <= collector.askedAt.getTime() - discoveredMs
  const from = isFromBeginning ? collector.from.getTime() : Math.max(collector.from.getTime(), createdAt.getTime())
  return Math.min(daysMax, Math.max(0, Math.floor((until - from) / dayMs)))
}

/** All series of one resource. */
class Series {
  private readonly type: string
  private readonly about: FetchedAbout
  private readonly spreads: readonly Spread[]
  /** Days before today with samples, by metric name in the rules. */
  private readonly days = new Map<string, Set<number>>()

  constructor(type: string, sampled: readonly MetricDay[], spreads: readonly Spread[], about: FetchedAbout) {
    this.type = type
    this.about = about
    this.spreads = spreads
    const names = new Map<string, string>(
      ruleMetrics.flatMap((name) => {
        const older = olderNameOf(name, type)
        return older === undefined ? [] : [[older, name] as const]
      }),
    )
    for (const { metric, days } of sampled) {
      const name = names.get(metric) ?? metric
      this.days.set(name, new Set([...(this.days.get(name) ?? []), ...days]))
    }
  }

  facts(readings: readonly Reading[]): Record<string, unknown> {
    return Object.fromEntries(
      readings.flatMap((reading) => {
        const value = this.valueOf(reading)
        return value === undefined ? [] : [[`metric.${reading.path}`, value] as const]
      }),
    )
  }

  measured(): MetricCoverage {
    const names = [...this.days.keys()].filter((name) => isRuleMetric(name) || !olderNames.has(name))
    return Object.fromEntries(
      names.map((name) => {
        const own = this.spreads.filter((spread) => spread.name === name)
        const coverage = Object.fromEntries(own.map((spread) => [`${spread.window}d`, coverageOf(spread)]))
        return [name, { days: this.days.get(name)!.size, stepSeconds: own[0]?.step ?? 0, coverage }]
      }),
    )
  }

  /** Undefined: unknown. */
  private valueOf({ metric, aggregate, window }: Reading): number | null | undefined {
    const spread = this.spreads.find((one) => one.name === metric && one.window === window)
    const zero = isZero(this.type, metric, window, this.about)
    if (spread && (zero || coverageOf(spread) >= coverageMin)) return aggregateOf(spread, aggregate, zero)
    if (zero) return aggregate.startsWith('on_') || aggregate.startsWith('off_') ? undefined : 0
    if (spread) return undefined
    return this.isCoveredByAnother(metric, window) ? null : undefined
  }

  private isCoveredByAnother(metric: string, window: number): boolean {
    return [...this.days].some(([name, days]) => {
      if (name === metric) return false
      const spread = this.spreads.find((one) => one.name === name && one.window === window)
      if (spread) return coverageOf(spread) >= coverageMin
      return [...days].filter((day) => day <= window).length >= window * coverageMin
    })
  }
}

const olderNames: ReadonlySet<string> = new Set(olderMetrics)

const coverageOf = ({ buckets, expected }: Spread): number => Math.min(1, buckets / expected)

/** Undefined for an aggregate that is not computed. */
function aggregateOf(spread: Spread, aggregate: string, isPadded: boolean): number | undefined {
  switch (aggregate) {
    case 'avg':
      return spread.avg_level
    case 'min':
      return spread.min_level
    case 'max':
      return spread.max_level
    case 'sum':
      return spread.total
    case 'on_p95':
      return isPadded ? undefined : (spread.on_p95 ?? undefined)
    case 'off_p95':
      return isPadded ? undefined : (spread.off_p95 ?? undefined)
    default:
      return spread.quantiles[quantileLevels.findIndex((level) => aggregate === `p${level}`)]
  }
}
