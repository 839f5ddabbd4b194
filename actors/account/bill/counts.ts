import type { BillDay } from '#analytics/billing/bill.ts'
import { sum } from '#engine/value/decimal.ts'
import { Fault } from '#engine/value/fault.ts'
import type { Turn } from '#engine/actor/turn.ts'
import type { Amount } from './bills.ts'
import type { Bill } from '#actors/account/export/export.ts'
import type { Segment } from '#actors/account/export/layers.ts'
import { accountKey, type AccountNeeds } from '#actors/account/needs.ts'

/** What the store has of each bill. The export `''` stands for lines from before exports were known. */
export class Counts {
  private readonly bills: ReadonlyMap<string, readonly BillDay[]>

  constructor({ needs, address: { orgId, place } }: Turn) {
    const found = (needs as AccountNeeds).counts.get(accountKey(orgId, place)) ?? []
    this.bills = Map.groupBy(found, (bill) => `${bill.period}/${bill.export}`)
  }

  /**
   * Lines that arrived before their export was known may name another time.
   * @throws Fault `invalid` `export_time_differs`
   */
  mustBeOfOneTime({ id, at }: Bill): void {
    const days = [...this.bills.values()].flat().filter((bill) => bill.export === id)
    const other = days.flatMap(({ oldest, newest }) => [oldest, newest]).find((time) => time !== at)
    if (other !== undefined)
      throw Fault.invalid('export_time_differs', `Lines of this export have exportedAt ${other}, not ${at}.`)
  }

  private of(period: string, id: string): readonly BillDay[] {
    return this.bills.get(`${period}/${id}`) ?? []
  }

  days(period: string, id: string | undefined): string[] {
    return id === undefined ? [] : this.of(period, id).map(({ day }) => day)
  }

  amount(period: string, id: string): Amount {
    return amountOf(this.of(period, id))
  }

  /** Counts only the days of these segments. */
  amountIn(period: string, segments: readonly Segment[]): Amount {
    return amountOf(
      segments.flatMap(({ id, from, to }) => this.of(period, id).filter(({ day }) => from <= day && day <= to)),
    )
  }
}

function amountOf(days: readonly BillDay[]): Amount {
  return {
    lines: days.reduce((lines, day) => lines + day.lines, 0),
    billed: sum(days.map(({ billed }) => billed)),
    effective: sum(days.map(({ effective }) => effective)),
  }
}
