import { expect } from 'chai'
import pg from 'pg'
import { migrateEngine } from '#engine/store/migrate.ts'
import { claimEffects } from '#engine/store/postgres-effect.ts'
import { toyStores } from '#test/harness/stores.ts'

const name = 'claim-test'

describe('calls of many queues', () => {
  let pool: pg.Pool
  before(async () => {
    const { postgres } = await toyStores()
    await migrateEngine(postgres.url)
    pool = new pg.Pool({ connectionString: postgres.url, max: 1 })
  })
  after(async () => {
    await pool.query('delete from effect where name = $1', [name])
    await pool.query('analyze effect')
    await pool.end()
  })
  const fill = (queue: string, queues: number, count: number) =>
    pool.query(
      `insert into effect (key, name, org_id, input, queue, due)
       select $1 || i, $4, 'o1', '{}', $1 || (i % $2::int), now() - interval '1 min' + i * interval '1 us'
       from generate_series(1, $3::int) as i`,
      [queue, queues, count, name],
    )

  it('are no more of one organization than it has room for', async () => {
    await fill('one', 20, 20)
    await pool.query('begin')
    const claim = { names: [name], max: 100, orgMax: 100, begun: new Map<string, number>(), claimMs: 15_000 }
    const claimed = await claimEffects(pool, 'me', { ...claim, queues: { roomMax: 1, rooms: [], orgBegun: 97 } })
    await pool.query('rollback')
    await pool.query('delete from effect where name = $1', [name])
    expect(claimed).to.have.length(3)
  })

  it('are claimed without reading those of one that is long, whatever the store last knew of them', async () => {
    await fill('long', 1, 20_000)
    await pool.query('analyze effect')
    await fill('short', 20, 40)
    await pool.query('begin')
    const claim = { names: [name], max: 100, orgMax: 100, begun: new Map<string, number>(), claimMs: 15_000 }
    const claimed = await claimEffects(pool, 'me', { ...claim, queues: { roomMax: 1, rooms: [], orgBegun: 0 } })
    const read = await pool.query<{ n: number }>(
      `select idx_tup_fetch::int as n from pg_stat_xact_user_tables where relname = 'effect'`,
    )
    await pool.query('rollback')
    const queues = ['long0', ...Array.from({ length: 20 }, (_, i) => `short${i}`)]
    expect(claimed.map(({ queue }) => queue)).to.have.members(queues)
    expect(read.rows[0]!.n).to.be.lessThan(1000)
  })
})
