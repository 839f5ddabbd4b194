// tier: deep
/** A cluster of NATS servers, of which any one may die. */
import { expect } from 'chai'
import { jetstreamManager, type JetStreamManager } from '@nats-io/jetstream'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { NatsLog } from '#engine/store/nats/nats.ts'
import { chaosWorld, goesOn, publishItems, settle } from '#test/harness/chaos.ts'
import { makeLoad } from '#test/harness/load.ts'
import { natsCluster, type NatsCluster } from '#test/harness/nats-cluster.ts'
import { Oracle } from '#test/harness/oracle.ts'
import { differences, standing } from '#test/harness/standing.ts'
import { natsAt, testLanes } from '#test/harness/stores.ts'
import { until } from '#test/harness/toy.ts'

const laneBytesMax = 2 ** 30
/** Messages that lanes must commit while a server is away. */
const whileAway = 100

describe('a cluster of three NATS servers', () => {
  let cluster: NatsCluster
  let nats: NatsConnection
  let manager: JetStreamManager
  before(async function () {
    this.timeout(60_000)
    cluster = await natsCluster(3, testLanes)
    nats = await connect({ ...natsAt(cluster.url), maxReconnectAttempts: -1, reconnectTimeWait: 100 })
    // The servers have yet to elect the one that knows the streams.
    await until('the cluster has a leader', async () => {
      const found = await jetstreamManager(nats, { timeout: 5000 }).catch(() => undefined)
      if (found) manager = found
      return found !== undefined
    })
  })
  after(async () => {
    await nats.close()
    await cluster.stop()
  })

  const whole = (log: Pick<NatsLog, 'lackingCopies'>) =>
    until(
      'three servers store every stream',
      async () => (await log.lackingCopies(testLanes).catch(() => ['?'])).length === 0,
    )

  it('stores existing streams on three servers once that is set, with what they have, and not on more than there are', async function () {
    this.timeout(120_000)
    const log = await NatsLog.open(nats)
    await log.createStreams(testLanes, { laneBytesMax })
    await log.publish({ subject: 'lane.0.toy.org.p', id: 'before', body: 'x' })
    expect((await manager.streams.info('LANE-0')).config.num_replicas).to.equal(1)
    await log.createStreams(testLanes, { laneBytesMax, replicas: 3 })
    await whole(log)
    // A process without the setting leaves them as they are.
    await log.createStreams(testLanes, { laneBytesMax })
    const names = await manager.streams.names().next()
    expect(names.toSorted()).to.deep.equal(
      ['BUILD', 'DEAD', 'EVENTS', 'EXEC', ...Array.from({ length: testLanes }, (_, n) => `LANE-${n}`)].toSorted(),
    )
    for (const name of names) expect((await manager.streams.info(name)).config.num_replicas, name).to.equal(3)
    expect(await log.bounds(0)).to.deep.equal({ first: 1, last: 1 })
    const failure = await log.createStreams(testLanes, { laneBytesMax, replicas: 5 }).catch((error: unknown) => error)
    expect(failure).to.include({ code: 'nats_replicas' })
    const left = async () => manager.streams.names().next()
    await until('all streams are deleted', async () => {
      for (const name of await left().catch(() => [])) await manager.streams.delete(name).catch(() => false)
      return (await left().catch(() => ['?'])).length === 0
    })
  })

  it('loses nothing and doubles nothing when each of its servers is killed in turn under load, and goes on meanwhile [STREAM-06]', async function () {
    this.timeout(600_000)
    const world = await chaosWorld(2, { TIDEMARK_STREAM_REPLICAS: '3' }, { natsUrl: cluster.url })
    try {
      const log = await NatsLog.open(nats)
      await whole(log)
      const seed = Date.now() % 1_000_000
      const oracle = new Oracle()
      const over = new AbortController()
      const items = makeLoad({ seed, events: Infinity, orgs: 3, accounts: 2, until: over.signal })
      const loading = publishItems(world, items, oracle, { pauseMs: 150 })
      const killing = async () => {
        for (const member of cluster.members) {
          await goesOn(world, 1)
          member.kill()
          await goesOn(world, whileAway)
          expect(await log.lackingCopies(testLanes), 'as /readyz reports').not.to.deep.equal([])
          member.start()
          await whole(log)
        }
      }
      await killing().finally(() => over.abort())
      await loading
      await settle(world)
      expect(differences(await standing(world, seed), oracle.all()), `seed ${seed}`).to.deep.equal([])
      expect(world.engines.unaskedEnds).to.deep.equal([])
    } finally {
      await world.close()
    }
  })
})
