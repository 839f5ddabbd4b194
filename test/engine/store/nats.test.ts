/** The log against servers that are restarted, and messages as large as they may be; on a server of this file's own. */
import { randomUUID } from 'node:crypto'
import path from 'node:path'
import { expect } from 'chai'
import { DiscardPolicy, jetstreamManager, type JetStreamManager } from '@nats-io/jetstream'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { goesOn, NatsLog } from '#engine/store/nats/nats.ts'
import type { LogReader } from '#engine/actor/ports.ts'
import { startNats, type StartedNats } from '#config/embedded/nats.ts'
import { root } from '#config/process/root.ts'
import { natsAt, testFolder } from '#test/harness/stores.ts'
import { deepIt } from '#test/harness/tier.ts'
import { until } from '#test/harness/toy.ts'

interface Opened {
  server: StartedNats
  nats: NatsConnection
  manager: JetStreamManager
  log: NatsLog
}

describe('the log on NATS', () => {
  const dir = testFolder()
  let now: Opened
  before(async () => void (now = await open()))
  after(() => close())

  async function open(): Promise<Opened> {
    const places = { cache: path.join(root, '.cache'), path: process.env['PATH'], bin: process.env['NATS_SERVER_BIN'] }
    const server = await startNats(dir, { ...places, lanes: 2, log: () => {} })
    const nats = await connect(natsAt(server.url))
    return { server, nats, manager: await jetstreamManager(nats), log: await NatsLog.open(nats) }
  }

  async function close(): Promise<void> {
    await now.nats.close()
    await now.server.stop()
  }

  async function restart(): Promise<void> {
    await close()
    now = await open()
  }

  const create = (cursors: ReadonlyMap<number, number> = new Map(), owner?: string) =>
    now.log.createStreams(2, { laneBytesMax: 2 ** 28, cursors, ...(owner && { owner }) })
  const publish = (lane: number, body = 'x') =>
    now.log.publish({ subject: `lane.${lane}.toy.org.p`, id: randomUUID(), body })

  async function readAll(reader: LogReader, count: number): Promise<number[]> {
    const seqs: number[] = []
    while (seqs.length < count) {
      const some = await reader.next(1000, 1e9, 5000)
      if (some.length === 0) break
      seqs.push(...some.map(({ seq }) => seq))
    }
    return seqs
  }

  /** A number once it has not changed for a fifth of a second. */
  async function atRest(read: () => number): Promise<number> {
    for (let before = -1, at = read(); ; before = at, at = read()) {
      if (before === at) return at
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
  }

  it('keeps what was acknowledged into a stream made anew, over a restart of the server and another', async () => {
    await create(new Map([[0, 1000]]))
    for (let i = 0; i < 3; i++) await publish(0)
    for (let i = 0; i < 2; i++) {
      await restart()
      await create(new Map([[0, 1001]]))
      expect(await now.log.bounds(0)).to.deep.equal({ first: 1001, last: 1003 })
    }
    const reader = await now.log.read(0, 1002)
    expect(await readAll(reader, 2)).to.deep.equal([1002, 1003])
    await reader.close()
  })

  it('keeps orders of builds rather than forget one that nobody has read: what there is no room for is refused', async () => {
    const { manager } = now
    await manager.streams.delete('BUILD').catch(() => false)
    await manager.streams.add({ name: 'BUILD', subjects: ['build.>'], discard: DiscardPolicy.Old, max_bytes: 2 ** 20 })
    await create()
    const order = (body: string) => now.log.publish({ subject: 'build.job.org.d', id: randomUUID(), body })
    await order('first')
    const { config } = await manager.streams.info('BUILD')
    expect([config.discard, config.max_age]).to.deep.equal([DiscardPolicy.New, 7 * 86_400e9])
    await manager.streams.update('BUILD', { ...config, max_bytes: 1000 })
    const refused = await order('x'.repeat(1000)).then(
      () => 'taken',
      () => 'refused',
    )
    expect(refused).to.equal('refused')
    expect((await manager.streams.getMessage('BUILD', { seq: 1 }))!.string()).to.equal('first')
    await manager.streams.delete('BUILD')
  })

  it('lets a stream that was made to begin at a sequence of its own keep its messages over a restart', async () => {
    const { manager } = now
    await manager.streams.delete('LANE-1')
    const made = { name: 'LANE-1', subjects: ['lane.1.>'], discard: DiscardPolicy.New, max_bytes: 2 ** 28 }
    await manager.streams.add({ ...made, first_seq: 501 })
    for (let i = 0; i < 3; i++) await publish(1)
    await create()
    await restart()
    expect(await now.log.bounds(1)).to.deep.equal({ first: 501, last: 503 })
  })

  it('says whose its streams are, whatever was made first', async () => {
    expect(await now.log.owner()).to.equal(undefined)
    await create(new Map(), 'a-1')
    expect(await now.log.owner()).to.equal('a-1')
    await now.manager.streams.delete('LANE-0')
    await restart()
    expect(await now.log.owner()).to.equal('a-1')
    await create(new Map([[0, 2000]]), 'a-1')
    expect(await now.log.bounds(0)).to.deep.equal({ first: 2001, last: 2000 })
  })

  deepIt(
    'hands out a message of the largest size at once behind small ones that left it no room in the pull',
    async () => {
      const { last } = await now.log.bounds(0)
      for (let i = 0; i < 20; i++) await publish(0, 'y'.repeat(500_000))
      const large = 'z'.repeat(8 * 1024 * 1024 - 1000)
      for (let i = 0; i < 3; i++) {
        await publish(0, large)
        for (let j = 0; j < 3; j++) await publish(0, 'y'.repeat(500_000))
      }
      const reader = await now.log.read(0, last + 1)
      const all = await readAll(reader, 32)
      expect(all).to.deep.equal(Array.from({ length: 32 }, (_, i) => last + 1 + i))
      await publish(0, 'behind all')
      expect(await readAll(reader, 1)).to.deep.equal([last + 33])
      await reader.close()
    },
  )

  it('asks for no more than it may hold, and goes on when some was taken', async () => {
    const { last } = await now.log.bounds(1)
    for (let i = 0; i < 70; i++) await publish(1, 'w'.repeat(1_000_000))
    const before = now.nats.stats().inBytes
    const reader = await now.log.read(1, last + 1)
    const [first] = await reader.next(1, 1e9, 5000)
    expect(first!.seq).to.equal(last + 1)
    const mebibytes = () => (now.nats.stats().inBytes - before) / 2 ** 20
    await until('as much as may be held', () => mebibytes() >= 16)
    // Two pulls at most: the one that filled what may be held, and the one in progress then.
    await atRest(mebibytes)
    expect(mebibytes()).to.be.at.most(33)
    expect(await readAll(reader, 69)).to.have.length(69)
    await reader.close()
  })

  it('knows by its bounds whether a lane can go on', () => {
    const bounds = { first: 11, last: 20 }
    expect([9, 10, 15, 20, 21].map((cursor) => goesOn(bounds, cursor))).to.deep.equal([false, true, true, true, false])
    expect([10, 11].map((cursor) => goesOn({ first: 11, last: 10 }, cursor))).to.deep.equal([true, false])
  })
})
