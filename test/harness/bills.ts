/** The bills of one account, turn by turn, and what ClickHouse would count of them. */
import { accountKey, type AccountNeeds } from '#actors/account/needs.ts'
import { segmentsOf } from '#actors/account/export/layers.ts'
import type { BillDay } from '#analytics/billing/bill.ts'
import { billingExportEnded, billingLine } from '#streams/billing/messages.ts'
import { accountBillsRemoved, billRemoved } from '#streams/billing/removal.ts'
import { Account, id, none } from '#test/harness/account.ts'

/** What ClickHouse would count of an export: one line of so many dollars a day. */
export const stored = (exportId: string, at: string, costs: Record<string, string>, period = '2026-01'): BillDay[] =>
  Object.entries(costs).map(([day, usd]) => ({
    period,
    export: exportId,
    day,
    lines: 1,
    billed: usd,
    effective: usd,
    oldest: at,
    newest: at,
  }))

export class Bills {
  readonly account = new Account()
  stored: BillDay[] = []

  get needs(): AccountNeeds {
    return { ...none, counts: new Map([[accountKey('o1', id), this.stored]]) }
  }
  get bills() {
    return this.account.state.bills
  }
  /** `2026-01: e1` for each billing period, with a question mark for one that is not whole. */
  get shown(): string[] {
    return Object.entries(this.bills.shown).map(([period, one]) => `${period}: ${one.id}${one.complete ? '' : '?'}`)
  }
  line(exportId: string, exportedAt: string, day = '2026-01-03') {
    const fields = { provider: 'aws' as const, serviceName: 's', usageDate: day, costUSD: '1' }
    const data = { lineId: `${day}/a`, cloudAccountId: id, ...fields, exportId, exportedAt }
    return this.account.actor.take(billingLine, data as never, { needs: none })
  }
  end(exportId: string, exportedAt: string, lines: Record<string, number>, more: object = {}) {
    const periods = Object.entries(lines).map(([period, count]) => ({ period, lines: count }))
    const data = { cloudAccountId: id, exportId, exportedAt, periods, ...more }
    return this.account.actor.take(billingExportEnded, data as never, { needs: this.needs })
  }
  /** All of an export, as it is stored. */
  deliver(exportId: string, exportedAt: string, costs: Record<string, string>, period = '2026-01', more: object = {}) {
    this.stored.push(...stored(exportId, exportedAt, costs, period))
    return this.end(exportId, exportedAt, { [period]: Object.keys(costs).length }, more)
  }
  /** `e1 03..05` for each range of days of a billing period that an export shows. */
  segments(period = '2026-01'): string[] {
    const shown = this.bills.shown[period]
    return shown ? segmentsOf(shown).map(({ id: of, from, to }) => `${of} ${from.slice(8)}..${to.slice(8)}`) : []
  }
  remove(exportId: string, period?: string) {
    const data = { cloudAccountId: id, exportId, by: 'ana', ...(period !== undefined && { period }) }
    return this.account.actor.take(billRemoved, data, { needs: this.needs })
  }
  removeAll() {
    return this.account.actor.take(accountBillsRemoved, { cloudAccountId: id, by: 'ana' }, { needs: this.needs })
  }
}
