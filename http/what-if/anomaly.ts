import {
  casesOf,
  presentFigures,
  replayAnomalies,
  standingBefore,
  type Figures,
  type ReplayedAnomaly,
} from '#actors/anomaly/replay.ts'
import { days } from '#engine/value/day.ts'
import { t, type Static } from '#engine/value/schema.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import { kind, wrong, type WhatIfRequest } from '#http/what-if/kind.ts'
import { anomalyTypes, shownSeverities } from '#streams/anomaly.ts'
import { cents, percent } from '#streams/figure.ts'

const Bounds = t.Object({
  percent: t.Optional(t.Number({ exclusiveMinimum: 0, maximum: 1e6, description: 'above the baseline' })),
  deviations: t.Optional(
    t.Number({ exclusiveMinimum: 0, maximum: 1e3, description: 'standard deviations above the mean' }),
  ),
})

const Change = t.Object({
  thresholds: t.Optional(
    t.Object(
      { warning: t.Optional(Bounds), critical: t.Optional(Bounds), emergency: t.Optional(Bounds) },
      { description: 'anomaly: thresholds for each severity; omitted ones are unchanged' },
    ),
  ),
  baselineUSDMin: t.Optional(
    t.Number({
      minimum: 0,
      maximum: 1e9,
      description: 'anomaly: US dollars per day below which a day is not evaluated',
    }),
  ),
  differencePercent: t.Optional(
    t.Number({
      minimum: 0,
      maximum: 1000,
      description: 'anomaly: days with a smaller difference to the previous one belong to the same story',
    }),
  ),
})
type Change = Static<typeof Change>

const Severity = t.Enum(shownSeverities, { description: 'info: mostly explained by new resources' })

const Item = t.Object({
  date: t.String(),
  anomalyType: t.Enum(anomalyTypes),
  anomalyKey: t.String(),
  severity: Severity,
  actualCostUsd: t.Number(),
  expectedCostUsd: t.Number(),
  deviationPercent: t.Number(),
})

const Counts = t.Object({
  anomalies: t.Integer(),
  info: t.Integer(),
  warning: t.Integer(),
  critical: t.Integer(),
  emergency: t.Integer(),
})

/** Maximum items of one list. */
const itemsMax = 100

const AnomalyWhatIf = t.Object({
  kind: t.Literal('anomaly'),
  from: t.String(),
  to: t.String(),
  before: t.Object(Counts.properties, { description: 'findings of the daily runs with the current settings' }),
  after: t.Object(Counts.properties, { description: 'and with the other settings' }),
  addedCount: t.Integer(),
  removedCount: t.Integer(),
  regradedCount: t.Integer(),
  added: t.Array(Item, { description: `at most ${itemsMax}, highest cost first, like the other lists` }),
  removed: t.Array(Item),
  regraded: t.Array(t.Object({ ...Item.properties, severityBefore: Severity })),
  byDay: t.Array(t.Object({ date: t.String(), before: t.Integer(), after: t.Integer() })),
})

/** @throws Fault `invalid` for thresholds that do not increase */
function figuresOf({ thresholds = {}, baselineUSDMin, differencePercent }: Change): Figures {
  const figures = {
    thresholds: presentFigures.thresholds.map((known) => ({ ...known, ...thresholds[known.severity] })),
    baselineUsdMin: baselineUSDMin ?? presentFigures.baselineUsdMin,
    difference: differencePercent === undefined ? presentFigures.difference : differencePercent / 100,
  }
  for (const [n, { severity, ...own }] of figures.thresholds.entries())
    for (const name of ['percent', 'deviations'] as const) {
      const milder = figures.thresholds[n - 1]
      if (milder && milder[name] > own[name])
        throw wrong(`/change/thresholds/${severity}/${name}`, 'range', `must not be below that of ${milder.severity}`)
    }
  return figures
}

/** A caller who sees only some accounts or teams sees the anomalies of these and of their resources. */
function sees({ reportScope: { all, cloudAccountIDs, teamIDs } }: Caller, one: ReplayedAnomaly): boolean {
  const isOfAccount = one.type === 'cloud_account' || one.type === 'resource'
  const isOfTeam = one.type === 'team' || one.type === 'resource'
  const account = one.type === 'cloud_account' ? one.key : one.cloud_account_id
  const team = one.type === 'team' ? one.key : one.team_id
  return all || (isOfAccount && cloudAccountIDs.includes(account)) || (isOfTeam && teamIDs.includes(team))
}

const idOf = ({ date, type, key }: ReplayedAnomaly): string => `${date}|${type}|${key}`

const show = (one: ReplayedAnomaly): Static<typeof Item> => ({
  date: one.date,
  anomalyType: one.type,
  anomalyKey: one.key,
  severity: one.severity,
  actualCostUsd: cents(one.actualUsd),
  expectedCostUsd: cents(one.expectedUsd),
  deviationPercent: percent(one.deviationPercent),
})

const countsOf = (found: readonly ReplayedAnomaly[]): Static<typeof Counts> => {
  const of = (severity: ReplayedAnomaly['severity']) => found.filter((one) => one.severity === severity).length
  return {
    anomalies: found.length,
    info: of('info'),
    warning: of('warning'),
    critical: of('critical'),
    emergency: of('emergency'),
  }
}

const dearest = (found: readonly ReplayedAnomaly[]): ReplayedAnomaly[] =>
  found.toSorted((a, b) => b.actualUsd - a.actualUsd || (idOf(a) < idOf(b) ? -1 : 1)).slice(0, itemsMax)

async function answer({ caller, from, to, change, services: { analytics, settings }, goOn }: WhatIfRequest<Change>) {
  const figures = figuresOf(change)
  const cost = `${settings.reportCost}_cost` as const
  const standing = await standingBefore(analytics, from)
  const cases = await casesOf(analytics, { from, to, cost }, [presentFigures, figures], goOn)
  const [before, after] = [presentFigures, figures].map((by) =>
    replayAnomalies(cases, standing, by).filter((one) => sees(caller, one)),
  ) as [ReplayedAnomaly[], ReplayedAnomaly[]]
  const [then, now] = [before, after].map((found) => new Map(found.map((one) => [idOf(one), one]))) as [
    Map<string, ReplayedAnomaly>,
    Map<string, ReplayedAnomaly>,
  ]
  const added = after.filter((one) => !then.has(idOf(one)))
  const removed = before.filter((one) => !now.has(idOf(one)))
  const regraded = after.filter((one) => then.has(idOf(one)) && then.get(idOf(one))!.severity !== one.severity)
  const on = (found: readonly ReplayedAnomaly[], date: string) => found.filter((one) => one.date === date).length
  return {
    kind: 'anomaly' as const,
    from,
    to,
    before: countsOf(before),
    after: countsOf(after),
    addedCount: added.length,
    removedCount: removed.length,
    regradedCount: regraded.length,
    added: dearest(added).map(show),
    removed: dearest(removed).map(show),
    regraded: dearest(regraded).map((one) => ({ ...show(one), severityBefore: then.get(idOf(one))!.severity })),
    byDay: [...days(from, to)].map((date) => ({ date, before: on(before, date), after: on(after, date) })),
  }
}

export const anomalyKind = kind({
  name: 'anomaly',
  summary: 'the daily runs with other thresholds',
  change: Change,
  reply: AnomalyWhatIf,
  example: { thresholds: { warning: { percent: 50 } }, baselineUSDMin: 5 },
  answered: {
    kind: 'anomaly',
    from: '2026-01-01',
    to: '2026-01-31',
    before: { anomalies: 2, info: 0, warning: 1, critical: 1, emergency: 0 },
    after: { anomalies: 1, info: 0, warning: 0, critical: 1, emergency: 0 },
    addedCount: 0,
    removedCount: 1,
    regradedCount: 0,
    added: [],
    removed: [
      {
        date: '2026-01-20',
        anomalyType: 'resource',
        anomalyKey: 'i-0a1b2c3d4e5f60718',
        severity: 'warning',
        actualCostUsd: 90,
        expectedCostUsd: 60,
        deviationPercent: 50,
      },
    ],
    regraded: [],
    byDay: [{ date: '2026-01-20', before: 1, after: 0 }],
  },
  answer,
})
