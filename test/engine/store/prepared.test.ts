import { expect } from 'chai'
import pg from 'pg'
import { migrateEngine } from '#engine/store/migrate.ts'
import { isNarrowedPage, PreparedStatements } from '#engine/store/postgres/prepared-statements.ts'
import { toyStores } from '#test/harness/stores.ts'

const asked = (prepared: PreparedStatements, text: string, times: number): (string | undefined)[] =>
  Array.from({ length: times }, () => prepared.nameOf(text))

describe('statements that are asked again and again', () => {
  it('bear a name of their own from the tenth time on, and keep it', () => {
    const prepared = new PreparedStatements()
    const some = asked(prepared, 'select 1 where $1', 12)
    expect(some.slice(0, 9).every((name) => name === undefined)).to.equal(true)
    expect(some.slice(9)).to.deep.equal(['tidemark_0', 'tidemark_0', 'tidemark_0'])
    expect(asked(prepared, 'select 2 where $1', 11).slice(9)).to.deep.equal(['tidemark_1', 'tidemark_1'])
    expect(prepared.nameOf('select 1 where $1')).to.equal('tidemark_0')
  })

  it('are no more than a hundred, and texts of all kinds fill no memory', () => {
    const prepared = new PreparedStatements()
    for (let n = 0; n < 5000; n++) prepared.nameOf(`select ${n}`)
    const names = Array.from({ length: 150 }, (_, n) => asked(prepared, `select $1, ${n}`, 10).at(-1))
    expect(names.filter((name) => name !== undefined)).to.have.length(100)
    expect(new Set(names).size).to.equal(101)
  })

  it('have none that would answer something else with one column more', () => {
    const prepared = new PreparedStatements()
    for (const text of [
      'select * from t where a = $1',
      'select t.* from t where a = $1',
      'select "c0".* from c as "c0" where a = $1',
    ])
      expect(asked(prepared, text, 20).at(-1), text).to.equal(undefined)
    for (const text of ['select count(*) from t where a = $1', 'select count(*)::int as n from t where a = $1'])
      expect(asked(prepared, text, 20).at(-1), text).to.match(/^tidemark_/)
  })

  it('of the edge are no pages narrowed by values, of which the way depends', () => {
    const prepared = new PreparedStatements(isNarrowedPage)
    const last = (text: string) => asked(prepared, text, 20).at(-1)
    expect(last('select a from t where org = $1 and type in ($2) order by a limit 20')).to.equal(undefined)
    expect(last('select a from t where org = $1 order by a LIMIT 20 OFFSET $2')).to.equal(undefined)
    expect(last('select a from t where org = $1 order by a limit 20')).to.match(/^tidemark_/)
    expect(last('select a from t where org = $1 and id in ($2)')).to.match(/^tidemark_/)
  })

  it('go on while the table gets a column more, and are planned anew behind an index', async () => {
    const { postgres } = await toyStores()
    await migrateEngine(postgres.url)
    const client = new pg.Client(postgres.url)
    await client.connect()
    const prepared = new PreparedStatements()
    const ask = async () => {
      const text = 'select a, count(*)::int as n from prepared_test where a = $1 group by a'
      const name = prepared.nameOf(text)
      return (await client.query({ text, values: [1], ...(name !== undefined && { name }) })).rows
    }
    try {
      await client.query('create temporary table prepared_test (a int not null)')
      await client.query('insert into prepared_test select n % 3 from generate_series(1, 9) n')
      for (let n = 0; n < 20; n++) expect(await ask()).to.deep.equal([{ a: 1, n: 3 }])
      await client.query('alter table prepared_test add column b text')
      expect(await ask()).to.deep.equal([{ a: 1, n: 3 }])
      await client.query('create index on prepared_test (a)')
      expect(await ask()).to.deep.equal([{ a: 1, n: 3 }])
    } finally {
      await client.end()
    }
  })
})
