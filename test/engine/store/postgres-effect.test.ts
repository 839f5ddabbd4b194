import { expect } from 'chai'
import pg from 'pg'
import { migrateEngine } from '#engine/store/migrate.ts'
import { claimEffects, waitingEffects } from '#engine/store/postgres/effect.ts'
import { dueReminders } from '#engine/store/postgres/reminder.ts'
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

  it('wait while their organization is closed, and so do its reminders; those of others do not [GEN-10]', async () => {
    const owned = (orgId: string, queue: string) =>
      pool.query(`insert into effect (key, name, org_id, input, queue) values ($1 || $2, $3, $1, '{}', $2)`, [
        orgId,
        queue,
        name,
      ])
    for (const orgId of ['o1', 'shut']) for (const queue of ['', 'q']) await owned(orgId, queue)
    for (const orgId of ['o1', 'shut'])
      await pool.query(
        `insert into reminder (kind, org_id, place, key, name, lane, due, subject, data) values ($2, $1, '-', 'k', 'n', 9999, now(), 's', '{}')`,
        [orgId, name],
      )
    await pool.query('begin')
    await pool.query(
      `insert into closed_organization (org_id, closed_by, closed_at, delete_at) values ('shut', 'me', now(), now())`,
    )
    const claim = { names: [name], max: 100, orgMax: 100, begun: new Map<string, number>(), claimMs: 15_000 }
    const queued = await claimEffects(pool, 'me', { ...claim, queues: { roomMax: 1, rooms: [], orgBegun: 0 } })
    const plain = await claimEffects(pool, 'me', claim)
    const waiting = await waitingEffects(pool, [name])
    const due = await dueReminders(pool, { lane: 9999, now: Date.now() + 1000, max: 10 })
    await pool.query('rollback')
    const reopened = await dueReminders(pool, { lane: 9999, now: Date.now() + 1000, max: 10 })
    await pool.query('delete from effect where name = $1', [name])
    await pool.query('delete from reminder where kind = $1', [name])
    expect([...queued, ...plain].map(({ orgId }) => orgId)).to.deep.equal(['o1', 'o1'])
    expect(waiting).to.deep.equal([])
    expect(due.map(({ orgId }) => orgId)).to.deep.equal(['o1'])
    expect(reopened.map(({ orgId }) => orgId)).to.have.members(['o1', 'shut'])
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
