/** What an upload would change in the bills of its account, and its outcome. */
import {
  compareExports,
  isLessThanHalf,
  isOver,
  mayBeOld,
  type Amount,
  type Bills,
} from '#actors/account/bill/bills.ts'
import { layerIds } from '#actors/account/export/layers.ts'
import { amountWithin, daysLost, shownDays } from '#actors/account/export/own-days.ts'
import { verdictOf, type PeriodOutcome, type Verdict } from '#actors/account/export/verdict.ts'
import type { BillUpload, Replacement, CurrentBill, UploadPeriod, UploadState } from '#actors/billing/upload-entity.ts'
import type { BillTools } from '#actors/billing/upload-tools.ts'
import type { Bill, BillDay } from '#analytics/billing/bill.ts'
import type { RepeatedBill } from '#analytics/billing/repeated-bill.ts'
import { sum } from '#engine/value/decimal.ts'

/** The state of bills in the account of an upload. */
export interface AccountBills {
  bills: Bills
  oldThrough: string
}

type Upload = Pick<BillUpload, 'id' | 'cloudAccountId' | 'exportedAt' | 'state' | 'periods' | 'confirmed'>

const exportOf = ({ id, exportedAt }: Pick<Upload, 'id' | 'exportedAt'>) => ({ id, at: exportedAt.toISOString() })

/** By billing period, as of now. */
export async function replacements(
  upload: Upload,
  kept: AccountBills,
  tools: Pick<BillTools, 'count' | 'countOld' | 'repeated'>,
): Promise<Map<string, Replacement>> {
  const standing = await standingOf(upload, kept, tools)
  const days = await daysShown(upload, kept, tools)
  const repeats = await repeatsOf(upload, standing, tools)
  const found = upload.periods.map((one): [string, Replacement] => {
    const { period } = one
    const stands = standing.get(period) ?? null
    const replaces = stands !== null && !isOver(kept.bills, period, exportOf(upload))
    const shown = replaces ? (days.get(period) ?? []) : []
    const repeat = repeats.get(period)
    return [
      period,
      {
        standing: stands,
        replaces,
        lessThanHalf: replaces && shrinks(one, stands, shown),
        daysLost: one.someDays ? [] : daysLost(shown, one),
        ...(repeat && { repeats: repeat }),
      },
    ]
  })
  return new Map(found)
}

/** Whether it is less than half of a complete bill; if it replaces only its own days, of those days. */
function shrinks(one: UploadPeriod, stands: CurrentBill, shown: readonly BillDay[]): boolean {
  const { lines, billed, effective } = one
  if (!stands.whole || billed === null || effective === null) return false
  const replaced = one.someDays && shown.length > 0 ? amountWithin(shown, one) : stands
  return isLessThanHalf(replaced, { lines, billed, effective })
}

/** What complete bills show, by billing period, one entry for each day. */
async function daysShown(
  { cloudAccountId, periods }: Upload,
  { bills }: AccountBills,
  { count }: Pick<BillTools, 'count'>,
): Promise<Map<string, BillDay[]>> {
  const whole = periods.flatMap(({ period }) => (bills.shown[period]?.complete ? [period] : []))
  const wanted = whole.flatMap((period) => layerIds(bills.shown[period]!).map((exportId) => ({ period, exportId })))
  if (wanted.length === 0) return new Map()
  const stored = Map.groupBy(await count(cloudAccountId, wanted), ({ period }) => period)
  return new Map(whole.map((period) => [period, shownDays(bills.shown[period]!, stored.get(period) ?? [])]))
}

/**
 * Bills of other accounts that it repeats, by billing period. Searched only while it can be applied and its account has
 * no bill yet: a newer bill of the same account counts nothing twice that was not counted twice before.
 */
async function repeatsOf(
  { cloudAccountId: account, state, periods }: Upload,
  standing: ReadonlyMap<string, CurrentBill>,
  { repeated }: Pick<BillTools, 'repeated'>,
): Promise<Map<string, RepeatedBill>> {
  const found = new Map<string, RepeatedBill>()
  if (state !== 'ready') return found
  for (const { period, from, to, accounts } of periods) {
    const repeat = accounts && !standing.has(period) && (await repeated({ account, from, to, ...accounts }))
    if (repeat) found.set(period, repeat)
  }
  return found
}

/** A complete bill has its size. Lines from before exports were known, or of an export in progress, are counted. */
async function standingOf(
  { cloudAccountId, id, periods }: Upload,
  { bills, oldThrough }: AccountBills,
  { count, countOld }: Pick<BillTools, 'count' | 'countOld'>,
): Promise<Map<string, CurrentBill>> {
  const found = new Map<string, CurrentBill>()
  const unknown: string[] = []
  for (const { period } of periods) {
    const shown = bills.shown[period]
    if (shown?.complete) found.set(period, { ...shown.amount, exportedAt: shown.at, whole: true })
    else unknown.push(period)
  }
  const begun = unknown.flatMap((period): Bill[] => {
    const shown = bills.shown[period]
    return shown && shown.id !== id ? [{ period, exportId: shown.id }] : []
  })
  if (begun.length > 0) {
    for (const [period, amount] of amounts(await count(cloudAccountId, begun)))
      found.set(period, { ...amount, exportedAt: bills.shown[period]!.at, whole: false })
  }
  const old = unknown.filter((period) => mayBeOld(oldThrough, period))
  if (old.length > 0) {
    for (const [period, amount] of amounts(await countOld(cloudAccountId, old)))
      found.set(period, { ...amount, exportedAt: null, whole: true })
  }
  return found
}

/** The size of bills, by billing period. */
function amounts(days: readonly BillDay[]): Map<string, Amount> {
  const found = [...Map.groupBy(days, ({ period }) => period)].map(([period, all]): [string, Amount] => [
    period,
    {
      lines: all.reduce((lines, day) => lines + day.lines, 0),
      billed: sum(all.map(({ billed }) => billed)),
      effective: sum(all.map(({ effective }) => effective)),
    },
  ])
  return new Map(found)
}

/**
 * What is stored of a fully processed upload, for each billing period, as it will count. Lines are not stored if a
 * newer bill is shown; then its own sums stay. Undefined if lines were dead-lettered.
 */
export async function storedPeriods(
  upload: Upload,
  { bills }: AccountBills,
  { count }: Pick<BillTools, 'count'>,
): Promise<UploadPeriod[] | undefined> {
  const live = upload.periods.filter(({ period }) => !isOver(bills, period, exportOf(upload)))
  const wanted = live.map(({ period }) => ({ period, exportId: upload.id }))
  const stored = wanted.length > 0 ? amounts(await count(upload.cloudAccountId, wanted)) : new Map<string, Amount>()
  if (live.some(({ period, lines }) => stored.get(period)?.lines !== lines)) return undefined
  return upload.periods.map((one) => ({ ...one, ...stored.get(one.period) }))
}

export interface UploadEnd {
  state: UploadState
  outcome: PeriodOutcome[]
}

/** The outcome is from before the confirmation: the confirming end has not been processed. */
const isBefore = ({ confirmed }: Upload, { open }: Verdict): boolean => confirmed && open?.confirmed === false

/** Whether the outcome of the last sent end is unknown. While it waits for lines, it is not. */
export function isUntold(upload: Upload, { bills }: AccountBills): boolean {
  const verdict = verdictOf(bills, exportOf(upload))
  return verdict.state === 'unknown' || isBefore(upload, verdict)
}

/** The outcome of an applied upload that the account reports; undefined if it reports none yet. */
export function endedAs(upload: Upload, kept: AccountBills): UploadEnd | undefined {
  const { bills } = kept
  const verdict = verdictOf(bills, exportOf(upload))
  const { state, periods } = verdict
  if (state === 'waiting' || state === 'reading' || isBefore(upload, verdict)) return undefined
  if (state === 'removed') return { state: 'discarded', outcome: [] }
  if (state !== 'unknown') return { state, outcome: periods }
  // An account only keeps the last few outcomes, but remembers exports that were shown for longer.
  const wasShown = upload.periods.some(({ period }) => bills.shown[period]?.before.some(({ id }) => id === upload.id))
  if (wasShown) return { state: 'replaced', outcome: [] }
  if (bills.removed.some(({ id }) => id === upload.id)) return { state: 'discarded', outcome: [] }
  return isPassed(upload, kept) ? { state: 'over', outcome: [] } : undefined
}

/** Newer bills are shown in all its periods: that is the outcome, whether or not its end has been processed. */
const isPassed = (upload: Upload, { bills }: AccountBills): boolean =>
  upload.periods.every(({ period }) => {
    const shown = bills.shown[period]
    return shown?.complete === true && compareExports(exportOf(upload), shown) < 0
  })
