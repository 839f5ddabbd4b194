/** Describes the result of a bill export for people. */
import type { ExportIdentity, PeriodSent } from '#actors/account/export/bill-export.ts'
import { compareExports, mayBeOld, type Amount, type Bills } from '#actors/account/bill/bills.ts'
import { toldDays } from '#actors/account/export/own-days.ts'
import type { PeriodOutcome, Verdict } from '#actors/account/export/verdict.ts'
import { formatDecimal } from '#engine/value/decimal.ts'

/** An account's bills before the end of the export was sent, and now. */
export interface BillsChange {
  before: Bills
  after: Bills
  oldThrough: string
}

/**
 * What the export replaced in a period: the time of the earlier export (`at` is missing if the lines are from before
 * exports were tracked), and whether it was complete. Undefined if it replaced nothing.
 */
function replacedOf(period: string, { id }: ExportIdentity, { before, after, oldThrough }: BillsChange) {
  const now = after.shown[period]
  const line = now ? [...now.before, now] : []
  const last = line[line.findIndex((one) => one.id === id) - 1]
  if (last) return { at: last.at, isWhole: true }
  const shown = before.shown[period]
  if (shown && shown.id !== id) return { at: shown.at, isWhole: shown.complete }
  const outcome = after.told.findLast((one) => one.id === id)?.periods.find((one) => one.period === period)
  return mayBeOld(oldThrough, period) && outcome && outcome.before.lines > 0 ? { isWhole: true } : undefined
}

const timeOf = (at: string): string => at.replace('.000Z', 'Z')

const cents = (amount: string): string => formatDecimal(amount, 2)
const linesOf = (lines: number): string => `${lines} ${lines === 1 ? 'line' : 'lines'}`
const figures = ({ lines, billed }: Amount): string => `${linesOf(lines)}, ${cents(billed)} USD`

function change(before: Amount, after: Amount): string {
  const lines = before.lines === after.lines ? linesOf(after.lines) : `${before.lines} -> ${linesOf(after.lines)}`
  return `${lines}, ${cents(before.billed)} -> ${cents(after.billed)} USD`
}

/** Maximum lines of output that name billing periods. */
const periodsTold = 12

function cut(lines: readonly string[]): string[] {
  const more = lines.length - periodsTold
  return more > 0 ? [...lines.slice(0, periodsTold), `and ${more} more billing periods`] : [...lines]
}

/** The result after the export's end was processed. `again` is the command that applies an export on hold. */
export function toldVerdict(
  verdict: Verdict,
  sent: ExportIdentity,
  periods: readonly PeriodSent[],
  standing: BillsChange,
  again: string,
): string[] {
  const { state, missing, open } = verdict
  if (state === 'replaced') return toldReplaced(verdict, sent, periods, standing)
  if (state === 'over') return cut(periods.map(({ period }) => toldOver(period, sent, standing)))
  if (state === 'held') return toldHeld(verdict, again)
  if (state === 'removed') return ['an admin removed this export; none of its lines count']
  if (state === 'unknown') return ['this export is unknown; "tidemark dead-letters list" may show the reason']
  if (missing.length > 0) {
    const name = sent.part ? `part ${sent.part.index} of ${sent.part.of} received` : 'the export ended partially'
    return [`${name}; still missing: ${missing.join(', ')}. Nothing is replaced until all parts have arrived`]
  }
  const told = Object.values(open?.periods ?? {}).reduce((sum, count) => sum + count, 0)
  return [`${state}: ${open?.counted ?? 0} of ${linesOf(told)} received; nothing is replaced until all have arrived`]
}

function toldReplaced(
  verdict: Verdict,
  sent: ExportIdentity,
  periods: readonly PeriodSent[],
  standing: BillsChange,
): string[] {
  let hasReplaced = false
  const known = new Map(verdict.periods.map((one) => [one.period, one]))
  const all = periods.map(({ period }) => ({ period, ...known.get(period) }))
  const lines = all.map(({ period, before, after }) => {
    if (!after) return toldOver(period, sent, standing)
    const replaced = replacedOf(period, sent, standing)
    if (!replaced || !before) return `${period}: ${figures(after)}`
    hasReplaced = true
    const what = replaced.at
      ? `the ${replaced.isWhole ? '' : 'unfinished '}export of ${timeOf(replaced.at)}`
      : 'data stored before exports were tracked'
    return `${period}: replaces ${what}: ${change(before, after)}`
  })
  const hint = 'to send another part of the same bill use --part; to add lines to it use --add'
  return [...cut(lines), ...(hasReplaced ? [hint] : [])]
}

function toldOver(period: string, sent: ExportIdentity, { after }: BillsChange): string {
  const shown = after.shown[period]
  if (!shown || compareExports(sent, shown) >= 0) return `${period}: nothing changed`
  return `${period}: the newer export of ${timeOf(shown.at)} is already current; nothing changed`
}

function toldHeld({ periods }: Verdict, again: string): string[] {
  const lines = periods
    .filter(({ before, after }) => before && after)
    .map(
      ({ period, before, after }) =>
        `${period}: the current bill has ${figures(before!)}, this export has ${figures(after!)}`,
    )
  return [
    'on hold: less than half of the current bill. Nothing was replaced',
    ...cut(lines),
    'to replace it anyway:',
    `  ${again}`,
  ]
}

/** For an export with rejected rows, which is therefore incomplete, while the current bill is complete or unknown. */
export function toldRefused(
  standing: readonly PeriodOutcome[],
  refused: number,
  isKnown: boolean,
  again: string,
): string[] {
  const rows = `${refused} ${refused === 1 ? 'row was' : 'rows were'} rejected`
  const why = isKnown
    ? `${rows}, so this bill is incomplete, and the current bill is complete`
    : `${rows}, and earlier lines are still being processed, so the effect of replacing is unknown`
  const stands = standing.flatMap(({ period, before }) => (before ? [`${period}: ${figures(before)} stand`] : []))
  return [`on hold: ${why}. Nothing was replaced`, ...cut(stands), 'to replace it anyway:', `  ${again}`]
}

/** For an export on hold because of its size, if it may cover only some days. */
export const toldOwnDays = (days: readonly string[], command: string): string[] => [
  `it has no lines for ${toldDays(days)}, which have lines now. To replace only its own days:`,
  `  ${command} --days`,
]

/** For an export after which days that have lines now would have none. */
export const toldLost = (days: readonly string[], command: string): string[] => [
  `on hold: the file has no lines for ${toldDays(days)}, which have lines now. Nothing was replaced`,
  'to replace only its own days and keep the others:',
  `  ${command} --days`,
  'to replace entire billing periods, leaving those days empty:',
  `  ${command} --whole`,
]

/** The export counts, but reports do not show it yet. */
export const toldSumming = 'its days are being aggregated and will appear in reports shortly'

/** The export's end has not been processed yet. */
export function toldUnread(isRunning: boolean): string {
  if (!isRunning) return 'sent; Tidemark is not running and will process it on the next start'
  return 'sent and being processed; see "tidemark doctor" and the sync status for the result'
}

const placesMax = 3

/** Addresses of reports with the bill, for the newest periods. */
export function seenAt(periods: readonly PeriodSent[], url: string | undefined): string[] {
  return periods
    .slice(-placesMax)
    .map(({ period, from, to }) => `bills from ${from} to ${to}: ${url ?? '$URL'}/reports/summary?period=${period}`)
}
