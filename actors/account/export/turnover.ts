/**
 * The end of an export, and what it replaces. Both messages that lead here run alone, after everything before them, so
 * the lines counted in the store are all that arrived. The pointer to the shown export, the lane's cursor and the marks
 * of all days that change move in one commit: before it nothing has changed, after it only the sums have to be
 * recomputed. Reports show the old bill until then: the rollup publishes all days of a run by one insert
 * (`analytics/rollup/daily-cost/cost-rollup.ts`).
 */
import { Fault } from '#engine/value/fault.ts'
import type { Static } from '#engine/value/schema.ts'
import type { Turn } from '#engine/actor/turn.ts'
import type { billingExportEnded } from '#streams/billing/messages.ts'
import { billChanged } from '#streams/live/messages.ts'
import {
  compareExports,
  forgetRemoved,
  isLessThanHalf,
  isOver,
  noAmount,
  openMax,
  type Amount,
  type Bills,
  type OpenExport,
} from '#actors/account/bill/bills.ts'
import { Counts } from '#actors/account/bill/counts.ts'
import type { CloudAccount } from '#actors/account/entity.ts'
import { billFor, forgetCheck, remindCheck } from './export.ts'
import { checkRestored } from './restore.ts'
import { layerIds, segmentsOf, type DayRange, type Segment } from './layers.ts'
import { show, showDays } from './show.ts'
import { tellOutcome, type PeriodChange } from './outcome.ts'

/** Milliseconds without a further line after which an export with fewer lines than announced is incomplete. */
const waitMs = 600_000

type ExportEnd = Static<typeof billingExportEnded.schema>

/**
 * @throws Fault `invalid` as `billFor`; `export_time_differs` also because of its lines; `period_repeated`,
 * `part_invalid`
 */
export function endExport(account: CloudAccount, ended: ExportEnd, turn: Turn): void {
  const { bills } = account
  const bill = billFor(bills, ended.exportId, ended.exportedAt, turn)
  const told = toldOf(ended)
  new Counts(turn).mustBeOfOneTime(bill)
  let open = bills.open.find(({ id }) => id === bill.id)
  if (!open) {
    open = { id: bill.id, at: bill.at, periods: {}, confirmed: false, state: 'waiting', counted: 0, since: '' }
    bills.open.push(open)
  }
  take(open, ended, told)
  forgetRemoved(bills, open.id, Object.keys(told))
  open.confirmed ||= ended.confirmed === true
  if (ended.someDays) open.someDays = true
  else delete open.someDays
  open.state = 'waiting'
  open.since = turn.now.toISOString()
  const { place: cloudAccountID } = turn.address
  turn.tell(billChanged, { cloudAccountID, exportID: open.id, state: 'waiting' }, { cloudAccountID })
  settleExports(account, turn)
  forgetOldest(account, turn)
}

function toldOf({ periods, part }: ExportEnd): Record<string, number> {
  const told = Object.fromEntries(periods.map(({ period, lines }) => [period, lines]))
  if (Object.keys(told).length < periods.length)
    throw Fault.invalid('period_repeated', 'A billing period is listed twice.')
  if (part && part.index > part.of)
    throw Fault.invalid('part_invalid', `Part ${part.index} is out of range: the export has ${part.of} parts.`)
  return told
}

/**
 * Stores the announced counts. Those of a part replace earlier ones of the same part; an end without parts, or with
 * another number of parts, replaces all.
 */
function take(open: OpenExport, { part }: ExportEnd, told: Record<string, number>): void {
  if (!part) {
    delete open.parts
    open.periods = told
    return
  }
  if (open.parts?.of !== part.of) open.parts = { of: part.of, got: {} }
  open.parts.got[part.index] = told
  if (part.contents) {
    const own = part.contents.map((content) => [content, part.index] as const)
    open.parts.contents = Object.fromEntries([...own, ...Object.entries(open.parts.contents ?? {})])
  }
  open.periods = {}
  for (const one of Object.values(open.parts.got))
    for (const [period, lines] of Object.entries(one)) open.periods[period] = (open.periods[period] ?? 0) + lines
}

function forgetOldest(account: CloudAccount, turn: Turn): void {
  const { bills } = account
  while (bills.open.length > openMax) {
    const oldest = bills.open.toSorted(compareExports)[0]!
    if (oldest.state !== 'incomplete') tellOutcome(account, oldest, 'incomplete', [], turn)
    close(bills, oldest, turn)
  }
}

/** Checks exports in progress and open exports, the newest first, against the lines in the store. */
export function settleExports(account: CloudAccount, turn: Turn): void {
  const counts = new Counts(turn)
  checkRestored(account, counts, turn)
  showBegun(account, counts, turn)
  for (const open of account.bills.open.toSorted((a, b) => compareExports(b, a))) settle(account, open, counts, turn)
}

/** Neither export is complete: shows the older one in place of the one that is shown. */
function showBegun(account: CloudAccount, counts: Counts, turn: Turn): void {
  const { bills } = account
  for (const [period, begun] of Object.entries(bills.begun)) {
    delete bills.begun[period]
    forgetCheck(begun.id, turn)
    const shown = bills.shown[period]
    if (isOver(bills, period, begun) || shown?.id === begun.id) continue
    const days = [...counts.days(period, begun.id), ...counts.days(period, shown?.id)]
    show(account, period, { ...begun, complete: false, amount: noAmount }, days, turn)
  }
}

function settle(account: CloudAccount, open: OpenExport, counts: Counts, turn: Turn): void {
  const { bills } = account
  const periods = Object.keys(open.periods)
  const live = periods.filter((period) => !isOver(bills, period, open))
  const isShown = periods.some((period) => bills.shown[period]?.complete && bills.shown[period].id === open.id)
  // Parts still to come may be of other periods.
  if (live.length === 0 && (isShown || isTold(open))) {
    if (!isShown) tellOutcome(account, open, 'over', [], turn)
    return close(bills, open, turn)
  }
  open.counted = periods.reduce((lines, period) => lines + counts.amount(period, open.id).lines, 0)
  if (!isWhole(open, live, counts)) return wait(account, open, live, turn)
  const changes = live.map((period) => changeOf(account, open, period, counts))
  if (!open.confirmed && changes.some((change) => shrinks(account, change, counts))) {
    if (open.state !== 'held') tellOutcome(account, open, 'held', changes, turn)
    open.state = 'held'
    return forgetCheck(open.id, turn)
  }
  for (const change of changes) turnOver(account, open, change, counts, turn)
  tellOutcome(account, open, 'replaced', changes, turn)
  close(bills, open, turn)
}

/** What an export would change in a period: only its own days, if it covers some days of a bill that is shown. */
function changeOf(account: CloudAccount, open: OpenExport, period: string, counts: Counts): PeriodChange {
  const after = counts.amount(period, open.id)
  const days = daysOver(account, open, period, counts)
  if (!days) return { period, before: before(account, period, open.id, counts), after }
  const standing = segmentsOf(account.bills.shown[period]!).flatMap((segment) => within(segment, days))
  return { period, before: counts.amountIn(period, standing), after }
}

/**
 * The days of an export that replaces only its own days; undefined for any other, and if no other bill is shown that it
 * could cover.
 */
function daysOver(
  { bills }: CloudAccount,
  { id, someDays }: OpenExport,
  period: string,
  counts: Counts,
): DayRange | undefined {
  const shown = bills.shown[period]
  const days = counts.days(period, id).toSorted()
  if (!someDays || !shown || shown.id === id || days.length === 0) return undefined
  return { from: days[0]!, to: days.at(-1)! }
}

const within = (segment: Segment, { from, to }: DayRange): Segment[] => {
  const cut = { ...segment, from: segment.from > from ? segment.from : from, to: segment.to < to ? segment.to : to }
  return cut.from <= cut.to ? [cut] : []
}

function turnOver(
  account: CloudAccount,
  open: OpenExport,
  { period, after }: PeriodChange,
  counts: Counts,
  turn: Turn,
) {
  const { bills } = account
  const { id, at } = open
  const days = daysOver(account, open, period, counts)
  delete bills.begun[period]
  if (days) return showDays(account, period, { id, at, days }, counts, turn)
  const ids = bills.shown[period] ? layerIds(bills.shown[period]) : []
  const all = [id, ...ids, ''].flatMap((one) => counts.days(period, one))
  show(account, period, { id, at, complete: true, amount: after }, all, turn)
}

const isTold = ({ parts }: OpenExport): boolean => parts === undefined || Object.keys(parts.got).length === parts.of

const isWhole = (open: OpenExport, live: readonly string[], counts: Counts): boolean =>
  isTold(open) && live.every((period) => counts.amount(period, open.id).lines === open.periods[period])

/**
 * Lines may still arrive. If newer exports have replaced it in all announced periods, it is closed without a report.
 */
function wait(account: CloudAccount, open: OpenExport, live: readonly string[], turn: Turn): void {
  const until = new Date(Date.parse(open.since) + waitMs)
  if (until > turn.now) {
    if (open.state === 'held') open.state = 'waiting'
    return remindCheck(open.id, until, turn)
  }
  if (live.length === 0) return close(account.bills, open, turn)
  if (open.state !== 'incomplete') tellOutcome(account, open, 'incomplete', [], turn)
  open.state = 'incomplete'
  forgetCheck(open.id, turn)
}

/**
 * What an export would replace: a complete one, otherwise lines from before exports were known, otherwise the lines of
 * another incomplete one.
 */
function before({ bills }: CloudAccount, period: string, id: string, counts: Counts): Amount {
  const shown = bills.shown[period]
  if (shown?.complete) return shown.amount
  const old = counts.amount(period, '')
  const isOther = shown !== undefined && shown.id !== id
  return old.lines > 0 || !isOther ? old : counts.amount(period, shown.id)
}

/** Less than half of a complete bill in lines or in cost, or nothing in place of something (decision G-108). */
function shrinks({ bills }: CloudAccount, { period, before: standing, after }: PeriodChange, counts: Counts): boolean {
  if (after.lines === 0) return standing.lines > 0
  const shown = bills.shown[period]
  const isOfWhole = shown?.complete === true || counts.amount(period, '').lines > 0
  return isOfWhole && isLessThanHalf(standing, after)
}

function close(bills: Bills, { id }: OpenExport, turn: Turn): void {
  bills.open = bills.open.filter((open) => open.id !== id)
  forgetCheck(id, turn)
}
