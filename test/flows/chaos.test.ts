import { expect } from 'chai'
import { chaosWorld, expected, publishItems, settle, standing, type ChaosWorld } from '#test/harness/chaos.ts'
import { makeLoad, Oracle, random, type Item } from '#test/harness/load.ts'

/** Ends of processes while the load runs. */
const kills = 20

describe('under kills', () => {
  let world: ChaosWorld
  before(async () => void (world = await chaosWorld(2)))
  after(() => world.close())

  it('loses nothing and doubles nothing: every store equals the oracle after 20 kills of engine, ClickHouse, NATS and PostgreSQL [STREAM-06]', async function () {
    this.timeout(240_000)
    const seed = Date.now() % 1_000_000
    const next = random(seed)
    const items = makeLoad({ seed, events: 4000, orgs: 3, accounts: 2 })
    const oracle = new Oracle()
    for (const item of items) oracle.take(item)
    const loading = publishItems(world, items, 25)
    const counts: Record<string, number> = {}
    for (let i = 0; i < kills; i++) {
      const target = (['engine', 'engine', 'clickhouse', 'nats', 'postgres'] as const)[Math.floor(next() * 5)]!
      counts[target] = (counts[target] ?? 0) + 1
      await new Promise((resolve) => setTimeout(resolve, 300 + next() * 900))
      if (target === 'engine') world.engines.kill(next())
      else kill(world.stores[target].pid())
    }
    await settle(world, await loading)
    expect(await standing(world, seed), `seed ${seed}, kills ${JSON.stringify(counts)}`).to.deep.equal(expected(oracle))
  })

  it('comes to exactly 100.00 when the engine is killed while it takes 10,000 lines of 0.01 [STREAM-06]', async function () {
    this.timeout(120_000)
    const seed = 1_000_000 + (Date.now() % 1_000_000)
    const items = Array.from({ length: 10_000 }, (_, i): Item => cent(seed, i))
    const loading = publishItems(world, items, 0)
    for (let i = 0; i < 3; i++) {
      await new Promise((resolve) => setTimeout(resolve, 700))
      world.engines.kill(i / 3)
    }
    await settle(world, await loading)
    const { rollups, lineCount } = await standing(world, seed)
    expect([rollups, lineCount]).to.deep.equal([{ [`chaos-${seed}-0|acct-0|2026-03-01`]: '100' }, 10_000])
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

function kill(pid: number | undefined): void {
  if (pid !== undefined) process.kill(pid, 'SIGKILL')
}
