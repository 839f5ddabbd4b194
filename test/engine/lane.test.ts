/** One lane on ports in memory: what becomes of it when a store fails at the wrong moment. */
import { expect } from 'chai'
import { TurnGate } from '#engine/gate.ts'
import { Lane } from '#engine/lane.ts'
import { header, reminderHeader } from '#engine/message.ts'
import { Meter } from '#engine/meter.ts'
import type { Clock, Commit, Reads, StateStore } from '#engine/ports.ts'
import { ingestSubject, type Subject } from '#engine/subject.ts'
import { added, asked, consulted, factTables, org, rang, removed, simRegistry } from '#test/sim/actors.ts'
import { addressId, Database } from '#test/sim/database.ts'
import { FactServer, MemoryFacts } from '#test/sim/facts.ts'
import { directLink } from '#test/sim/link.ts'
import { Broker, MemoryLog } from '#test/sim/log.ts'
import { MemoryStore } from '#test/sim/state.ts'

/** Nobody waits for real time here. */
const clock: Clock = { now: () => 1_000_000, sleep: () => new Promise((resolve) => setImmediate(resolve)) }

class LaneWorld {
  readonly db = new Database(() => clock.now())
  readonly broker = new Broker(1, () => clock.now())
  readonly facts = new FactServer(factTables)
  readonly store = new MemoryStore(this.db, directLink, { owner: 'me', leaseMs: 5000, onLeaseLost: () => {} })

  constructor() {
    this.db.createLanes([0])
  }

  /** `copy` tells copies of one message apart for the stream. */
  publish(subject: unknown, key: string, n: number, headers: Record<string, string> = {}, copy = ''): void {
    const { kind, name } = subject as Subject
    const data = { place: 'p0', key, n }
    const envelope = {
      id: `m${n}`,
      type: name,
      schemaVersion: 1,
      orgId: org,
      time: new Date(clock.now()).toISOString(),
      data,
    }
    this.broker.publish({
      subject: ingestSubject(kind, org, 'p0'),
      id: `m${n}${copy}`,
      headers,
      body: JSON.stringify(envelope),
    })
  }

  seen(key: string): number[] | undefined {
    const text = this.db.rows.get('sim')?.get(addressId({ orgId: org, place: 'p0', key }))
    return text === undefined ? undefined : (JSON.parse(text) as { seen: number[] }).seen
  }

  /** Runs the lane until it has committed everything, or for so many steps. `tries`: acquisitions without progress. */
  async run(options: { store?: Partial<StateStore>; reads?: Reads; tries?: number } = {}): Promise<void> {
    const lease = (await this.store.acquire(0))!
    const stop = new AbortController()
    const store = Object.assign(Object.create(this.store) as MemoryStore, options.store)
    const lane = new Lane(
      {
        registry: simRegistry,
        log: new MemoryLog({ broker: this.broker, link: directLink, clock }),
        store,
        facts: new MemoryFacts(this.facts, directLink),
        reads: options.reads ?? { rows: async () => [], facts: async () => [] },
        clock,
        shift: () => 0,
        gate: new TurnGate(),
        meter: new Meter(),
        report: { info: () => {}, warn: () => {}, error: () => {} },
        limits: { countMax: 100, bytesMax: 1e6, waitMs: 10, activationsMax: 100, idleMs: 1000, keepMessages: 10 },
        point: () => {},
        committed: () => {},
      },
      { ...lease, tries: options.tries ?? 1 },
      stop.signal,
    )
    const running = lane.run()
    for (let i = 0; i < 2000 && lane.lease.cursor < this.broker.lanes[0]!.last; i++) await clock.sleep(0)
    stop.abort()
    await running
    await this.store.release(lease)
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

  it('does not pin on a message that a store was away while it ran carefully', async () => {
    const world = new LaneWorld()
    world.publish(consulted, 'k', 1)
    await world.run({ tries: 5, reads: { rows: async () => [], facts: failing(4, async () => []) } })
    expect([...world.db.dead.values()].map(({ code }) => code)).to.deep.equal([])
    expect(world.seen('k')).to.deep.equal([1])
    expect(world.db.lane(0)).to.include({ markedSeq: undefined, markedDeaths: 0 })
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
  rows: [],
  outbox: [],
  reminders: [],
  forgotten: [],
  marks: [],
  effects: [],
  inbox: [],
  dead: [],
}
