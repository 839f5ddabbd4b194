/**
 * An admin removes a wrong bill (decision G-128). The bill shown before it is restored if all its lines are still
 * stored; otherwise nothing is shown for the period. Runs alone, after everything before it, like the end of an export,
 * so all days change together.
 */
import type { AccountNeeds } from '#actors/account/needs.ts'
import { Fault } from '#engine/value/fault.ts'
import type { Static } from '#engine/value/schema.ts'
import type { Turn } from '#engine/actor/turn.ts'
import type { accountBillsRemoved, billRemoved } from '#streams/billing/removal.ts'
import { dayRange, knownTime, noAmount, removedMax, type Amount, type Bills } from './bills.ts'
import { Counts } from './counts.ts'
import type { CloudAccount } from '#actors/account/entity.ts'
import { forgetCheck } from '#actors/account/export/export.ts'
import { layerIds, layersOf, segmentsOf } from '#actors/account/export/layers.ts'
import { removeLoneLines } from './lone-lines.ts'
import { tellRemoved, type PeriodChange } from '#actors/account/export/outcome.ts'
import { isStored, showBefore, readStoredAmount } from '#actors/account/export/restore.ts'
import { markDays } from '#actors/account/export/show.ts'
import { settleExports } from '#actors/account/export/turnover.ts'

/** What a removal changed in a billing period. */
export interface RemovedPeriod extends PeriodChange {
  exportId: string
  exportedAt: string
  /** Size of the removed export itself. */
  removed: Amount
  /** Id of the export shown from now on; null if there is none. */
  shows: string | null
}

/** @throws Fault `missing` if the account or the export is unknown, or the export was already removed */
export function removeBill(
  account: CloudAccount,
  { exportId, period, by }: Static<typeof billRemoved.schema>,
  turn: Turn,
): void {
  const { bills } = account
  const periods = periodsOf(bills, exportId).filter((one) => period === undefined || one === period)
  const exportedAt = timeOf(bills, exportId)
  if (periods.length === 0 || exportedAt === undefined) throw Fault.missing('bill export', exportId)
  const counts = new Counts(turn)
  const removed = periods.map((one) => removePeriod(account, exportId, exportedAt, one, counts, turn))
  closeOpen(bills, exportId, new Set(periods), turn)
  remember(bills, removed, by, turn)
  tellRemoved(account, { id: exportId, at: exportedAt }, removed, by, turn)
  settleExports(account, turn)
  for (const one of removed) one.shows = bills.shown[one.period]?.id ?? null
  turn.reply({ removed })
}

/**
 * Removes every bill of the account, then page by page its individually sent lines.
 * @throws Fault `missing` for an unknown account
 */
export function removeBills(
  account: CloudAccount,
  { by }: Static<typeof accountBillsRemoved.schema>,
  turn: Turn<AccountNeeds>,
): void {
  if (account.createdAt.getTime() === 0) throw Fault.missing('cloud account', account.id)
  const { bills } = account
  const counts = new Counts(turn)
  const removed = Object.entries(bills.shown)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([period, { id, at, from, to, complete, amount }]): RemovedPeriod => {
      delete bills.shown[period]
      markDays([...dayRange(from, to), ...counts.days(period, id)], turn)
      const own = complete ? amount : counts.amount(period, id)
      return { period, before: own, after: noAmount, exportId: id, exportedAt: at, removed: own, shows: null }
    })
  for (const { id } of [...bills.open, ...Object.values(bills.begun)]) forgetCheck(id, turn)
  bills.open = []
  bills.begun = {}
  remember(bills, removed, by, turn, true)
  for (const [id, own] of Map.groupBy(removed, ({ exportId }) => exportId))
    tellRemoved(account, { id, at: own[0]!.exportedAt }, own, by, turn)
  removeLoneLines(turn)
  turn.reply({ removed })
}

/** Billing periods in which the account knows the export, oldest first. */
function periodsOf({ shown, begun, open }: Bills, id: string): string[] {
  const ofShown = Object.entries(shown).flatMap(([period, one]) =>
    [...one.before, one].some((bill) => layerIds(bill).includes(id)) ? [period] : [],
  )
  const ofBegun = Object.entries(begun).flatMap(([period, one]) => (one.id === id ? [period] : []))
  const ofOpen = open.filter((one) => one.id === id).flatMap(({ periods }) => Object.keys(periods))
  return [...new Set([...ofShown, ...ofBegun, ...ofOpen])].toSorted()
}

const timeOf = (bills: Bills, id: string): string | undefined =>
  knownTime(bills, id) ??
  Object.values(bills.shown)
    .flatMap(({ before }) => before)
    .find((past) => past.id === id)?.at

function removePeriod(
  account: CloudAccount,
  exportId: string,
  exportedAt: string,
  period: string,
  counts: Counts,
  turn: Turn,
): RemovedPeriod {
  const { bills } = account
  const shown = bills.shown[period]
  if (bills.begun[period]?.id === exportId) delete bills.begun[period]
  const standing = (): Amount => {
    const now = bills.shown[period]
    return now === undefined ? counts.amount(period, '') : now.complete ? now.amount : counts.amount(period, now.id)
  }
  const before = standing()
  const past = shown?.before.find(({ id }) => id === exportId)
  const isShown = shown?.id === exportId
  const removed = isShown ? before : (past?.amount ?? counts.amount(period, exportId))
  if (shown) takeOut(account, period, exportId, counts, turn)
  return { period, before, after: standing(), exportId, exportedAt, removed, shows: null }
}

/** Removes an export from what is shown, from what was shown before, and from the layers. */
function takeOut(account: CloudAccount, period: string, id: string, counts: Counts, turn: Turn): void {
  const shown = account.bills.shown[period]!
  shown.before = shown.before.filter((one) => !layerIds(one).includes(id))
  if (shown.id === id) showBefore(account, period, counts, turn)
  else if (layerIds(shown).includes(id)) takeLayerOut(account, period, id, counts, turn)
}

/**
 * Removes an export that newer exports of some days partly cover. If it was of all days, the bill shown before it takes
 * its place under them.
 */
function takeLayerOut({ bills }: CloudAccount, period: string, id: string, counts: Counts, turn: Turn): void {
  const shown = bills.shown[period]!
  const left = shown.layers!.filter((layer) => layer.id !== id)
  const isOfAll = left.length === 0 || left[0]!.days !== undefined
  const past = isOfAll
    ? shown.before.findLast((one) => isStored(one, readStoredAmount(period, one, counts)))
    : undefined
  const below = past ? layersOf(past).filter((layer) => left.every((one) => one.id !== layer.id)) : []
  shown.layers = [...below, ...left]
  shown.amount = counts.amountIn(period, segmentsOf(shown))
  shown.since = turn.now.toISOString()
  markDays([...dayRange(shown.from, shown.to), ...counts.days(period, id)], turn)
}

/** Stops waiting for these periods of an open export, and closes it if none are left. */
function closeOpen(bills: Bills, id: string, periods: ReadonlySet<string>, turn: Turn): void {
  const left = (told: Record<string, number>): Record<string, number> =>
    Object.fromEntries(Object.entries(told).filter(([period]) => !periods.has(period)))
  for (const open of bills.open.filter((one) => one.id === id)) {
    open.periods = left(open.periods)
    for (const [index, told] of Object.entries(open.parts?.got ?? {})) open.parts!.got[index] = left(told)
  }
  bills.open = bills.open.filter((one) => one.id !== id || Object.keys(one.periods).length > 0)
  const isAwaited = [...bills.open, ...Object.values(bills.begun)].some((one) => one.id === id)
  if (!isAwaited) forgetCheck(id, turn)
}

function remember(bills: Bills, removed: readonly RemovedPeriod[], by: string, turn: Turn, isAll = false): void {
  const on = turn.now.toISOString()
  const entries = removed.map(({ period, exportId: id, exportedAt: at, removed: amount }) => ({
    id,
    at,
    period,
    amount,
    on,
    by,
    ...(isAll && { all: true as const }),
  }))
  bills.removed = [...bills.removed, ...entries].slice(-removedMax)
}
