/** That nothing a tenant can make grow is forgotten in docs/quotas.md. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { rowLimits } from '#actors/row-limit.ts'
import { organizationTables } from '#analytics/store/tenancy.ts'
import { postgresMigrations } from '#config/state/connect.ts'
import { quotas, quotaTable } from '#config/wiring/quotas.ts'
import { root } from '#config/process/root.ts'
import { settings } from '#config/settings/settings.ts'

const sorted = (names: Iterable<string>) => [...new Set(names)].toSorted()
const page = () => readFileSync(path.join(root, 'docs/quotas.md'), 'utf8')

/** Tables of PostgreSQL that have an `org_id` after all migrations; those are the tables of all entities (test/actors/migrations.test.ts). */
function organizationTablesOfPostgres(): string[] {
  const found = new Set<string>()
  for (const { sql } of postgresMigrations) {
    for (const [, name, columns] of sql.matchAll(/create (?:unlogged )?table (?:if not exists )?"?(\w+)"? \(([^;]*)/g))
      if (/\borg_id\b/.test(columns!)) found.add(name!)
    for (const [, name] of sql.matchAll(/alter table "?(\w+)"? add column[^;]*\borg_id\b/g)) found.add(name!)
  }
  return sorted(found)
}

describe('quotas', () => {
  it('name each table of PostgreSQL with an organization, and no other [G-125]', () => {
    const named = quotas.flatMap(({ postgres = [] }) => postgres)
    expect(sorted(named)).to.deep.equal(organizationTablesOfPostgres())
    expect(named, 'each once').to.have.length(new Set(named).size)
  })

  it('name each table of ClickHouse with an organization, and no other [G-125]', () => {
    const named = quotas.flatMap(({ clickhouse = [] }) => clickhouse)
    expect(sorted(named)).to.deep.equal(sorted(organizationTables().map(({ name }) => name)))
    expect(named, 'each once').to.have.length(new Set(named).size)
  })

  it('say of each a bound, by settings that there are [G-125]', () => {
    const known = new Set(Object.values(settings).map(({ name }) => name))
    for (const { what, bound, beyond } of quotas) {
      expect(bound, what).to.not.equal('')
      const named = [...`${bound} ${beyond}`.matchAll(/`([A-Z][A-Z_]+)`/g)].map(([, name]) => name!)
      expect(
        named.filter((name) => !known.has(name)),
        what,
      ).to.deep.equal([])
    }
    expect(quotas.filter(({ beyond }) => beyond === '422 `limit_reached`').length).to.be.at.least(
      Object.keys(rowLimits).length,
    )
  })

  it('are the table of the page [G-125]', () => {
    const [, block] = /<!-- quotas -->\n([^]*?)\n<!-- \/quotas -->/.exec(page()) ?? []
    expect(block, `docs/quotas.md must hold this table:\n\n${quotaTable()}\n`).to.equal(quotaTable())
  })
})
