// tier: deep
import { expect } from 'chai'
import { chaosWorld, lanesRun, publishItems, settle, type ChaosWorld } from '#test/harness/chaos.ts'
import { makeLoad } from '#test/harness/load.ts'
import { Oracle } from '#test/harness/oracle.ts'
import { standing } from '#test/harness/standing.ts'

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** So many are ended one after the other until a message that ends them is set aside, and one more. */
const owners = 7

describe('a good message under suspicion', () => {
  let world: ChaosWorld
  before(async function () {
    this.timeout(300_000)
    world = await chaosWorld(owners + 1)
    const live = async () => (await world.pool.query('select count(*)::int as n from process')).rows[0].n as number
    while ((await live()) <= owners) await sleep(100)
  })
  after(() => world.close())

  it('is not set aside because its owners were killed while it waited for a store that hangs [STREAM-06]', async function () {
    this.timeout(300_000)
    const clickhouse = world.stores.clickhouse.pid()!
    const oracle = new Oracle()
    const [bill] = [...makeLoad({ seed: 5, events: 40, orgs: 1, accounts: 1 })].filter(({ kind }) => kind === 'bill')
    process.kill(clickhouse, 'SIGSTOP')
    await publishItems(world, [bill!], oracle, { pauseMs: 0 })
    const last = await Promise.all([0, 1, 2, 3].map((lane) => world.log.last(lane)))
    const lane = last.findIndex((seq) => seq > 0)
    const killed: number[] = []
    /** The pid of who owns the lane and lives: a lane is still that of a dead one until another has noticed. */
    const nextOwner = async (): Promise<number> => {
      for (;;) {
        const { rows } = await world.pool.query<{ owner: string | null }>('select owner from lane where lane = $1', [
          lane,
        ])
        const pid = Number((rows[0]?.owner ?? '').split('/').at(-2))
        if (pid > 0 && !killed.includes(pid)) return pid
        await sleep(50)
      }
    }
    for (let i = 0; i < owners; i++) {
      await lanesRun(world)
      const owner = await nextOwner()
      // It has begun to write by then, and hangs.
      await sleep(1500)
      if (i < owners - 1) process.kill(owner, 'SIGKILL')
      killed.push(owner)
    }
    process.kill(clickhouse, 'SIGCONT')
    await settle(world)
    expect(await standing(world, 5)).to.deep.equal(oracle.all())
  })
})
