/**
 * Finds and explains the anomalies of a day: a few ClickHouse queries for all dimensions together, however many there
 * are.
 */
import { addDays } from '#engine/value/day.ts'
import {
  anomalyBreakdown,
  anomalyCandidates,
  anomalyDays,
  anomalyHistory,
  anomalyUsage,
  failedStops,
  runningAnomalies,
} from '#analytics/anomaly/questions.ts'
import { portions } from '#analytics/store/query.ts'
import { resourceNames } from '#analytics/resource/questions.ts'
import { asReported, everything } from '#analytics/store/slice.ts'
import type { Static } from '#engine/value/schema.ts'
import type { Tools } from '#actors/tools.ts'
import { anomalyCleared, anomalyFound } from '#streams/anomaly.ts'
import { labelsOf } from './label.ts'
import {
  causeOf,
  causeOfResource,
  creditCause,
  isSuppressed,
  leftOver,
  sentence,
  type Breakdown,
  type Cause,
  type Usage,
} from './cause.ts'
import { historyDays, recurrenceOf, type History } from './recurrence.ts'
import { isComparable, judgeDay, rule, withoutNoise, type Judgement } from './rule.ts'
import { foldAnomalies, type UnfoldedAnomaly } from './story.ts'

type FoundAnomaly = Static<typeof anomalyFound.schema>
type Candidate = Static<(typeof anomalyCandidates)['row']>

export type DetectTools = Pick<Tools, 'ask' | 'publisher' | 'cost'> & { reads: Pick<Tools['reads'], 'rows'> }

/** Days back in which a resource must have had costs so as not to count as new. */
const knownDays = 400
/** Messages published together, about 2 KB each. */
const togetherMax = 100

/** All anomalies of `day`, with their causes. */
export async function findAnomalies(
  tools: DetectTools,
  orgId: string,
  day: string,
  origin: FoundAnomaly['origin'],
): Promise<FoundAnomaly[]> {
  const [known] = await tools.ask(anomalyDays, { org: orgId, to: day })
  if (!isComparable(known!)) return []
  const candidates = await tools.ask(anomalyCandidates, {
    ...toQueryParams(tools, orgId, addDays(day, -rule.priorDays), day),
    days_min: rule.baselineDaysMin,
    usd_min: rule.baselineUsdMin,
    percent: rule.percentMin,
  })
  const judged = candidates.flatMap((candidate) => {
    const judgement = judgeDay(candidate)
    return judgement ? [{ candidate, judgement }] : []
  })
  if (judged.length === 0) return []
  const found = judged.map(({ candidate }) => candidate)
  const evidence = await gather(tools, orgId, day, found)
  const unfolded = judged.map(({ candidate, judgement }) => explain(candidate, judgement, evidence, { day, origin }))
  return foldAnomalies(unfolded, await notifiesRecurring(tools, orgId))
}

const settingSql = `select anomaly_notify_recurring as "isOn" from organization_setting where org_id = $1`

async function notifiesRecurring({ reads }: DetectTools, orgId: string): Promise<boolean> {
  const [setting] = await reads.rows<{ isOn: boolean }>(settingSql, [orgId])
  return setting?.isOn === true
}

/** Sends what was found to the organization's anomaly actors. `key` identifies the run. */
export async function tellAnomalies(
  tools: DetectTools,
  orgId: string,
  day: string,
  found: readonly FoundAnomaly[],
  key: string,
): Promise<void> {
  const events = found.map((data) => ({ subject: anomalyFound, orgId, data }))
  for (let i = 0; i < events.length; i += togetherMax)
    await tools.publisher.publishTogether(`${key}/${day}/found/${i}`, events.slice(i, i + togetherMax))
}

/** Removes running anomalies of the day that are not in `found`. */
export async function clearAnomalies(
  tools: DetectTools,
  orgId: string,
  day: string,
  found: readonly FoundAnomaly[],
  key: string,
): Promise<void> {
  const standing = new Set(found.map(idOf))
  for (const { anomaly_type: type, anomaly_key } of await tools.ask(runningAnomalies, { org: orgId, day })) {
    const one = { type, key: anomaly_key }
    if (standing.has(idOf(one))) continue
    const id = `${key}/${day}/cleared/${idOf(one)}`
    await tools.publisher.publish({ subject: anomalyCleared, orgId, data: { ...one, date: day }, id })
  }
}

const idOf = ({ type, key }: Pick<Candidate, 'type' | 'key'>): string => `${type}|${key}`

const toQueryParams = ({ cost }: DetectTools, org: string, from: string, to: string) => ({
  org,
  cost,
  from,
  to,
  as_of: '',
  ...asReported,
  ...everything,
  tag_keys: [],
  tag_values: [],
})

interface GatheredEvidence {
  histories: ReadonlyMap<string, History>
  breakdowns: ReadonlyMap<string, Breakdown>
  usage: ReadonlyMap<string, Usage[]>
  failed: ReadonlyMap<string, string>
  names: ReadonlyMap<string, string>
  labels: ReadonlyMap<string, string>
}

async function gather(
  tools: DetectTools,
  orgId: string,
  day: string,
  found: readonly Candidate[],
): Promise<GatheredEvidence> {
  const breakdowns = new Map<string, Breakdown>()
  for (const some of portions(found, idOf)) {
    const rows = await tools.ask(anomalyBreakdown, {
      ...toQueryParams(tools, orgId, addDays(day, -rule.baselineDays), day),
      since: addDays(day, -knownDays),
      dim_types: some.map(({ type }) => type),
      dim_keys: some.map(({ key }) => key),
      baseline_days: some.map((one) => one.baseline_days),
    })
    for (const row of rows) breakdowns.set(idOf(row), row)
  }
  const uids = [...new Set([...breakdowns.values()].flatMap((row) => row.uids))]
  const usage: Usage[] = []
  const failed = new Map<string, string>()
  const names = new Map<string, string>()
  for (const some of portions(uids, (uid) => uid)) {
    const from = addDays(day, -rule.causeDays)
    usage.push(...(await tools.ask(anomalyUsage, { org: orgId, cost: tools.cost, from, to: day, uids: some })))
    for (const row of await tools.ask(failedStops, { org: orgId, day, uids: some }))
      failed.set(row.resource_uid, row.schedule_id)
    for (const row of await tools.ask(resourceNames, { org: orgId, uids: some })) names.set(row.resource_uid, row.name)
  }
  const labels = await labelsOf(tools.reads, orgId, found)
  const histories = await historiesOf(tools, orgId, day, found)
  return { histories, breakdowns, usage: Map.groupBy(usage, (row) => row.resource_uid), failed, names, labels }
}

/** The costs of each dimension on the days that decide whether an anomaly is recurring. */
async function historiesOf(
  tools: DetectTools,
  orgId: string,
  day: string,
  found: readonly Candidate[],
): Promise<Map<string, History>> {
  const days = historyDays(day)
  const histories = new Map<string, History>()
  for (const some of portions(found, idOf)) {
    const rows = await tools.ask(anomalyHistory, {
      ...toQueryParams(tools, orgId, days[0]!, days.at(-1)!),
      days,
      dim_types: some.map(({ type }) => type),
      dim_keys: some.map(({ key }) => key),
    })
    for (const row of rows) {
      const known = row.days.map((one, at) => [one, { cost: row.costs[at]!, charged: row.charges[at]! }] as const)
      histories.set(idOf(row), new Map(known))
    }
  }
  return histories
}

function explain(
  candidate: Candidate,
  { severity, method, deviationPercent }: Judgement,
  gathered: GatheredEvidence,
  { day, origin }: { day: string; origin: FoundAnomaly['origin'] },
): UnfoldedAnomaly {
  const { type, key, actual, expected } = candidate
  const excess = actual - expected
  const breakdown = gathered.breakdowns.get(idOf(candidate)) ?? nothingKnown
  const causes = breakdown.uids.map((_, at) => causeAt(breakdown, at, gathered, day))
  const top = causes[0]
  const cause = creditCause(excess, candidate) ?? causeOf(type, excess, breakdown, top)
  const history = gathered.histories.get(idOf(candidate)) ?? new Map()
  const label = gathered.labels.get(idOf(candidate)) ?? gathered.names.get(key) ?? key
  const found = {
    date: day,
    type,
    key,
    label: label || key,
    severity,
    method,
    actualUsd: withoutNoise(actual),
    expectedUsd: withoutNoise(expected),
    deviationPercent,
    suppressed: isSuppressed(excess, breakdown),
    rootCause: sentence(cause, excess, top, leftOver(excess, breakdown)),
    explained: [...new Set([cause, ...causes])].flatMap((one) =>
      one ? [{ cause: `${one.name}: ${one.told}`.slice(0, 1024), usd: withoutNoise(one.usd) }] : [],
    ),
    topResources: breakdown.uids.map((uid, at) => ({
      resourceUid: uid,
      resourceName: gathered.names.get(uid) || uid,
      costUSD: withoutNoise(breakdown.actuals[at]!),
      deltaUSD: withoutNoise(breakdown.deltas[at]!),
    })),
    ...ownersOf(candidate),
    origin,
    recurrence: recurrenceOf({ date: day, actual, isRunning: origin === 'running' }, history),
  }
  return { found, cause: cause?.name ?? '', loose: looseOf(breakdown) }
}

/** The part of the excess from costs without a resource, and their main service. */
function looseOf({ by_service }: Breakdown): UnfoldedAnomaly['loose'] {
  const rises = Object.entries(by_service).filter(([service, usd]) => service !== '' && usd > 0)
  const [most] = rises.toSorted(([, a], [, b]) => b - a)
  return { usd: rises.reduce((sum, [, usd]) => sum + usd, 0), service: most?.[0] ?? '' }
}

/** For a dimension whose costs were restated between the two queries. */
const nothingKnown: Breakdown = {
  type: 'org',
  key: '',
  new_usd: 0,
  new_delta_usd: 0,
  new_resources: 0,
  onboarded_usd: 0,
  onboarded_delta_usd: 0,
  onboarded_resources: 0,
  opened_usd: 0,
  added_usd: 0,
  added_resources: 0,
  uids: [],
  deltas: [],
  actuals: [],
  news: [],
  by_type: {},
  by_account: {},
  by_service: {},
  spike_type: '',
  spike_type_usd: 0,
  spike_account: '',
  spike_account_usd: 0,
  spike_service: '',
  spike_service_usd: 0,
}

/** Account and team of a dimension, for people who may see only some accounts or teams. */
function ownersOf({
  type,
  key,
  cloud_account_id,
  team_id,
}: Candidate): Pick<FoundAnomaly, 'cloudAccountId' | 'teamId'> {
  if (type === 'cloud_account') return { cloudAccountId: key, teamId: '' }
  if (type === 'team') return { cloudAccountId: '', teamId: key }
  return type === 'resource'
    ? { cloudAccountId: cloud_account_id, teamId: team_id }
    : { cloudAccountId: '', teamId: '' }
}

function causeAt(breakdown: Breakdown, at: number, gathered: GatheredEvidence, day: string): Cause | undefined {
  const uid = breakdown.uids[at]!
  return causeOfResource(
    {
      uid,
      name: gathered.names.get(uid) ?? '',
      actual: breakdown.actuals[at]!,
      delta: breakdown.deltas[at]!,
      isNew: breakdown.news[at] === 1,
      usage: gathered.usage.get(uid) ?? [],
      failedSchedule: gathered.failed.get(uid),
    },
    day,
  )
}
