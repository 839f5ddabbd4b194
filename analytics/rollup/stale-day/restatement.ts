/**
 * A restated bill arrives in thousands of messages over minutes. If each day were recomputed as its lines arrive,
 * reports would add new days to old ones, and days that are half new. So restated days wait until their account has
 * been quiet, and are then published together. New lines of any day, and all recent days, never wait; nor do days of an
 * export that replaced another, because all its lines are there.
 */
import { clickhouseTime } from '#analytics/store/time.ts'
import { dayMs } from '#engine/value/day.ts'
import { readFileSync } from 'node:fs'
import { TupleParam } from '@clickhouse/client'
import { accountKey, billOf, isAsShown, type ShownBills, type StoredBill } from '#analytics/billing/bill.ts'
import { costDayKey, costDayOf, type CostDay } from '#analytics/rollup/day-batch.ts'
import type { MarkRow } from '#engine/actor/ports.ts'
import type { Shards } from '#engine/store/clickhouse/shards.ts'
import { portions } from '#analytics/store/query.ts'

const restatedDays = readFileSync(new URL('restated_days.sql', import.meta.url), 'utf8')

const restating = {
  /** Days this recent belong to a bill that is still growing. */
  recentDays: 2,
  /** Sums published for so long have been seen by people. */
  shownMs: 60_000,
  /** An account is quiet if no mark of its waiting days was renewed for so long. */
  quietMs: 2_000,
  /** A day waits at most so long, and so many days at once. */
  waitMs: 300_000,
  daysMax: 1_000,
} as const

interface Waiting {
  /** The exports of the account when it started to wait. */
  bills: string
  /** By key of the mark. */
  stamps: Map<string, string>
  since: number
  changedAt: number
}

interface DayRow {
  org_id: string
  cloud_account_id: string
  day: string
  is_restated: number
  bills: readonly StoredBill[]
}

export interface RestatementClock {
  /** Of the product, milliseconds since 1970. */
  now(): number
  /** Never shifted, milliseconds. */
  elapsed(): number
}

/** Keeps waiting days only in this process: another one that takes over starts to wait again. */
export class Restatements {
  private readonly shards: Shards
  private readonly clock: RestatementClock
  private readonly accounts = new Map<string, Waiting>()
  /** When this process published days, in that order: days that were not visible for long are skipped. */
  private readonly published = new Map<string, number>()

  constructor(shards: Shards, clock: RestatementClock) {
    this.shards = shards
    this.clock = clock
  }

  /** Records that sums of these days have been replaced by a run that started at `now`, in milliseconds since 1970. */
  replaced(marks: readonly MarkRow[], now: number): void {
    for (const mark of marks) {
      const id = idOf(costDayOf(mark))
      this.published.delete(id)
      this.published.set(id, now)
    }
    const present = this.clock.now()
    for (const [id, at] of this.published) {
      if (at > present - restating.shownMs && at <= present) break
      this.published.delete(id)
    }
  }

  /** The marks whose days need not wait, or have waited long enough. */
  async ready(marks: readonly MarkRow[], bills: ShownBills): Promise<readonly MarkRow[]> {
    const waiting = await this.restated(marks, bills)
    if (waiting.size === 0 || waiting.size > restating.daysMax) {
      this.accounts.clear()
      return marks
    }
    const settled = this.settled(
      marks.filter((mark) => waiting.has(mark)),
      bills,
    )
    return marks.filter((mark) => !waiting.has(mark) || settled.has(mark))
  }

  /**
   * Accounts that now have other exports are checked again. Waiting days keep waiting, and so do other old days of
   * their account; for other accounts, old days are checked.
   */
  private async restated(marks: readonly MarkRow[], bills: ShownBills): Promise<Set<MarkRow>> {
    const recent = new Date(this.clock.now() - restating.recentDays * dayMs).toISOString().slice(0, 10)
    for (const [account, waiting] of this.accounts)
      if (waiting.bills !== textOf(bills, account)) this.accounts.delete(account)
    const held = marks.filter((mark) => this.accounts.get(accountOf(mark))?.stamps.has(mark.key))
    const known = new Set(held)
    const fresh = marks.filter((mark) => !known.has(mark) && costDayOf(mark).day < recent)
    const shown = await this.look(fresh.map(costDayOf), bills)
    const accounts = new Set(this.accounts.keys())
    for (const mark of fresh) if (shown.get(idOf(costDayOf(mark))) === true) accounts.add(accountOf(mark))
    const joining = fresh.filter((mark) => accounts.has(accountOf(mark)) && shown.has(idOf(costDayOf(mark))))
    return new Set([...held, ...joining])
  }

  /** The days that people have seen and whose export does not change, and whether each is being restated. */
  private async look(days: readonly CostDay[], bills: ShownBills): Promise<Map<string, boolean>> {
    const found = new Map<string, boolean>()
    const since = this.clock.now() - restating.shownMs
    const before = clickhouseTime(since)
    const older = days.filter((day) => (this.published.get(idOf(day)) ?? 0) <= since)
    for (const { client, items } of await this.shards.split(older, ({ orgId }) => orgId))
      for (const some of portions(items, idOf)) {
        const params = { days: some.map((day) => new TupleParam([day.orgId, day.cloudAccountId, day.day])), before }
        const result = await client.query({ query: restatedDays, query_params: params, format: 'JSONEachRow' })
        for (const row of await result.json<DayRow>()) {
          const day = { orgId: row.org_id, cloudAccountId: row.cloud_account_id, day: row.day }
          if (isAsShown(bills, day, row.bills.map(billOf))) found.set(idOf(day), row.is_restated === 1)
        }
      }
    return found
  }

  private settled(marks: readonly MarkRow[], bills: ShownBills): Set<MarkRow> {
    const now = this.clock.elapsed()
    const done = new Set<MarkRow>()
    const groups = Map.groupBy(marks, accountOf)
    for (const account of this.accounts.keys()) if (!groups.has(account)) this.accounts.delete(account)
    for (const [account, own] of groups) {
      const before = this.accounts.get(account) ?? { stamps: new Map<string, string>(), since: now, changedAt: now }
      const isRenewed = own.some((mark) => before.stamps.get(mark.key) !== mark.stamp)
      const changedAt = isRenewed ? now : before.changedAt
      const isOver = now - changedAt >= restating.quietMs || now - before.since >= restating.waitMs
      if (isOver) {
        this.accounts.delete(account)
        for (const mark of own) done.add(mark)
      } else {
        const stamps = new Map(own.map((mark) => [mark.key, mark.stamp ?? '']))
        this.accounts.set(account, { stamps, since: before.since, changedAt, bills: textOf(bills, account) })
      }
    }
    return done
  }
}

const idOf = (day: CostDay): string => `${day.orgId}|${costDayKey(day)}`
const accountOf = (mark: MarkRow): string => accountKey(costDayOf(mark))
const textOf = (bills: ShownBills, account: string): string => JSON.stringify(bills[account] ?? [])
