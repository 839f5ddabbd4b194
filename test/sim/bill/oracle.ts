/** What must be shown in the end, worked out without turns: from what was sent, and where a bill may be held, from its order. */
import type { FactRow } from '#engine/actor/ports.ts'
import { costOf, counted, groupOf } from '#test/sim/bill/facts.ts'
import type { Account, Export, ExportLine, Line, Marker, OldLine, Plan, Single } from '#test/sim/bill/plan.ts'
import { periods } from '#test/sim/bill/plan.ts'

export interface Expected {
  sums: Record<string, string>
  /** By period: the export that is shown, and whether it is complete. */
  shown: Record<string, string>
  /** Exports that are held. */
  held: readonly string[]
}

export function expected(plan: Plan, account: Account): Expected {
  const { shown, held, lines } = plan.guarded ? new Ordered(account).end() : freely(account)
  const rows = [...lines, ...alone(account, shown)].map(rowOf)
  const found: [string, string][] = []
  for (const [name, of] of Map.groupBy(counted(rows), (row) => `${row['x_Day'] as string} ${groupOf(row)}`))
    found.push([name, `${of.reduce((sum, row) => sum + costOf(row), 0)} in ${of.length}`])
  const sums = Object.fromEntries(found.toSorted(([a], [b]) => (a < b ? -1 : 1)))
  return { sums, held, shown: Object.fromEntries([...shown].map(([p, { of, complete }]) => [p, nameOf(of, complete)])) }
}

export const nameOf = ({ id }: { id: string }, complete: boolean): string => `${id}${complete ? '' : ' begun'}`

const rowOf = ({ day, cost, source, resource, service, region }: Line): FactRow => ({
  x_Day: day,
  BilledCost: cost,
  x_Source: source,
  ResourceId: resource,
  ServiceName: service,
  RegionId: region,
})

const newer = (a: Export, b: Export): boolean => a.at > b.at || (a.at === b.at && a.id > b.id)
const newestFirst = (exports: readonly Export[]): Export[] => exports.toSorted((a, b) => (newer(a, b) ? -1 : 1))

interface Standing {
  of: Export
  complete: boolean
}

interface End {
  shown: Map<string, Standing>
  held: string[]
  lines: ExportLine[]
}

/** Knows no order: the newest complete export of each period; else, where nothing older may stand, the oldest that has begun. */
function freely({ exports, oldThrough }: Account): End {
  const shown = new Map<string, Standing>()
  for (const of of newestFirst(exports)) {
    const told = toldOf(of)
    const live = Object.keys(told).filter((period) => !shown.has(period))
    const isWhole = new Set(of.markers.map(({ part }) => part)).size === of.parts
    if (!isWhole || !live.every((period) => of.lines.filter((line) => line.period === period).length === told[period]))
      continue
    for (const period of live) shown.set(period, { of, complete: true })
  }
  for (const period of periods) {
    const begun = newestFirst(exports).findLast(({ lines }) => lines.some((line) => line.period === period))
    if (begun && !shown.has(period) && period > oldThrough) shown.set(period, { of: begun, complete: false })
  }
  const lines = [...shown].flatMap(([period, { of }]) => of.lines.filter((line) => line.period === period))
  return { shown, held: [], lines }
}

function toldOf({ markers }: Export): Record<string, number> {
  const told: Record<string, number> = {}
  for (const marker of new Map(markers.map((one) => [one.part, one])).values())
    for (const [period, lines] of Object.entries(marker.told)) told[period] = (told[period] ?? 0) + lines
  return told
}

/** Lines sent alone as they were said last, and what stood before in periods that show no export. */
function alone({ sent, old }: Account, shown: ReadonlyMap<string, unknown>): Line[] {
  const last = new Map<string, Single | OldLine>(old.map((line) => [line.id, line]))
  for (const { of } of sent)
    if (of && 'single' in of && of.single.at >= (last.get(of.single.id)?.at ?? '')) last.set(of.single.id, of.single)
  return [...last.values()].filter((line) => !('period' in line) || !shown.has(line.period))
}

/**
 * Where ends are not confirmed it counts what is shown when they come: message by message, all lines of an export before its end,
 * and nothing that is looked at again in between.
 */
class Ordered {
  private readonly account: Account
  private readonly shown = new Map<string, Standing>()
  private readonly stored = new Set<ExportLine>()
  private open: { of: Export; marker: Marker; confirmed: boolean }[] = []
  private held = new Set<string>()

  constructor(account: Account) {
    this.account = account
  }

  end(): End {
    for (const { of } of this.account.sent) {
      if (!of || 'single' in of || !this.account.exports.includes(of.export)) continue
      if ('line' in of) this.take(of.export, of.line)
      else this.ended(of.export, of.marker)
    }
    const lines = [...this.shown].flatMap(([period, { of }]) => this.linesOf(of, period))
    return { shown: this.shown, held: [...this.held].toSorted(), lines }
  }

  private linesOf(of: Export, period: string): ExportLine[] {
    return of.lines.filter((line) => line.period === period && this.stored.has(line))
  }

  private isOver(of: Export, period: string): boolean {
    const shown = this.shown.get(period)
    return shown?.complete === true && !newer(of, shown.of)
  }

  private take(of: Export, line: ExportLine): void {
    if (this.isOver(of, line.period)) return
    this.stored.add(line)
    if (!this.shown.has(line.period) && line.period > this.account.oldThrough)
      this.shown.set(line.period, { of, complete: false })
  }

  private ended(of: Export, marker: Marker): void {
    const known = this.open.find((open) => open.of === of)
    if (known) known.confirmed ||= marker.confirmed
    else this.open.push({ of, marker, confirmed: marker.confirmed })
    for (const { of: next } of this.open.toSorted((a, b) => (newer(a.of, b.of) ? -1 : 1))) this.settle(next)
  }

  private settle(of: Export): void {
    const { marker, confirmed } = this.open.find((open) => open.of === of)!
    const live = Object.keys(marker.told).filter((period) => !this.isOver(of, period))
    if (!confirmed && live.some((period) => this.shrinks(of, period))) return void this.held.add(of.id)
    for (const period of live) this.shown.set(period, { of, complete: true })
    this.open = this.open.filter((open) => open.of !== of)
    this.held.delete(of.id)
  }

  private shrinks(of: Export, period: string): boolean {
    const after = this.linesOf(of, period)
    const shown = this.shown.get(period)
    const old = this.account.old.filter((line) => line.period === period)
    const isWhole = shown?.complete === true || old.length > 0
    const before: readonly Line[] = shown?.complete ? this.linesOf(shown.of, period) : old
    if (after.length === 0)
      return before.length > 0 || (shown !== undefined && this.linesOf(shown.of, period).length > 0)
    return isWhole && (after.length * 2 < before.length || size(after) * 2 < size(before))
  }
}

const size = (lines: readonly Line[]): number => Math.abs(lines.reduce((sum, { cost }) => sum + cost, 0))
