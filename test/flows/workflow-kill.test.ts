// tier: deep
import { expect } from 'chai'
import { chaosWorld, settle, type ChaosWorld } from '#test/harness/chaos.ts'
import { amount } from '#test/harness/tier.ts'
import { Storm } from '#test/harness/storm.ts'
import { workflows } from '#test/harness/workflow-load.ts'
import { workflowWrongs } from '#test/harness/workflow-wrongs.ts'

/** Ends of processes while workflows are begun, decided on and carried out. */
const kills = amount(6, 6, 15)

describe('workflows under kills', () => {
  let world: ChaosWorld
  before(async () => void (world = await chaosWorld(2)))
  after(() => world.close())

  it(`make each change once, in order and as it was approved, after ${kills} kills of two engines and of the stores`, async function () {
    this.timeout(500_000)
    const seed = Date.now() % 1_000_000
    const orgId = `working-${seed}`
    const over = new AbortController()
    const begun = Promise.withResolvers<void>()
    const working = workflows(world, { orgId, seed, together: 24, until: over.signal, begun: begun.resolve })
    await Promise.race([begun.promise, working])
    const storm = new Storm(world, { seed, kills })
    await storm.run().finally(() => over.abort())
    const followed = await working
    await settle(world)
    const { wrongs, counts } = await workflowWrongs(world, orgId, followed, world.cloud)
    const said = `seed ${seed}, ${JSON.stringify(storm.counts)}, ${JSON.stringify(counts)}`
    expect(wrongs, said).to.deep.equal([])
    expect(counts['succeeded'], said).to.be.greaterThan(10)
    expect(world.engines.unaskedEnds, 'processes that ended by themselves').to.deep.equal([])
  })
})
