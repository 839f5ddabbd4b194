/** Exports of bills in daily sums: the current ones, and those a day was computed from. */
import { readFileSync } from 'node:fs'
import { TupleParam, type ClickHouseClient } from '@clickhouse/client'
import type { Reads } from '#engine/actor/ports.ts'

const sql = (name: string) => readFileSync(new URL(`${name}.sql`, import.meta.url), 'utf8')
const billCount = sql('bill_count')
const oldBill = sql('old_bill')
const summedDay = sql('summed_day')
const overlapTotal = sql('overlap_total')
const overlapMeasure = sql('overlap_measure')

/** Contents of an export on a day; `export` is empty for lines stored before exports were supported. */
export interface BillDay {
  period: string
  export: string
  day: string
  lines: number
  billed: string
  effective: string
  /** Times of export of its lines, ISO 8601 with milliseconds. */
  oldest: string
  newest: string
}

type Facts = Pick<Reads, 'facts'>

/** Counts the stored contents of exports of an account. A line that arrived twice counts once. */
export const countBills = (
  { facts }: Facts,
  org: string,
  account: string,
  bills: readonly Bill[],
): Promise<BillDay[]> =>
  facts<BillDay>(billCount, {
    org,
    account,
    bills: bills.map(({ period, exportId }) => new TupleParam([period, exportId])),
  })

/** Counts the stored contents of billing periods from before exports were supported. */
export const countOldBills = (
  { facts }: Facts,
  org: string,
  account: string,
  periods: readonly string[],
): Promise<BillDay[]> => facts<BillDay>(oldBill, { org, account, periods })

/**
 * Whether each of the days was summed by a run that started after the generation `since`: it has seen what was stored
 * by then.
 */
export async function areSummedSince(
  { facts }: Facts,
  org: string,
  account: string,
  { days, since }: { days: readonly string[]; since: string },
): Promise<boolean> {
  const [found] = await facts<{ days: string }>(summedDay, { org, account, days, since })
  return Number(found!.days) === days.length
}

/** An export of a billing period (`YYYY-MM`) of an account. */
export interface Bill {
  period: string
  exportId: string
}

/** A current export, and its days: `YYYY-MM-DD`, both included. */
export interface ShownBill extends Bill {
  isComplete: boolean
  from: string
  to: string
}

interface AccountId {
  orgId: string
  cloudAccountId: string
}

/** Current exports of accounts, by `accountKey`. Accounts without a bill are left out. */
export type ShownBills = Readonly<Record<string, readonly ShownBill[]>>

export const accountKey = ({ orgId, cloudAccountId }: AccountId): string => `${orgId}|${cloudAccountId}`

/** The current exports of a day: one per billing period, so rarely more than two. */
export const coveredBy = (shown: ShownBills, day: AccountId & { day: string }): Bill[] =>
  (shown[accountKey(day)] ?? [])
    .filter(({ from, to }) => from <= day.day && day.day <= to)
    .map(({ period, exportId }) => ({ period, exportId }))

const textOf = ({ period, exportId }: Bill): string => `${period}/${exportId}`

/** As ClickHouse stores it with a day. */
export interface StoredBill {
  period: string
  export: string
}

export const billOf = ({ period, export: exportId }: StoredBill): Bill => ({ period, exportId })

/**
 * Whether a day that was computed from `published` has the current exports. An export that is not complete yet only
 * counts for days that have a line of it, or were computed since it started.
 */
export function isAsShown(shown: ShownBills, day: AccountId & { day: string }, published: readonly Bill[]): boolean {
  const all = shown[accountKey(day)] ?? []
  const known = new Set(all.map(textOf))
  const stands = new Set(published.map(textOf))
  const wanted = coveredBy({ [accountKey(day)]: all.filter(({ isComplete }) => isComplete) }, day)
  return published.every((bill) => known.has(textOf(bill))) && wanted.every((bill) => stands.has(textOf(bill)))
}

/** Whether a day that was computed from `published` would be computed from exactly the same bills now. */
export function isOfTheSame(shown: ShownBills, day: AccountId & { day: string }, published: readonly Bill[]): boolean {
  const [now, before] = [coveredBy(shown, day), published].map((bills) => JSON.stringify(bills.map(textOf).toSorted()))
  return now === before
}

/** What reports leave out of a month of an account, because the bills `counted` also have it; US dollars, exact. */
export interface LeftOut {
  org_id: string
  cloud_account_id: string
  month: string
  counted: string[]
  left_out_usd: string
}

/** For all organizations, largest first, at most `limit`. */
export async function leftOut(ch: ClickHouseClient, limit: number): Promise<LeftOut[]> {
  const result = await ch.query({ query: overlapTotal, query_params: { limit }, format: 'JSONEachRow' })
  return result.json<LeftOut>()
}

/** For all organizations and all time: US dollars, and days of accounts. */
export interface LeftOutOfAll {
  usd: number
  days: number
}

export async function leftOutOfAll(ch: ClickHouseClient): Promise<LeftOutOfAll | undefined> {
  const result = await ch.query({ query: overlapMeasure, format: 'JSONEachRow' })
  const [row] = await result.json<LeftOutOfAll>()
  return row
}
