import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { readiness } from '#config/state/readiness.ts'
import { testProduct } from '#test/harness/product.ts'

describe('readiness', () => {
  it('warns of calls to the outside that have waited for a minute, and is ready all the same', async () => {
    const { connections } = await testProduct()
    const { pool } = connections.store
    const effects = async () => (await readiness(connections)()).find(({ name }) => name === 'effects')
    const key = `test/${randomUUID()}`
    // Of a name that nobody knows, so that nobody makes it.
    const wait = (seconds: number) =>
      pool.query(
        `insert into effect (key, name, org_id, input, due) values ($1, 'test.none', 'o', '{}', now() - $2 * interval '1 s')
         on conflict (key) do update set due = excluded.due`,
        [key, seconds],
      )
    try {
      await wait(30)
      expect(await effects()).to.deep.equal({ name: 'effects', ok: true })
      await wait(3600)
      const told = await effects()
      expect([told?.ok, told?.message?.replace(/36\d\d/, 'N')]).to.deep.equal([
        true,
        'an outbound call (test.none) has been waiting for N s',
      ])
      await pool.query(`update effect set claimed_until = now() + interval '1 hour' where key = $1`, [key])
      expect(await effects()).to.deep.equal({ name: 'effects', ok: true })
    } finally {
      await pool.query('delete from effect where key = $1', [key])
    }
  })
})
