/** What must stand when everything has been taken, worked out apart from the product, in the order of publishing. */
import { plain, toUnits } from '#engine/value/decimal.ts'
import type { BillingLine } from '#streams/billing/messages.ts'
import { AccountExports, type Line } from '#test/harness/export-oracle.ts'
import type { Item } from '#test/harness/load.ts'
import { beyond } from '#test/harness/probe.ts'
import { ScanOracle } from '#test/harness/scan-load.ts'

interface Note {
  place: string
  key: string
  n: number
  pass?: boolean
  bellMs?: number
}

interface Single extends Line {
  exportedAt: string
}

const codes: Partial<Record<Item['kind'], string>> = {
  garbage: 'validation_failed',
  throws: 'internal',
  deadly: 'killed_process',
}

export class Oracle {
  private readonly lines = new Map<string, Single>()
  private readonly scans = new ScanOracle()
  private readonly exports = new Map<string, AccountExports>()
  private readonly newest = new Map<string, { time: string; name: string }>()
  private readonly values = new Map<string, { time: string; value: number }>()
  private readonly known = new Set<string>()
  private readonly lists = { order: new Lists(), deliveries: new Lists(), bells: new Lists() }
  private readonly dead = new Map<string, number>()
  private events = 0

  take(item: Item): void {
    const { id, orgId, account, time, kind, data } = item
    if (account.startsWith('scan-')) this.scans.take(item)
    else if (kind === 'ended') this.of(orgId, account).ended(data as never)
    else if (kind === 'bill' && data['exportId'] !== undefined) this.of(orgId, account).line(data as BillingLine)
    else if (kind === 'bill') this.bill(`${orgId}|${account}|`, data as BillingLine)
    else if (kind === 'sample') this.sample(item)
    else if (kind === 'resource') this.resource(`${orgId}|${account}|${String(data['resourceUid'])}`, time, data)
    else if (kind === 'note') this.note(item)
    else this.bury(`${orgId}/${id} ${codes[kind]!}`)
  }

  private of(orgId: string, account: string): AccountExports {
    const key = `${orgId}|${account}`
    const found = this.exports.get(key) ?? new AccountExports()
    this.exports.set(key, found)
    return found
  }

  private bill(prefix: string, line: BillingLine): void {
    const known = this.lines.get(prefix + line.lineId)
    if (known && known.exportedAt > line.exportedAt!) return
    const { usageDate, serviceName, costUSD, exportedAt } = line
    const units = toUnits(costUSD!, 14)!
    this.lines.set(prefix + line.lineId, { day: usageDate!, service: serviceName!, units, exportedAt: exportedAt! })
  }

  private sample({ orgId, time, data }: Item): void {
    const [{ ts, value }] = data['samples'] as [{ ts: string; value: number }]
    const key = `${orgId}/${String(data['resourceUid'])}/${ts}`
    const known = this.values.get(key)
    if (!known || known.time <= time) this.values.set(key, { time, value })
  }

  private resource(key: string, time: string, data: Item['data']): void {
    const known = this.newest.get(key)
    if (!known || known.time <= time) this.newest.set(key, { time, name: String(data['name']) })
  }

  /** The same id again has no effect. */
  private note({ id, orgId, data }: Item): void {
    if (this.known.has(`${orgId}/${id}`)) return
    this.known.add(`${orgId}/${id}`)
    const { place, key, n, pass, bellMs } = data as unknown as Note
    this.lists.order.add(`${orgId}|${place}|${key}`, n)
    if (pass) this.lists.deliveries.add(`${orgId}|${beyond(place)}|${key}`, n)
    if (pass) this.events++
    if (bellMs !== undefined) this.lists.bells.add(`${orgId}|${place}|${key}`, n)
  }

  /** Each time it is published it is set aside. */
  private bury(key: string): void {
    this.dead.set(key, (this.dead.get(key) ?? 0) + 1)
  }

  /** In the form of `standing`. */
  all() {
    const { order, deliveries, bells } = this.lists
    const samples = new Map<string, number>()
    for (const [key, { value }] of this.values) {
      const org = key.split('/')[0]!
      samples.set(org, (samples.get(org) ?? 0) + value)
    }
    const singles = [...this.lines].map(([key, line]) => ({ ...line, account: accountOf(key) }))
    const exports = this.shown()
    const lines = [...singles, ...exports.lines]
    const days = sums(lines, ({ day }) => day)
    const found = [...this.newest].map(([key, { name }]): [string, string] => [key, name])
    const names = sorted([...found, ...this.scans.present()])
    const gone = sorted(this.scans.gone())
    return {
      lines: this.lines.size,
      facts: sums(singles, ({ day }) => day),
      rollups: days,
      serviceRollups: sums(lines, ({ day, service }) => `${day}|${service}`),
      shownLines: lines.length,
      lineSums: days,
      shownExports: exports.names,
      openExports: exports.open,
      dayExports: exports.byDay,
      samples: this.values.size,
      sampleSums: sorted([...samples].map(([org, sum]) => [org, String(sum)])),
      resources: names,
      resourceFacts: names,
      gone,
      goneFacts: gone,
      actorOrder: order.inOrder(),
      outboxDeliveries: deliveries.inSize(),
      remindersFired: bells.inSize(),
      events: this.events,
      deadLetters: sorted([...this.dead].map(([key, n]) => [key, String(n)])),
      deadOnStream: [...this.dead.values()].reduce((sum, n) => sum + n, 0),
    }
  }

  private shown() {
    const lines: Counted[] = []
    const names: [string, string][] = []
    const open: [string, string][] = []
    const byDay = new Map<string, Set<string>>()
    for (const [account, exports] of this.exports) {
      const outcome = exports.outcome()
      if (outcome.open.length > 0) open.push([account, outcome.open.join(' ')])
      for (const [period, { export: one, complete }] of outcome.shown) {
        names.push([`${account}|${period}`, complete ? one.id : `${one.id} begun`])
        for (const line of one.lines.get(period)?.values() ?? []) {
          lines.push({ ...line, account })
          const at = `${account}|${line.day}`
          byDay.set(at, (byDay.get(at) ?? new Set()).add(`${period}/${one.id}`))
        }
      }
    }
    const days = [...byDay].map(([at, bills]): [string, string] => [at, [...bills].toSorted().join(' ')])
    return { lines, names: sorted(names), open: sorted(open), byDay: sorted(days) }
  }
}

/** A line that counts; `account` is `<org>|<account>`. */
interface Counted extends Line {
  account: string
}

const accountOf = (key: string): string => key.split('|').slice(0, 2).join('|')

/** `<org>|<account>|<what>` to the exact sum. */
function sums(lines: readonly Counted[], what: (line: Line) => string): Record<string, string> {
  const found = new Map<string, bigint>()
  for (const line of lines) {
    const id = `${line.account}|${what(line)}`
    found.set(id, (found.get(id) ?? 0n) + line.units)
  }
  return sorted([...found].map(([id, units]) => [id, plain(units, 14)]))
}

/** Numbers by the actor that must hold them. */
export class Lists {
  private readonly lists = new Map<string, number[]>()

  add(id: string, ...n: number[]): void {
    const list = this.lists.get(id)
    if (list) list.push(...n)
    else if (n.length > 0) this.lists.set(id, n)
  }

  inOrder(): Record<string, string> {
    return sorted([...this.lists].map(([id, list]) => [id, list.join(' ')]))
  }

  inSize(): Record<string, string> {
    return sorted([...this.lists].map(([id, list]) => [id, list.toSorted((a, b) => a - b).join(' ')]))
  }
}

export const sorted = (entries: [string, string][]): Record<string, string> =>
  Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)))
