import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ClickHouseClient } from '@clickhouse/client'
import { expect } from 'chai'
import { migrate } from '#analytics/store/migrate.ts'
import { run } from '#analytics/store/query.ts'
import { costTotal } from '#analytics/cost/questions.ts'
import { withoutComments } from '#engine/store/migrate.ts'
import { emptyDatabase, testClickHouse } from '#test/harness/clickhouse.ts'
import { deepIt } from '#test/harness/tier.ts'

const listed = (folder: string) => readdirSync(new URL(`../../analytics/${folder}/`, import.meta.url)).toSorted()
const textOf = (folder: string, name: string) =>
  readFileSync(new URL(`../../analytics/${folder}/${name}`, import.meta.url), 'utf8')
const tables = listed('tables')
const views = listed('views').map((name) => `views/${name}`)
const files = [...tables, ...views]

describe('the ClickHouse schema', () => {
  let ch: ClickHouseClient
  let drop: () => Promise<void>
  // One for all that ask the whole schema: applying it takes seconds.
  let applied: readonly string[]
  before(async () => {
    ;({ ch, drop } = await emptyDatabase())
    applied = await migrate(ch)
  })
  after(() => drop())

  const names = async () => {
    const result = await ch.query({ query: 'SHOW TABLES', format: 'JSONEachRow' })
    return (await result.json<{ name: string }>()).map((row) => row.name)
  }

  it('has a number of its own for each file of a table, and nothing but views among the views', () => {
    const numbers = tables.map((name) => name.slice(0, 4))
    expect(numbers.filter((number) => !/^\d{3}_$/.test(number))).to.deep.equal([])
    expect(new Set(numbers)).to.have.length(tables.length)
    const are = (folder: string, names: readonly string[], is: boolean) =>
      names.filter((name) => /^CREATE OR REPLACE VIEW \w+ AS$/m.test(textOf(folder, name)) !== is)
    expect(are('tables', tables, false)).to.deep.equal([])
    expect(are('views', listed('views'), true)).to.deep.equal([])
  })

  it('says nothing that does harm when it is said twice, as after a crash', () => {
    const form = /^(?:CREATE TABLE IF NOT EXISTS \w+\s*(?:\(|AS )|ALTER TABLE \w+\s+ADD COLUMN IF NOT EXISTS )/
    const never = /\bADD (?!COLUMN IF NOT EXISTS )|\b(?:DROP|MODIFY(?! ORDER BY| COLUMN)|RENAME|INSERT|DELETE|UPDATE)\b/
    const statements = tables.map((name) => withoutComments(textOf('tables', name)))
    const other = tables.filter((_, n) => !form.test(statements[n]!) || never.test(statements[n]!))
    expect(other).to.deep.equal([])
  })

  it('may extend the order of a table twice, as after a crash', async () => {
    const extending = tables
      .map((name) => withoutComments(textOf('tables', name)))
      .filter((sql) => sql.includes('MODIFY'))
    expect(extending).to.have.length(7)
    // What comes later has extended it further.
    const last = new Map(extending.map((sql) => [/ALTER TABLE (\w+)/.exec(sql)![1], sql]))
    for (const query of last.values()) await ch.command({ query })
  })

  it('is applied once, in order, and again changes nothing', async () => {
    expect(applied).to.deep.equal(files)
    const before = await names()
    expect(await migrate(ch)).to.deep.equal([])
    expect(await names()).to.deep.equal(before)
    expect(before).to.include.members([
      'cost_fact',
      'cost_lines',
      'cost_daily',
      'cost_service_daily',
      'metric_samples',
      'resources',
    ])
  })

  deepIt('takes up where a crash left it, whichever file that was', async () => {
    await ch.command({ query: "DELETE FROM schema_migration WHERE name >= '005'" })
    expect(await migrate(ch)).to.deep.equal(files.filter((name) => name >= '005'))
  })

  it('replaces a view that was changed, and refuses a table that was', async () => {
    const table = '001_cost_fact.sql'
    const noted = (name: string, sha: string) =>
      ch.insert({ table: 'schema_migration', values: [{ name, sha }], format: 'JSONEachRow' })
    await noted('views/52_resources.sql', 'another')
    expect(await migrate(ch)).to.deep.equal(['views/52_resources.sql'])
    const query = 'SELECT sha FROM schema_migration FINAL WHERE name = {table:String}'
    const [own] = await (
      await ch.query({ query, query_params: { table }, format: 'JSONEachRow' })
    ).json<{ sha: string }>()
    await noted(table, 'another')
    const error = await migrate(ch).catch((e: Error) => e)
    expect(String(error)).to.include('001_cost_fact.sql was changed after it was applied')
    await noted(table, own!.sha)
    expect(await migrate(ch)).to.deep.equal([])
  })

  deepIt('opens what the version with one folder for tables and views left, and leaves its views to it', async () => {
    await ch.command({ query: "DELETE FROM schema_migration WHERE name LIKE 'views/%'" })
    await ch.command({ query: 'CREATE VIEW cost_before AS SELECT 1 AS one' })
    const old = ['043_cost_slice.sql', '045_cost_before.sql'].map((name) => ({ name, sha: 'then' }))
    await ch.insert({ table: 'schema_migration', values: old, format: 'JSONEachRow' })
    expect(await migrate(ch)).to.deep.equal(views)
    expect(await names()).to.include('cost_before')
    expect(await migrate(ch)).to.deep.equal([])
  })

  describe('that grows', () => {
    let folder: string
    const write = (name: string, sql: string) => writeFileSync(path.join(folder, name), sql)
    let small: Awaited<ReturnType<typeof emptyDatabase>>
    const grow = () => migrate(small.ch, pathToFileURL(`${folder}/`))
    const columns = async (view: string) => {
      const result = await small.ch.query({ query: `DESCRIBE TABLE ${view}`, format: 'JSONEachRow' })
      return (await result.json<{ name: string }>()).map((row) => row.name)
    }
    beforeEach(async () => {
      small = await emptyDatabase()
      folder = mkdtempSync(path.join(tmpdir(), 'tidemark-schema-'))
      for (const name of ['tables', 'views']) mkdirSync(path.join(folder, name))
      write('tables/001_thing.sql', 'CREATE TABLE IF NOT EXISTS thing (id String) ENGINE = MergeTree ORDER BY id')
      write('views/10_things.sql', 'CREATE OR REPLACE VIEW things AS\nSELECT * FROM thing')
    })
    afterEach(async () => {
      await small.drop()
      rmSync(folder, { recursive: true })
    })

    const extend = () => {
      write('tables/002_thing_size.sql', 'ALTER TABLE thing ADD COLUMN IF NOT EXISTS size UInt8')
      write('views/20_sizes.sql', 'CREATE OR REPLACE VIEW sizes AS\nSELECT size FROM things')
    }

    it('gives its views the columns of later files, in a store that was there before', async () => {
      expect(await grow()).to.deep.equal(['001_thing.sql', 'views/10_things.sql'])
      expect(await columns('things')).to.deep.equal(['id'])
      extend()
      expect(await grow()).to.deep.equal(['002_thing_size.sql', 'views/10_things.sql', 'views/20_sizes.sql'])
      expect(await columns('things')).to.deep.equal(['id', 'size'])
      expect(await columns('sizes')).to.deep.equal(['size'])
      expect(await grow()).to.deep.equal([])
    })

    it('gives its views the columns of later files, in an empty store', async () => {
      extend()
      expect(await grow()).to.have.length(4)
      expect(await columns('things')).to.deep.equal(['id', 'size'])
      expect(await columns('sizes')).to.deep.equal(['size'])
    })

    it('takes up where a crash left it, and tells what it applied', async () => {
      extend()
      await grow()
      await small.ch.command({ query: "DELETE FROM schema_migration WHERE name >= '002'" })
      expect(await grow()).to.deep.equal(['002_thing_size.sql', 'views/10_things.sql', 'views/20_sizes.sql'])
      expect(await columns('sizes')).to.deep.equal(['size'])
    })

    it('leaves the views of an earlier version, and what it noted of them, as they are', async () => {
      await grow()
      await small.ch.command({ query: "DELETE FROM schema_migration WHERE name LIKE 'views/%'" })
      await small.ch.command({ query: 'CREATE VIEW things_before AS SELECT 1 AS one' })
      const old = ['010_things.sql', '045_things_before.sql'].map((name) => ({ name, sha: 'then' }))
      await small.ch.insert({ table: 'schema_migration', values: old, format: 'JSONEachRow' })
      expect(await grow()).to.deep.equal(['views/10_things.sql'])
      expect(await columns('things_before')).to.deep.equal(['one'])
      expect(await grow()).to.deep.equal([])
    })

    it('may be applied by several processes at once', async () => {
      extend()
      await Promise.all(Array.from({ length: 5 }, grow))
      expect(await columns('sizes')).to.deep.equal(['size'])
      expect(await grow()).to.deep.equal([])
    })

    it('makes its views anew after a crash between a table and them, and once a later version added to a table', async () => {
      await grow()
      extend()
      rmSync(path.join(folder, 'views/20_sizes.sql'))
      write('views/10_things.sql', 'CREATE OR REPLACE VIEW things AS\nSELECT * FROM nothing')
      expect(String(await grow().catch((e: Error) => e))).to.include('nothing')
      write('views/10_things.sql', 'CREATE OR REPLACE VIEW things AS\nSELECT * FROM thing')
      expect(await grow()).to.deep.equal(['views/10_things.sql'])
      rmSync(path.join(folder, 'tables/002_thing_size.sql'))
      expect(await grow()).to.deep.equal([])
    })
  })

  it('is refused as replicated in a database that is not, before anything is created in it', async () => {
    const empty = await emptyDatabase()
    try {
      const failure = await migrate(empty.ch, undefined, true).catch((error: unknown) => error)
      expect(failure).to.include({ code: 'clickhouse_replication' })
      const result = await empty.ch.query({ query: 'SHOW TABLES', format: 'JSONEachRow' })
      expect(await result.json()).to.deep.equal([])
    } finally {
      await empty.drop()
    }
  })
})

describe('a question to ClickHouse', () => {
  it('is refused when its answer would be beyond the bounds', async () => {
    const ch = await testClickHouse()
    const endless = { ...costTotal, textFor: () => 'SELECT number FROM numbers(100001)' }
    const error = await run(ch, endless, costTotal.example).catch((e: unknown) => e)
    expect(error).to.include({ kind: 'refused', code: 'report_too_large' })
  })
})
