/** A load of bills, samples, discoveries and notes with repeats, disorder, restatements, exports, scans and poison. What it must come to: oracle.ts. */
import { plain } from '#engine/value/decimal.ts'
import type { Event } from '#engine/run/publisher.ts'
import { billingExportEnded, billingLine, type BillingLine } from '#streams/billing/messages.ts'
import { metricSample } from '#streams/metric/messages.ts'
import { refreshProgress } from '#streams/refresh.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { ExportLoad, shuffled } from '#test/harness/export-load.ts'
import { ScanLoad } from '#test/harness/scan-load.ts'
import { deadly, noted, thrown } from '#test/harness/probe.ts'

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
  /** One event in so many ends the process that runs it; none unless told. */
  deadlyEvery?: number
  /** Ends the load before its end; exports that have begun are still sent. */
  until?: AbortSignal
}

/** A whole number from 0 up to `n`, which it never is. */
export type Pick = (n: number) => number

/** One event as it is published; the same `id` again is the same event. */
export interface Item {
  id: string
  orgId: string
  account: string
  time: string
  kind: 'bill' | 'ended' | 'scan' | 'sample' | 'resource' | 'note' | 'garbage' | 'throws' | 'deadly'
  data: Record<string, unknown>
  /** All before it has been published before it is. */
  behind?: boolean
}

/** Events that a repeat or a restatement may go back to. */
const rememberedMax = 5000

/**
 * 55 % bills, 20 % samples, 14 % discoveries, 10 % notes, 1 % poison (half of it does not decode, half throws); of them
 * 10 % repeated, 5 % late, 2 % restated. Those that end the process are not repeated: each costs six ends. Between them,
 * lines that move several times at once, about half as many again of exports, and whole scans.
 */
export function* makeLoad(options: LoadOptions): Generator<Item, void> {
  const next = random(options.seed)
  const pick: Pick = (n) => Math.floor(next() * n)
  const sent: Item[] = []
  const late: Item[] = []
  const exports = new ExportLoad(options, pick)
  const scans = new ScanLoad(options, pick)
  for (let i = 0; i < options.events && !options.until?.aborted; i++) {
    if (i % (options.deadlyEvery ?? Infinity) === 1) yield makeItem(options, i, pick, 'deadly')
    const item = makeItem(options, i, pick)
    sent[i % rememberedMax] = item
    if (next() < 0.05) late.push(item)
    else yield item
    yield* again(sent, i, next, pick)
    if (late.length > 0 && next() < 0.2) yield late.shift()!
    yield* beside(options, i, next, { pick, sent, exports, scans })
  }
  yield* late
  yield* exports.rest()
}

interface Beside {
  pick: Pick
  sent: Item[]
  exports: ExportLoad
  scans: ScanLoad
}

function* beside(options: LoadOptions, i: number, next: () => number, load: Beside): Generator<Item> {
  const { pick, sent, exports, scans } = load
  if (next() < 0.02) yield* moved(options, i, pick, sent)
  if (next() < 0.15) yield* exports.run()
  if (next() < 0.04) yield* scans.run()
}

function* again(sent: readonly Item[], i: number, next: () => number, pick: Pick): Generator<Item> {
  if (next() < 0.1) yield sent[pick(sent.length)]!
  if (next() < 0.02) yield restated(sent[pick(sent.length)]!, i, pick)
}

type Made = Exclude<Item['kind'], 'ended' | 'scan'>

function makeItem({ seed, orgs, accounts }: LoadOptions, i: number, pick: Pick, forced?: Made): Item {
  const kind = forced ?? kindOf(pick(200))
  const account = `acct-${pick(accounts)}`
  const time = new Date(Date.UTC(2026, 3, 1) + pick(86_400_000)).toISOString()
  const id = forced === undefined ? `e${i}` : `${forced}${i}`
  const base = { id, orgId: `chaos-${seed}-${pick(orgs)}`, account, time, kind }
  return { ...base, data: makers[kind](account, i, pick) }
}

function kindOf(roll: number): Made {
  if (roll < 110) return 'bill'
  if (roll < 150) return 'sample'
  if (roll < 178) return 'resource'
  if (roll < 198) return 'note'
  return roll === 198 ? 'garbage' : 'throws'
}

const services = ['compute', 'storage', 'network']

const makers: Record<Made, (account: string, i: number, pick: Pick) => Record<string, unknown>> = {
  bill: (cloudAccountId, i, pick) => {
    const day = dayOf(pick)
    return {
      lineId: i % 3 === 0 ? `line-${i}` : `${day}/line-${i}`,
      cloudAccountId,
      provider: 'aws',
      resourceUid: `r-${pick(50)}`,
      serviceName: services[pick(3)],
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
  note: (place, n, pick) => {
    const isPassed = pick(2) === 0
    return {
      place,
      key: `k-${pick(2)}`,
      n,
      ...(isPassed && { pass: true }),
      ...(pick(4) === 0 && { bellMs: pick(3000) }),
    }
  },
  garbage: () => ({ cloudAccountId: '', nothing: true }),
  throws: (place, n, pick) => ({ place, key: `k-${pick(2)}`, n }),
  deadly: (place, n, pick) => ({ place, key: `k-${pick(2)}`, n }),
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

/** A line whose id does not name its day, in several late exports at once: from day to day, newest or oldest first or in any order. */
function moved(options: LoadOptions, i: number, pick: Pick, sent: Item[]): Item[] {
  const first = makeItem(options, i, pick, 'bill')
  const list = Array.from({ length: 3 + pick(4) }, (_, nth): Item => ({
    ...first,
    id: `m${i}-${nth}`,
    data: {
      ...first.data,
      lineId: `line-m${i}`,
      usageDate: `2026-03-0${1 + pick(3)}`,
      costUSD: plain(BigInt(1 + pick(1_000_000)), 6),
      exportedAt: new Date(Date.UTC(2026, 3, 1, 1) + nth * 1000).toISOString(),
    },
  }))
  sent[pick(sent.length)] = list[0]!
  const way = pick(3)
  return way === 0 ? list : way === 1 ? list.toReversed() : shuffled(list, pick)
}

const subjects = {
  bill: billingLine,
  ended: billingExportEnded,
  scan: refreshProgress,
  sample: metricSample,
  resource: resourceDiscovered,
  note: noted,
  garbage: billingLine,
  throws: thrown,
  deadly,
} as const

export const eventOf = ({ id, orgId, account, time, kind, data }: Item): Event =>
  ({ subject: subjects[kind], orgId, data, place: account, id, time: new Date(time) }) as unknown as Event

/**
 * Which message an event may share. What ends a process has one with notes, whose order must stand whatever it does. The end of
 * an export is sent on where it shares one with lines: those of parts do, the others come between the lines before and those
 * behind them.
 */
export function sharing({ orgId, account, kind, data }: Item): string {
  const shared: Partial<Record<Item['kind'], Item['kind']>> = { garbage: 'bill', deadly: 'note' }
  const name = kind === 'ended' && data['part'] !== undefined ? 'bill' : (shared[kind] ?? kind)
  return [orgId, account, name].join('|')
}
