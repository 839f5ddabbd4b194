/** Restores what a removed export had replaced. */
import type { Turn } from '#engine/actor/turn.ts'
import { dayRange, type Amount, type PastBill } from '#actors/account/bill/bills.ts'
import type { Counts } from '#actors/account/bill/counts.ts'
import type { CloudAccount } from '#actors/account/entity.ts'
import { remindCheck } from './export.ts'
import { layerIds, segmentsOf } from './layers.ts'
import { markDays, show } from './show.ts'

/** Milliseconds after which a sweep that began before an export was restored has ended. */
const sweptMs = 3_600_000

/** Shows the newest earlier export whose lines are all stored; if there is none, nothing is shown for the period. */
export function showBefore(account: CloudAccount, period: string, counts: Counts, turn: Turn): void {
  const { bills } = account
  const shown = bills.shown[period]!
  const days = [...dayRange(shown.from, shown.to), ...counts.days(period, shown.id), ...counts.days(period, '')]
  const index = shown.before.findLastIndex((past) => isStored(past, readStoredAmount(period, past, counts)))
  if (index < 0) {
    delete bills.shown[period]
    return markDays(days, turn)
  }
  const past = shown.before[index]!
  const { id, at, layers } = past
  const bill = { id, at, complete: true, amount: readStoredAmount(period, past, counts), ...(layers && { layers }) }
  show(account, period, bill, [...days, ...layerIds(past).flatMap((one) => counts.days(period, one))], turn)
  Object.assign(bills.shown[period]!, { before: shown.before.slice(0, index), isRestored: true })
  remindCheck(id, new Date(turn.now.getTime() + sweptMs), turn)
}

/** The size of what the store still has of a bill that was shown. */
export function readStoredAmount(
  period: string,
  { id, at, layers }: Pick<PastBill, 'id' | 'at' | 'layers'>,
  counts: Counts,
): Amount {
  if (!layers) return counts.amount(period, id)
  return counts.amountIn(period, segmentsOf({ id, at, layers, from: '0000-01-01', to: '9999-12-31' }))
}

/** Whether all lines of an earlier bill are stored. While a sweep removes them, some are left. */
export const isStored = ({ amount }: PastBill, { lines }: Amount): boolean =>
  amount === undefined ? lines > 0 : lines === amount.lines

/** A sweep in progress may have removed lines of a restored export; if so, the next earlier one is shown. */
export function checkRestored(account: CloudAccount, counts: Counts, turn: Turn): void {
  for (const [period, shown] of Object.entries(account.bills.shown)) {
    if (shown.isRestored !== true) continue
    if (readStoredAmount(period, shown, counts).lines !== shown.amount.lines) showBefore(account, period, counts, turn)
    else if (Date.parse(shown.since) + sweptMs <= turn.now.getTime()) delete shown.isRestored
  }
}
