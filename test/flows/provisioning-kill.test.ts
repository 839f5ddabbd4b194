// tier: deep
import { expect } from 'chai'
import { catalogWrongs, provisionAll } from '#test/harness/catalog-load.ts'
import { chaosWorld, settle, type ChaosWorld } from '#test/harness/chaos.ts'
import { amount } from '#test/harness/tier.ts'
import { Storm } from '#test/harness/storm.ts'

/** Ends of processes while things are provisioned and taken away. */
const kills = amount(5, 5, 12)

describe('provisioning under kills', () => {
  let world: ChaosWorld
  // What one process has sealed another opens.
  before(async () => void (world = await chaosWorld(2, { CREDENTIALS_KEY: Buffer.alloc(32, 7).toString('base64') })))
  after(() => world.close())

  it(`makes each thing once and leaves nothing of what was deleted, after ${kills} kills of two engines and of the stores [PROV-06] [PROV-26]`, async function () {
    this.timeout(500_000)
    const seed = Date.now() % 1_000_000
    const orgId = `making-${seed}`
    const over = new AbortController()
    const begun = Promise.withResolvers<void>()
    const making = provisionAll(world, { orgId, together: 21, until: over.signal, begun: begun.resolve })
    await Promise.race([begun.promise, making])
    const storm = new Storm(world, { seed, kills })
    await storm.run().finally(() => over.abort())
    const followed = await making
    await settle(world)
    const { wrongs, ended } = await catalogWrongs(world, orgId, followed)
    const said = `seed ${seed}, ${JSON.stringify(storm.counts)}`
    expect(wrongs, said).to.deep.equal([])
    expect(ended, said).to.be.greaterThan(20)
    expect(world.engines.unaskedEnds, 'processes that ended by themselves').to.deep.equal([])
  })
})
