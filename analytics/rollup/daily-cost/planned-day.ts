/** What is known of a day before it is recomputed, as `cost_day.sql` returns it. */
import { billOf, type StoredBill } from '#analytics/billing/bill.ts'
import type { PlannedDay, SizedDay } from '#analytics/rollup/day-batch.ts'

interface Keys {
  org_id: string
  cloud_account_id: string
  day: string
}

export interface DayRow extends Keys {
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

/** For a day without any data now or before. */
export const never: Omit<DayRow, keyof Keys> = {
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

export const toPlannedDay = (day: SizedDay, row: Omit<DayRow, keyof Keys>, pair: number): PlannedDay => ({
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
