/** What must stand when everything has been taken, worked out apart from the product, in the order of publishing. */
import { plain, scaled } from '#engine/decimal.ts'
import type { BillingLine } from '#streams/billing.ts'
import type { Item } from '#test/harness/load.ts'
import { beyond } from '#test/harness/probe.ts'

interface Note {
  place: string
  key: string
  n: number
  pass?: boolean
  bellMs?: number
}

interface Line {
  day: string
  service: string
  units: bigint
  exportedAt: string
}

const codes = { garbage: 'validation_failed', throws: 'internal', deadly: 'killed_process' } as const

export class Oracle {
  private readonly lines = new Map<string, Line>()
  private readonly newest = new Map<string, { time: string; name: string }>()
  private readonly values = new Map<string, { time: string; value: number }>()
  private readonly known = new Set<string>()
  private readonly lists = { order: new Lists(), deliveries: new Lists(), bells: new Lists() }
  private readonly dead = new Map<string, number>()
  private events = 0

  take(item: Item): void {
    const { id, orgId, account, time, kind, data } = item
    if (kind === 'bill') this.bill(`${orgId}|${account}|`, data as BillingLine)
    else if (kind === 'sample') this.sample(item)
    else if (kind === 'resource') this.resource(`${orgId}|${account}|${String(data['resourceUid'])}`, time, data)
    else if (kind === 'note') this.note(item)
    else this.bury(`${orgId}/${id} ${codes[kind]}`)
  }

  private bill(prefix: string, line: BillingLine): void {
    const known = this.lines.get(prefix + line.lineId)
    if (known && known.exportedAt > line.exportedAt!) return
    const { usageDate, serviceName, costUSD, exportedAt } = line
    const units = scaled(costUSD!, 14)!
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
    const sums = new Map<string, number>()
    for (const [key, { value }] of this.values) {
      const org = key.split('/')[0]!
      sums.set(org, (sums.get(org) ?? 0) + value)
    }
    const days = this.sums(({ day }) => day)
    const names = sorted([...this.newest].map(([key, { name }]) => [key, name]))
    return {
      lines: this.lines.size,
      facts: days,
      rollups: days,
      serviceRollups: this.sums(({ day, service }) => `${day}|${service}`),
      samples: this.values.size,
      sampleSums: sorted([...sums].map(([org, sum]) => [org, String(sum)])),
      resources: names,
      resourceFacts: names,
      actorOrder: order.inOrder(),
      outboxDeliveries: deliveries.inSize(),
      remindersFired: bells.inSize(),
      events: this.events,
      deadLetters: sorted([...this.dead].map(([key, n]) => [key, String(n)])),
      deadOnStream: [...this.dead.values()].reduce((sum, n) => sum + n, 0),
    }
  }

  /** `<org>|<account>|<what>` to the exact sum. */
  private sums(what: (line: Line) => string): Record<string, string> {
    const sums = new Map<string, bigint>()
    for (const [key, line] of this.lines) {
      const id = `${key.split('|').slice(0, 2).join('|')}|${what(line)}`
      sums.set(id, (sums.get(id) ?? 0n) + line.units)
    }
    return sorted([...sums].map(([id, units]) => [id, plain(units, 14)]))
  }
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
