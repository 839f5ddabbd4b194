// tier: deep
import { expect } from 'chai'
import { chaosWorld, settle, type ChaosWorld } from '#test/harness/chaos.ts'
import { startAndStop, wrongs } from '#test/harness/action-load.ts'
import { amount } from '#test/harness/tier.ts'
import { Storm } from '#test/harness/storm.ts'

/** Ends of processes while resources are started and stopped. */
const kills = amount(6, 6, 20)

describe('actions under kills', () => {
  let world: ChaosWorld
  before(async () => void (world = await chaosWorld(2)))
  after(() => world.close())

  it(`come to one call, one row of the history and one end each, after ${kills} kills of two engines and of the stores [ACT-13]`, async function () {
    this.timeout(500_000)
    const seed = Date.now() % 1_000_000
    const orgId = `acting-${seed}`
    const over = new AbortController()
    const begun = Promise.withResolvers<void>()
    const load = { orgId, resources: 60, schedules: 5, until: over.signal, begun: begun.resolve }
    const acting = startAndStop(world, load)
    await Promise.race([begun.promise, acting])
    const storm = new Storm(world, { seed, kills })
    await storm.run().finally(() => over.abort())
    const asked = await acting
    await settle(world)
    expect(asked.length).to.be.greaterThan(60)
    expect(
      await wrongs(world, orgId, asked, world.cloud),
      `seed ${seed}, ${JSON.stringify(storm.counts)}`,
    ).to.deep.equal([])
    expect(world.engines.unaskedEnds, 'processes that ended by themselves').to.deep.equal([])
  })
})
