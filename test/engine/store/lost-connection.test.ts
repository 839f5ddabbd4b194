/** Connections of PostgreSQL that are taken away while they are in use; on real servers, without an engine on this lane. */
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import pg from 'pg'
import { systemClock } from '#engine/clock.ts'
import { migrateEngine } from '#engine/store/migrate.ts'
import type { Commit, Lease } from '#engine/actor/ports.ts'
import { PostgresStore } from '#engine/store/postgres/postgres.ts'
import { toyStores } from '#test/harness/stores.ts'
import { until } from '#test/harness/toy.ts'

/** A lane that no engine of another test runs. */
const lane = 200_001

describe('a lost connection of PostgreSQL', () => {
  let admin: pg.Client
  let store: PostgresStore
  before(async () => {
    const { postgres } = await toyStores()
    await migrateEngine(postgres.url)
    admin = new pg.Client({ connectionString: postgres.url })
    await admin.connect()
    await admin.query('insert into lane (lane) values ($1)', [lane])
    store = new PostgresStore({
      url: postgres.url,
      owner: randomUUID(),
      leaseMs: 5000,
      connections: 2,
      onLeaseLost: () => {},
    })
  })
  after(async () => {
    await store.close()
    await admin.query('delete from lane where lane = $1', [lane])
    await admin.end()
  })

  it('that nobody asks anything at the moment ends no process, and the next one is taken instead', async () => {
    const client = await store.pool.connect()
    const { rows } = await client.query('select pg_backend_pid() as pid')
    const ended = new Promise<void>((resolve) => client.once('end', () => resolve()))
    await admin.query('select pg_terminate_backend($1)', [rows[0].pid])
    await ended
    client.release(true)
    expect(await store.rows('select 1 as one', [])).to.deep.equal([{ one: 1 }])
  })

  it('fails the commit that used it, whose outcome the next owner reads from the cursor; no process ends', async () => {
    const lease = (await store.acquire(lane))!
    const outcomes = { done: 0, failed: 0 }
    let pauseMs = 3
    let isOver = false
    const cutting = (async () => {
      for (; !isOver; await systemClock.sleep(pauseMs)) await cutAll()
    })()
    // A busy machine that commits nothing between two cuts gets more time for it.
    for (let inRow = 0; outcomes.failed < 3 || outcomes.done < 3;) {
      const isDone = await store.commit(emptyFrom(lease)).then(
        () => true,
        () => false,
      )
      outcomes[isDone ? 'done' : 'failed']++
      inRow = isDone ? 0 : inRow + 1
      if (inRow > 0 && inRow % 10 === 0) pauseMs *= 2
    }
    isOver = true
    await cutting
  })

  it('that held the lanes is replaced by one other, however often, and none is left when all is closed', async () => {
    const owner = randomUUID()
    let losses = 0
    const { postgres } = await toyStores()
    const mine = new PostgresStore({
      url: postgres.url,
      owner,
      leaseMs: 5000,
      connections: 1,
      onLeaseLost: () => losses++,
    })
    const sessions = async () => {
      const sql = 'select pid from pg_stat_activity where application_name = $1'
      // Names are cut at 63 bytes.
      return (await admin.query<{ pid: number }>(sql, [`tidemark-lease ${owner}`.slice(0, 63)])).rows
    }
    for (let i = 0; i < 15; i++) {
      await mine.beat().catch(() => {})
      const asked = [mine.live(), mine.free(), mine.beat()].map((one) => one.catch(() => {}))
      for (const { pid } of await sessions()) await admin.query('select pg_terminate_backend($1)', [pid])
      await Promise.all([...asked, mine.live().catch(() => {})])
    }
    // The last signal may reach its session only now.
    const stillEnding = () =>
      mine.beat().then(
        () => false,
        () => true,
      )
    for (let i = 0; i < 5 && (await stillEnding()); i++);
    expect(losses).to.be.greaterThan(5)
    expect(await sessions()).to.have.length(1)
    await mine.leave()
    await mine.close()
    await until('its sessions to be gone', async () => (await sessions()).length === 0)
  })

  const cutAll = () =>
    admin.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'tidemark-engine' and pid <> pg_backend_pid()`,
    )
})

/** Moves nothing, so that it may be made again and again. */
const emptyFrom = (lease: Lease): Commit => ({
  lease,
  from: lease.cursor,
  to: lease.cursor,
  begun: lease.apart,
  apart: lease.apart,
  clock: lease.clock,
  rows: [],
  outbox: [],
  reminders: [],
  forgotten: [],
  marks: [],
  effects: [],
  inbox: [],
  written: [],
  dead: [],
})
