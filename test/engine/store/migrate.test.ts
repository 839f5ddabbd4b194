import { expect } from 'chai'
import pg from 'pg'
import { migrate } from '#engine/store/migrate.ts'
import { toyStores } from '#test/harness/stores.ts'

describe('migrations of PostgreSQL', () => {
  let admin: pg.Client
  let url: string
  const database = `migrations_${process.pid}`
  before(async () => {
    const { postgres } = await toyStores()
    admin = new pg.Client({ connectionString: postgres.url })
    await admin.connect()
    await admin.query(`create database ${database}`)
    url = Object.assign(new URL(postgres.url), { pathname: `/${database}` }).href
  })
  after(async () => {
    await admin.query(`drop database ${database} with (force)`)
    await admin.end()
  })
  const asked = async (sql: string) => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    return (await client.query(sql).finally(() => client.end())).rows
  }

  it('are applied once, in their order', async () => {
    const one = { name: '1', sql: 'create table a (n int) -- numbers' }
    const two = { name: '2', sql: 'insert into a values (1)' }
    expect(await migrate(url, [one])).to.deep.equal(['1'])
    expect(await migrate(url, [one, two])).to.deep.equal(['2'])
    expect(await migrate(url, [one, two])).to.deep.equal([])
    expect(await asked('select n from a')).to.deep.equal([{ n: 1 }])
  })

  it('stop the start when one was changed after it was applied, but for its comments', async () => {
    const changed = { name: '1', sql: 'create table a (n bigint)' }
    const error = await migrate(url, [changed]).catch((caught: Error) => caught)
    expect((error as Error).message).to.equal(
      'The migration 1 was changed after it was applied. Add the change as a new migration.',
    )
    expect(await migrate(url, [{ name: '1', sql: '-- what it is for\ncreate table a (n int)' }])).to.deep.equal([])
  })

  it('that a version applied which kept no hash are taken as they are, and held to that from then on', async () => {
    await asked('update migration set sha = null')
    expect(await migrate(url, [{ name: '1', sql: 'create table a (n int)' }])).to.deep.equal([])
    const error = await migrate(url, [{ name: '1', sql: 'create table a (m int)' }]).catch((caught: Error) => caught)
    expect((error as Error).message).to.contain('was changed')
  })
})
