/** What the daily runs would have stored for past days with other parameters, by the same rule. Nothing is stored. */
import {
  anomalyBreakdown,
  anomalyCandidates,
  anomalyDays,
  anomalyPage,
  anyOfThem,
  everyAnomaly,
} from '#analytics/anomaly/questions.ts'
import { portions, type Query } from '#analytics/store/query.ts'
import { asReported, everything, type CostColumn } from '#analytics/store/slice.ts'
import { addDays, days } from '#engine/value/day.ts'
import type { Static, TObject } from '#engine/value/schema.ts'
import type { shownSeverities } from '#streams/anomaly.ts'
import { isSuppressed } from './cause.ts'
import { isComparable, isRepeat, judgeDay, rule, thresholds, withoutNoise, type Thresholds } from './rule.ts'

/** Parameters of the rule that can be changed. */
export interface Figures {
  thresholds: Thresholds
  /** Minimum baseline, US dollars a day. */
  baselineUsdMin: number
  /** Relative difference from the previous anomaly at which one counts as new. */
  difference: number
}

export const presentFigures: Figures = {
  thresholds,
  baselineUsdMin: rule.baselineUsdMin,
  difference: rule.difference,
}

type Candidate = Static<(typeof anomalyCandidates)['row']>

/** A candidate of a day, and whether it is suppressed because of new resources. */
export interface Case extends Candidate {
  date: string
  isSuppressed: boolean
}

export interface ReplayedAnomaly extends Pick<Case, 'date' | 'type' | 'key' | 'cloud_account_id' | 'team_id'> {
  severity: (typeof shownSeverities)[number]
  actualUsd: number
  expectedUsd: number
  deviationPercent: number
}

/** An anomaly from before the first day. */
export type PriorAnomaly = Pick<ReplayedAnomaly, 'date' | 'type' | 'key' | 'actualUsd'>

const idOf = ({ type, key }: Pick<Candidate, 'type' | 'key'>): string => `${type}|${key}`

/** Replays the days in order, each compared with the days before it. */
export function replayAnomalies(
  cases: readonly Case[],
  standing: readonly PriorAnomaly[],
  figures: Figures,
): ReplayedAnomaly[] {
  const stored = Map.groupBy(
    standing.map((one) => ({ id: idOf(one), date: one.date, actual: one.actualUsd })),
    ({ id }) => id,
  )
  return cases
    .toSorted((a, b) => (a.date < b.date ? -1 : Number(a.date > b.date)))
    .flatMap((one) => {
      const found = judgeCase(one, figures)
      const before = stored.get(idOf(one)) ?? []
      if (!found || isRepeat(before, found, figures.difference)) return []
      stored.set(idOf(one), [...before, { id: idOf(one), date: found.date, actual: found.actualUsd }])
      return [found]
    })
}

function judgeCase(one: Case, figures: Figures): ReplayedAnomaly | undefined {
  const judgement = judgeDay(one, figures.thresholds, figures.baselineUsdMin)
  return (
    judgement && {
      date: one.date,
      type: one.type,
      key: one.key,
      cloud_account_id: one.cloud_account_id,
      team_id: one.team_id,
      severity: one.isSuppressed ? 'info' : judgement.severity,
      actualUsd: withoutNoise(one.actual),
      expectedUsd: withoutNoise(one.expected),
      deviationPercent: judgement.deviationPercent,
    }
  )
}

/** Queries ClickHouse for one organization. */
type Ask = <P extends TObject, R extends TObject>(
  q: Query<P, R>,
  params: Omit<Static<P>, 'org'>,
) => Promise<readonly Readonly<Static<R>>[]>

export interface Range {
  from: string
  to: string
  cost: CostColumn
}

const toQueryParams = ({ from, to, cost }: Range) => ({
  cost,
  from,
  to,
  as_of: '',
  ...asReported,
  ...everything,
  tag_keys: [],
  tag_values: [],
})

/**
 * Candidates of each day that exceed the thresholds of any of `all`. Calls `goOn` before each day.
 * @throws what `goOn` throws
 */
export async function casesOf(ask: Ask, range: Range, all: readonly Figures[], goOn: () => void): Promise<Case[]> {
  const found: Case[] = []
  for (const date of days(range.from, range.to)) {
    goOn()
    const [known] = await ask(anomalyDays, { to: date })
    if (!isComparable(known!)) continue
    const candidates = await ask(anomalyCandidates, {
      ...toQueryParams({ ...range, from: addDays(date, -rule.priorDays), to: date }),
      days_min: rule.baselineDaysMin,
      usd_min: Math.min(...all.map((one) => one.baselineUsdMin)),
      percent: Math.min(...all.map((one) => one.thresholds[0]!.percent)),
    })
    const suppressed = await suppressedOf(
      ask,
      { ...range, from: addDays(date, -rule.baselineDays), to: date },
      candidates,
    )
    found.push(...candidates.map((one) => ({ ...one, date, isSuppressed: suppressed.has(idOf(one)) })))
  }
  return found
}

/** Days back in which a resource must have had costs so as not to count as new. */
const knownDays = 400

async function suppressedOf(ask: Ask, range: Range, candidates: readonly Candidate[]): Promise<Set<string>> {
  const excess = new Map(candidates.map((one) => [idOf(one), one.actual - one.expected]))
  const suppressed = new Set<string>()
  for (const some of portions(candidates, idOf)) {
    const rows = await ask(anomalyBreakdown, {
      ...toQueryParams(range),
      since: addDays(range.to, -knownDays),
      dim_types: some.map(({ type }) => type),
      dim_keys: some.map(({ key }) => key),
      baseline_days: some.map((one) => one.baseline_days),
    })
    for (const row of rows) if (isSuppressed(excess.get(idOf(row))!, row)) suppressed.add(idOf(row))
  }
  return suppressed
}

const standingMax = 100_000

/** Anomalies stored for the days before `from` that the first days are compared with. */
export async function standingBefore(ask: Ask, from: string): Promise<PriorAnomaly[]> {
  const rows = await ask(anomalyPage, {
    from: addDays(from, -rule.windowDays),
    to: addDays(from, -1),
    ...everyAnomaly,
    ...anyOfThem,
    scoped: 0,
    scope_accounts: [],
    scope_teams: [],
    limit: standingMax,
  })
  return rows
    .map((row) => ({ date: row.day, type: row.anomaly_type, key: row.anomaly_key, actualUsd: row.actual_usd }))
    .toReversed()
}
