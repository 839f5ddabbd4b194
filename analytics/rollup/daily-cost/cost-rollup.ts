/**
 * Keeps daily costs equal to the facts, however often and in whatever order lines arrive. A marked day is recomputed as
 * a whole, separately from the rows that reports read, and one insert then publishes all days of the run at once. A
 * crash before that insert changes nothing visible; an older, slower run that ends later loses by its generation.
 *
 * Each process has two slots of its own: it writes to the one that is not being read, over older sums. Before that it
 * keeps sums that reports may request later (`isWorthKeeping`).
 */
import { clickhouseTime } from '#analytics/store/time.ts'
import { readFileSync } from 'node:fs'
import type { ClickHouseClient } from '@clickhouse/client'
import { coveredBy, type Bill, type ShownBills, type StoredBill } from '#analytics/billing/bill.ts'
import {
  clash,
  noteShadows,
  overlapsOf,
  shadowsIn,
  sharedDays,
  type Overlaps,
} from '#analytics/rollup/overlap/overlap.ts'
import {
  batches,
  billTuples,
  daysFrom,
  idOf,
  spanOf,
  tuples,
  unique,
  type CostDay,
  type PlannedDay,
  type SizedDay,
} from '#analytics/rollup/day-batch.ts'
import { hasFolds } from '#analytics/rollup/daily-usage/folded-days.ts'
import { listFilledParams, type ComposedQuery } from '#analytics/store/compose.ts'
import { slices } from '#analytics/store/slice.ts'
import type { Projection } from '#engine/actor/turn.ts'
import { componentPatterns } from '#streams/billing/line/component.ts'
import { never, toPlannedDay, type DayRow } from './planned-day.ts'
import { mapConcurrently } from '#streams/cloud/bill/merge.ts'

/** Days whose cost changed. Keys are those of `costDayKey`. */
export const costDays: Projection = { name: 'cost-day' }

/** Tables computed from marked days, and from accounts whose types have changed; nothing else writes them. */
export const workedOutTables = [
  'cost_day',
  'cost_month',
  'cost_daily_slot',
  'cost_service_daily_slot',
  'usage_daily_slot',
  'kubernetes_cost_slot',
  'kubernetes_idle_slot',
  'kubernetes_workload_slot',
  'kubernetes_namespace_slot',
  'cost_day_kept',
  'cost_daily_kept',
  'billed_tag',
  'sub_account_name',
  'bill_shadow',
] as const

const sql = (name: string) => readFileSync(new URL(`${name}.sql`, import.meta.url), 'utf8')
const inspect = slices.later('cost_day', sql('cost_day'), ['clusters', 'shared'])
const askClusters = sql('cluster_days')
const fill = slices.later('cost_daily', sql('cost_daily'), ['estimates', 'untyped', 'linked', 'shadowed'])
const fillServices = sql('cost_service_daily')
const divide = slices.later('kubernetes_cost', sql('kubernetes_cost'), [
  'estimates',
  'untyped',
  'linked',
  'shadowed',
  'folded',
])
const writeSplit = slices.later('kubernetes_split', sql('kubernetes_split'), [
  'estimates',
  'untyped',
  'linked',
  'shadowed',
])
const handOutIdle = sql('kubernetes_idle')
const divideWorkloads = sql('kubernetes_workload')
const divideNamespaces = sql('kubernetes_namespace')
const fillUsage = slices.later('usage_daily', sql('usage_daily'), ['estimates', 'linked', 'shadowed'])
const keepRows = sql('cost_daily_kept')
const keepDays = sql('cost_day_kept')
const noteTags = slices.later('billed_tag', sql('billed_tag'), ['bills', 'linked'])
const noteNames = slices.later('sub_account_name', sql('sub_account_name'), ['bills'])

/**
 * Sums of a day are kept if they were current for at least a second: all of the first few, then one per hour. A day
 * that is being billed changes with every batch, and those moments are never requested.
 */
const keeping = { stoodMs: 1000, all: 8, everyMs: 3_600_000 }

/** Distributions of cluster costs that run in parallel. */
const dividedAtOnce = 2

/** No limit on partitions: a day of a bill may be in any month. Groups above 512 MiB go to disk. */
const settings = { max_partitions_per_insert_block: '0', max_bytes_before_external_group_by: '536870912' } as const

export interface Rollup {
  now?: Date
  /** The current exports of the days' accounts. */
  shown?: ShownBills
  /** Whether that is still true. If not, lines that have arrived since may belong to other exports. */
  stands?: () => Promise<boolean>
  /**
   * The two slots the run may write to, 0 to 127: runs that may overlap must have different ones. Otherwise a later run
   * would remove the rows of an earlier one that publishes first, and its days would be missing until the later one has
   * published.
   */
  pair?: number
  /** Whether the account's own bill counts if a payer's bill has the same charges. */
  countsMembers?: (orgId: string) => boolean
  /** First day with bill lines, YYYY-MM-DD; the sums of earlier days stay as they are. Undefined: all days have them. */
  linesFrom?: string | undefined
}

/**
 * Recomputes the given days, of any organizations, and publishes them together. `generation` must be drawn before the
 * call and be larger than any before it; every attempt draws its own, because a repeat with the same one could
 * duplicate rows.
 * Days before `linesFrom` are left out.
 * If the current exports have changed once the facts are read (`stands`), nothing is published and the result is false;
 * it is also false if another run has published the same charges meanwhile, which the next run sees.
 */
export async function recomputeCostDays(
  ch: ClickHouseClient,
  wanted: readonly CostDay[],
  generation: string,
  {
    now = new Date(),
    shown = {},
    stands = async () => true,
    pair = 0,
    countsMembers = () => false,
    linesFrom,
  }: Rollup = {},
): Promise<boolean> {
  const days = daysFrom(wanted, linesFrom)
  if (days.length === 0) return true
  const plan: PlannedDay[] = []
  const sized = unique(days).map((day) => ({ ...day, lines: 0, bills: coveredBy(shown, day) }))
  const [isShared, clusters] = await Promise.all([sharedDays(ch, days), hasClusters(ch, days)])
  const planOf = (some: readonly SizedDay[]) => planDays(ch, some, pair, { clusters, shared: some.some(isShared) })
  for (const batch of batches(sized)) plan.push(...(await planOf(batch)))
  const overlaps = await overlapsOf(ch, plan, planOf, countsMembers)
  for (const batch of batches(plan.filter(isWorthKeeping).map((day) => ({ ...day, lines: 0 })))) {
    const params = { days: tuples(batch) }
    await ch.command({ query: keepRows, query_params: params, clickhouse_settings: settings })
    await ch.command({ query: keepDays, query_params: params, clickhouse_settings: settings })
  }
  const dirty = plan.filter((day) => day.lines > 0 || day.pods > 0 || hasSplit(day, overlaps.billers))
  for (const batch of batches(dirty)) await work(ch, batch, { slot: 2 * pair, generation, now, ...overlaps })
  if (!(await stands())) return false
  // Before the days are published: if a process ends right after that, nothing would lead here again.
  await allOf([noteShadows(ch, overlaps, generation), notedTags(ch, plan), notedNames(ch, plan)])
  await publish(ch, plan, generation, now)
  return !(await clash(ch, plan))
}

/** Waits for all of them, even if one fails, so that none continues during the run that replaces a failed one. */
async function allOf(works: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(works)).find((end) => end.status === 'rejected')
  if (failed) throw failed.reason
}

async function compute(
  ch: ClickHouseClient,
  composed: ComposedQuery,
  query_params: Record<string, unknown>,
): Promise<void> {
  await ch.command({
    query: composed.textOf(listFilledParams(query_params)),
    query_params,
    clickhouse_settings: settings,
  })
}

async function notedTags(ch: ClickHouseClient, plan: readonly PlannedDay[]): Promise<void> {
  for (const batch of batches(plan.filter((day) => day.tagged || isTurned(day)))) {
    const query_params = { days: tuples(batch), bills: billTuples(batch), linked: linkedIn(batch) }
    await compute(ch, noteTags, query_params)
  }
}

async function notedNames(ch: ClickHouseClient, plan: readonly PlannedDay[]): Promise<void> {
  for (const batch of batches(plan.filter((day) => day.named))) {
    const query_params = { days: tuples(batch), bills: billTuples(batch) }
    await compute(ch, noteNames, query_params)
  }
}

const linkedIn = (batch: readonly PlannedDay[]): number => Number(batch.some((day) => day.linked))

/** All days of an account in a batch have the same bills. Reads of the facts run in parallel. */
async function work(
  ch: ClickHouseClient,
  batch: readonly PlannedDay[],
  { slot, generation, now, shadows, billers }: Run,
): Promise<void> {
  const params = { days: tuples(batch), slot, generation }
  const behind = tuples(batch.filter((day) => day.slot !== slot))
  const bills = { bills: billTuples(batch), shadowed: shadowsIn(shadows, batch) }
  const estimates = Number(batch.some((day) => day.estimates))
  const untyped = Number(batch.some((day) => day.untyped))
  const linked = linkedIn(batch)
  const costs = async () => {
    const query_params = { ...params, ...bills, behind, estimates, untyped, linked }
    await compute(ch, fill, query_params)
    await ch.command({ query: fillServices, query_params: params, clickhouse_settings: settings })
  }
  const usage = async () => {
    const query_params = { ...params, ...bills, behind, estimates, linked, ...componentPatterns }
    await compute(ch, fillUsage, query_params)
  }
  await allOf([costs(), usage()])
  const clusters = batch
    .filter((day) => day.pods > 0 || hasSplit(day, billers))
    .map((day) => ({ ...day, lines: day.lines + day.pods }))
  // A distribution processes what it has collected on one core.
  await mapConcurrently([...batches(clusters)], dividedAtOnce, async (part) => {
    const days = { ...params, days: tuples(part) }
    const billing = [...part, ...part.flatMap((day) => billers.get(idOf(day)) ?? [])]
    const divided = {
      ...days,
      billed: tuples(billing),
      bills: billTuples(billing),
      shadowed: shadowsIn(shadows, billing),
      behind,
      estimates: Number(billing.some((day) => day.estimates)),
      untyped: Number(billing.some((day) => day.untyped)),
      folded: Number(await hasFolds(ch, part)),
      linked: linkedIn(billing),
      ...componentPatterns,
      until: untilOf(now),
    }
    if (part.some((day) => day.pods > 0)) await compute(ch, divide, divided)
    if (billing.some((day) => day.split)) await compute(ch, writeSplit, divided)
    await ch.command({ query: handOutIdle, query_params: days, clickhouse_settings: settings })
    await ch.command({ query: divideWorkloads, query_params: days, clickhouse_settings: settings })
    await ch.command({ query: divideNamespaces, query_params: days, clickhouse_settings: settings })
  })
}

/** Whether a bill for the day, the account's own or a payer's, names pods. */
const hasSplit = (day: PlannedDay, billers: Overlaps['billers']): boolean =>
  [day, ...(billers.get(idOf(day)) ?? [])].some(({ split }) => split)

/** The first of the run's two slots, and its time. */
interface Run {
  slot: number
  generation: string
  now: Date
  shadows: Overlaps['shadows']
  billers: Overlaps['billers']
}

/** A time of whole seconds for ClickHouse. */
const untilOf = (now: Date): string => now.toISOString().slice(0, 19).replace('T', ' ')

/** Tags of the previous export may be gone. */
const isTurned = ({ bills, publishedBills }: PlannedDay): boolean =>
  publishedBills.some(({ period, exportId }) => bills.every((b) => b.period !== period || b.exportId !== exportId))

const isWorthKeeping = ({ publishedAt, before, kept }: PlannedDay): boolean =>
  before.generation !== '0' &&
  publishedAt - before.at >= keeping.stoodMs &&
  (kept.count < keeping.all || publishedAt - kept.until >= keeping.everyMs)

/** Whether the organizations have data about clusters from the first to the last of the days. */
async function hasClusters(ch: ClickHouseClient, days: readonly CostDay[]): Promise<boolean> {
  const result = await ch.query({ query: askClusters, query_params: spanOf(days), format: 'JSONEachRow' })
  return (await result.json()).length > 0
}

/** What some of the days may have. The statement skips what none of them can have. */
interface Possible {
  clusters: boolean
  /** The same charges in bills of several accounts. */
  shared: boolean
}

async function planDays(
  ch: ClickHouseClient,
  days: readonly SizedDay[],
  pair: number,
  possible: Possible,
): Promise<PlannedDay[]> {
  const { clusters, shared } = possible
  const query_params = {
    days: tuples(days),
    bills: billTuples(days),
    clusters: Number(clusters),
    shared: Number(shared),
  }
  const result = await ch.query({
    query: inspect.textOf(listFilledParams(query_params)),
    query_params,
    format: 'JSONEachRow',
    clickhouse_settings: { output_format_json_quote_64bit_integers: 1 },
  })
  const rows = await result.json<DayRow>()
  const known = new Map(
    rows.map((row) => [idOf({ orgId: row.org_id, cloudAccountId: row.cloud_account_id, day: row.day }), row]),
  )
  return days.map((day) => toPlannedDay(day, known.get(idOf(day)) ?? never, pair))
}

/** One insert, one part: all days are published at once. Days without data are published too, and so disappear. */
async function publish(
  ch: ClickHouseClient,
  plan: readonly PlannedDay[],
  generation: string,
  now: Date,
): Promise<void> {
  await ch.insert({
    table: 'cost_day',
    format: 'JSONEachRow',
    values: plan.map((day) => ({
      org_id: day.orgId,
      cloud_account_id: day.cloudAccountId,
      day: day.day,
      slot: day.slot,
      generation,
      published_at: clickhouseTime(now.getTime()),
      before_generation: day.generation,
      before_at: clickhouseTime(day.publishedAt),
      bills: day.bills.map(toStoredBill),
      before_bills: day.publishedBills.map(toStoredBill),
    })),
    clickhouse_settings: { input_format_parallel_parsing: 0, max_insert_block_size: '10000000', async_insert: 0 },
  })
}

const toStoredBill = ({ period, exportId }: Bill): StoredBill => ({ period, export: exportId })
