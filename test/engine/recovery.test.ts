/** What an operator does to the stores, and what the engine makes of it; on real servers, without an engine on these lanes. */
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { jetstreamManager, type JetStreamManager } from '@nats-io/jetstream'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import type { Fault } from '#engine/value/fault.ts'
import { migrateEngine } from '#engine/store/migrate.ts'
import { NatsLog } from '#engine/store/nats/nats.ts'
import { PostgresStore } from '#engine/store/postgres/postgres.ts'
import { natsAt, testLanes, toyStores } from '#test/harness/stores.ts'

/** A lane beyond those the servers map: its stream is this test's own. */
const lane = testLanes + 3
const megabyte = 1024 ** 2

describe('recovery', () => {
  let nats: NatsConnection
  let manager: JetStreamManager
  let log: NatsLog
  let url: string
  before(async () => {
    const stores = await toyStores()
    url = stores.postgres.url
    await migrateEngine(url)
    nats = await connect(natsAt(stores.nats.url))
    manager = await jetstreamManager(nats)
    log = await NatsLog.open(nats)
  })
  afterEach(() => manager.streams.delete(`LANE-${lane}`).catch(() => false))
  after(() => nats.close())

  const create = (cursor: number) =>
    log.createStreams(lane + 1, { laneBytesMax: megabyte, cursors: new Map([[lane, cursor]]) })
  const publish = (bytes = 10) =>
    log.publish({ subject: `lane.${lane}.toy.org.p`, id: randomUUID(), body: 'x'.repeat(bytes) })
  const refusal = (from: number) =>
    log.read(lane, from).then(
      async (reader) => reader.close(),
      (error: unknown) => (error as Fault).code,
    )

  it('a stream made anew goes on behind what its lane has committed, so that nothing published is passed over', async () => {
    await create(1000)
    expect(await publish()).to.deep.equal({ lane, seq: 1001 })
    const reader = await log.read(lane, 1001)
    expect((await reader.next(10, 1e6, 2000)).map(({ seq }) => seq)).to.deep.equal([1001])
    await reader.close()
  })

  it('a stream that ends before what was committed is not read on: what comes next would be passed over', async () => {
    await create(0)
    await publish()
    expect(await refusal(2)).to.equal(undefined)
    expect(await refusal(3)).to.equal('stream_position')
  })

  it('a stream that has dropped what comes next is not read on', async () => {
    await create(0)
    for (let i = 0; i < 5; i++) await publish()
    await manager.streams.purge(`LANE-${lane}`, { seq: 4 })
    expect(await refusal(4)).to.equal(undefined)
    expect(await refusal(3)).to.equal('stream_position')
  })

  it('a lane of large messages never fills its stream with what it has committed', async () => {
    await create(0)
    let last = 0
    const fill = async () => {
      for (;;) last = (await publish(50_000)).seq
    }
    await fill().catch(() => {})
    expect(last).to.be.within(15, 21)
    await log.trim(lane, last, 1_000_000)
    const { state } = await manager.streams.info(`LANE-${lane}`)
    expect(state.bytes).to.be.within(megabyte / 4, megabyte / 2)
    expect(state.last_seq).to.equal(last)
    expect((await publish(50_000)).seq).to.equal(last + 1)
  })

  it('a process whose session ends is no longer counted, long before its lease ends, nor one that leaves', async () => {
    const store = (owner: string) =>
      new PostgresStore({
        url,
        owner: `${owner}/${randomUUID()}`,
        leaseMs: 60_000,
        connections: 1,
        onLeaseLost: () => {},
      })
    const [one, two, three] = [store('one'), store('two'), store('three')]
    await one.beat()
    const others = (await one.live()) - 1
    await two.beat()
    await three.beat()
    expect(await one.live()).to.equal(others + 3)
    await two.close()
    await three.leave()
    while ((await one.live()) > others + 1) await new Promise((resolve) => setTimeout(resolve, 10))
    await Promise.all([one.leave(), three.close()])
    await one.close()
  })

  it('each process has a number of its own, kept for a while when it is gone, so that no other writes where it may still', async () => {
    const stores = Array.from({ length: 4 }, () => {
      const options = { url, owner: randomUUID(), leaseMs: 60_000, connections: 1, onLeaseLost: () => {} }
      return new PostgresStore(options)
    })
    const [first, second, third, fourth] = stores as [PostgresStore, PostgresStore, PostgresStore, PostgresStore]
    expect(first.track).to.equal(0)
    await Promise.all([first.beat(), second.beat(), third.beat()])
    const taken = [first, second, third].map(({ track }) => track)
    expect(new Set(taken).size).to.equal(3)
    for (const track of taken) expect(track).to.be.within(1, 63)
    await second.close()
    await first.beat()
    await fourth.beat()
    expect(first.track).to.equal(taken[0])
    expect(taken).to.not.include(fourth.track)
    for (const store of [first, third, fourth]) {
      await store.leave()
      await store.close()
    }
  })
})
