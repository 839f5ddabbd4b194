/** Shows another export for a billing period. */
import { costDays } from '#analytics/rollup/daily-cost/cost-rollup.ts'
import { costDayKey } from '#analytics/rollup/day-batch.ts'
import type { Turn } from '#engine/actor/turn.ts'
import {
  beforeMax,
  dayRange,
  mayBeOld,
  type Amount,
  type PastBill,
  type ShownBill,
} from '#actors/account/bill/bills.ts'
import type { CloudAccount } from '#actors/account/entity.ts'
import type { Counts } from '#actors/account/bill/counts.ts'
import type { Bill } from './export.ts'
import { segmentsOf, withLayer, type DayRange, type Layer } from './layers.ts'

export type BillToShow = Bill & { complete: boolean; amount: Amount; layers?: Layer[] }

/**
 * Marks all days of both exports, also those without lines, so that each day names the bill it was computed from. If
 * lines from before exports were known may be stored, the range of days never shrinks: those lines would count again.
 */
export function show(
  { bills, oldThrough }: CloudAccount,
  period: string,
  bill: BillToShow,
  days: readonly string[],
  turn: Turn,
): void {
  const past = bills.shown[period]
  const kept = past && mayBeOld(oldThrough, period) ? [past.from, past.to] : []
  const all = [...days, ...kept].filter((day) => day !== '').toSorted()
  const [from = '', to = ''] = [all[0], all.at(-1)]
  bills.shown[period] = { ...bill, from, to, since: turn.now.toISOString(), before: pastOf(past) }
  const marked = [...days, ...dayRange(from, to), ...(past ? dayRange(past.from, past.to) : [])]
  markDays(marked, turn)
}

/** Shows an export only on its own days, and marks these; all others stay unchanged. */
export function showDays(
  { bills }: CloudAccount,
  period: string,
  bill: Bill & { days: DayRange },
  counts: Counts,
  turn: Turn,
): void {
  const { id, at, days } = bill
  const past = bills.shown[period]
  if (!past) throw new Error('there is no current bill to replace days of')
  const layers = withLayer(past, { id, at, days })
  const [from, to] = [[past.from, days.from].toSorted()[0]!, [past.to, days.to].toSorted()[1]!]
  const amount = counts.amountIn(period, segmentsOf({ id, at, from, to, layers }))
  const since = turn.now.toISOString()
  bills.shown[period] = { id, at, complete: true, amount, from, to, since, before: pastOf(past), layers }
  markDays(dayRange(days.from, days.to), turn)
}

function pastOf(shown: ShownBill | undefined): PastBill[] {
  if (!shown?.complete) return []
  const { id, at, since, before, amount, layers } = shown
  return [...before, { id, at, since, amount, ...(layers && { layers }) }].slice(-beforeMax)
}

export function markDays(days: readonly string[], turn: Turn): void {
  const { place: cloudAccountId } = turn.address
  for (const day of new Set(days)) turn.mark(costDays, costDayKey({ cloudAccountId, day }))
}
