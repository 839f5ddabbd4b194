// tier: deep
/** A PostgreSQL whose primary moves to another server. */
import { expect } from 'chai'
import { chaosWorld, goesOn, publishItems, settle } from '#test/harness/chaos.ts'
import { makeLoad } from '#test/harness/load.ts'
import { Oracle } from '#test/harness/oracle.ts'
import { postgresPair, type PostgresPair } from '#test/harness/postgres-pair.ts'
import { differences, standing } from '#test/harness/standing.ts'

describe('a PostgreSQL primary with a synchronous standby', () => {
  let pair: PostgresPair
  before(async function () {
    this.timeout(120_000)
    pair = await postgresPair()
  })
  after(() => pair.stop())

  it('loses nothing and doubles nothing when the standby takes over under load, from a primary that was killed and from one that hangs [STREAM-06]', async function () {
    this.timeout(600_000)
    const world = await chaosWorld(2, {}, { postgresUrl: pair.url })
    try {
      const seed = Date.now() % 1_000_000
      const oracle = new Oracle()
      const over = new AbortController()
      const items = makeLoad({ seed, events: Infinity, orgs: 3, accounts: 2, until: over.signal })
      const loading = publishItems(world, items, oracle, { pauseMs: 150 })
      const moving = async () => {
        await goesOn(world, 100)
        await pair.failOver('SIGKILL')
        await goesOn(world, 100)
        await pair.addStandby()
        await goesOn(world, 100)
        await pair.failOver('SIGSTOP')
        await goesOn(world, 100)
      }
      await moving().finally(() => over.abort())
      await loading
      await settle(world)
      expect(differences(await standing(world, seed), oracle.all()), `seed ${seed}`).to.deep.equal([])
      expect(world.engines.unaskedEnds).to.deep.equal([])
    } finally {
      await world.close()
    }
  })
})
