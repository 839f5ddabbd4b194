// tier: deep
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import pg from 'pg'
import { migrateEngine } from '#engine/store/migrate.ts'
import { PostgresStore } from '#engine/store/postgres/postgres.ts'
import { toyStores } from '#test/harness/stores.ts'

/** Lanes that no engine of another test runs. */
const lanes = { acquired: 200_000, released: 200_001 }

describe("a lane's advisory lock", () => {
  const stores: PostgresStore[] = []
  const clients: pg.Client[] = []
  let url: string
  const store = (): PostgresStore => {
    const opened = new PostgresStore({ url, owner: randomUUID(), leaseMs: 5000, connections: 1, onLeaseLost: () => {} })
    stores.push(opened)
    return opened
  }
  const client = async (): Promise<pg.Client> => {
    const opened = new pg.Client({ connectionString: url })
    clients.push(opened)
    await opened.connect()
    return opened
  }
  before(async () => {
    url = (await toyStores()).postgres.url
    await migrateEngine(url)
    await (await client()).query('insert into lane (lane) select unnest($1::int[])', [Object.values(lanes)])
  })
  after(async () => {
    await Promise.all(stores.map((opened) => opened.close()))
    await clients[0]?.query('delete from lane where lane = any($1)', [Object.values(lanes)])
    await Promise.all(clients.map((opened) => opened.end()))
  })

  /** Does something of a lane while another transaction holds its row, until it is given up after three seconds. */
  const withoutItsRow = async (lane: number, work: () => Promise<unknown>): Promise<void> => {
    const other = await client()
    await other.query('begin')
    await other.query('select from lane where lane = $1 for update', [lane])
    const error = await work().catch((caught: Error) => caught)
    expect((error as Error).message).to.contain('lock timeout')
    await other.query('rollback')
  }

  // Both at once, since each waits three seconds.
  it('is given back when the lane could not be taken after all, and when its release could not be noted, so that others can take it', async () => {
    const [first, second, other] = [store(), store(), store()]
    const lease = (await second.acquire(lanes.released))!
    await Promise.all([
      withoutItsRow(lanes.acquired, () => first.acquire(lanes.acquired)),
      withoutItsRow(lanes.released, () => second.release(lease)),
    ])
    expect((await other.acquire(lanes.acquired))?.epoch).to.equal(1)
    expect((await other.acquire(lanes.released))?.epoch).to.equal(2)
  })
})
