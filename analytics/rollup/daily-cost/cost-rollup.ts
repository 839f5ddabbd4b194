/**
 * Keeps cost by day equal to the facts, however often and in whatever order lines come: a marked day is worked out anew,
 * whole, beside the rows that reports read, and one insert then turns all days of the run over at once. A crash before
 * that insert changes nothing a report sees; a slower, older run that ends later loses by its generation.
 *
 * Each process has two slots of its own: it writes to the one that is not read, over older sums. Before that it keeps those
 * that reports may be asked for later (`isWorthKeeping`).
 */
import { clickhouseTime } from '#analytics/store/time.ts'
import { readFileSync } from 'node:fs'
import type { ClickHouseClient } from '@clickhouse/client'
import { billOf, coveredBy, type Bill, type ShownBills, type StoredBill } from '#analytics/billing/bill.ts'
import { clash, noteShadows, overlapsOf, shadowsIn, type Overlaps } from '#analytics/rollup/overlap/overlap.ts'
import {
  batches,
  billTuples,
  idOf,
  tuples,
  unique,
  type CostDay,
  type Planned,
  type Sized,
} from '#analytics/rollup/day-batch.ts'
import { filled, type Composed } from '#analytics/store/compose.ts'
import { slices } from '#analytics/store/slice.ts'
import type { Projection } from '#engine/actor/turn.ts'
import { componentPatterns } from '#streams/billing/line/component.ts'
import { mapped } from '#streams/cloud/bill/merge.ts'

/** Days whose cost changed. Keys are those of `costDayKey`. */
export const costDays: Projection = { name: 'cost-day' }

/** What is worked out of marked days, and of accounts whose types have changed; nobody else writes these tables. */
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
const inspect = slices.later('cost_day', sql('cost_day'), [])
const fill = slices.later('cost_daily', sql('cost_daily'), ['estimates', 'untyped', 'linked', 'shadowed'])
const fillServices = sql('cost_service_daily')
const divide = slices.later('kubernetes_cost', sql('kubernetes_cost'), ['estimates', 'untyped', 'linked', 'shadowed'])
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
 * Sums of a day are kept when they stood for a second at least, all of the first few, then one an hour: a day that is being
 * billed changes with every batch, and nobody asks for those moments.
 */
const keeping = { stoodMs: 1000, all: 8, everyMs: 3_600_000 }

/** Divisions of costs of clusters that run side by side. */
const dividedAtOnce = 2

/** No bound on partitions: a day of a bill may lie in any month. Groups beyond 512 MiB go to disk. */
const settings = { max_partitions_per_insert_block: '0', max_bytes_before_external_group_by: '536870912' } as const

export interface Rollup {
  now?: Date
  /** The exports that the accounts of the days show. */
  shown?: ShownBills
  /** Whether that still holds. Once it does not, lines that came since may be of what was shown then. */
  stands?: () => Promise<boolean>
  /**
   * Which two slots the run may write to, 0 to 127: runs that may overlap must have different ones. A later run would take
   * the rows of an earlier one that publishes first away, and its days would be missing until the later one has published.
   */
  pair?: number
  /** Whether, where a payer's bill and an account's own have the same charges, the account's own counts. */
  countsMembers?: (orgId: string) => boolean
}

/**
 * Works the given days, of whatever organizations, out anew and publishes them together. `generation` must be taken before the
 * call and be larger than any before it; every attempt takes its own, since a repeat under the same one could double rows.
 * Where what is shown `stands` no more once the facts are read, nothing is published and the answer is false; it is false too where
 * another run has published the same charges meanwhile, which the next run sees.
 */
export async function recomputeCostDays(
  ch: ClickHouseClient,
  days: readonly CostDay[],
  generation: string,
  { now = new Date(), shown = {}, stands = async () => true, pair = 0, countsMembers = () => false }: Rollup = {},
): Promise<boolean> {
  const plan: Planned[] = []
  const sized = unique(days).map((day) => ({ ...day, lines: 0, bills: coveredBy(shown, day) }))
  for (const batch of batches(sized)) plan.push(...(await found(ch, batch, pair)))
  const overlaps = await overlapsOf(ch, plan, (others) => found(ch, others, pair), countsMembers)
  for (const batch of batches(plan.filter(isWorthKeeping).map((day) => ({ ...day, lines: 0 })))) {
    const params = { days: tuples(batch) }
    await ch.command({ query: keepRows, query_params: params, clickhouse_settings: settings })
    await ch.command({ query: keepDays, query_params: params, clickhouse_settings: settings })
  }
  const dirty = plan.filter((day) => day.lines > 0 || day.pods > 0 || hasSplit(day, overlaps.billers))
  for (const batch of batches(dirty)) await work(ch, batch, { slot: 2 * pair, generation, now, ...overlaps })
  if (!(await stands())) return false
  // Before the days turn over: a process that ends right behind that has nothing left that leads here again.
  await allOf([noteShadows(ch, overlaps, generation), notedTags(ch, plan), notedNames(ch, plan)])
  await publish(ch, plan, generation, now)
  return !(await clash(ch, plan))
}

/** Waits for each, whatever becomes of the others: none goes on beside the run that takes the place of a failed one. */
async function allOf(works: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(works)).find((end) => end.status === 'rejected')
  if (failed) throw failed.reason
}

async function notedTags(ch: ClickHouseClient, plan: readonly Planned[]): Promise<void> {
  for (const batch of batches(plan.filter((day) => day.tagged || isTurned(day)))) {
    const query_params = { days: tuples(batch), bills: billTuples(batch), linked: linkedIn(batch) }
    await ch.command({ query: noteTags.textOf(filled(query_params)), query_params, clickhouse_settings: settings })
  }
}

async function notedNames(ch: ClickHouseClient, plan: readonly Planned[]): Promise<void> {
  for (const batch of batches(plan.filter((day) => day.named))) {
    const query_params = { days: tuples(batch), bills: billTuples(batch) }
    await ch.command({ query: noteNames.textOf(filled(query_params)), query_params, clickhouse_settings: settings })
  }
}

const linkedIn = (batch: readonly Planned[]): number => Number(batch.some((day) => day.linked))

/** All days of an account in a batch have the same bills. What reads the facts runs side by side. */
async function work(
  ch: ClickHouseClient,
  batch: readonly Planned[],
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
    await ch.command({ query: fill.textOf(filled(query_params)), query_params, clickhouse_settings: settings })
    await ch.command({ query: fillServices, query_params: params, clickhouse_settings: settings })
  }
  const usage = async () => {
    const query_params = { ...params, ...bills, behind, estimates, linked, ...componentPatterns }
    await ch.command({ query: fillUsage.textOf(filled(query_params)), query_params, clickhouse_settings: settings })
  }
  await allOf([costs(), usage()])
  const clusters = batch
    .filter((day) => day.pods > 0 || hasSplit(day, billers))
    .map((day) => ({ ...day, lines: day.lines + day.pods }))
  // What a division gathers it goes on with on one core.
  await mapped([...batches(clusters)], dividedAtOnce, async (part) => {
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
      linked: linkedIn(billing),
      ...componentPatterns,
      until: untilOf(now),
    }
    const writeParts = async (composed: Composed) =>
      ch.command({ query: composed.textOf(filled(divided)), query_params: divided, clickhouse_settings: settings })
    if (part.some((day) => day.pods > 0)) await writeParts(divide)
    if (billing.some((day) => day.split)) await writeParts(writeSplit)
    await ch.command({ query: handOutIdle, query_params: days, clickhouse_settings: settings })
    await ch.command({ query: divideWorkloads, query_params: days, clickhouse_settings: settings })
    await ch.command({ query: divideNamespaces, query_params: days, clickhouse_settings: settings })
  })
}

/** Whether a bill about the day, its own or that of an account that is billed for it, names pods. */
const hasSplit = (day: Planned, billers: Overlaps['billers']): boolean =>
  [day, ...(billers.get(idOf(day)) ?? [])].some(({ split }) => split)

/** Where the run writes to, the first slot of two, and when it is. */
interface Run {
  slot: number
  generation: string
  now: Date
  shadows: Overlaps['shadows']
  billers: Overlaps['billers']
}

/** As ClickHouse reads a time of whole seconds. */
const untilOf = (now: Date): string => now.toISOString().slice(0, 19).replace('T', ' ')

/** Tags of the export before may be gone. */
const isTurned = ({ bills, publishedBills }: Planned): boolean =>
  publishedBills.some(({ period, exportId }) => bills.every((b) => b.period !== period || b.exportId !== exportId))

const isWorthKeeping = ({ publishedAt, before, kept }: Planned): boolean =>
  before.generation !== '0' &&
  publishedAt - before.at >= keeping.stoodMs &&
  (kept.count < keeping.all || publishedAt - kept.until >= keeping.everyMs)

interface Keys {
  org_id: string
  cloud_account_id: string
  day: string
}

interface Found extends Keys {
  published: number
  generation: string
  published_at: string
  before_generation: string
  before_at: string
  bills: readonly StoredBill[]
  kept: string
  kept_until: string
  lines: string
  estimates: number
  untyped: number
  tagged: number
  named: number
  linked: number
  actuals: number
  split: number
  elsewhere: number
  pods: string
}

async function found(ch: ClickHouseClient, days: readonly Sized[], pair: number): Promise<Planned[]> {
  const query_params = { days: tuples(days), bills: billTuples(days) }
  const result = await ch.query({
    query: inspect.textOf(filled(query_params)),
    query_params,
    format: 'JSONEachRow',
    clickhouse_settings: { output_format_json_quote_64bit_integers: 1 },
  })
  const rows = await result.json<Found>()
  const known = new Map(
    rows.map((row) => [idOf({ orgId: row.org_id, cloudAccountId: row.cloud_account_id, day: row.day }), row]),
  )
  return days.map((day) => planned(day, known.get(idOf(day)) ?? never, pair))
}

/** Of a day that holds nothing and never did. */
const never: Omit<Found, keyof Keys> = {
  published: -1,
  generation: '0',
  published_at: '0',
  before_generation: '0',
  before_at: '0',
  bills: [],
  kept: '0',
  kept_until: '0',
  lines: '0',
  estimates: 0,
  untyped: 0,
  tagged: 0,
  named: 0,
  linked: 0,
  actuals: 0,
  split: 0,
  elsewhere: 0,
  pods: '0',
}

const planned = (day: Sized, row: Omit<Found, keyof Keys>, pair: number): Planned => ({
  ...day,
  slot: row.published === 2 * pair ? 2 * pair + 1 : 2 * pair,
  generation: row.generation,
  publishedAt: Number(row.published_at),
  before: { generation: row.before_generation, at: Number(row.before_at) },
  publishedBills: row.bills.map(billOf),
  kept: { count: Number(row.kept), until: Number(row.kept_until) },
  lines: Number(row.lines),
  estimates: row.estimates === 1,
  untyped: row.untyped === 1,
  tagged: row.tagged === 1,
  named: row.named === 1,
  linked: row.linked === 1,
  actuals: row.actuals === 1,
  split: row.split === 1,
  elsewhere: row.elsewhere === 1,
  pods: Number(row.pods),
})

/** One insert, one part: all the days turn over at once. Days that hold nothing any more are published too, and so vanish. */
async function publish(ch: ClickHouseClient, plan: readonly Planned[], generation: string, now: Date): Promise<void> {
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
      bills: day.bills.map(stored),
      before_bills: day.publishedBills.map(stored),
    })),
    clickhouse_settings: { input_format_parallel_parsing: 0, max_insert_block_size: '10000000', async_insert: 0 },
  })
}

const stored = ({ period, exportId }: Bill): StoredBill => ({ period, export: exportId })
