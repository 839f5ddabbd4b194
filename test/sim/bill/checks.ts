/** What must be true of bills at every commit and every publication, and when all is at rest. */
import { noBills, openMax, toldMax } from '#actors/account/bill/bills.ts'
import type { FactRow } from '#engine/actor/ports.ts'
import { costOf, groupOf, periodOf, type Day } from '#test/sim/bill/facts.ts'
import { expected, nameOf, type Expected } from '#test/sim/bill/oracle.ts'
import type { Taken } from '#test/sim/bill/owner.ts'
import type { Account } from '#test/sim/bill/plan.ts'
import type { World } from '#test/sim/bill/world.ts'

/** A broken promise. */
export class Broken extends Error {}

const contentOf = (row: FactRow): string => `${groupOf(row)} ${costOf(row)} ${row['x_Source'] as string}`
const billOf = (row: FactRow): string => [row['x_CloudAccountId'], row['x_BillingPeriod'], row['x_ExportId']].join('/')

export class Checks {
  private readonly world: World
  /** Every export that was ever complete, by `<account>/<period>/<export>`: which one that was, and its rows by day and line. */
  private readonly closed = new Map<string, { place: number; rows: ReadonlyMap<string, string> }>()

  constructor(world: World) {
    this.world = world
  }

  /** What was shown under each edition. */
  private readonly answers = new Map<number, string>()

  private broken(what: string): void {
    this.world.say(() => what)
    this.world.fail(new Broken(what))
  }

  inserted(table: string, rows: readonly FactRow[]): void {
    if (table !== 'bill_line') return
    for (const row of rows) {
      const closed = this.closed.get(billOf(row))
      if (closed && closed.rows.get(`${row['x_Day'] as string}/${row['x_LineId'] as string}`) !== contentOf(row))
        this.broken(`a closed export changes: ${billOf(row)}`)
    }
  }

  committed({ lane: { account }, outcome }: Taken): void {
    const { bills } = this.world.state.accounts.get(account)!
    if (bills.open.length > openMax || bills.told.length > toldMax)
      this.broken(`${bills.open.length} open, ${bills.told.length} told`)
    for (const { fault } of outcome.refused)
      if (fault.code !== 'export_in_future') this.broken(`a message is refused: ${fault.stack}`)
    for (const [period, { id, complete }] of Object.entries(bills.shown)) {
      const name = `${account}/${period}/${id}`
      if (complete && !this.closed.has(name))
        this.closed.set(name, { place: ++this.world.facts.closings, rows: this.rowsOf(name) })
    }
  }

  private rowsOf(bill: string): ReadonlyMap<string, string> {
    const own = this.world.facts.billLine.all().filter((row) => billOf(row) === bill)
    return new Map(own.map((row) => [`${row['x_Day'] as string}/${row['x_LineId'] as string}`, contentOf(row)]))
  }

  /** What reports see is of one bill of each period, and says of which. */
  published(): void {
    const seen = new Map<string, string>()
    for (const day of this.world.facts.shownDays()) {
      for (const name of day.sources.rows.keys()) this.isOne(day, name, seen)
      for (const { period, export: id } of day.bills) this.isWhole(day, `${period}/${id}`)
    }
  }

  /** What was answered under an edition is what is shown for as long as it is that. */
  kept(): void {
    const { facts, plan, state } = this.world
    if (state.edition === undefined) return
    const shown = JSON.stringify(plan.accounts.map(({ id }) => facts.sums(id)))
    if ((this.answers.get(state.edition) ?? shown) !== shown)
      this.broken('an answer stands though days have turned over')
    this.answers.set(state.edition, shown)
  }

  private isOne(day: Day, name: string, seen: Map<string, string>): void {
    const [period = '', id = ''] = name.split('/')
    if (id === '' && !this.isOld(day, period)) return
    const of = `${day.account}/${period}`
    const other = seen.get(of) ?? id
    if (other !== id) this.broken(`two bills of ${of}: ${other || 'old'}, ${id || 'old'}`)
    seen.set(of, id)
    const said = day.bills.filter((bill) => bill.period === period).map((bill) => bill.export)
    const isSaid = id === '' ? said.length === 0 : said.includes(id)
    if (!isSaid) this.broken(`${day.account} ${day.day} does not say that it holds ${name}`)
  }

  /** Whether some line of then has not been sent again since: that would make it one that came alone. */
  private isOld({ account, day }: Day, period: string): boolean {
    const isOf = (row: FactRow) =>
      row['x_CloudAccountId'] === account && row['x_Day'] === day && periodOf(row) === period
    return this.world.facts.costFact.all().some((row) => row['x_Lone'] !== 1 && isOf(row))
  }

  /** A day that says it is of an export that was closed before it was worked out holds all of it. */
  private isWhole({ account, day, sources }: Day, name: string): void {
    const closed = this.closed.get(`${account}/${name}`)
    if (!closed || closed.place > sources.closings) return
    const lines = [...closed.rows.keys()].filter((key) => key.startsWith(`${day}/`)).length
    if ((sources.rows.get(name) ?? 0) !== lines)
      this.broken(`${account} ${day} holds ${sources.rows.get(name) ?? 0} lines of ${name}, not ${lines}`)
  }

  atRest(): void {
    const { plan, state, lanes } = this.world
    for (const { account, log, cursor } of lanes)
      if (cursor !== log.length) throw new Broken(`${account} stands at ${cursor} of ${log.length}`)
    for (const account of plan.accounts) this.isAsExpected(account)
    if (state.reminders.size > 0) throw new Broken(`reminders are left: ${[...state.reminders.keys()].join(', ')}`)
    if (state.marks.size > 0) throw new Broken(`marks are left: ${[...state.marks.keys()].join(', ')}`)
  }

  private isAsExpected(account: Account): void {
    const { plan, state, facts } = this.world
    const { shown, open } = state.accounts.get(account.id)?.bills ?? noBills()
    const found: Expected = {
      shown: Object.fromEntries(Object.entries(shown).map(([period, one]) => [period, nameOf(one, one.complete)])),
      held: open.flatMap(({ id, state: is }) => (is === 'held' ? [id] : [])).toSorted(),
      sums: facts.sums(account.id),
    }
    const want = expected(plan, account)
    for (const part of ['shown', 'held', 'sums'] as const) {
      const [is, must] = [found[part], want[part]].map((one) => JSON.stringify(one, sorted))
      if (is !== must) throw new Broken(`${account.id.slice(0, 2)} ${part}: is ${is}, must be ${must}`)
    }
  }
}

const sorted = (_: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    : value
