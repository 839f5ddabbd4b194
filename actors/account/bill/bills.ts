/**
 * What stands of each billing period of an account (decisions G-107, G-108): the export that is shown, those that are not
 * whole yet, and what became of the last ones. Written by the account actor alone, in the commit that turns a bill over.
 */
import { dayMs } from '#engine/value/day.ts'
import { toUnits } from '#engine/value/decimal.ts'
import type { Layer } from '#actors/account/export/layers.ts'

/** How much of a bill there is: different lines, and their exact sums in US dollars as decimal text. */
export interface Amount {
  lines: number
  billed: string
  effective: string
}

/** A bill that is shown. While it is not complete its lines count as they come. Days are `YYYY-MM-DD`, both included. */
export interface ShownBill {
  id: string
  /** When it was exported, ISO 8601 with milliseconds: with the id the order of the exports of a period. */
  at: string
  complete: boolean
  /** The days that have lines of it, or had lines that it replaced. */
  from: string
  to: string
  /** Of a complete one; nothing is counted before. */
  amount: Amount
  /** Since when it is complete, or else is shown. */
  since: string
  /** Those that were complete and shown before it, the newest last, `beforeMax` at most: what the sweep goes by. */
  before: PastBill[]
  /** Where an export of some days is shown over others: what is shown of which days. */
  layers?: Layer[]
  /** A removal has brought it back, and it is to be checked that no sweep took lines of it meanwhile. */
  isRestored?: true
}

/** An export that was shown, and since when. `amount` is missing where it was replaced before amounts were kept. */
export interface PastBill {
  id: string
  at: string
  since: string
  amount?: Amount
  layers?: Layer[]
}

/** What an admin removed of an account's bills: an export of one billing period. */
interface RemovedBill {
  id: string
  at: string
  period: string
  amount: Amount
  /** When, ISO 8601, and the user or principal who removed it. */
  on: string
  by: string
  /** All bills of the account were removed: older exports of the period are as dead as this one. */
  all?: true
}

export const openStates = ['waiting', 'held', 'incomplete'] as const
export type OpenState = (typeof openStates)[number]

/** An export whose end was told, and that replaces nothing yet. */
export interface OpenExport {
  id: string
  at: string
  /** Lines told, by billing period; of the parts told so far where there are parts: `contents` says which part has a content. */
  periods: Record<string, number>
  parts?: { of: number; got: Record<string, Record<string, number>>; contents?: Record<string, number> }
  /** Taken also where it shrinks. */
  confirmed: boolean
  /** It replaces its own days alone. */
  someDays?: true
  state: OpenState
  /** Lines found when it was last looked at. */
  counted: number
  /** When its end, or the newest line behind it, came. */
  since: string
}

/** How an export ended, or was held; the newest last. */
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
  /** Of periods without a complete export: an older one than is shown, to be shown at the next check. */
  begun: Record<string, { id: string; at: string }>
  open: OpenExport[]
  told: ToldExport[]
  /** The newest last, `removedMax` at most. One that is delivered again is in it no more. */
  removed: RemovedBill[]
  /** Lines that came of exports that were over. */
  ignored: number
}

export const noBills = (): Bills => ({ shown: {}, begun: {}, open: [], told: [], removed: [], ignored: 0 })

export const noAmount: Amount = { lines: 0, billed: '0', effective: '0' }

/** Open exports of an account at once: beyond, the oldest is told as incomplete and forgotten. Outcomes kept. */
export const openMax = 16
export const toldMax = 8

/** Removed exports that are remembered: older ones are swept once a newer bill of their period has replaced another. */
export const removedMax = 100

/** Replaced exports of a period that are remembered. */
export const beforeMax = 8

/**
 * The export that was shown at `then` at the earliest: those older than it have not been since. As far back as is remembered;
 * undefined when nothing complete was shown then.
 */
export function shownSince({ complete, before, ...now }: ShownBill, then: string): PastBill | undefined {
  if (!complete) return undefined
  const stood = [...before, now].findLast(({ since }) => since <= then)
  return stood ?? (before.length >= beforeMax ? before[0] : undefined)
}

/** Days of a bill that are all marked together. */
const rangeMax = 400

/** The days from one to another, both included, unless a stray line makes them too many: then none. */
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

/** The order of exports: by their time, then by their id as text. Above 0 where `a` is the newer. */
export function compareExports(a: DatedExport, b: DatedExport): number {
  if (a.at !== b.at) return a.at < b.at ? -1 : 1
  return a.id === b.id ? 0 : a.id < b.id ? -1 : 1
}

/** The time of an export as it is kept and compared. */
export const exportTime = (exportedAt: string): string => new Date(exportedAt).toISOString()

/** How far ahead of now an export may say it was made: one beyond it would shut out all later ones. */
const aheadMsMax = dayMs

export const isAhead = (at: Date, nowMs: number): boolean => at.getTime() > nowMs + aheadMsMax

/** Below half in lines or in cost of what stands (decision G-108). */
export const isLessThanHalf = (standing: Amount, after: Amount): boolean =>
  after.lines * 2 < standing.lines || size(after) * 2n < size(standing)

function size({ effective }: Amount): bigint {
  const units = toUnits(effective, 14) ?? 0n
  return units < 0n ? -units : units
}

/** Whether lines of the period may be stored from before exports were known. */
export const mayBeOld = (oldThrough: string, period: string): boolean => period <= oldThrough

/** The time under which an export is known; undefined for one that is not. */
export function knownTime({ shown, begun, open }: Bills, id: string): string | undefined {
  const all = [...open, ...Object.values(shown), ...Object.values(begun)]
  return all.find((bill) => bill.id === id)?.at
}

/** An export that was removed is delivered again: it is taken as any other. */
export function forgetRemoved(bills: Bills, id: string, periods: readonly string[]): void {
  const isBack = (one: RemovedBill): boolean => (one.id === id || one.all === true) && periods.includes(one.period)
  if (bills.removed.some(isBack)) bills.removed = bills.removed.filter((one) => !isBack(one))
}

/** Whether an export says nothing of a period any more: a newer one is complete there, or it is that one itself. */
export const isOver = ({ shown }: Bills, period: string, bill: DatedExport): boolean =>
  shown[period]?.complete === true && compareExports(bill, shown[period]) <= 0
