import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import pg from 'pg'
import { migrateEngine } from '#engine/store/migrate.ts'
import { PostgresStore } from '#engine/store/postgres.ts'
import { toyStores } from '#test/harness/stores.ts'

/** A lane that no engine of another test runs. */
const lane = 200_000

describe("a lane's advisory lock", () => {
  let other: pg.Client
  const stores: PostgresStore[] = []
  const store = (url: string): PostgresStore => {
    const opened = new PostgresStore({ url, owner: randomUUID(), leaseMs: 5000, connections: 1, onLeaseLost: () => {} })
    stores.push(opened)
    return opened
  }
  beforeEach(async () => {
    const { postgres } = await toyStores()
    await migrateEngine(postgres.url)
    other = new pg.Client({ connectionString: postgres.url })
    await other.connect()
    await other.query('insert into lane (lane) values ($1)', [lane])
  })
  afterEach(async () => {
    await other.query('rollback')
    await other.query('delete from lane where lane = $1', [lane])
    await other.end()
    await Promise.all(stores.splice(0).map((opened) => opened.close()))
  })
  const hold = async () => {
    await other.query('begin')
    await other.query('select from lane where lane = $1 for update', [lane])
  }

  it('is given back when the lane could not be taken after all, so that others can take it', async () => {
    const { postgres } = await toyStores()
    const [one, two] = [store(postgres.url), store(postgres.url)]
    await hold()
    const error = await one.acquire(lane).catch((caught: Error) => caught)
    expect((error as Error).message).to.contain('lock timeout')
    await other.query('rollback')
    expect((await two.acquire(lane))?.epoch).to.equal(1)
  })

  it('is given back when the release of the lane could not be noted', async () => {
    const { postgres } = await toyStores()
    const [one, two] = [store(postgres.url), store(postgres.url)]
    const lease = (await one.acquire(lane))!
    await hold()
    const error = await one.release(lease).catch((caught: Error) => caught)
    expect((error as Error).message).to.contain('lock timeout')
    await other.query('rollback')
    expect((await two.acquire(lane))?.epoch).to.equal(2)
  })
})
