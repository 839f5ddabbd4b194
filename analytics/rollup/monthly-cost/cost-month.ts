/**
 * Adds up settled months by resource, so that a query over a year reads one row per month of a resource, not thirty.
 * The sums count only if the days they were added up from are the current ones (`cost_month`): no notification is
 * needed when a day changes, and no order of writes makes an old sum count. An interrupted run leaves rows that nothing
 * reads, and the next one starts again.
 */
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { TupleParam, type ClickHouseClient } from '@clickhouse/client'
import { clickhouseTime } from '#analytics/store/time.ts'
import { addMonths, dayOf, firstOf, lastOf, monthOf } from '#engine/value/day.ts'

const sql = (name: string) => readFileSync(new URL(`${name}.sql`, import.meta.url), 'utf8')
const due = sql('months_due')
const fill = sql('cost_month')
const parts = sql('settled_parts')
const newest = sql('newest_generation')

const settling = {
  /** A month of fewer days is read as fast by its days. */
  daysMin: 4,
  /** Milliseconds without a published day of a month: bills of a month arrive over days, each in many batches. */
  quietMs: 3_600_000,
  /**
   * Milliseconds between writing the rows and publishing them: a query that read the tables before the rows must not
   * see the publication.
   */
  pauseMs: 11_000,
  /** Months of accounts that are published together, and those in one statement. */
  toldAtOnce: 200,
  filledAtOnce: 8,
  /** Maximum seconds of a statement, less than the client's timeout: otherwise it would continue without the client. */
  fillSeconds: 50,
  /** Failures that end a run. */
  failuresMax: 5,
  /**
   * Hours without writes to a month before it is merged to one part, and its maximum bytes; larger ones are left to
   * ClickHouse.
   */
  mergeHours: 6,
  mergeBytes: 2 ** 30,
} as const

/** No limit on partitions: a statement may have many months. Groups above 512 MiB go to disk. */
const settings = {
  max_partitions_per_insert_block: '0',
  max_bytes_before_external_group_by: '536870912',
  max_execution_time: settling.fillSeconds,
} as const

export interface Settling {
  now: Date
  /** A number larger than any generation of days or months. */
  generation: () => Promise<string>
  /** Throws if another process may be adding up now: two must never write at once. */
  alone: () => Promise<void>
  /** Ends it. */
  signal?: AbortSignal
  /** Left out: as `settling` says. */
  quietMs?: number
  pauseMs?: number
}

interface Due {
  org_id: string
  cloud_account_id: string
  month: string
  days: number
  digest: string
  slot: number
}

const keyOf = ({ org_id, cloud_account_id, month }: Due): string => JSON.stringify([org_id, cloud_account_id, month])

/** The largest generation of days and months. */
export async function newestGeneration(ch: ClickHouseClient): Promise<bigint> {
  const found = await ch.query({ query: newest, format: 'JSONEachRow' })
  const [row] = await found.json<{ newest: string }>()
  return BigInt(row!.newest)
}

/** How many months of accounts were added up, and what failed. */
export interface SumResult {
  summed: number
  failures: unknown[]
}

/**
 * Adds up settled months. A failure does not stop the others.
 * @throws Error if it is not alone, or if a generation is not larger than all before it, and as the stores do
 */
export async function sumMonths(ch: ClickHouseClient, how: Settling): Promise<SumResult> {
  const { now, quietMs = settling.quietMs } = how
  const quiet = clickhouseTime(now.getTime() - quietMs)
  const query_params = {
    before: firstOf(monthOf(dayOf(now))),
    quiet,
    days: settling.daysMin,
    limit: settling.toldAtOnce,
  }
  const settled: SumResult = { summed: 0, failures: [] }
  const tried = new Set<string>()
  for (;;) {
    const found = await ch.query({ query: due, query_params, format: 'JSONEachRow' })
    const months = (await found.json<Due>()).filter((one) => !tried.has(keyOf(one)))
    if (months.length === 0 || settled.failures.length >= settling.failuresMax) return settled
    for (const one of months) tried.add(keyOf(one))
    settled.summed += await addUp(ch, months, how, settled.failures)
  }
}

interface FilledMonth extends Due {
  generation: string
}

async function addUp(
  ch: ClickHouseClient,
  months: readonly Due[],
  how: Settling,
  failures: unknown[],
): Promise<number> {
  const { alone, signal, pauseMs = settling.pauseMs } = how
  const filled: FilledMonth[] = []
  for (const some of portions(months)) {
    if (failures.length >= settling.failuresMax) break
    filled.push(...(await fillIn(ch, some, how, failures)))
  }
  if (filled.length === 0) return 0
  await sleep(pauseMs, undefined, { signal })
  await alone()
  await ch.insert({
    table: 'cost_month',
    format: 'JSONEachRow',
    values: filled.map(({ org_id, cloud_account_id, month: day, days, digest, slot, generation }) => {
      return { org_id, cloud_account_id, day, slot: slot === slots[0] ? slots[1] : slots[0], generation, days, digest }
    }),
    clickhouse_settings: { async_insert: 0 },
  })
  return filled.length
}

/** Months that it could add up: together, otherwise each by itself with its own generation, because some rows may be written. */
async function fillIn(
  ch: ClickHouseClient,
  months: readonly Due[],
  how: Settling,
  failures: unknown[],
): Promise<FilledMonth[]> {
  const { alone, signal } = how
  await alone()
  const generation = await drawGeneration(ch, how)
  try {
    await ch.command({
      query: fill,
      query_params: paramsOf(months, generation),
      clickhouse_settings: settings,
      ...(signal && { abort_signal: signal }),
    })
    return months.map((one) => Object.assign({ generation }, one))
  } catch (error) {
    signal?.throwIfAborted()
    const filled: FilledMonth[] = []
    if (months.length === 1) failures.push(error)
    else for (const one of months) filled.push(...(await fillIn(ch, [one], how, failures)))
    return filled
  }
}

/**
 * A restored PostgreSQL draws them again, and sums of a day could pass for those of a month. Days continue in the
 * meantime, with larger ones.
 */
async function drawGeneration(ch: ClickHouseClient, { generation: draw }: Settling): Promise<string> {
  const used = await newestGeneration(ch)
  const generation = await draw()
  if (BigInt(generation) <= used) throw new Error(`generation ${generation} was already used`)
  return generation
}

/** Each of one month. */
function* portions(months: readonly Due[]): Generator<Due[]> {
  for (const some of Map.groupBy(months, ({ month }) => month).values())
    for (let at = 0; at < some.length; at += settling.filledAtOnce) yield some.slice(at, at + settling.filledAtOnce)
}

function paramsOf(months: readonly Due[], generation: string) {
  const [{ month: first }] = months as [Due]
  const behind = months.filter(({ slot }) => slot === slots[0]).map(tuple)
  return { months: months.map(tuple), behind, generation, first, last: lastOf(monthOf(first)) }
}

/** Never written by days: slots of processes start at 4. */
const slots = [2, 3] as const

const tuple = ({ org_id, cloud_account_id, month }: Due) => new TupleParam([org_id, cloud_account_id, month])

/** Merges months without recent writes to one part each, newest first, and returns how many. */
export async function mergeMonths(
  ch: ClickHouseClient,
  now: Date,
  { hours = settling.mergeHours, most = 3 }: { hours?: number; most?: number } = {},
): Promise<number> {
  const before = Number(addMonths(monthOf(dayOf(now)), -1).replace('-', ''))
  const query_params = { before, hours, limit: most, bytes: settling.mergeBytes }
  const found = await ch.query({ query: parts, query_params, format: 'JSONEachRow' })
  const months = await found.json<{ month: string }>()
  for (const { month } of months)
    await ch.command({
      query: 'OPTIMIZE TABLE cost_daily_slot PARTITION {month:UInt32} FINAL',
      query_params: { month },
    })
  return months.length
}
