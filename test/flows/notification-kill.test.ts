/** Engines that are killed as receivers answer: between the answer and the moment it is written down. */
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { root } from '#config/root.ts'
import { startAndStop, wrongs } from '#test/harness/action-load.ts'
import { chaosWorld, lanesRun, settle, type ChaosWorld } from '#test/harness/chaos.ts'
import { channelTo, chat, done, subscribe, type Chat, type Room } from '#test/harness/chat.ts'
import { amount } from '#test/harness/tier.ts'
import { answerOf } from '#test/harness/product.ts'
import { strikeAt } from '#test/harness/storm.ts'
import { inherited, testFolder, testLanes } from '#test/harness/stores.ts'

/** Times that both engines are killed, and events that are told at least. */
const kills = amount(3, 3, 8)
const eventsMin = amount(60, 60, 200)
/** Where engines end by themselves too, behind those, and how often each. */
const points = ['after-facts', 'after-commit', 'relay-published'] as const
const endsEach = amount(1, 1, 3)
/** What an engine had sent may be read so long after it was killed. */
const onTheWayMs = 1000

const settings = {
  CREDENTIALS_KEY: Buffer.alloc(32, 7).toString('base64'),
  ALLOW_INSECURE_WEBHOOKS: '1',
  CHANNEL_MESSAGES_PER_SECOND: '0',
  NOTIFICATIONS_PER_SECOND: '0',
}
const main = path.join(root, 'config/main.ts')

interface Told {
  id: string
  channelID: string
  eventType: string
  status: string
  tries: number
}

describe('telling under kills', () => {
  let world: ChaosWorld
  let receivers: Chat
  let edge: ChildProcess
  let org: { orgId: string; send: any; get: any }
  before(async function () {
    this.timeout(120_000)
    world = await chaosWorld(2, settings)
    receivers = await chat()
    const { postgres, nats, clickhouse } = world.stores
    const env = {
      ...inherited,
      ...settings,
      TIDEMARK_DATA_DIR: testFolder(),
      TIDEMARK_ROLE: 'edge',
      TIDEMARK_LANES: String(testLanes),
      POSTGRES_URL: postgres.url,
      NATS_URL: nats.url,
      CLICKHOUSE_URL: `${clickhouse.url}/${clickhouse.database}`,
      RATE_LIMIT: '0',
      PORT: '0',
    }
    const command = async (...args: string[]) =>
      JSON.parse((await promisify(execFile)(process.execPath, [main, ...args, '--json'], { env })).stdout)
    const { id: orgId } = await command('org', 'create', 'Killed')
    const { token } = await command('pat', 'create', '--org', orgId, '--role', 'owner')
    edge = spawn(process.execPath, [main, 'start', '--json'], { env, stdio: ['ignore', 'pipe', 'ignore'] })
    const [line] = (await once(createInterface(edge.stdout!), 'line')) as [string]
    const { url } = JSON.parse(line) as { url: string }
    const send = async (method: string, to: string, body?: unknown) => {
      const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
      return answerOf(
        await fetch(url + to, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) }),
      )
    }
    org = { orgId, send, get: (to: string) => send('GET', to) }
  })
  after(async () => {
    edge?.kill()
    await receivers?.end()
    await world?.close()
  })

  /** Both engines, wherever they stand. */
  const strike = () => {
    for (const _ of [1, 2]) world.engines.kill(0)
  }

  it(`happens at least once for each event and channel, at most once more a kill, and is one row of the log: ${kills} kills of two engines as receivers answer, and ends at ${points.join(', ')}`, async function () {
    this.timeout(400_000)
    const killed: number[] = []
    const posted: { delivery: string; at: number }[] = []
    let next = Infinity
    const rooms: Room[] = [receivers.room(), receivers.room(), receivers.room()]
    for (const room of rooms) {
      room.answers = [
        (response) => {
          posted.push({ delivery: room.posts.at(-1)!.delivery, at: performance.now() })
          const isTime = posted.length >= next
          if (!isTime) return response.end('ok')
          next = Infinity
          killed.push(performance.now())
          // Before it is answered, as it is, or a moment after: the last two are between the answer and its being written down.
          if (killed.length % 3 === 0) strike()
          response.end('ok')
          if (killed.length % 3 === 1) strike()
          if (killed.length % 3 === 2) setTimeout(strike, killed.length)
        },
      ]
      const channel = await channelTo(org, room)
      for (const key of ['resource.started', 'resource.stopped']) await subscribe(org, channel, key)
    }
    const over = new AbortController()
    const acting = startAndStop(world, { orgId: org.orgId, resources: 20, schedules: 0, until: over.signal })
    const deadline = performance.now() + 240_000
    const waited = async (isSo: () => boolean, what: string) => {
      while (!isSo()) {
        if (performance.now() > deadline) throw new Error(`it has not come to ${what}: ${world.engines.tail}`)
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    }
    while (killed.length < kills) {
      const count = killed.length
      await lanesRun(world)
      next = posted.length + 20
      await waited(() => killed.length > count, 'a kill')
    }
    const ends = () => Object.values(world.engines.pointEnds).reduce((sum, n) => sum + n, 0)
    const watch = setInterval(() => void (ends() > killed.length - kills && killed.push(performance.now())), 10)
    for (const point of points) await strikeAt(world, point, { seed: 1, kills: endsEach, end: deadline })
    clearInterval(watch)
    await waited(() => new Set(posted.map(({ delivery }) => delivery)).size >= 3 * eventsMin, 'so many events')
    over.abort()
    const asked = await acting
    await settle(world)
    const leftSql = 'select ((select count(*) from effect) + (select count(*) from delivery))::int as n'
    const left = async () => (await world.pool.query<{ n: number }>(leftSql)).rows[0]!.n
    while ((await left()) > 0) {
      if (performance.now() > deadline) throw new Error(`${await left()} are not told: ${world.engines.tail}`)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    await settle(world)

    const log: Told[] = []
    for (let page = 1; log.length === (page - 1) * 200; page++)
      log.push(...(await done(org, 'GET', `/notifications/deliveries?limit=200&page=${page}`)).items)
    const twice = [...Map.groupBy(log, ({ id }) => id).values()].filter((rows) => rows.length > 1)
    expect(twice, 'one row a delivery').to.deep.equal([])
    expect(log.length, 'one a channel and event').to.equal(3 * asked.length)
    expect(log.filter(({ status, tries }) => status !== 'delivered' || tries !== 1)).to.deep.equal([])
    for (const action of ['start', 'stop']) {
      const count = log.filter(({ eventType }) => eventType.startsWith(`resource.${action}`)).length
      expect(count, action).to.equal(3 * asked.filter((one) => one.action === action).length)
    }
    const posts = Map.groupBy(posted, ({ delivery }) => delivery)
    expect(new Set(posts.keys()), 'each of them posted, and nothing else').to.deep.equal(
      new Set(log.map(({ id }) => id)),
    )
    for (const [delivery, list] of posts) {
      const [first, last] = [list[0]!.at - onTheWayMs, list.at(-1)!.at]
      const during = killed.filter((at) => at >= first && at <= last).length
      expect(list.length - 1, `repeats of ${delivery}`).to.be.at.most(during)
    }
    expect(posted.length - posts.size, 'some had to be repeated').to.be.above(0)
    expect(await wrongs(world, org.orgId, asked, world.cloud)).to.deep.equal([])
    expect(world.engines.unaskedEnds, 'processes that ended by themselves').to.deep.equal([])
  })
})
