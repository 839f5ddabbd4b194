/** One lane on ports in memory: what becomes of it when a store fails at the wrong moment. */
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { PlainReads } from '#engine/lane/plain-reads.ts'
import { ClosedOrganizations } from '#engine/lane/message/closed-organizations.ts'
import { TurnGate } from '#engine/lane/turn-gate.ts'
import { Lane } from '#engine/lane/lane.ts'
import { reminderHeader } from '#engine/lane/message/message.ts'
import { type Envelope, header, ingestSubject, type Subject } from '#engine/actor/subject.ts'
import { Meter } from '#engine/meter.ts'
import type { Clock, Commit, Lease, Reads, StateStore } from '#engine/actor/ports.ts'
import {
  added,
  asked,
  consulted,
  factTables,
  org,
  poisonous,
  rang,
  removed,
  simRegistry,
  watched,
  watchedByOurselves,
} from '#test/sim/actors.ts'
import { addressId, Database } from '#test/sim/database.ts'
import { FactServer, MemoryFacts } from '#test/sim/facts.ts'
import { directLink, type Link } from '#test/sim/link.ts'
import { Broker, MemoryLog } from '#test/sim/log.ts'
import { MemoryStore } from '#test/sim/state.ts'
import { sample } from '#test/harness/tier.ts'

/** Nobody waits for real time here. */
const clock: Clock = { now: () => 1_000_000, sleep: () => new Promise((resolve) => setImmediate(resolve)) }

const nothingRead: Reads = { rows: async () => [], facts: async () => [] }

class LaneWorld {
  readonly db = new Database(() => clock.now())
  readonly broker = new Broker(1, () => clock.now())
  readonly facts = new FactServer(factTables)
  readonly store = new MemoryStore(this.db, directLink, { owner: 'me', leaseMs: 5000, onLeaseLost: () => {} })

  constructor() {
    this.db.createLanes([0])
  }

  private envelope(type: string, key: string, n: number): Envelope {
    const time = new Date(clock.now()).toISOString()
    return { id: `m${n}`, type, schemaVersion: 1, orgId: org, time, data: { place: 'p0', key, n } }
  }

  /** `copy` tells copies of one message apart for the stream. */
  publish(
    subject: unknown,
    key: string,
    n: number,
    headers: Record<string, string> = {},
    copy = '',
    orgId = org,
  ): void {
    const { kind, name } = subject as Subject
    const envelope = { ...this.envelope(name, key, n), orgId }
    this.broker.publish({
      subject: ingestSubject(kind, orgId, 'p0'),
      id: `m${n}${copy}`,
      headers,
      body: JSON.stringify(envelope),
    })
  }

  /** As one message of several, numbered from `n` on. */
  publishTogether(subjects: readonly unknown[], key: string, n: number): void {
    const envelopes = (subjects as Subject[]).map(({ name }, i) => this.envelope(name, key, n + i))
    const { kind } = subjects[0] as Subject
    this.broker.publish({
      subject: ingestSubject(kind, org, 'p0'),
      id: `together-${n}`,
      body: JSON.stringify(envelopes),
    })
  }

  seen(key: string, orgId = org): number[] | undefined {
    const text = this.db.rows.get('sim')?.get(addressId({ orgId, place: 'p0', key }))
    return text === undefined ? undefined : (JSON.parse(text) as { seen: number[] }).seen
  }

  /** Runs the lane until it has committed everything, or for so many steps. `ends`: of owners that may be a message's doing. */
  async run(
    options: { store?: Partial<StateStore>; reads?: Reads; ends?: number; isOutdated?: boolean } = {},
  ): Promise<string> {
    const lease = (await this.store.acquire(0))!
    const stop = new AbortController()
    const store = Object.assign(Object.create(this.store) as MemoryStore, options.store)
    const reads = options.reads ?? nothingRead
    const suspected = { ...lease, ends: options.ends ?? 0, suspectUntil: lease.cursor + 100 }
    const lane = this.lane({ store, reads, countMax: 100, isOutdated: options.isOutdated }, suspected, stop.signal)
    const running = lane.run()
    for (let i = 0; i < 2000 && lane.lease.cursor < this.broker.lanes[0]!.last; i++) await clock.sleep(0)
    stop.abort()
    const end = await running
    await this.store.release(lease)
    return end
  }

  /** Runs the lane in a process of its own until it has committed everything, or a message has ended that: whether one has. */
  async runsUntilItDies(countMax: number): Promise<boolean> {
    const process = { isDead: false }
    const never = new Promise<never>(() => {})
    const link: Link = (name, apply) => (process.isDead ? never : directLink(name, apply))
    const owner = { owner: randomUUID(), leaseMs: 5000, reach: 2 * countMax, onLeaseLost: () => {} }
    const store = new MemoryStore(this.db, link, owner)
    const lease = (await store.acquire(0))!
    const stop = new AbortController()
    const reads = { ...nothingRead, die: () => (process.isDead = true) }
    const lane = this.lane({ store, reads, countMax }, lease, stop.signal)
    void lane.run()
    while (!process.isDead && lane.lease.cursor < this.broker.lanes[0]!.last) await clock.sleep(0)
    await store.close()
    stop.abort()
    return process.isDead
  }

  private lane(
    own: { store: StateStore; reads: Reads; countMax: number; isOutdated?: boolean | undefined },
    lease: Lease,
    stop: AbortSignal,
  ): Lane {
    return new Lane(
      {
        store: own.store,
        reads: own.reads,
        registry: simRegistry,
        log: new MemoryLog({ broker: this.broker, link: directLink, clock }),
        facts: new MemoryFacts(this.facts, directLink),
        clock,
        shift: () => 0,
        gate: new TurnGate(),
        closed: new ClosedOrganizations(own.store, clock),
        plain: new PlainReads((sql, params) => own.reads.rows(sql, params), clock),
        meter: new Meter(),
        report: { info: () => {}, warn: () => {}, error: () => {} },
        limits: {
          countMax: own.countMax,
          bytesMax: 1e6,
          waitMs: 10,
          activationsMax: 100,
          idleMs: 1000,
          keepMessages: 10,
        },
        point: () => {},
        isOutdated: async () => own.isOutdated ?? false,
        committed: () => {},
      },
      lease,
      stop,
    )
  }
}

/** Fails so many times, then does what it should. */
function failing<A extends unknown[], R>(times: number, work: (...args: A) => Promise<R>): (...args: A) => Promise<R> {
  let left = times
  return async (...args) => {
    if (left-- > 0) throw new Error('away')
    return work(...args)
  }
}

describe('a lane', () => {
  const closing = (orgId: string, isDeleted: boolean) => ({ closedOrganizations: async () => [{ orgId, isDeleted }] })

  it('drops what producers send for an organization that is about to be deleted, and runs on what had begun [GEN-10]', async () => {
    const world = new LaneWorld()
    world.publish(added, 'k', 1, {}, '', 'closing')
    world.publish(asked, 'k', 2, {}, '', 'closing')
    world.publish(added, 'k', 3)
    await world.run({ store: closing('closing', false) })
    expect([world.seen('k', 'closing'), world.seen('k')]).to.deep.equal([[2], [3]])
    expect([world.db.dead.size, world.db.lanes.get(0)!.cursor]).to.deep.equal([0, 3])
  })

  it('drops everything for an organization that was deleted, also what it could not read, and keeps none of it [GEN-10]', async () => {
    const world = new LaneWorld()
    world.publish(added, 'k', 1, {}, '', 'gone')
    world.publish(asked, 'k', 2, {}, '', 'gone')
    world.broker.publish({ subject: ingestSubject('sim', 'gone', 'p0'), id: 'bad', body: 'secret and no JSON' })
    await world.run({ store: closing('gone', true) })
    expect([world.seen('k', 'gone'), world.db.dead.size, world.db.inbox.size]).to.deep.equal([undefined, 0, 0])
    expect(world.db.lanes.get(0)!.cursor).to.equal(3)
  })

  it('does not take an actor for a new one because its row could not be loaded', async () => {
    const world = new LaneWorld()
    world.publish(added, 'k', 1)
    await world.run()
    world.publish(added, 'k', 2)
    await world.run({ store: { load: failing(1, (shape, keys) => world.store.load(shape, keys)) } })
    expect(world.seen('k')).to.deep.equal([1, 2])
  })

  it('answers whoever asks under an id that another message of the same batch bears', async () => {
    const world = new LaneWorld()
    const answers: string[] = []
    world.broker.answered = (inbox, body) => void answers.push(`${inbox} ${body}`)
    world.publish(asked, 'k', 1)
    world.publish(asked, 'k', 1, { [header.reply]: 'a' }, '#0')
    world.publish(asked, 'k', 1, { [header.reply]: 'b' }, '#1')
    await world.run()
    expect(world.seen('k')).to.deep.equal([1])
    expect(answers.map((text) => text.slice(0, 12))).to.deep.equal(['a {"ok":true', 'b {"ok":true'])
    expect(new Set(answers.map((text) => text.slice(2))).size).to.equal(1)
  })

  it('remembers an id for the organization that used it: others may use the same, at once and later [GEN-10] [STREAM-06]', async () => {
    const world = new LaneWorld()
    const others = ['other-1', 'other-2']
    world.publish(asked, 'k', 1)
    world.publish(asked, 'k', 1, {}, '#1', others[0])
    await world.run()
    world.publish(asked, 'k', 1, {}, '#2', others[1])
    world.publish(asked, 'k', 1, {}, '#3', others[1])
    await world.run()
    expect([org, ...others].map((orgId) => world.seen('k', orgId))).to.deep.equal([[1], [1], [1]])
  })

  it('does not pin on a message that a store was away while it ran carefully', async () => {
    const world = new LaneWorld()
    world.publish(consulted, 'k', 1)
    await world.run({ ends: 2, reads: { rows: async () => [], facts: failing(4, async () => []) } })
    expect([...world.db.dead.values()].map(({ code }) => code)).to.deep.equal([])
    expect(world.seen('k')).to.deep.equal([1])
    expect(world.db.lane(0)).to.include({ markedSeq: undefined, markedDeaths: 0 })
  })

  for (const place of sample([1, 50, 99, 100, 101, 250, 499, 500, 501, 1_000, 1_900], 6)) {
    it(`sets a message aside after five ends of its process, wherever it lies: at place ${place}`, async () => {
      const world = new LaneWorld()
      const count = place + 300
      for (let n = 1; n <= count; n++) world.publish(n === place ? poisonous : added, `k${n % 7}`, n)
      let ends = 0
      while (world.db.lane(0).cursor < count && ends < 20) if (await world.runsUntilItDies(500)) ends++
      expect([ends, [...world.db.dead.values()].map(({ code, seq }) => [code, seq])]).to.deep.equal([
        5,
        [['killed_process', place]],
      ])
    })
  }

  for (const place of sample([1, 300, 700]))
    it(`finds the one of several in a message that ends its process, at six ends: at place ${place}`, async () => {
      const world = new LaneWorld()
      for (let n = 1; n < place; n++) world.publish(added, `k${n % 7}`, n)
      world.publishTogether([added, poisonous, added], 'k', 5000)
      for (let n = 6000; n < 6600; n++) world.publish(added, `k${n % 7}`, n)
      world.publish(added, 'k', 6600)
      let ends = 0
      const isDone = () => world.db.lane(0).cursor === world.broker.lanes[0]!.last && world.db.outbox.size === 0
      while (!isDone() && ends < 20) if (await world.runsUntilItDies(500)) ends++
      expect([ends, [...world.db.dead.values()].map(({ code, messageId }) => [code, messageId])]).to.deep.equal([
        6,
        [['killed_process', 'm5001']],
      ])
      expect(world.seen('k')).to.deep.equal([5000, 5002, 6600])
    })

  it('keeps the order of a message of several in which a process has died of something else', async () => {
    const world = new LaneWorld()
    world.publishTogether([added, added, added], 'k', 1)
    world.publish(added, 'k', 4)
    // As an owner leaves it that was killed from outside while it ran the message carefully.
    const killed = (await world.store.acquire(0))!
    await world.store.markTurn(killed, 1)
    world.db.end(world.db.lane(0).ownerSession!)
    await world.run({ ends: 2 })
    expect(world.seen('k')).to.deep.equal([1, 2, 3, 4])
    expect([...world.db.outbox.keys()]).to.deep.equal([])
  })

  it('runs what is left of a message that another owner has begun to run one by one, whatever that owner ended by', async () => {
    const world = new LaneWorld()
    world.publishTogether([added, added, added], 'k', 1)
    world.publish(added, 'k', 4)
    const before = (await world.store.acquire(0))!
    await world.store.commit({ ...empty, lease: before, from: 0, to: 0, clock: 1, apart: { seq: 1, done: 2 } })
    await world.store.release(before)
    await world.run()
    expect(world.seen('k')).to.deep.equal([3, 4])
    expect(world.db.lane(0)).to.deep.include({ cursor: 2, apart: { seq: 0, done: 0 } })
  })

  it('sets aside the one of several that a store refuses, and takes the others in their place', async () => {
    const world = new LaneWorld()
    world.publishTogether([rang, rang, rang], 'k', 5)
    world.publish(added, 'k', 8)
    await world.run()
    expect(world.seen('k')).to.deep.equal([5, 7, 8])
    expect([...world.db.dead.values()].map(({ code, messageId }) => [code, messageId])).to.deep.equal([
      ['data_refused', 'm6'],
    ])
  })

  it('gives a message behind the one that removed its actor to a new one, be they in one batch or in two', async () => {
    for (const batches of [1, 2]) {
      const world = new LaneWorld()
      world.publish(added, 'k', 1)
      world.publish(removed, 'k', 2)
      if (batches === 2) await world.run()
      world.publish(added, 'k', 3)
      await world.run()
      expect(world.seen('k')).to.deep.equal([3])
      expect([...world.facts.rows('sim_fact').values()].map(({ n, nth }) => [n, nth])).to.deep.equal([
        [1, 0],
        [3, 0],
      ])
    }
  })

  it('runs no turn of what is for existing actors where there is none; behind the message that makes one it does', async () => {
    const world = new LaneWorld()
    world.publish(watched, 'k', 1)
    world.publish(added, 'k', 2)
    world.publish(watched, 'k', 3)
    world.publish(watched, 'none', 4)
    await world.run()
    world.publish(watched, 'k', 5)
    world.publish(watched, 'none', 6)
    await world.run()
    expect([world.seen('k'), world.seen('none')]).to.deep.equal([[2, 3, 5], undefined])
  })

  it('leaves a message it does not know to a newer version that runs here, with all behind it; else it sets it aside', async () => {
    for (const isOutdated of [true, false]) {
      const world = new LaneWorld()
      world.publish(added, 'k', 1)
      await world.run()
      world.publish({ kind: 'actor', name: 'sim.of_the_next_version' }, 'k', 2)
      world.publish(added, 'k', 3)
      expect(await world.run({ isOutdated })).to.equal(isOutdated ? 'outdated' : 'stopped')
      expect([world.seen('k'), [...world.db.dead.values()].map(({ code, seq }) => [code, seq])]).to.deep.equal(
        isOutdated ? [[1], []] : [[1, 3], [['unknown_type', 2]]],
      )
    }
  })

  it('forgets a reminder that is for an existing actor alone where there is none', async () => {
    const world = new LaneWorld()
    const key = { kind: 'sim', orgId: org, place: 'p0', key: 'none', name: 'bell' }
    const row = { ...key, due: 2_000_000, subject: watchedByOurselves.name, data: {}, lane: 0 }
    world.db.reminders.set(addressKey(key), row)
    world.publish(watchedByOurselves, 'none', 1, { [header.reminder]: reminderHeader({ ...key, due: 2_000_000 }) })
    await world.run()
    expect([...world.db.reminders.keys(), world.seen('none')]).to.deep.equal([undefined])
  })

  it('forgets a reminder whose message it sets aside, but not the one that has replaced it', async () => {
    // Behind the clock, so that the lane itself publishes none.
    for (const due of [2_000_000, 3_000_000]) {
      const world = new LaneWorld()
      const key = { kind: 'sim', orgId: org, place: 'p0', key: 'k', name: 'bell' }
      world.db.reminders.set(addressKey(key), { ...key, due: 2_000_000, subject: rang.name, data: {}, lane: 0 })
      // The state store refuses what comes of every sixth, and so does the schema what is no integer.
      world.publish(rang, 'k', 6, { [header.reminder]: reminderHeader({ ...key, due }) })
      world.publish(rang, 'k', 0.5, { [header.reminder]: reminderHeader({ ...key, due }) })
      await world.run()
      expect([...world.db.reminders.values()].map((row) => row.due)).to.deep.equal(due === 2_000_000 ? [] : [2_000_000])
    }
  })

  it('gives the facts of a message that runs by itself a higher version than its refused batch gave them', async () => {
    const world = new LaneWorld()
    const versions: [unknown, unknown][] = []
    world.facts.watch = (table, _, row) => table === 'sim_fact' && versions.push([row['nth'], row['x_Version']])
    world.publish(rang, 'k', 6)
    world.publish(added, 'k', 7)
    await world.run()
    expect(versions.map(([nth]) => nth)).to.deep.equal([1, 0])
    expect((versions[1]![1] as bigint) > (versions[0]![1] as bigint)).to.equal(true)
    expect(world.seen('k')).to.deep.equal([7])
  })

  it('deletes outbox rows it has published however often that fails, and ends when it is told to', async () => {
    const world = new LaneWorld()
    const row = { id: 'o1', subject: 'event.sim.org.x', headers: {}, body: '{}' }
    const lease = (await world.store.acquire(0))!
    await world.store.commit({ ...empty, lease, from: 0, to: 1, clock: 1, outbox: [row] })
    world.publish(added, 'k', 1)
    world.publish(added, 'k', 2)
    await world.run({ store: { sent: failing(3, (ids) => world.store.sent(ids)) } })
    expect([...world.db.outbox.keys()]).to.deep.equal([])
    expect(world.broker.events.messages.map(({ id }) => id)).to.deep.equal(['o1'])

    await world.store.release(lease)
    const again = (await world.store.acquire(0))!
    await world.store.commit({
      ...empty,
      lease: again,
      from: again.cursor,
      to: again.cursor + 1,
      clock: 1,
      outbox: [{ ...row, id: 'o2' }],
    })
    await world.store.release(again)
    world.publish(added, 'k', 3)
    world.publish(added, 'k', 4)
    await world.run({ store: { sent: failing(Infinity, async () => {}) } })
    expect([...world.db.outbox.keys()]).to.deep.equal(['o2'])
  })
})

const addressKey = ({
  kind,
  orgId,
  place,
  key,
  name,
}: {
  kind: string
  orgId: string
  place: string
  key: string
  name: string
}) => [kind, orgId, place, key, name].join('\0')

const empty: Omit<Commit, 'lease' | 'from' | 'to' | 'clock'> = {
  begun: { seq: 0, done: 0 },
  apart: { seq: 0, done: 0 },
  rows: [],
  outbox: [],
  reminders: [],
  forgotten: [],
  marks: [],
  effects: [],
  inbox: [],
  written: [],
  dead: [],
}
