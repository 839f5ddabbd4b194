// tier: deep
import { expect } from 'chai'
import { chaosWorld, publishItems, settle, type ChaosWorld } from '#test/harness/chaos.ts'
import { amount } from '#test/harness/tier.ts'
import { makeLoad, type Item } from '#test/harness/load.ts'
import { Oracle } from '#test/harness/oracle.ts'
import { differences, standing } from '#test/harness/standing.ts'
import { Storm } from '#test/harness/storm.ts'

/** Ends of processes while the load runs. */
const kills = amount(8, 8, 20)

describe('under kills', () => {
  let world: ChaosWorld
  before(async () => void (world = await chaosWorld(2)))
  after(() => world.close())

  it(`loses nothing, doubles nothing and keeps the order: every store equals the oracle after ${kills} kills of engine, ClickHouse, NATS and PostgreSQL, pauses, drains, joins and a deadly message [STREAM-06]`, async function () {
    this.timeout(400_000)
    const seed = Date.now() % 1_000_000
    const oracle = new Oracle()
    const over = new AbortController()
    const items = makeLoad({ seed, events: Infinity, orgs: 3, accounts: 2, deadlyEvery: 10_000, until: over.signal })
    const loading = publishItems(world, items, oracle, { pauseMs: 80 })
    const storm = new Storm(world, { seed: seed + 1, kills })
    await storm.run().finally(() => over.abort())
    await loading
    await settle(world)
    const wrong = differences(await standing(world, seed), oracle.all())
    expect(wrong, `seed ${seed}, ${JSON.stringify(storm.counts)}`).to.deep.equal([])
    expect(world.engines.unaskedEnds, 'processes that ended by themselves').to.deep.equal([])
  })

  it('comes to exactly 100.00 when the engine is killed while it takes 10,000 lines of 0.01 [STREAM-06]', async function () {
    this.timeout(400_000)
    const seed = 1_000_000 + (Date.now() % 1_000_000)
    const items = Array.from({ length: 10_000 }, (_, i): Item => cent(seed, i))
    const loading = publishItems(world, items, new Oracle(), { pauseMs: 0 })
    for (let i = 0; i < 3; i++) {
      await new Promise((resolve) => setTimeout(resolve, 700))
      world.engines.kill(i / 3)
    }
    await loading
    await settle(world)
    const { rollups, lines } = await standing(world, seed)
    expect([rollups, lines]).to.deep.equal([{ [`chaos-${seed}-0|acct-0|2026-03-01`]: '100' }, 10_000])
  })
})

const cent = (seed: number, i: number): Item => ({
  id: `c${i}`,
  orgId: `chaos-${seed}-0`,
  account: 'acct-0',
  time: '2026-04-01T00:00:00Z',
  kind: 'bill',
  data: {
    lineId: `2026-03-01/c${i}`,
    cloudAccountId: 'acct-0',
    provider: 'aws',
    serviceName: 'compute',
    usageDate: '2026-03-01',
    costUSD: '0.01',
    exportedAt: '2026-04-01T00:00:00Z',
  },
})
