/** Holds a world to the engine's promises: some at every commit and insert, all of them at its end. */
import type { Apart, Commit, FactRow } from '#engine/actor/ports.ts'
import * as actors from '#test/sim/actors.ts'
import type { LaneRow } from '#test/sim/database.ts'
import { versionOf } from '#test/sim/facts.ts'
import { envelopes, expectedOf, type Expected } from '#test/sim/model.ts'
import { showSight, type Seen } from '#test/sim/sight.ts'
import type { World } from '#test/sim/world.ts'

export class Oracle {
  private readonly world: World
  /** Who committed under an epoch, by `lane/epoch`. */
  private readonly committers = new Map<string, string>()
  private readonly epochs = new Map<number, number>()
  private readonly clocks = new Map<number, number>()
  /** What committed messages show in `sim_fact`, by key, and their sequences. */
  private readonly shown = new Map<string, { text: string; seq: number }>()
  /** How often an owner died or was deposed while the turn of a message was marked, by `lane/seq`. */
  private readonly deaths = new Map<string, number>()

  constructor(world: World) {
    this.world = world
    world.db.watch = {
      acquired: (lane, before) => this.acquired(lane, before),
      committed: (commit, owner, row) => this.committed(commit, owner, row),
    }
    world.facts.watch = (table, key, row) => this.inserted(table, key, row)
  }

  private acquired(lane: number, { markedSeq, owner, epoch, cursor }: Readonly<LaneRow>): void {
    this.world.trace(`lane ${lane} is taken at cursor ${cursor}, epoch ${epoch + 1}`)
    if (markedSeq === undefined || owner === undefined) return
    const id = `${lane}/${markedSeq}`
    this.deaths.set(id, (this.deaths.get(id) ?? 0) + 1)
  }

  private committed(commit: Commit, owner: string, row: Readonly<LaneRow>): void {
    const { world } = this
    const { lease, from, to, clock } = commit
    const { lane } = lease
    world.trace(`${owner} commits lane ${lane} ${from}..${to} under epoch ${lease.epoch}`)
    const id = `${lane}/${row.epoch}`
    this.checkOwner(owner, lane, row)
    if (row.epoch < (this.epochs.get(lane) ?? 0)) world.fail(`the epoch of lane ${lane} goes backwards`)
    if (row.cursor !== from || !goesOn(commit, row))
      world.fail(`lane ${lane} stands at ${row.cursor} and goes from ${from} to ${to}`)
    if (clock < (this.clocks.get(lane) ?? 0)) world.fail(`the clock of lane ${lane} goes backwards`)
    this.committers.set(id, owner)
    this.epochs.set(lane, row.epoch)
    this.clocks.set(lane, clock)
    this.checkBatch(commit, row)
  }

  private checkOwner(owner: string, lane: number, row: Readonly<LaneRow>): void {
    const { world } = this
    if (row.owner !== undefined && row.owner !== owner)
      world.fail(`${owner} commits lane ${lane}, which is ${row.owner}'s`)
    const first = this.committers.get(`${lane}/${row.epoch}`) ?? owner
    if (first !== owner) world.fail(`two owners commit lane ${lane} in epoch ${row.epoch}`)
  }

  /** Facts are there before their commit; a barrier is alone. */
  private checkBatch(commit: Commit, row: Readonly<LaneRow>): void {
    const { world } = this
    const { from, apart } = commit
    const { lane } = commit.lease
    const to = Math.max(commit.to, apart.seq)
    const messages = world.history[lane]!.slice(from, to)
    const rows = [...world.facts.rows(actors.simFact.name)]
    const present = new Set(rows.map(([, row]) => row['n']))
    for (const { seq, subject, body } of messages) {
      const others = elsewhere(commit, seq)
      const [done, until] = [doneOf(row, seq), apart.seq === seq ? apart.done : Infinity]
      const mine = [...envelopes(body).entries()].filter(
        ([index]) => index >= done && index < until && !others.has(String(index)),
      )
      for (const [, envelope] of mine) {
        if (!envelope) continue
        const { place, n } = envelope.data as { place: string; n: number }
        if (envelope.type === actors.closed.name && messages.length > 1) world.fail(`barrier ${n} is not alone`)
        if (appending.has(envelope.type) && subject.endsWith(`.${place}`) && !present.has(n)) {
          world.fail(`message ${n} is committed, but its fact is not there`)
        }
      }
    }
    for (const [key, row] of rows) {
      if (isOf(row, { lane, from, to, apart }, world)) this.shown.set(key, { text: show(row), seq: seqOf(row) })
    }
  }

  private inserted(table: string, key: string, row: FactRow): void {
    if (table !== actors.simFact.name) return
    const committed = this.shown.get(key)
    if (!committed || committed.text === show(row)) return
    // A later message may restate it.
    if (seqOf(row) <= committed.seq) this.world.fail(`a committed fact changes from ${committed.text} to ${show(row)}`)
  }

  /** Everything is done: what there is must be what the log comes to. */
  finish(): void {
    const { world } = this
    const { db } = world
    const killed = [...db.dead.values()].filter((letter) => letter.code === 'killed_process')
    const expected = expectedOf(world.history, new Set(killed.map((letter) => letter.id)))
    for (const { lane, seq, type } of killed) {
      const deaths = this.deaths.get(`${lane}/${seq}`) ?? 0
      if (type !== actors.poisonous.name && deaths < 3) {
        throw new Error(`a good message, ${seq} of lane ${lane}, is parked after ${deaths} deaths`)
      }
    }
    equal('poison that was not parked', expected.poison, [])
    this.finishState(expected)
    this.finishSights(expected)
    this.finishFacts(expected, new Set(killed.map((letter) => nOf(letter.body))))
    this.finishMessages(expected)
    this.finishAsks(expected)
  }

  private finishState({ actors: states, standing }: Expected): void {
    const { db, projected } = this.world
    const rows = [...(db.rows.get('sim')?.values() ?? [])].map((text) => JSON.parse(text) as Row)
    const state = rows.map(({ place, key, seen }) => `${place}/${key}: ${seen.join(' ')}`)
    equal('actors', state.toSorted(), [...states].map(([at, seen]) => `${at}: ${seen.join(' ')}`).toSorted())
    for (const { place, key, count, seen } of rows) equal(`count of ${place}/${key}`, count, seen.length)
    equal('reminders that never rang', [...standing], [])
    const wrong = [...projected].filter(([at, { shown }]) => shown !== this.world.markedOf(at))
    equal('stale projections', wrong, [])
    const keys = [...states.keys()].filter((at) => this.world.markedOf(at) > 0)
    equal(
      'keys never projected',
      keys.filter((at) => !projected.has(at)),
      [],
    )
  }

  /** Of whoever follows, when something was heard of last is of no account. */
  private finishSights({ sights }: Expected): void {
    const { rows } = this.world.db
    const shadows = rows.get('shadow') ?? new Map<string, string>()
    const there = [...(rows.get('sight') ?? [])].map(([id, text]) => {
      const { at, ...sight } = JSON.parse(text) as Seen & { at: string; place: string; key: string }
      const shadowed = JSON.parse(shadows.get(id) ?? '{}') as Seen['shadowed']
      return `${sight.place}/${sight.key}: ${showSight({ ...sight, at: Date.parse(at), shadowed })}`
    })
    equal('sights', there.toSorted(), [...sights].map(([at, sight]) => `${at}: ${showSight(sight)}`).toSorted())
    equal('who follows', shadows.size, sights.size)
  }

  private finishFacts({ facts, latest }: Expected, killed: ReadonlySet<number>): void {
    // What a message has left that killed processes counts for nothing; the same may have come again and taken effect.
    const wanted = new Set(facts.values())
    const rows = [...this.world.facts.rows(actors.simFact.name).values()].filter(
      (row) => !killed.has(row['n'] as number) || wanted.has(show(row)),
    )
    equal('facts', rows.map(show).toSorted(), [...facts.values()].toSorted())
    if (killed.size > 0) return
    const shown = [...this.world.facts.rows(actors.simLatest.name).values()]
    const newest = [...latest].map(([at, { n }]) => `${at} ${n}`)
    equal(
      'latest',
      shown.map((row) => `${String(row['place'])}/${String(row['key'])} ${String(row['n'])}`).toSorted(),
      newest.toSorted(),
    )
  }

  private finishMessages({ dead, passed, taken, called, reported, forwarded, arrived }: Expected): void {
    const { db, broker } = this.world
    const letters = [...db.dead.values()].map(({ id, code }) => `${id} ${code}`)
    equal('dead letters', letters.toSorted(), [...dead].map(([id, code]) => `${id} ${code}`).toSorted())
    const published = new Set(broker.dead.messages.map((m) => m.id))
    equal('published dead letters', [...published].toSorted(), [...dead.keys()].map((id) => `dead-${id}`).toSorted())
    equal('messages passed on', taken.toSorted(byNumber), passed.toSorted(byNumber))
    const events = new Map(broker.events.messages.map((m) => [m.id, nOf(m.body)]))
    equal('events', [...events.values()].toSorted(byNumber), passed.toSorted(byNumber))
    equal(
      'messages never sent on',
      [...forwarded].filter((id) => !arrived.has(id)),
      [],
    )
    for (const n of new Set(called)) {
      const [good, bad] = [1, -1].map((sign) => reported.filter((r) => r === sign * (n + 1000)).length)
      if (good! > 1 || bad! > 1 || good! + bad! === 0)
        throw new Error(`call ${n} was reported ${good} and ${bad} times`)
      if (n % 7 === 0 && good !== 0) throw new Error(`call ${n} cannot have succeeded`)
    }
  }

  private finishAsks({ asked }: Expected): void {
    for (const [n, answers] of this.world.askers.answers) {
      for (const { ok, fault } of answers) {
        const outcome = ok ? 'ok' : fault?.code === 'fifth' ? 'refused' : 'late'
        equal(`answer to ask ${n}`, outcome, asked.get(n))
      }
    }
  }
}

/** By messages, or by some of one that is run one by one. */
const goesOn = ({ from, to, apart }: Commit, row: Readonly<LaneRow>): boolean =>
  to > from || (to === from && apart.seq === from + 1 && apart.done > doneOf(row, from + 1))

/** How many messages of one that is run one by one have had their effect. */
const doneOf = ({ apart }: Readonly<LaneRow>, seq: number): number => (apart.seq === seq ? apart.done : 0)

/** Which envelopes of a message a commit set aside or sent on: by their place in it. */
function elsewhere({ dead, outbox }: Commit, seq: number): Set<string | undefined> {
  const letters = dead.filter((letter) => letter.seq === seq)
  const forwards = outbox.filter(({ id }) => id.startsWith(`forward-${seq}-`))
  return new Set([...letters, ...forwards].map(({ id }) => id.split('-')[2]))
}

/** Messages that append a fact. */
const appending: ReadonlySet<string> = new Set([actors.added.name, actors.addedOnce.name])

interface Row {
  place: string
  key: string
  count: number
  seen: number[]
}

const show = (row: FactRow): string => ['place', 'key', 'n', 'nth'].map((column) => String(row[column])).join('/')
const byNumber = (a: number, b: number): number => a - b
const nOf = (body: Uint8Array): number => (envelopes(body)[0]?.data as { n: number } | undefined)?.n ?? 0

/** The sequence of the message a row stems from: its version tells. */
const seqOf = (row: FactRow): number => Number((versionOf(row) >> 16n) & 0xff_ffff_ffffn)

/** Whether a row stems from the messages of a lane behind `from`, up to `to`: its version tells the sequence. */
function isOf(
  row: FactRow,
  { lane, from, to, apart }: { lane: number; from: number; to: number; apart: Apart },
  { history }: World,
): boolean {
  const seq = seqOf(row)
  if (seq <= from || seq > to) return false
  const all = envelopes(history[lane]![seq - 1]!.body)
  const done = apart.seq === seq ? all.slice(0, apart.done) : all
  return done.some((e) => (e?.data as { n?: unknown } | undefined)?.n === row['n'])
}

/** @throws naming what differs */
function equal(what: string, actual: unknown, expected: unknown): void {
  const [a, b] = [JSON.stringify(actual), JSON.stringify(expected)]
  if (a !== b) throw new Error(`${what}: there is\n  ${a}\nbut there should be\n  ${b}`)
}
