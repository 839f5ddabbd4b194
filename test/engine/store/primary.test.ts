import { expect } from 'chai'
import pg from 'pg'
import { connectionOptions, postgresClient, serverUrls } from '#engine/store/postgres/primary.ts'
import { toyStores } from '#test/harness/stores.ts'

describe('a PostgreSQL of several servers', () => {
  it('has a URL for each server, with the user, the database and the parameters of all', () => {
    expect(serverUrls('postgresql://u:p,w%40@a:5432,b,[::1]:5433/d?sslmode=require')).to.deep.equal([
      'postgresql://u:p,w%40@a:5432/d?sslmode=require',
      'postgresql://u:p,w%40@b/d?sslmode=require',
      'postgresql://u:p,w%40@[::1]:5433/d?sslmode=require',
    ])
    expect(serverUrls('postgres://u:p,w@a/d')).to.deep.equal(['postgres://u:p,w@a/d'])
  })

  it('is reached at the one that accepts writes, wherever it is in the list, by clients and pools', async () => {
    const { postgres } = await toyStores()
    for (const url of [
      postgres.url.replace('@127.0.0.1:', '@127.0.0.1:1,127.0.0.1:'),
      postgres.url.replace('/postgres', ',127.0.0.1:1/postgres'),
    ]) {
      const client = postgresClient(url, { application_name: 'toy' })
      await client.connect()
      expect((await client.query('select 1 as one')).rows).to.deep.equal([{ one: 1 }])
      await client.end()
      const pool = new pg.Pool({ ...connectionOptions(url), max: 2 })
      pool.on('error', () => {})
      const asked = [1, 2, 3].map((n) => pool.query('select $1::int as n', [n]))
      expect((await Promise.all(asked)).map(({ rows }) => rows[0].n)).to.deep.equal([1, 2, 3])
      await pool.end()
    }
  })

  it('is away, and says which servers were tried, while none of them accepts writes', async () => {
    const failure = await postgresClient('postgresql://u:p@127.0.0.1:1,127.0.0.1:2/d', {})
      .connect()
      .catch((error: unknown) => error)
    expect(failure).to.include({ code: 'ECONNREFUSED' })
    expect((failure as Error).message).to.match(
      /^no server of 127\.0\.0\.1:1, 127\.0\.0\.1:2 accepts writes: .*refused/i,
    )
  })
})
