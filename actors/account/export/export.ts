/** Where lines of exports are stored, and when they count. */
import { billLine } from '#analytics/billing/tables.ts'
import { costDays } from '#analytics/rollup/daily-cost/cost-rollup.ts'
import { costDayKey } from '#analytics/rollup/day-batch.ts'
import { Fault } from '#engine/value/fault.ts'
import type { Turn } from '#engine/actor/turn.ts'
import type { Static } from '#engine/value/schema.ts'
import { billingExportChecked, type BillingLine } from '#streams/billing/messages.ts'
import type { billLinesStored } from '#streams/billing/stored.ts'
import type { CostLine } from '#streams/billing/line/cost-line.ts'
import {
  compareExports,
  exportTime,
  forgetRemoved,
  dayRange,
  isAhead,
  isOver,
  knownTime,
  mayBeOld,
  noAmount,
  type Bills,
  type ShownBill,
} from '#actors/account/bill/bills.ts'
import type { CloudAccount } from '#actors/account/entity.ts'
import { rowOf } from '#actors/account/bill/fact.ts'

/** Milliseconds without a further line after which an open export is checked again. */
const quietMs = 1_000

/** The export that a message names. */
export interface Bill {
  id: string
  at: string
}

/**
 * Stores a line of an export. It counts at once only if the period shows its export; a line with `hiddenUntilEnd` does
 * not make its export shown. Lines of an export that a newer one has replaced are dropped, so a closed export never
 * changes.
 * @throws Fault `invalid` as `billFor`
 */
export function takeExportLine(account: CloudAccount, data: BillingLine, line: CostLine, turn: Turn): void {
  const { orgId } = turn.address
  const bill = billFor(account.bills, data.exportId!, data.exportedAt, turn)
  const period = data.billingPeriod ?? monthOf(line)
  if (isOver(account.bills, period, bill)) {
    account.bills.ignored++
    return
  }
  if (data.hiddenUntilEnd !== true) begin(account, period, bill, line.x_Day, turn)
  forgetRemoved(account.bills, bill.id, [period])
  line['x_BillingPeriod'] = period
  line['x_ExportId'] = bill.id
  turn.append(billLine, rowOf(orgId, line) as never, new Date(bill.at))
  markShown(account, period, bill, line.x_Day, turn)
  lookAgain(account.bills, period, bill, turn)
}

type StoredLines = Static<typeof billLinesStored.schema>

/**
 * Lines of an export that their sender has stored itself. They count as if each had been sent on its own, in the order
 * of their days.
 * @throws Fault `invalid` as `billFor`
 */
export function takeStored(account: CloudAccount, stored: StoredLines, turn: Turn): void {
  turn.wrote(billLine)
  const bill = billFor(account.bills, stored.exportId, stored.exportedAt, turn)
  for (const { period, lines, days } of stored.periods) {
    if (isOver(account.bills, period, bill)) {
      account.bills.ignored += lines
      continue
    }
    forgetRemoved(account.bills, bill.id, [period])
    for (const day of days) {
      if (stored.hiddenUntilEnd !== true) begin(account, period, bill, day, turn)
      markShown(account, period, bill, day, turn)
    }
    lookAgain(account.bills, period, bill, turn)
  }
}

/** Has the day computed again if its period shows this export. */
function markShown({ bills }: CloudAccount, period: string, bill: Bill, day: string, turn: Turn): void {
  const shown = bills.shown[period]
  if (shown?.id !== bill.id) return
  const { place: cloudAccountId } = turn.address
  for (const one of new Set([day, ...widen(shown, day)])) turn.mark(costDays, costDayKey({ cloudAccountId, day: one }))
}

/**
 * Extends the shown bill to `day`. Returns the days added, to be marked as well, so that each day names the bill it was
 * computed from.
 */
function widen(shown: ShownBill, day: string): string[] {
  const { from, to } = shown
  if (day < from) shown.from = day
  if (day > to) shown.to = day
  return day < from ? dayRange(day, from) : day > to ? dayRange(to, day) : []
}

function monthOf({ BillingPeriodStart, x_Day }: CostLine): string {
  return (typeof BillingPeriodStart === 'string' ? BillingPeriodStart : x_Day).slice(0, 7)
}

/**
 * The export that a message names.
 * @throws Fault `invalid` `export_time_missing`, `export_in_future`, `export_time_differs`
 */
export function billFor(bills: Bills, id: string, exportedAt: string | undefined, turn: Turn): Bill {
  const noted = `export/${id}`
  const before = turn.scratch.get(noted) as (Bill & { told: string | undefined }) | undefined
  if (before && before.told === exportedAt) return before
  if (exportedAt === undefined)
    throw Fault.invalid('export_time_missing', 'A line that belongs to an export must have exportedAt.')
  const at = exportTime(exportedAt)
  if (isAhead(new Date(at), turn.now.getTime()))
    throw Fault.invalid('export_in_future', `exportedAt must not be more than a day in the future: ${at}`)
  const known = before?.at ?? knownTime(bills, id)
  if (known !== undefined && known !== at)
    throw Fault.invalid('export_time_differs', `The export already has exportedAt ${known}, not ${at}.`)
  const bill = { id, at, told: exportedAt }
  turn.scratch.set(noted, bill)
  return bill
}

/**
 * If no export of a period is complete, the oldest one in progress counts as its lines arrive, whichever arrived first.
 * If a newer one is already shown, the next check replaces it, since it knows all days of both. If lines from before
 * exports were known may be stored, no incomplete export is shown.
 */
function begin({ bills, oldThrough }: CloudAccount, period: string, bill: Bill, day: string, turn: Turn): void {
  const shown = bills.shown[period]
  const { id, at } = bill
  if (shown === undefined) {
    if (mayBeOld(oldThrough, period)) return
    const since = turn.now.toISOString()
    bills.shown[period] = { id, at, complete: false, from: day, to: day, amount: noAmount, since, before: [] }
  } else if (!shown.complete && compareExports(bill, shown) < 0) {
    const begun = bills.begun[period]
    if (begun === undefined || compareExports(bill, begun) < 0) bills.begun[period] = { id, at }
  }
}

function lookAgain({ begun, open }: Bills, period: string, { id }: Bill, turn: Turn): void {
  const found = open.find((one) => one.id === id)
  if (found) {
    found.since = turn.now.toISOString()
    if (found.state === 'incomplete') found.state = 'waiting'
  }
  if (found || begun[period]?.id === id) remindCheck(id, new Date(turn.now.getTime() + quietMs), turn)
}

const checkName = (id: string): string => `export-check/${id}`

/** Schedules a check of the open exports at `at`. */
export const remindCheck = (id: string, at: Date, turn: Turn): void =>
  turn.remind(checkName(id), at, billingExportChecked, { cloudAccountId: turn.address.place })

export const forgetCheck = (id: string, turn: Turn): void => turn.forget(checkName(id))
