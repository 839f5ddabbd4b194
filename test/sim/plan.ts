/** What a seed does: its sizes, its faults, the messages it publishes and what befalls whom and when. */
import type { LaneLimits } from '#engine/lane/tools.ts'
import { ingestSubject, type Envelope, type Subject } from '#engine/actor/subject.ts'
import * as actors from '#test/sim/actors.ts'
import { org, places } from '#test/sim/actors.ts'
import { epochMs } from '#test/sim/clock.ts'
import * as sights from '#test/sim/sight.ts'
import { noFaults, type LinkFaults } from '#test/sim/link.ts'
import type { Random } from '#test/sim/scheduler.ts'

export interface Planned {
  /** Virtual milliseconds. */
  at: number
  subject: string
  /** What the broker knows it by. */
  id: string
  body: string
}

export interface PlannedAsk {
  at: number
  data: { place: string; key: string; n: number }
}

export type Strike =
  | { what: 'crash' | 'pause' | 'drain' | 'session' | 'jump'; at: number; slot: number; ms: number }
  | { what: 'away'; at: number; server: Server; ms: number }
  | { what: 'broker jump' | 'database jump' | 'forget ids' | 'trim'; at: number; ms: number }

export type Server = 'state' | 'log' | 'facts'

export interface Plan {
  hosts: number
  lanes: number
  leaseMs: number
  limits: LaneLimits
  faults: Record<Server, LinkFaults>
  pollFaults: LinkFaults
  commitFaults: LinkFaults
  /** Probability that a reader goes wrong, that an answer is lost, that a process dies at a named point. */
  badReaders: number
  lostAnswers: number
  crashPoints: number
  /** One list a producer. */
  messages: Planned[][]
  asks: PlannedAsk[]
  strikes: Strike[]
  /** Virtual milliseconds after which nothing goes wrong any more. */
  calmAt: number
}

/** Calls that every process makes all the time: with faults as often as others have, nothing else would get done. */
export const polls: ReadonlySet<string> = new Set([
  'live',
  'free',
  'beat',
  'renew',
  'waitingEffects',
  'claimEffects',
  'effectLag',
  'last',
  'closed organizations',
])

export function makePlan(random: Random): Plan {
  const spreadMs = random.pick([500, 1500, 3000])
  const calmAt = spreadMs + random.between(1000, 4500)
  const hosts = random.pick([2, 2, 3])
  // A connection to PostgreSQL repeats nothing; a commit that came twice must do no harm all the same.
  // Some seeds kill processes early and have a fact store that is hardly there: what is careful must not take one for the other.
  const brittle = random.chance(0.1)
  const state = { ...faults(random), repeated: 0 }
  const { messages, asks } = new Writer(random, spreadMs).write(random.between(25, 50), brittle)
  return {
    hosts,
    lanes: 2,
    leaseMs: random.pick([600, 1500, 3000]),
    limits: {
      countMax: random.pick([1, 3, 10, 1000]),
      bytesMax: random.pick([400, 10_000_000]),
      waitMs: random.pick([50, 200, 400]),
      activationsMax: random.pick([1, 4, 1000]),
      echoesMax: random.pick([0, 1, 1000, 1000]),
      idleMs: random.pick([100, 60_000]),
      keepMessages: 3,
    },
    faults: { state, log: faults(random), facts: brittle ? { ...noFaults, lost: 0.4 } : faults(random) },
    commitFaults: { ...state, repeated: random.pick([0, 0.05]) },
    pollFaults: { ...faults(random), lost: 0.003, torn: random.pick([0, 0.002]), repeated: 0 },
    badReaders: random.pick([0, 0.1, 0.4]),
    lostAnswers: random.pick([0, 0.2]),
    crashPoints: random.pick([0, 0, 0.005, 0.02]),
    messages,
    asks,
    strikes: Array.from({ length: random.below(9) }, () => strike(random, hosts, calmAt)),
    calmAt,
  }
}

function faults(random: Random): LinkFaults {
  const rate = () => random.pick([0, 0, 0.01, 0.05])
  return {
    lost: rate(),
    torn: rate(),
    partial: rate(),
    repeated: rate(),
    slow: random.pick([0, 0, 0.02, 0.1]),
    slowMs: random.pick([100, 1000, 4000]),
  }
}

function strike(random: Random, hosts: number, calmAt: number): Strike {
  const at = random.below(calmAt)
  const slot = random.below(hosts)
  const what = random.pick(strikes)
  if (what === 'away') {
    return { what, at, server: random.pick(['state', 'log', 'facts'] as const), ms: random.between(50, 3000) }
  }
  if (what === 'broker jump' || what === 'database jump' || what === 'forget ids' || what === 'trim') {
    return { what, at, ms: random.between(-5000, 5000) }
  }
  const ms = what === 'jump' ? random.between(-3000, 5000) : random.between(100, 6000)
  return { what, at, slot, ms }
}

const strikes = [
  'crash',
  'crash',
  'pause',
  'pause',
  'away',
  'session',
  'jump',
  'broker jump',
  'database jump',
  'forget ids',
  'trim',
  'drain',
] as const

type Data = { place: string; key: string; n: number }

class Writer {
  private readonly random: Random
  private readonly spreadMs: number
  private readonly messages: Planned[][] = [[], []]
  private readonly asks: PlannedAsk[] = []
  private readonly onces: { subject: string; envelope: Envelope }[] = []
  private n = 0

  constructor(random: Random, spreadMs: number) {
    this.random = random
    this.spreadMs = spreadMs
  }

  write(count: number, brittle: boolean): { messages: Planned[][]; asks: PlannedAsk[] } {
    while (this.n < count) this.one(this.random.below(100))
    if (brittle || this.random.chance(0.2)) this.plain(actors.poisonous)
    if (brittle) for (let i = 0; i < 5; i++) this.plain(actors.consulted)
    this.sights(this.random.between(5, 30))
    for (const list of this.messages) list.sort((a, b) => a.at - b.at)
    return { messages: this.messages, asks: this.asks }
  }

  private one(roll: number): void {
    const table: [number, () => void][] = [
      [23, () => this.plain(actors.added, this.key('k0', 'k1', 'a0', 'm0', 'r0'))],
      [35, () => this.once()],
      [39, () => this.repeat()],
      [47, () => this.plain(actors.passed)],
      [53, () => this.ask()],
      [61, () => this.plain(actors.timed, this.key('t0', 't1'))],
      [64, () => this.plain(actors.silenced, this.key('t0', 't1'))],
      [70, () => this.plain(actors.marked, this.key('m0', 'm1'))],
      [73, () => this.plain(actors.called)],
      [77, () => this.plain(actors.closed)],
      [81, () => this.plain(actors.removed, 'r0')],
      [87, () => this.plain(actors.consulted)],
      [89, () => this.plain(actors.broken)],
      [91, () => this.plain(actors.swollen)],
      [93, () => this.plain(actors.unstorable)],
      [96, () => this.array()],
      [98, () => this.misrouted()],
      [100, () => this.bad()],
    ]
    table.find(([below]) => roll < below)![1]()
  }

  /** Few say anything new; later ones are mostly of a later time. */
  private sights(count: number): void {
    for (let i = 0; i < count; i++) {
      const at = this.random.below(this.spreadMs)
      const time = new Date(epochMs - 60_000 + at - this.random.pick([0, 0, 0, 300, 1000])).toISOString()
      const roll = this.random.below(100)
      const told = roll < 90 ? sights.noted : roll < 97 ? sights.moved : sights.vanished
      const which = roll < 78 ? sights.seen : told
      const data = { place: this.random.pick(places), key: this.key('s0', 's0', 's1'), n: 0 }
      const value = this.random.pick(['a', 'a', 'a', 'a', 'a', 'a', 'b', 'restless'])
      const round = this.random.pick([{}, { round: `r${i}` }])
      const said = which === sights.seen ? { ...data, value, ...round } : data
      const envelope = { id: `s${i}`, type: which.name, schemaVersion: 1, orgId: org, time, data: said }
      const many = this.random.chance(0.1) ? [envelope, { ...envelope, id: `s${i}-again` }] : envelope
      const subject = ingestSubject(which.kind, org, data.place)
      this.random.pick(this.messages).push({ at, subject, id: `s${i}`, body: JSON.stringify(many) })
    }
  }

  private key(...keys: string[]): string {
    return this.random.pick(keys)
  }

  private data(key = this.key('k0', 'k1')): Data {
    return { place: this.random.pick(places), key, n: ++this.n }
  }

  private envelope(subject: { name: string }, data: Data): Envelope {
    const time = new Date(epochMs - this.random.below(1000)).toISOString()
    return { id: `m${data.n}`, type: subject.name, schemaVersion: 1, orgId: org, time, data }
  }

  private publish(subject: string, id: string, body: string): void {
    this.random.pick(this.messages).push({ at: this.random.below(this.spreadMs), subject, id, body })
  }

  private plain(subject: unknown, key?: string): void {
    const { kind, name } = subject as Subject
    const data = this.data(key)
    const body = JSON.stringify(this.envelope({ name }, data))
    this.publish(ingestSubject(kind, org, data.place), `m${data.n}`, body)
  }

  private once(): void {
    const data = this.data(this.key('k0', 'k1', 'r0'))
    const envelope = this.envelope(actors.addedOnce, data)
    const subject = ingestSubject('sim', org, data.place)
    this.onces.push({ subject, envelope })
    this.publish(subject, envelope.id, JSON.stringify(envelope))
  }

  /** The same message again, under an id that the broker does not know. */
  private repeat(): void {
    if (this.onces.length === 0) return
    const { subject, envelope } = this.random.pick(this.onces)
    this.publish(subject, `again-${++this.n}`, JSON.stringify(envelope))
  }

  private ask(): void {
    this.asks.push({ at: this.random.below(this.spreadMs), data: this.data('a0') })
  }

  private array(): void {
    const place = this.random.pick(places)
    const middle = this.random.pick([
      actors.added,
      actors.addedOnce,
      actors.unstorable,
      actors.swollen,
      actors.poisonous,
    ])
    const list: unknown[] = [actors.added, this.random.chance(0.7) ? actors.added : middle, actors.addedOnce].map(
      (kind) => this.envelope(kind, { ...this.data(), place }),
    )
    if (this.random.chance(0.3)) list.push({ id: 'bad', type: 5 })
    this.publish(ingestSubject('sim', org, place), `m${this.n}`, JSON.stringify(list))
  }

  /** Under the token of another place: to be sent on. */
  private misrouted(): void {
    const data = this.data()
    const envelope = this.envelope(actors.addedOnce, data)
    this.publish(ingestSubject('sim', org, actors.nextPlace(data.place)), envelope.id, JSON.stringify(envelope))
  }

  private bad(): void {
    const data = this.data()
    const good = this.envelope(actors.added, data)
    const bodies = [
      'not json',
      JSON.stringify({ ...good, orgId: 'other' }),
      JSON.stringify({ ...good, type: 'sim.unheard' }),
      JSON.stringify({ ...good, data: { ...data, n: 'many' } }),
    ]
    this.publish(ingestSubject('sim', org, data.place), good.id, this.random.pick(bodies))
  }
}
