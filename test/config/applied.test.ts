/** What installations have applied already: their start compares names and texts, so neither may ever change. */
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { hashOfSql } from '#engine/store/migrate.ts'
import { postgresMigrations } from '#config/state/connect.ts'

const text = (file: string): string => readFileSync(new URL(file, import.meta.url), 'utf8')

/** Names and hashes. A migration is added here when it is delivered; what stands here is never touched. */
const applied = JSON.parse(text('applied.json')) as Readonly<Record<'postgres' | 'clickhouse', Record<string, string>>>

describe('migrations that were delivered', () => {
  it('of PostgreSQL are there as they were, in their order', () => {
    const now = postgresMigrations.map(({ name, sql }): [string, string] => [name, hashOfSql(sql)])
    const delivered = now.filter(([name]) => name in applied.postgres)
    expect(delivered).to.deep.equal(Object.entries(applied.postgres))
  })

  it('of tables of ClickHouse are there as they were', () => {
    const names = Object.keys(applied.clickhouse)
    const now = names.map((name) => [name, hashOfSql(text(`../../analytics/tables/${name}`))])
    expect(Object.fromEntries(now)).to.deep.equal(applied.clickhouse)
  })
})
