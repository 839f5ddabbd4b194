/**
 * Adds settled months up by resource, so that a question over a year reads one row a month of a resource, not thirty. The sums
 * count only while the days they were added up from are those that are shown (`cost_month`): nobody is told when one of them changes,
 * and no order of writes makes an old sum count. A run that is cut short leaves rows that nobody reads, and the next one begins anew.
 */
import { readFileSync } from 'node:fs'
import { TupleParam, type ClickHouseClient } from '@clickhouse/client'
import { clickhouseTime } from '#analytics/store/time.ts'
import { addMonths, dayOf, firstOf, lastOf, monthOf } from '#engine/day.ts'

const sql = (name: string) => readFileSync(new URL(`${name}.sql`, import.meta.url), 'utf8')
const due = sql('months_due')
const fill = sql('cost_month')
const parts = sql('settled_parts')

export const settling = {
  /** A month of fewer days is read as soon by its days. */
  daysMin: 4,
  /** Milliseconds for which no day of a month was published: bills of a month come for days, each of them in many batches. */
  quietMs: 3_600_000,
  /** Months of accounts in one statement. */
  atOnce: 50,
  /** Hours for which nothing was written to a month before it is merged to one part. */
  mergeHours: 6,
} as const

/** No bound on partitions: months of a statement may be many. Groups beyond 512 MiB go to disk. */
const settings = { max_partitions_per_insert_block: '0', max_bytes_before_external_group_by: '536870912' } as const

export interface Settling {
  now: Date
  /** A number that is larger than any that days or months were written under. */
  generation: () => Promise<string>
  /** Throws where another may add up by now: two must never write at once. */
  alone: () => Promise<void>
  /** Left out: as `settling` says. */
  quietMs?: number
}

interface Due {
  org_id: string
  cloud_account_id: string
  month: string
  days: number
  digest: string
  slot: number
}

/** Adds up what has settled, and answers how many months of accounts that were. */
export async function sumMonths(
  ch: ClickHouseClient,
  { now, generation, alone, quietMs = settling.quietMs }: Settling,
): Promise<number> {
  const quiet = clickhouseTime(now.getTime() - quietMs)
  const asked = { before: firstOf(monthOf(dayOf(now))), quiet, days: settling.daysMin, limit: settling.atOnce }
  for (let summed = 0; ;) {
    const found = await ch.query({ query: due, query_params: asked, format: 'JSONEachRow' })
    const months = await found.json<Due>()
    for (const some of Map.groupBy(months, ({ month }) => month).values())
      await add(ch, some, { generation: await generation(), alone })
    summed += months.length
    if (months.length < settling.atOnce) return summed
  }
}

/** The months of some accounts, all the same one. */
async function add(
  ch: ClickHouseClient,
  months: readonly Due[],
  { generation, alone }: { generation: string; alone: () => Promise<void> },
): Promise<void> {
  const [{ month: first }] = months as [Due]
  const query_params = {
    months: months.map(tuple),
    behind: months.filter(({ slot }) => slot === slots[0]).map(tuple),
    generation,
    first,
    last: lastOf(monthOf(first)),
  }
  await alone()
  await ch.command({ query: fill, query_params, clickhouse_settings: settings })
  await alone()
  await ch.insert({
    table: 'cost_month',
    format: 'JSONEachRow',
    values: months.map(({ org_id, cloud_account_id, month: day, days, digest, slot }) => {
      return { org_id, cloud_account_id, day, slot: slot === slots[0] ? slots[1] : slots[0], generation, days, digest }
    }),
    clickhouse_settings: { async_insert: 0 },
  })
}

/** Days are never written there: those of processes begin at 4. */
const slots = [2, 3] as const

const tuple = ({ org_id, cloud_account_id, month }: Due) => new TupleParam([org_id, cloud_account_id, month])

/** Merges months that nothing was written to for long to one part each, the newest first; answers how many. */
export async function mergeMonths(
  ch: ClickHouseClient,
  now: Date,
  { hours = settling.mergeHours, most = 3 }: { hours?: number; most?: number } = {},
): Promise<number> {
  const before = Number(addMonths(monthOf(dayOf(now)), -1).replace('-', ''))
  const query_params = { before, hours, limit: most }
  const found = await ch.query({ query: parts, query_params, format: 'JSONEachRow' })
  const months = await found.json<{ month: string }>()
  for (const { month } of months)
    await ch.command({
      query: 'OPTIMIZE TABLE cost_daily_slot PARTITION {month:UInt32} FINAL',
      query_params: { month },
      clickhouse_settings: { max_execution_time: 0 },
    })
  return months.length
}
