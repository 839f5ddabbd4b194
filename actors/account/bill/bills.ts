/**
 * The bills of an account, by billing period (decisions G-107, G-108): the export that is shown, exports that are not
 * complete yet, and the outcome of the last ones. Written only by the account actor, in the commit that replaces a
 * bill.
 */
import { dayMs } from '#engine/value/day.ts'
import { toUnits } from '#engine/value/decimal.ts'
import type { Layer } from '#actors/account/export/layers.ts'

/** The size of a bill: its number of different lines, and their exact sums in US dollars as decimal text. */
export interface Amount {
  lines: number
  billed: string
  effective: string
}

/**
 * A bill that is shown. While it is incomplete, its lines count as they arrive. Days are `YYYY-MM-DD`, both included.
 */
export interface ShownBill {
  id: string
  /** When it was exported, ISO 8601 with milliseconds. Time and id order the exports of a period. */
  at: string
  complete: boolean
  /** First and last day that has lines of it, or had lines that it replaced. */
  from: string
  to: string
  /** Only of a complete bill; before that nothing is counted. */
  amount: Amount
  /** When it became complete; of an incomplete bill, since when it is shown. */
  since: string
  /**
   * Complete bills that were shown before it, the newest last, at most `beforeMax`. The sweep of old lines uses them.
   */
  before: PastBill[]
  /** Only if exports of some days are shown over others: which export is shown on which days. */
  layers?: Layer[]
  /** A removal has restored it; a check must still confirm that no sweep took lines of it meanwhile. */
  isRestored?: true
}

/** An export that was shown, and since when. `amount` is missing if it was replaced before amounts were stored. */
export interface PastBill {
  id: string
  at: string
  since: string
  amount?: Amount
  layers?: Layer[]
}

/** An export of one billing period that an admin removed. */
interface RemovedBill {
  id: string
  at: string
  period: string
  amount: Amount
  /** When it was removed, ISO 8601, and by which user or principal. */
  on: string
  by: string
  /** All bills of the account were removed: older exports of the period count as removed, too. */
  all?: true
}

export const openStates = ['waiting', 'held', 'incomplete'] as const
export type OpenState = (typeof openStates)[number]

/** An export whose end was announced and that has replaced nothing yet. */
export interface OpenExport {
  id: string
  at: string
  /**
   * Number of lines that the end announced, by billing period. For an export in parts: of the parts announced so far;
   * `contents` maps each content to the number of its part.
   */
  periods: Record<string, number>
  parts?: { of: number; got: Record<string, Record<string, number>>; contents?: Record<string, number> }
  /** Replaces the shown bill even if it is less than half of it. */
  confirmed: boolean
  /** It replaces only its own days. */
  someDays?: true
  state: OpenState
  /** Lines found at the last check. */
  counted: number
  /** When its end arrived, or the newest line after it. */
  since: string
}

/** The outcome of an export, or that it is held. */
export interface ToldExport {
  id: string
  at: string
  /** `over`: a newer export is shown in all its periods. */
  state: 'replaced' | 'over' | 'held' | 'incomplete' | 'removed'
  periods: { period: string; before: Amount; after: Amount }[]
  on: string
}

export interface Bills {
  /** By billing period, `YYYY-MM`. */
  shown: Record<string, ShownBill>
  /** Only periods without a complete export: an export older than the shown one, to be shown at the next check. */
  begun: Record<string, { id: string; at: string }>
  open: OpenExport[]
  told: ToldExport[]
  /** The newest last, at most `removedMax`. An export that is delivered again is taken out. */
  removed: RemovedBill[]
  /** Lines that arrived for exports that a newer one had replaced. */
  ignored: number
}

export const noBills = (): Bills => ({ shown: {}, begun: {}, open: [], told: [], removed: [], ignored: 0 })

export const noAmount: Amount = { lines: 0, billed: '0', effective: '0' }

/**
 * Maximum open exports of an account: beyond it the oldest is reported as incomplete and forgotten. Below: how many
 * outcomes are kept.
 */
export const openMax = 16
export const toldMax = 8

/** Maximum removed exports remembered. Older ones are swept once a newer bill of their period has replaced another. */
export const removedMax = 100

/** Maximum replaced exports of a period remembered. */
export const beforeMax = 8

/**
 * The oldest export that may have been shown since `then`: exports older than it were not. At most as far back as is
 * remembered; undefined if no complete one was shown then.
 */
export function shownSince({ complete, before, ...now }: ShownBill, then: string): PastBill | undefined {
  if (!complete) return undefined
  const stood = [...before, now].findLast(({ since }) => since <= then)
  return stood ?? (before.length >= beforeMax ? before[0] : undefined)
}

/** Maximum days of a bill that are all marked. */
const rangeMax = 400

/**
 * The days from `from` to `to`, both included; empty if they are more than `rangeMax`, as a single wrong line may
 * cause.
 */
export function dayRange(from: string, to: string): string[] {
  const first = Date.parse(from)
  const count = (Date.parse(to) - first) / dayMs + 1
  if (!(count <= rangeMax)) return []
  return Array.from({ length: count }, (_, n) => new Date(first + n * dayMs).toISOString().slice(0, 10))
}

interface DatedExport {
  id: string
  at: string
}

/** Orders exports by time, then by id as text. Above 0 if `a` is newer. */
export function compareExports(a: DatedExport, b: DatedExport): number {
  if (a.at !== b.at) return a.at < b.at ? -1 : 1
  return a.id === b.id ? 0 : a.id < b.id ? -1 : 1
}

/** The time of an export as it is stored and compared. */
export const exportTime = (exportedAt: string): string => new Date(exportedAt).toISOString()

/** How far in the future an export may claim to be: beyond that it would block all later ones. */
const aheadMsMax = dayMs

export const isAhead = (at: Date, nowMs: number): boolean => at.getTime() > nowMs + aheadMsMax

/** Whether `after` has less than half of the lines or of the cost of `standing` (decision G-108). */
export const isLessThanHalf = (standing: Amount, after: Amount): boolean =>
  after.lines * 2 < standing.lines || size(after) * 2n < size(standing)

function size({ effective }: Amount): bigint {
  const units = toUnits(effective, 14) ?? 0n
  return units < 0n ? -units : units
}

/** Whether the store may have lines of the period from before exports were known. */
export const mayBeOld = (oldThrough: string, period: string): boolean => period <= oldThrough

/** The stored time of an export; undefined if it is not known. */
export function knownTime({ shown, begun, open }: Bills, id: string): string | undefined {
  const all = [...open, ...Object.values(shown), ...Object.values(begun)]
  return all.find((bill) => bill.id === id)?.at
}

/** Forgets that an export was removed, because it is delivered again. */
export function forgetRemoved(bills: Bills, id: string, periods: readonly string[]): void {
  const isBack = (one: RemovedBill): boolean => (one.id === id || one.all === true) && periods.includes(one.period)
  if (bills.removed.some(isBack)) bills.removed = bills.removed.filter((one) => !isBack(one))
}

/** Whether an export no longer counts for a period: it, or a newer one, is complete there. */
export const isOver = ({ shown }: Bills, period: string, bill: DatedExport): boolean =>
  shown[period]?.complete === true && compareExports(bill, shown[period]) <= 0
