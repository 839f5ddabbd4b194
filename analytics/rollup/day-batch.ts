/** Days of accounts, and how many of them one statement takes. */
import { TupleParam } from '@clickhouse/client'
import type { Bill } from '#analytics/billing/bill.ts'

/** One day of one cloud account; `day` is `YYYY-MM-DD`, UTC. */
export interface CostDay {
  orgId: string
  cloudAccountId: string
  day: string
}

/** The mark of a day: `<account>|<YYYY-MM-DD>`, with `%` and `|` of the account percent-encoded. */
export const costDayKey = ({ cloudAccountId, day }: Omit<CostDay, 'orgId'>): string =>
  `${cloudAccountId.replaceAll('%', '%25').replaceAll('|', '%7C')}|${day}`

/** The inverse of `costDayKey`, for a mark of the organization. */
export function costDayOf({ orgId, key }: { orgId: string; key: string }): CostDay {
  const [account = '', day = ''] = key.split('|')
  return { orgId, cloudAccountId: account.replaceAll('%7C', '|').replaceAll('%25', '%'), day }
}

/** The days whose lines are stored: `linesFrom` is the first such day, undefined if all are. */
export const daysFrom = (days: readonly CostDay[], linesFrom = ''): readonly CostDay[] =>
  days.filter(({ day }) => day >= linesFrom)

export interface SizedDay extends CostDay {
  /** Lines of the day that count: the size of the work. */
  lines: number
  /** Exports that its sums are computed from. */
  bills: readonly Bill[]
}

export interface PlannedDay extends SizedDay {
  /** The one of the run's slots that no report of the current time reads. */
  slot: number
  /** The current sums; generation 0 if there are none. Times are milliseconds since 1970. */
  generation: string
  publishedAt: number
  before: { generation: string; at: number }
  /** The exports that the current sums were computed from. */
  publishedBills: readonly Bill[]
  /** Older sums: how many are kept, and when the newest of them was replaced. */
  kept: { count: number; until: number }
  /** Any line of a resource has tags. */
  tagged: boolean
  estimates: boolean
  /** Any line has a resource but no type. */
  untyped: boolean
  /** Any line has a name of its sub-account. */
  named: boolean
  /** The sub-account of any line is connected as another account. */
  linked: boolean
  /** Any line is not an estimate. */
  actuals: boolean
  /** Any line is the share of a pod in its machine (split cost allocation data). */
  split: boolean
  /** Bills of other accounts are or were about this one. */
  elsewhere: boolean
  /** Known hours of nodes and pods, approximately. */
  pods: number
}

/** Limits of one statement: what its text may add to the address of a request, and what it may keep in memory at once. */
const limits = { days: 2000, encodedBytes: 30_000, lines: 500_000 }

export const idOf = (day: CostDay): string => `${day.orgId}|${costDayKey(day)}`

const accountOf = ({ orgId, cloudAccountId }: CostDay): string => `${orgId}|${cloudAccountId}`

export const unique = <D extends CostDay>(days: readonly D[]): D[] => [
  ...new Map(days.map((day) => [idOf(day), day])).values(),
]

export const tuples = (days: readonly CostDay[]) =>
  days.map(({ orgId, cloudAccountId, day }) => new TupleParam([orgId, cloudAccountId, day]))

/** The organizations of the days, and the first and the last of the days; at least one day. */
export function spanOf(days: readonly CostDay[]) {
  const inOrder = days.map(({ day }) => day).toSorted()
  return { orgs: [...new Set(days.map(({ orgId }) => orgId))], from: inOrder[0], to: inOrder.at(-1) }
}

/** (organization, account, period, export) of every bill that some of the days have. */
export function billTuples(days: readonly SizedDay[]): TupleParam[] {
  const found = new Map<string, TupleParam>()
  for (const { orgId, cloudAccountId, bills } of days)
    for (const { period, exportId } of bills) {
      const tuple = [orgId, cloudAccountId, period, exportId]
      found.set(tuple.join('|'), new TupleParam(tuple))
    }
  return [...found.values()]
}

/**
 * Splits the list if a statement would exceed a limit, or if an account's days have other bills. In order of month, so
 * that a batch touches few partitions, then of account.
 */
export function* batches<D extends SizedDay>(days: readonly D[]): Generator<D[]> {
  let batch = new Batch<D>()
  for (const day of sortDays(days)) {
    if (batch.isFullFor(day)) {
      yield batch.days
      batch = new Batch<D>()
    }
    batch.add(day)
  }
  if (batch.days.length > 0) yield batch.days
}

function sortDays<D extends SizedDay>(days: readonly D[]): D[] {
  const keys = new Map(days.map((day) => [day, `${day.day.slice(0, 7)}|${accountOf(day)}|${day.day}`]))
  return days.toSorted((a, b) => (keys.get(a)! < keys.get(b)! ? -1 : 1))
}

class Batch<D extends SizedDay> {
  readonly days: D[] = []
  private bytes = 0
  private lines = 0
  /** By account, as text. */
  private readonly bills = new Map<string, string>()

  isFullFor(day: D): boolean {
    const { days, bytes, lines } = this
    if (days.length === 0) return false
    const isOther = (this.bills.get(accountOf(day)) ?? billsText(day)) !== billsText(day)
    return (
      isOther ||
      days.length >= limits.days ||
      bytes + this.sizeOf(day) > limits.encodedBytes ||
      lines + day.lines > limits.lines
    )
  }

  add(day: D): void {
    this.bytes += this.sizeOf(day)
    this.lines += day.lines
    this.days.push(day)
    this.bills.set(accountOf(day), billsText(day))
  }

  private sizeOf(day: D): number {
    const bills = this.bills.has(accountOf(day)) ? '' : billsText(day)
    // Twice, because a day in the second slot is named twice.
    return encodeURIComponent(dayText(day).repeat(2) + bills).length
  }
}

const dayText = ({ orgId, cloudAccountId, day }: CostDay): string => `('${orgId}','${cloudAccountId}','${day}'),`
const billsText = ({ orgId, cloudAccountId, bills }: SizedDay): string =>
  bills.map(({ period, exportId }) => `('${orgId}','${cloudAccountId}','${period}','${exportId}'),`).join('')
