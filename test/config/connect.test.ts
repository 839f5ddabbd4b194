import { expect } from 'chai'
import { tenant } from '#test/harness/product.ts'

describe('connections of the edge', () => {
  it('come back to their pool when they are lost within a transaction, however many', async function () {
    this.timeout(60_000)
    const { connections } = await tenant()
    const { orm, store } = connections
    // More than the pool holds.
    for (let i = 0; i < 25; i++) {
      const lost = await orm.em
        .fork()
        .transactional(async (em) => {
          const [row] = await em.execute<{ pid: number }[]>('select pg_backend_pid() as pid')
          await store.rows('select pg_terminate_backend($1)', [row!.pid])
          await em.execute('select 1')
        })
        .then(
          () => false,
          () => true,
        )
      expect(lost).to.equal(true)
    }
    expect(await orm.em.fork().execute('select 1 as one')).to.deep.equal([{ one: 1 }])
  })
})
