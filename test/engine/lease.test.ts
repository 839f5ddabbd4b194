import { toyWorld, until, type ToyWorld } from '#test/harness/toy.ts'

describe('the leases of lanes', () => {
  let world: ToyWorld
  const away = Promise.withResolvers<number>()
  before(async () => {
    world = await toyWorld({ leaseMs: 600 })
    await until('its lanes', () => world.engine.lanes().length > 0)
  })
  after(async () => {
    away.reject(new Error('the stream is away'))
    await world.close()
  })

  /** The earliest end of a lease this engine holds, milliseconds since 1970. */
  const end = async () => {
    const { rows } = await world.store.pool.query(
      'select extract(epoch from min(expires)) * 1000 as ms from lane where lane = any($1)',
      [world.engine.lanes()],
    )
    return Number(rows[0].ms)
  }

  it('are renewed while the stream does not answer, so that no other process takes the lanes', async () => {
    let asked = 0
    world.log.last = () => {
      asked++
      return away.promise
    }
    await until('the stream to be asked', () => asked > 0)
    const known = await end()
    await until('renewals', async () => (await end()) > known + 600)
  })
})
