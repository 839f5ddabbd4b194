/** What a process has claimed is left to it by others: its lanes while their leases are valid, and its external calls. */
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import pg from 'pg'
import { migrateEngine } from '#engine/store/migrate.ts'
import { PostgresStore } from '#engine/store/postgres/postgres.ts'
import { toyStores } from '#test/harness/stores.ts'

/** A lane that no engine of another test runs. */
const lane = 200_010
const name = 'claimed-test'

describe('what a process has claimed', () => {
  const stores: PostgresStore[] = []
  let admin: pg.Client
  let url: string
  const store = (): PostgresStore => {
    const opened = new PostgresStore({
      url,
      owner: randomUUID(),
      leaseMs: 60_000,
      connections: 1,
      onLeaseLost: () => {},
    })
    stores.push(opened)
    return opened
  }
  before(async () => {
    url = (await toyStores()).postgres.url
    await migrateEngine(url)
    admin = new pg.Client({ connectionString: url })
    await admin.connect()
    await admin.query('insert into lane (lane) values ($1)', [lane])
  })
  after(async () => {
    await Promise.all(stores.map((opened) => opened.close()))
    await admin.query('delete from lane where lane = $1', [lane])
    await admin.query('delete from effect where name = $1', [name])
    await admin.end()
  })
  const ownerSessions = async (): Promise<number> =>
    (await admin.query('select from lane l join pg_stat_activity a on a.pid = l.owner_pid where l.lane = $1', [lane]))
      .rowCount ?? 0

  it('is a lane whose session others do not end while its lease is valid, and end once it is not', async () => {
    const [owner, other] = [store(), store()]
    const lease = (await owner.acquire(lane))!
    expect(await other.acquire(lane)).to.equal(undefined)
    expect(await ownerSessions()).to.equal(1)
    expect(await owner.renew([lease])).to.deep.equal(new Set([lane]))
    await admin.query(`update lane set expires = clock_timestamp() - interval '1 s' where lane = $1`, [lane])
    expect(await other.acquire(lane)).to.equal(undefined)
    while ((await ownerSessions()) > 0) await new Promise((resolve) => setTimeout(resolve, 10))
    expect((await other.acquire(lane))?.epoch).to.equal(lease.epoch + 1)
  })

  it('is a call that others cannot end, once it is theirs no longer', async () => {
    const [first, second] = [store(), store()]
    const keys = [randomUUID(), randomUUID()]
    await admin.query(
      `insert into effect (key, name, org_id, input, queue, due) select unnest($1::text[]), $2, 'o1', '{}', '', now() - interval '1 min'`,
      [keys, name],
    )
    const claim = { names: [name], max: 1, orgMax: 100, begun: new Map<string, number>(), claimMs: 60_000 }
    const [own] = await first.claimEffects(claim)
    const [others] = await second.claimEffects(claim)
    expect([own!.key, others!.key].toSorted()).to.deep.equal(keys.toSorted())
    await first.doneEffects(keys)
    const left = await admin.query('select key from effect where name = $1', [name])
    expect(left.rows).to.deep.equal([{ key: others!.key }])
  })
})
