/** Turns a billing period over to another export. */
import { costDays } from '#analytics/rollup/cost-rollup.ts'
import { costDayKey } from '#analytics/rollup/day-batch.ts'
import type { Turn } from '#engine/turn.ts'
import { beforeMax, dayRange, mayBeOld, type Amount, type PastBill, type ShownBill } from './bills.ts'
import type { CloudAccount } from './entity.ts'
import type { Bill } from './export.ts'

export type Shown = Bill & { complete: boolean; amount: Amount }

/**
 * All days of both are marked, those without a line too, so that each says by which bill it stands. Where older lines may
 * stand, a bill is never of fewer days than the one it replaces: they would count there again.
 */
export function show(
  { bills, oldThrough }: CloudAccount,
  period: string,
  bill: Shown,
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

function pastOf(shown: ShownBill | undefined): PastBill[] {
  if (!shown?.complete) return []
  const { id, at, since, before, amount } = shown
  return [...before, { id, at, since, amount }].slice(-beforeMax)
}

export function markDays(days: readonly string[], turn: Turn): void {
  const { place: cloudAccountId } = turn.address
  for (const day of new Set(days)) turn.mark(costDays, costDayKey({ cloudAccountId, day }))
}
