/** A load of bills, samples and discoveries with repeats, disorder, restatements and poison, and the oracle that knows what it must come to. */
import { plain, scaled } from '#engine/decimal.ts'
import type { Event } from '#engine/publisher.ts'
import { billingLine, type BillingLine } from '#streams/billing.ts'
import { metricSample } from '#streams/metric.ts'
import { resourceDiscovered } from '#streams/resource.ts'

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
export function random(seed: number): () => number {
  let a = seed >>> 0
  return () => {
    a = (a + 0x6d2b79f5) >>> 0
    let t = a
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

export interface LoadOptions {
  seed: number
  /** Events before repeats. */
  events: number
  orgs: number
  accounts: number
}

type Pick = (n: number) => number

/** One event as it is published; the same `id` again is the same event. */
export interface Item {
  id: string
  orgId: string
  account: string
  time: string
  kind: 'bill' | 'sample' | 'resource' | 'poison'
  data: Record<string, unknown>
}

/** 60 % bills, 20 % samples, 19 % discoveries, 1 % poison; of them 10 % repeated, 5 % late, 2 % restated. */
export function makeLoad(options: LoadOptions): Item[] {
  const next = random(options.seed)
  const pick: Pick = (n) => Math.floor(next() * n)
  const sent: Item[] = []
  const queue: Item[] = []
  const late: Item[] = []
  for (let i = 0; i < options.events; i++) {
    const item = makeItem(options, i, pick)
    sent.push(item)
    if (next() < 0.05) late.push(item)
    else queue.push(item)
    if (next() < 0.1) queue.push(sent[pick(sent.length)]!)
    if (next() < 0.02) queue.push(restated(sent[pick(sent.length)]!, i, pick))
    if (late.length > 0 && next() < 0.2) queue.push(late.shift()!)
  }
  return [...queue, ...late]
}

function makeItem({ seed, orgs, accounts }: LoadOptions, i: number, pick: Pick): Item {
  const roll = pick(100)
  const kind = roll < 60 ? 'bill' : roll < 80 ? 'sample' : roll < 99 ? 'resource' : 'poison'
  const account = `acct-${pick(accounts)}`
  const time = new Date(Date.UTC(2026, 3, 1) + pick(86_400_000)).toISOString()
  const base = { id: `e${i}`, orgId: `chaos-${seed}-${pick(orgs)}`, account, time, kind } as const
  return { ...base, data: makers[kind](account, i, pick) }
}

const makers: Record<Item['kind'], (account: string, i: number, pick: Pick) => Record<string, unknown>> = {
  bill: (cloudAccountId, i, pick) => {
    const day = dayOf(pick)
    return {
      lineId: i % 3 === 0 ? `line-${i}` : `${day}/line-${i}`,
      cloudAccountId,
      provider: 'aws',
      resourceUid: `r-${pick(50)}`,
      serviceName: 'compute',
      usageDate: day,
      costUSD: plain(BigInt(1 + pick(1_000_000)), 6),
      exportedAt: `2026-04-01T00:00:${String(pick(60)).padStart(2, '0')}Z`,
    }
  },
  sample: (_, i, pick) => ({
    resourceUid: `r-${pick(50)}`,
    samples: [{ metric: 'cpu_percent', value: pick(100), ts: new Date(Date.UTC(2026, 2, 1) + i * 1000).toISOString() }],
  }),
  resource: (cloudAccountId, i, pick) => ({
    resourceUid: `r-${pick(50)}`,
    name: `name-${i}`,
    type: 'aws-ec2',
    provider: 'aws',
    cloudAccountId,
    region: 'us-east-1',
    status: 'running',
  }),
  poison: () => ({ cloudAccountId: '', nothing: true }),
}

const dayOf = (pick: Pick): string => `2026-03-${String(1 + pick(9)).padStart(2, '0')}`

/** A bill again with another amount and a later export; one whose id does not name its day may move. Anything else as it was. */
function restated(item: Item, i: number, pick: Pick): Item {
  if (item.kind !== 'bill') return item
  const line = item.data as BillingLine
  const usageDate = line.lineId.startsWith('line-') && pick(2) === 0 ? dayOf(pick) : line.usageDate!
  const costUSD = plain(BigInt(1 + pick(1_000_000)), 6)
  const exportedAt = new Date(Date.UTC(2026, 3, 2) + i).toISOString()
  return { ...item, id: `${item.id}-r${i}`, data: { ...line, usageDate, costUSD, exportedAt } }
}

const subjects = { bill: billingLine, sample: metricSample, resource: resourceDiscovered, poison: billingLine } as const

export const eventOf = ({ id, orgId, account, time, kind, data }: Item): Event =>
  ({ subject: subjects[kind], orgId, data, place: account, id, time: new Date(time) }) as unknown as Event

/** What must stand when everything has been taken, worked out in the order of publishing. */
export class Oracle {
  private readonly lines = new Map<string, { day: string; units: bigint; exportedAt: string }>()
  private readonly newest = new Map<string, { time: string; name: string }>()
  readonly samples = new Set<string>()
  readonly poison = new Set<string>()

  take({ id, orgId, account, time, kind, data }: Item): void {
    if (kind === 'poison') this.poison.add(`${orgId}/${id}`)
    if (kind === 'sample') this.samples.add(`${orgId}/${(data['samples'] as { ts: string }[])[0]!.ts}`)
    if (kind === 'resource') {
      const key = `${orgId}|${account}|${String(data['resourceUid'])}`
      const known = this.newest.get(key)
      if (!known || known.time <= time) this.newest.set(key, { time, name: String(data['name']) })
    }
    if (kind === 'bill') this.bill(`${orgId}|${account}|`, data as BillingLine)
  }

  private bill(prefix: string, line: BillingLine): void {
    const known = this.lines.get(prefix + line.lineId)
    if (known && known.exportedAt > line.exportedAt!) return
    const fact = { day: line.usageDate!, units: scaled(line.costUSD!, 14)!, exportedAt: line.exportedAt! }
    this.lines.set(prefix + line.lineId, fact)
  }

  get lineCount(): number {
    return this.lines.size
  }

  /** `<org>|<account>|<day>` to the exact sum. */
  days(): Record<string, string> {
    const sums = new Map<string, bigint>()
    for (const [key, { day, units }] of this.lines) {
      const id = `${key.split('|').slice(0, 2).join('|')}|${day}`
      sums.set(id, (sums.get(id) ?? 0n) + units)
    }
    return sorted([...sums].map(([id, units]) => [id, plain(units, 14)]))
  }

  /** `<org>|<account>|<uid>` to the name the newest observation gave it. */
  names(): Record<string, string> {
    return sorted([...this.newest].map(([key, { name }]) => [key, name]))
  }
}

export const sorted = (entries: [string, string][]): Record<string, string> =>
  Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)))
