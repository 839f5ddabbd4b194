/** Which exports of bills must be shown when all has been taken, whatever came first. */
import { toUnits } from '#engine/value/decimal.ts'
import type { BillingLine } from '#streams/billing/messages.ts'

export interface Line {
  day: string
  service: string
  /** Of 10^-14 US dollars. */
  units: bigint
}

interface Export {
  id: string
  at: number
  /** By billing period, then by day and line id. */
  lines: Map<string, Map<string, Line>>
  /** Lines told, by part and billing period. */
  told: Map<number, Record<string, number>>
  parts: number
}

interface Ended {
  exportId: string
  exportedAt: string
  periods: { period: string; lines: number }[]
  part?: { index: number; of: number }
}

export interface Shown {
  export: Export
  complete: boolean
}

/** Those of one account. */
export class AccountExports {
  private readonly exports = new Map<string, Export>()

  line(data: BillingLine): void {
    const { lines } = this.known(data.exportId!, data.exportedAt!)
    const day = data.usageDate!
    const period = data.billingPeriod ?? day.slice(0, 7)
    const own = lines.get(period) ?? new Map<string, Line>()
    lines.set(period, own)
    own.set(`${day} ${data.lineId}`, { day, service: data.serviceName!, units: toUnits(data.costUSD!, 14)! })
  }

  ended({ exportId, exportedAt, periods, part }: Ended): void {
    const one = this.known(exportId, exportedAt)
    one.parts = part?.of ?? 1
    one.told.set(part?.index ?? 1, Object.fromEntries(periods.map(({ period, lines }) => [period, lines])))
  }

  private known(id: string, exportedAt: string): Export {
    const found = this.exports.get(id) ?? {
      id,
      at: Date.parse(exportedAt),
      lines: new Map(),
      told: new Map(),
      parts: 1,
    }
    this.exports.set(id, found)
    return found
  }

  /** Newest first. */
  private inOrder(): Export[] {
    return [...this.exports.values()].toSorted((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1))
  }

  /**
   * By billing period: the newest export that is complete, else the oldest that has a line. One of several periods is complete
   * when its lines are all there in each of them for which no newer one is complete.
   */
  outcome(): { shown: Map<string, Shown>; open: string[] } {
    const shown = new Map<string, Shown>()
    const open: string[] = []
    for (const one of this.inOrder()) {
      const told = [...toldOf(one)].filter(([period]) => !shown.has(period))
      const isWhole =
        one.told.size === one.parts && told.every(([period, n]) => (one.lines.get(period)?.size ?? 0) === n)
      if (isWhole) for (const [period] of told) shown.set(period, { export: one, complete: true })
      else if (told.length > 0) open.push(one.id)
    }
    for (const one of this.inOrder().toReversed())
      for (const period of one.lines.keys()) if (!shown.has(period)) shown.set(period, { export: one, complete: false })
    return { shown, open: open.toSorted() }
  }
}

function toldOf({ told }: Export): Map<string, number> {
  const sums = new Map<string, number>()
  for (const periods of told.values())
    for (const [period, n] of Object.entries(periods)) sums.set(period, (sums.get(period) ?? 0) + n)
  return sums
}
