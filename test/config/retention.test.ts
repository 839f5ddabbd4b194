/** That every table has a retention rule, and that the sweep deletes what the rules say and nothing else. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { root } from '#config/process/root.ts'
import { otherRules } from '#config/upkeep/retention/other-rules.ts'
import { cutOf, sweptRules } from '#config/upkeep/retention/swept-rules.ts'
import { retentionTable } from '#config/upkeep/retention/table.ts'
import { settings } from '#config/settings/settings.ts'
import { postgresMigrations } from '#config/state/connect.ts'
import { organizationTables } from '#analytics/store/tenancy.ts'

const sorted = (names: Iterable<string>) => [...new Set(names)].toSorted()

/** Every table that a migration creates and none drops, and the ledger of the migrations. */
function tablesOfPostgres(): string[] {
  const found = new Set(['migration'])
  for (const { sql } of postgresMigrations) {
    for (const [, name] of sql.matchAll(/create (?:unlogged )?table (?:if not exists )?"?(\w+)"?/g)) found.add(name!)
    for (const [, name] of sql.matchAll(/drop table (?:if exists )?"?(\w+)"?/g)) found.delete(name!)
    for (const [, from, to] of sql.matchAll(/alter table "?(\w+)"? rename to "?(\w+)"?/g)) {
      found.delete(from!)
      found.add(to!)
    }
  }
  return sorted(found)
}

describe('retention', () => {
  it('has exactly one rule for each table of PostgreSQL', () => {
    const named = [
      ...sweptRules.flatMap(({ postgres = {} }) => Object.keys(postgres)),
      ...otherRules.flatMap(({ postgres = [] }) => postgres),
    ]
    expect(sorted(named)).to.deep.equal(tablesOfPostgres())
    expect(named, 'each once').to.have.length(new Set(named).size)
  })

  it('has exactly one rule for each table of ClickHouse', () => {
    const named = [
      ...sweptRules.flatMap(({ clickhouse = {} }) => Object.keys(clickhouse)),
      ...otherRules.flatMap(({ clickhouse = [] }) => clickhouse),
    ]
    const own = ['installation', 'schema_migration']
    expect(sorted(named)).to.deep.equal(sorted([...organizationTables().map(({ name }) => name), ...own]))
    expect(named, 'each once').to.have.length(new Set(named).size)
  })

  it('names settings that exist', () => {
    const known = new Set(Object.values(settings).map(({ name }) => name))
    for (const { what, keep } of otherRules)
      for (const [, name] of keep.matchAll(/`([A-Z_]+)`/g)) expect([...known], what).to.include(name)
  })

  it('is printed in docs/retention.md', () => {
    const page = readFileSync(path.join(root, 'docs/retention.md'), 'utf8')
    const [, block] = /<!-- retention -->\n([^]*?)\n<!-- \/retention -->/.exec(page) ?? []
    expect(block).to.equal(retentionTable())
  })

  it('cuts at the start of a day or a month, and never with 0', () => {
    const now = new Date('2026-03-15T10:30:00Z')
    expect(cutOf(14, 'days', now)).to.deep.equal(new Date('2026-03-01T00:00:00Z'))
    expect(cutOf(13, 'months', now)).to.deep.equal(new Date('2025-02-01T00:00:00Z'))
    expect(cutOf(0, 'months', now)).to.equal(undefined)
  })
})
