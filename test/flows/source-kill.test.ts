// tier: deep
/** Engines that are killed while pushes are delivered, again and again until they are taken, as hosts do. */
import { expect } from 'chai'
import { systemClock } from '#engine/clock.ts'
import { chaosWorld, lanesRun, type ChaosWorld } from '#test/harness/chaos.ts'
import { chaosEdge, type ChaosEdge } from '#test/harness/chaos-edge.ts'
import { deployments, ordersSettled, push, pushed, pushSettings, wantedOf } from '#test/harness/push-load.ts'
import { amount } from '#test/harness/tier.ts'

/** Times that both engines are killed, and deliveries that are taken at least. */
const kills = amount(3, 3, 8)
const atLeast = amount(30, 30, 80)

const settings = { ...pushSettings, CREDENTIALS_KEY: Buffer.alloc(32, 7).toString('base64') }

describe('pushes under kills', () => {
  let world: ChaosWorld
  let edge: ChaosEdge
  before(async () => {
    world = await chaosWorld(2, settings)
    edge = await chaosEdge(world, settings)
  })
  after(async () => {
    await edge?.end()
    await world?.close()
  })

  it(`make one revision and one order of each delivery and deployment: ${kills} kills of two engines`, async function () {
    this.timeout(300_000)
    const { orgId } = await edge.org('Killed')
    const ids = await deployments(world, orgId)
    const over = new AbortController()
    const pushing = push({ url: edge.url, orgId, until: over.signal, atLeast })
    for (let n = 0; n < kills; n++) {
      await lanesRun(world)
      await systemClock.sleep(200 + n * 70)
      for (const _ of [1, 2]) world.engines.kill(0)
    }
    await lanesRun(world)
    over.abort()
    const pushes = await pushing
    await ordersSettled(world)
    expect(pushes.taken.length).to.be.at.least(atLeast)
    expect(await pushed(world, orgId, pushes)).to.deep.equal(wantedOf(pushes, ids))
    expect(world.engines.unaskedEnds, 'processes that ended by themselves').to.deep.equal([])
  })
})
