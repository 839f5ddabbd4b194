/** What a seed sends: exports and their ends, lines that come alone, what stood before, and in which order and when. */
import { billingExportEnded, billingLine } from '#streams/billing/messages.ts'
import { epochMs } from '#test/sim/clock.ts'
import type { Random } from '#test/sim/scheduler.ts'

/** A line of a bill, as the model knows it. */
export interface Line {
  id: string
  day: string
  cost: number
  source: 'estimate' | 'actual'
  resource: string
  service: string
  /** Stands for what else a line says: sums are kept apart by it. */
  region: string
}

export interface ExportLine extends Line {
  period: string
  part: number
}

/** What is told of an export, or of a part of it, by billing period. */
export interface Marker {
  told: Record<string, number>
  part: number
  confirmed: boolean
}

export interface Export {
  id: string
  at: string
  lines: readonly ExportLine[]
  /** Those that count in the end; none where it was never ended. */
  markers: readonly Marker[]
  parts: number
}

/** A line sent alone; `at` is when it was exported. */
export interface Single extends Line {
  at: string
}

export interface OldLine extends Single {
  period: string
}

export interface Sent {
  /** Virtual milliseconds. */
  at: number
  subject: typeof billingLine | typeof billingExportEnded
  data: Record<string, unknown>
  /** What the oracle of the order knows it by. */
  of?: { export: Export; line: ExportLine } | { export: Export; marker: Marker } | { single: Single }
}

export interface Account {
  id: string
  oldThrough: string
  old: readonly OldLine[]
  exports: readonly Export[]
  sent: readonly Sent[]
}

export interface Plan {
  accounts: readonly Account[]
  /** Whether ends come unconfirmed: what is shown then depends on their order. */
  guarded: boolean
  /** Messages of a batch; marks of a pass. */
  batchMax: number
  marksMax: number
  /** Probability that a process dies at a step, and between facts and commit; that a statement of a rollup fails, that a day waits. */
  crash: number
  commitCrash: number
  failure: number
  waits: number
  strikes: readonly { at: number; what: 'owner' | 'kill owner' | 'roller' | 'kill roller' | 'types' | 'pause' }[]
  /** Virtual milliseconds after which nothing goes wrong any more. */
  calmAt: number
}

export const days = ['2025-12-30', '2025-12-31', '2026-01-01', '2026-01-02', '2026-01-03'] as const
export const periods = ['2025-12', '2026-01'] as const
/** Made more than a day ahead: refused, all of it. */
const future = '2026-02-01T06:00:00.000Z'
/** When exports were made: few moments, so that some are made at the same one. */
const times = [10, 11, 12, 13, 14].map((day) => `2026-01-${day}T06:00:00.000Z`)

export function makePlan(random: Random): Plan {
  const guarded = random.chance(0.25)
  // Some seeds are about lines that move, taken together by owners that die where it matters.
  const moving = !guarded && random.chance(0.15)
  const accounts = Array.from({ length: random.pick([1, 1, 2]) }, (_, i) =>
    new Writer(random, guarded, moving).account(i),
  )
  const last = Math.max(0, ...accounts.flatMap(({ sent }) => sent.map(({ at }) => at)))
  const strikeKinds = ['owner', 'owner', 'kill owner', 'roller', 'roller', 'kill roller', 'types', 'pause'] as const
  return {
    accounts,
    guarded,
    batchMax: moving ? 1000 : random.pick([1, 2, 4, 1000]),
    marksMax: random.pick([1, 4, 2000]),
    crash: random.pick([0, 0.01, 0.03, 0.08]),
    commitCrash: moving ? 0.5 : random.pick([0, 0, 0.1, 0.4]),
    failure: random.pick([0, 0, 0.03]),
    waits: random.pick([0, 0, 0.3]),
    strikes: Array.from({ length: moving ? 8 : random.below(7) }, () => ({
      at: moving ? Math.max(0, last + random.between(-40, 40)) : random.below(last + 50),
      what: random.pick(moving ? (['owner', 'pause'] as const) : strikeKinds),
    })),
    calmAt: moving ? last + 2000 : random.below(last + 2000),
  }
}

/** The same moment, written in one of the ways that producers write it. */
const written = (random: Random, at: string): string =>
  random.pick([at, at.replace('.000Z', 'Z'), at.replace('06:00:00.000Z', '07:00:00+01:00')])

type Ends =
  | 'right'
  | 'never'
  | 'too many'
  | 'too few'
  | 'none'
  | 'corrected'
  | 'part missing'
  | 'lines behind it'
  | 'hopeless'
const ends: readonly Ends[] = [
  ...(['right', 'right', 'right', 'right', 'right', 'right', 'right', 'right', 'right'] as const),
  ...(['never', 'too many', 'too few', 'none', 'corrected', 'part missing', 'lines behind it'] as const),
]

const behindLines: ReadonlySet<Ends> = new Set(['too few', 'none', 'lines behind it'])

/** Messages whose order among those of their export is not free: lower ranks come first. */
interface Ranked extends Sent {
  rank?: number
  /** Milliseconds before it. */
  pause?: number
}

class Writer {
  private readonly random: Random
  private readonly guarded: boolean
  private readonly moving: boolean
  private account_ = ''
  private readonly sent: Ranked[] = []
  private readonly known = new Set<string>()
  /** The kinds of periods a line may be of: the other month's too, in some accounts. */
  private readonly overlapping: boolean

  constructor(random: Random, guarded: boolean, moving: boolean) {
    this.random = random
    this.guarded = guarded
    this.moving = moving
    this.overlapping = random.chance(0.5)
  }

  account(index: number): Account {
    const { random } = this
    // A long name cuts what a rollup works out at once.
    this.account_ = `a${index}${random.chance(0.15) ? 'x'.repeat(1500) : ''}`
    const oldThrough = this.guarded ? random.pick(['', '2026-01']) : random.pick(['', '', '', '2025-12', '2026-01'])
    const old = oldThrough === '' ? [] : this.oldLines(oldThrough)
    const isCrowd = !this.guarded && random.chance(0.03)
    const exports = isCrowd ? this.crowd() : this.exports(this.moving ? random.between(0, 1) : random.between(1, 5))
    if (!this.guarded) this.singles(old)
    const sent = this.timed(this.ordered(exports, oldThrough))
    return { id: this.account_, oldThrough, old, exports, sent }
  }

  private line(id: string, day: string): Line {
    const { random } = this
    const resource = random.pick(['', 'r1', 'r2'])
    const cost = this.guarded ? random.pick([-300, 0, 100, 200, 300]) : random.between(1, 999)
    return {
      id,
      day,
      cost,
      resource,
      service: random.pick(['s1', 's2']),
      region: random.pick(['x', 'x', 'y']),
      source: random.chance(0.2) ? 'estimate' : 'actual',
    }
  }

  private period(day: string): string {
    return this.overlapping && this.random.chance(0.3) ? this.random.pick(periods) : day.slice(0, 7)
  }

  private exports(count: number): Export[] {
    const found: Export[] = []
    for (let i = 0; i < count; i++) {
      const before = found.length > 0 && this.random.chance(0.6) ? this.random.pick(found) : undefined
      if (this.random.chance(0.03)) this.export(this.lines(), this.ends(), future)
      found.push(this.export(before ? this.changed(before.lines) : this.lines(), this.ends()))
    }
    return found
  }

  private ends(): Ends {
    return this.guarded ? 'right' : this.random.pick(ends)
  }

  private lines(): ExportLine[] {
    const found = new Map<string, ExportLine>()
    for (let n = this.random.between(0, 7); n > 0; n--) {
      const day = this.random.pick(days)
      const line = { ...this.line(this.random.pick(['a', 'b', 'c', 'd', 'e']), day), period: this.period(day), part: 1 }
      found.set(`${line.period}/${day}/${line.id}`, line)
    }
    return [...found.values()]
  }

  /** The bill again: some lines gone, some under new ids, some with other amounts and tags, a few more. */
  private changed(lines: readonly ExportLine[]): ExportLine[] {
    const { random } = this
    const renamed = random.chance(0.3) ? 'n' : ''
    const kept = lines
      .filter(() => random.chance(0.85))
      .map((line) => {
        const again = random.chance(0.4) ? this.line(line.id, line.day) : line
        return { ...line, ...again, id: renamed + line.id }
      })
    const more = random.chance(0.3) ? this.lines() : []
    return [...new Map([...kept, ...more].map((line) => [`${line.period}/${line.day}/${line.id}`, line])).values()]
  }

  private export(given: readonly ExportLine[], how: Ends, at = this.random.pick(times)): Export {
    const parts = this.parts(how)
    const lines = given.map((line) => ({ ...line, part: this.random.between(1, parts) }))
    const own = { id: this.freshId(), at, lines, parts }
    const one = { ...own, markers: how === 'never' ? [] : this.markers(own, how) }
    // What would be whole before all of it has come is ended behind its lines.
    const isLate = this.guarded || behindLines.has(how)
    const [first, second] = isLate ? [0, 1] : []
    for (const line of lines) this.send(this.lineOf(one, line), first)
    for (const marker of one.markers) this.send(this.endOf(one, marker), second)
    if (how === 'corrected') this.corrected(one)
    if (how === 'lines behind it') this.behind(one)
    if (this.guarded && this.random.chance(0.4)) this.send(this.endOf(one, { ...one.markers[0]!, confirmed: true }), 2)
    return one
  }

  private parts(how: Ends): number {
    const some = this.random.pick([1, 1, 1, 2, 3])
    return this.guarded ? 1 : how === 'part missing' ? 2 : some
  }

  private freshId(): string {
    for (;;) {
      const id = (this.random.below(26) + 10).toString(36) + this.random.below(10)
      if (this.known.has(id)) continue
      this.known.add(id)
      return id
    }
  }

  private markers({ lines, parts }: Omit<Export, 'markers'>, how: Ends): Marker[] {
    const { random } = this
    // A month that lines are of but the end does not name; one that it names and no line is of.
    const named = random.chance(0.1) ? [random.pick(periods)] : [...new Set(lines.map(({ period }) => period))]
    if (named.length === 0 || random.chance(0.05)) named.push(random.pick(periods))
    const markers = Array.from({ length: parts }, (_, i): Marker => {
      const own = lines.filter(({ part }) => part === i + 1)
      const told = [...new Set(named)].map((period) => [period, own.filter((line) => line.period === period).length])
      return { told: Object.fromEntries(told), part: i + 1, confirmed: !this.guarded || random.chance(0.2) }
    })
    if (how === 'part missing') return markers.slice(1)
    this.spoil(markers, how)
    return markers
  }

  private spoil(markers: readonly Marker[], how: Ends): void {
    const { told } = this.random.pick(markers)
    const some = this.random.pick(Object.keys(told))
    const more = this.random.pick([1, 1, 7])
    if (how === 'too many') told[some]! += more
    if (how === 'too few') told[some] = Math.max(0, told[some]! - 1)
    for (const period in told) if (how === 'hopeless') told[period]! += more
    for (const marker of markers) for (const period in marker.told) if (how === 'none') marker.told[period] = 0
  }

  /** Too much was told at first: before any other end of it. */
  private corrected(of: Export): void {
    const marker = this.random.pick(of.markers)
    const told = Object.fromEntries(Object.entries(marker.told).map(([period, lines]) => [period, lines + 1]))
    for (const one of this.sent) if (one.of && 'marker' in one.of && one.of.export === of) one.rank = 1
    this.send(this.endOf(of, { ...marker, told }), 0)
  }

  /** Closed, or over, by then: these count nowhere. */
  private behind(of: Export): void {
    const told = of.markers.flatMap((marker) => Object.keys(marker.told))
    const late = this.lines().filter((line) => told.includes(line.period))
    for (const line of late) this.send(this.lineOf(of, { ...line, id: `late-${line.id}` }), 2)
  }

  /** More exports than an account keeps open, none of them ever whole, and a newer one that is. */
  private crowd(): Export[] {
    const crowd = Array.from({ length: this.random.between(17, 20) }, () =>
      this.export(this.lines().slice(0, 2), 'hopeless'),
    )
    return [...crowd, this.export(this.lines(), 'right', '2026-01-14T18:00:00.000Z')]
  }

  private lineOf(of: Export, line: ExportLine): Ranked {
    const { random } = this
    const isOwn = line.period === line.day.slice(0, 7)
    const named = random.chance(0.5)
      ? { billingPeriod: line.period }
      : { BillingPeriodStart: `${line.period}-01T00:00:00Z` }
    const data = { ...this.data(line), exportId: of.id, exportedAt: written(random, of.at) }
    return this.message(billingLine, isOwn && random.chance(0.5) ? data : { ...data, ...named }, { export: of, line })
  }

  private endOf(of: Export, marker: Marker): Ranked {
    const { told, part: index, confirmed } = marker
    const data = {
      cloudAccountId: this.account_,
      exportId: of.id,
      exportedAt: written(this.random, of.at),
      confirmed,
      periods: Object.entries(told).map(([period, lines]) => ({ period, lines })),
      ...(of.parts > 1 && { part: { index, of: of.parts } }),
    }
    return this.message(billingExportEnded, data, { export: of, marker })
  }

  private data({ id, day, cost, source, resource, service, region }: Line): Record<string, unknown> {
    return {
      lineId: id,
      cloudAccountId: this.account_,
      provider: 'aws',
      usageDate: day,
      costUSD: String(cost),
      source,
      serviceName: service,
      region,
      ...(resource && { resourceUid: resource }),
    }
  }

  private message(subject: Sent['subject'], data: Record<string, unknown>, of: Sent['of']): Ranked {
    return { at: 0, subject, data, ...(of && { of }) }
  }

  private send(message: Ranked, rank?: number): void {
    if (rank !== undefined) message.rank = rank
    this.sent.push(message)
    while (this.random.chance(this.guarded ? 0.05 : 0.12)) this.sent.push({ ...message })
  }

  private oldLines(through: string): OldLine[] {
    const found = new Map<string, OldLine>()
    for (let n = this.random.between(0, 6); n > 0; n--) {
      const day = this.random.pick(days)
      const period = this.period(day)
      const id = this.lineId(day)
      if (period <= through && !found.has(id))
        found.set(id, { ...this.line(id, day), period, at: this.random.pick(times) })
    }
    return [...found.values()]
  }

  private lineId(day: string): string {
    return this.random.chance(0.3) ? `${day}/${this.random.pick(['l', 'm'])}` : this.random.pick(['l', 'm', 'n', 'o'])
  }

  /** Lines that come alone, each a few times: some move to another day, and some come late. */
  private singles(old: readonly OldLine[]): void {
    const { random } = this
    for (let n = this.moving ? 0 : random.pick([0, 0, 1, 2, 3]); n > 0; n--) {
      const first = random.pick(days)
      const id = old.length > 0 && random.chance(0.4) ? random.pick(old).id : this.lineId(first)
      const isDated = id.includes('/')
      for (let versions = random.between(1, 5); versions > 0; versions--) {
        const day = isDated ? id.slice(0, 10) : random.pick([first, random.pick(days)])
        this.single({ ...this.line(id, day), at: random.pick(times) })
      }
    }
    if (this.moving || random.chance(0.3)) this.walk()
  }

  private single(single: Single): void {
    const data = { ...this.data(single), exportedAt: written(this.random, single.at) }
    this.send(this.message(billingLine, data, { single }))
  }

  /** A line that goes from day to day, each time exported later: once it is shown, several times in a row. */
  private walk(): void {
    const from = this.random.below(days.length)
    for (const [n, at] of times.entries()) {
      this.single({ ...this.line('w', days[(from + n) % days.length]!), at })
      if (n === 1) this.sent.at(-1)!.pause = 5000
    }
  }

  /** One after the other, or a little or wholly out of order; what has a rank stays in it. */
  private ordered(exports: readonly Export[], oldThrough: string): Ranked[] {
    const { random } = this
    const spread = random.pick([0, 5, 20, 1000])
    const inOrder = this.guarded && oldThrough === ''
    const byTime = exports.toSorted((a, b) => (a.at < b.at || (a.at === b.at && a.id < b.id) ? -1 : 1))
    const places = new Map(
      this.sent.map((message, i) => [message, this.placeOf(message, i, spread, inOrder ? byTime : [])]),
    )
    const all = this.sent.toSorted((a, b) => places.get(a)! - places.get(b)!)
    const ranked = all.flatMap((message, i) => (message.rank === undefined ? [] : [{ message, i }]))
    for (const own of Map.groupBy(ranked, ({ message }) => exportOf(message)).values()) {
      const inRank = own.map(({ message }) => message).toSorted((a, b) => a.rank! - b.rank!)
      for (const [n, { i }] of own.entries()) all[i] = inRank[n]!
    }
    return all
  }

  /** Where ends are not confirmed and the oldest begun export shows, exports begin in their order: else checks come in between. */
  private placeOf(message: Ranked, i: number, spread: number, byTime: readonly Export[]): number {
    if (byTime.length === 0) return i + this.random.next() * spread
    const place = byTime.indexOf(exportOf(message)!) * 100
    return message.rank === 0 ? place + this.random.next() : place + 1 + this.random.next() * 300
  }

  private timed(messages: readonly Ranked[]): Sent[] {
    const { random } = this
    const gaps = random.pick([
      [0, 1, 5],
      [1, 20, 200],
      [5, 100, 3000],
      [50, 700, 2000, 700_000],
    ])
    // Never two at once: what comes first is part of the plan.
    let at = 0
    return messages.map((message) => ({
      ...message,
      at: (at += 1 + (message.pause ?? 0) + random.below(random.pick(gaps) + 1)),
    }))
  }
}

const exportOf = ({ of }: Sent): Export | undefined => (of && 'export' in of ? of.export : undefined)

/** Milliseconds since 1970. */
export const wallOf = (at: number): number => epochMs + at
