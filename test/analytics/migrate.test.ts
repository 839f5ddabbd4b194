import { readdirSync } from 'node:fs'
import type { ClickHouseClient } from '@clickhouse/client'
import { expect } from 'chai'
import { migrate } from '#analytics/migrate.ts'
import { query, run } from '#analytics/query.ts'
import { costTotal } from '#analytics/cost.ts'
import { emptyDatabase, testClickHouse } from '#test/harness/clickhouse.ts'

const files = readdirSync(new URL('../../analytics/schema/', import.meta.url)).toSorted()

describe('the ClickHouse schema', () => {
  let ch: ClickHouseClient
  let drop: () => Promise<void>
  beforeEach(async () => void ({ ch, drop } = await emptyDatabase()))
  afterEach(() => drop())

  const names = async () => {
    const result = await ch.query({ query: 'SHOW TABLES', format: 'JSONEachRow' })
    return (await result.json<{ name: string }>()).map((row) => row.name)
  }

  it('is applied once, in order, and again changes nothing', async () => {
    expect(await migrate(ch)).to.deep.equal(files)
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

  it('may be applied by several processes at once', async () => {
    await Promise.all(Array.from({ length: 5 }, () => migrate(ch)))
    expect(await migrate(ch)).to.deep.equal([])
  })

  it('takes up where a crash left it', async () => {
    await migrate(ch)
    await ch.command({ query: "DELETE FROM schema_migration WHERE name >= '005'" })
    expect(await migrate(ch)).to.deep.equal(files.filter((name) => name >= '005'))
  })

  it('replaces a view that was changed, and refuses a table that was', async () => {
    await migrate(ch)
    const applied = (name: string) =>
      ch.insert({ table: 'schema_migration', values: [{ name, sha: 'another' }], format: 'JSONEachRow' })
    await applied('066_resources.sql')
    expect(await migrate(ch)).to.deep.equal(['066_resources.sql'])
    await applied('001_cost_fact.sql')
    const error = await migrate(ch).catch((e: Error) => e)
    expect(String(error)).to.include('001_cost_fact.sql was changed after it was applied')
  })
})

describe('a question to ClickHouse', () => {
  it('is refused when its answer would be beyond the bounds', async () => {
    const ch = await testClickHouse()
    const { forms: _, ...total } = query('cost_total', costTotal.params, costTotal.row, costTotal.example)
    const endless = { ...total, sql: 'SELECT number FROM numbers(100001)' }
    const error = await run(ch, endless, costTotal.example).catch((e: unknown) => e)
    expect(error).to.include({ kind: 'refused', code: 'report_too_large' })
  })
})
