// tier: deep
/** Engines that are killed as receivers answer: between the answer and the moment it is written down. */
import { expect } from 'chai'
import { startAndStop, until, wrongs } from '#test/harness/action-load.ts'
import { chaosWorld, lanesRun, settle, type ChaosWorld } from '#test/harness/chaos.ts'
import { chat, type Chat } from '#test/harness/chat.ts'
import { chaosEdge, type ChaosEdge } from '#test/harness/chaos-edge.ts'
import { strikeAt } from '#test/harness/storm.ts'
import { tell, tellingSettings, tellingWrongs, toldAll } from '#test/harness/telling-load.ts'
import { amount } from '#test/harness/tier.ts'

/** Times that both engines are killed, and events that are told at least. */
const kills = amount(3, 3, 8)
const eventsMin = amount(60, 60, 200)
/** Where engines end by themselves too, after those, and how often each. */
const points = ['after-facts', 'after-commit', 'relay-published'] as const
const endsEach = amount(1, 1, 3)
/** What an engine had sent may be read so long after it was killed. */
const onTheWayMs = 1000

const settings = { ...tellingSettings, CREDENTIALS_KEY: Buffer.alloc(32, 7).toString('base64') }

describe('telling under kills', () => {
  let world: ChaosWorld
  let receivers: Chat
  let edge: ChaosEdge
  before(async () => {
    world = await chaosWorld(2, settings)
    receivers = await chat()
    edge = await chaosEdge(world, settings)
  })
  after(async () => {
    await edge?.end()
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
    let next = Infinity
    const org = await edge.org('Killed')
    const telling = await tell(org, receivers)
    const { posted } = telling
    telling.onPost = (answer) => {
      if (posted.length < next) return answer()
      next = Infinity
      killed.push(performance.now())
      // Before it is answered, as it is, or a moment after: the last two are between the answer and its being written down.
      if (killed.length % 3 === 0) strike()
      answer()
      if (killed.length % 3 === 1) strike()
      if (killed.length % 3 === 2) setTimeout(strike, killed.length)
    }
    const over = new AbortController()
    const acting = startAndStop(world, { orgId: org.orgId, resources: 20, schedules: 0, until: over.signal })
    while (killed.length < kills) {
      const count = killed.length
      await lanesRun(world)
      next = posted.length + 20
      await until(world, async () => killed.length > count)
    }
    const ends = () => Object.values(world.engines.pointEnds).reduce((sum, n) => sum + n, 0)
    const watch = setInterval(() => void (ends() > killed.length - kills && killed.push(performance.now())), 10)
    const end = performance.now() + 240_000
    for (const point of points) await strikeAt(world, point, { seed: 1, kills: endsEach, end })
    clearInterval(watch)
    await until(world, async () => new Set(posted.map(({ delivery }) => delivery)).size >= 3 * eventsMin)
    over.abort()
    const asked = await acting
    await settle(world)
    await toldAll(world, org)
    await settle(world)

    expect(await tellingWrongs(org, telling, asked)).to.deep.equal([])
    const posts = Map.groupBy(posted, ({ delivery }) => delivery)
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
