/** That nothing is forgotten: every table, every system table and every table function of the engine is on some list. */
import type { ClickHouseClient } from '@clickhouse/client'
import { expect } from 'chai'
import { askedViews, organizationTables } from '#analytics/store/tenancy.ts'
import { columnTypes, plainType } from '#config/analyst/column.ts'
import {
  innerTableFunctions,
  outerFunctions,
  outerTableFunctions,
} from '#config/embedded/clickhouse/external-access.ts'
import {
  closedSystemTables,
  openSystemTables,
  ownSystemTableNames,
  policyOf,
  usersFile,
} from '#config/embedded/clickhouse/users.ts'
import { withoutPolicy } from '#config/analyst/open-analysts.ts'
import { tellingTableFunctions } from '#config/analyst/statement.ts'
import { testClickHouse } from '#test/harness/clickhouse.ts'
import { amount, isDeep } from '#test/harness/tier.ts'

describe('what keeps organizations apart in ClickHouse', () => {
  let ch: ClickHouseClient
  before(async () => void (ch = await testClickHouse()))

  const column = async (query: string): Promise<string[]> => {
    const rows = await (await ch.query({ query, format: 'JSONCompactEachRow' })).json<[string]>()
    return rows.map(([name]) => name).toSorted()
  }

  it('is a row policy on every table that has a column for the organization, whoever adds one', async () => {
    const there = await column(`SELECT DISTINCT table FROM system.columns
      WHERE database = 'tidemark' AND name IN ('org_id', 'x_OrgId') AND table NOT IN
        (SELECT name FROM system.tables WHERE database = 'tidemark' AND engine = 'View')`)
    expect(there).to.have.length.above(20)
    expect(
      organizationTables()
        .map(({ name }) => name)
        .toSorted(),
    ).to.deep.equal(there)
    const others = await column(`SELECT name FROM system.tables WHERE database = 'tidemark' AND engine != 'View'`)
    // They name no organization, and no view that analysts have reads them.
    expect(others.filter((name) => !there.includes(name))).to.deep.equal(['installation', 'schema_migration'])
  })

  it('is there before a port of analysts opens on a ClickHouse of the operator', async () => {
    expect(await withoutPolicy(ch)).to.deep.equal([])
    expect(await withoutPolicy(ch, [{ name: 'forgotten', of: 'org_id' }])).to.deep.equal(['forgotten'])
  })

  it('narrows by the column that is there, and by nothing that an analyst writes', async () => {
    for (const { name, of } of organizationTables())
      expect(
        await column(
          `SELECT name FROM system.columns WHERE database = 'tidemark' AND table = '${name}' AND name = '${of}'`,
        ),
      ).to.deep.equal([of])
    const policy = `currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36))`
    expect(policyOf({ name: 'team_state', of: 'org_id' }, 'tidemark')).to.equal(policy)
    const secret = policy.replace(/\)$/, ` AND endsWith(currentDatabase(), '_security'))`)
    expect(policyOf({ name: 'security_event', of: 'org_id' }, 'tidemark')).to.equal(secret)
    const file = usersFile('tidemark', [{ name: 'a', of: 'x_OrgId' }])
    expect(file).to.include(
      `<a><filter>currentDatabase() = 'tidemark' OR (x_OrgId = substring(currentDatabase(), 5, 36))</filter></a>`,
    )
    expect(file).to.include('<query>GRANT SELECT ON org_*.*</query>')
  })

  it('has the type of every column of every view, which analysts see without dictionaries [G-126]', async () => {
    // Those with parameters have no columns before they are asked, and some take the engine seconds.
    const slow = /^(?:cost_(?:attributed|shares|slice\w*)|tag_costs|commitment_slice)$/
    const views = askedViews().filter(({ name }) => isDeep || !slow.test(name))
    const valueOf = (type: string): unknown => {
      if (type.startsWith('Array(')) return []
      if (type.startsWith('Date')) return '2026-01-01'
      return type === 'String' ? '' : 0
    }
    const found: Record<string, Record<string, string>> = {}
    for (const { name, select } of views) {
      const params = [...select.matchAll(/\{(\w+):([^{}]+)\}/g)].map(([, param, type]) => [param!, valueOf(type!)])
      const query_params = Object.fromEntries(params) as Record<string, unknown>
      const described = await ch.query({ query: `DESCRIBE (${select})`, query_params, format: 'JSONEachRow' })
      const rows = await described.json<{ name: string; type: string }>()
      found[name] = Object.fromEntries(rows.map((row) => [row.name, row.type]))
    }
    const named = new Set(views.map(({ name }) => name))
    const known = Object.entries(columnTypes).filter(([name]) => named.has(name))
    expect(found).to.deep.equal(Object.fromEntries(known))
    const shown = Object.values(columnTypes).flatMap((types) => Object.values(types).map(plainType))
    expect(shown.filter((type) => type.includes('LowCardinality'))).to.deep.equal([])
  }).timeout(amount(60_000, 300_000, 300_000))

  it('says of every table of the engine whether it is for analysts', async () => {
    const known = [...openSystemTables, ...closedSystemTables, ...ownSystemTableNames]
    expect(new Set(known).size).to.equal(known.length)
    const there = await column(`SELECT name FROM system.tables WHERE database = 'system'`)
    expect(there.filter((name) => !known.includes(name))).to.deep.equal([])
  })

  it('says of every table function of the engine whether it reaches out', async () => {
    const known = new Set([...innerTableFunctions, ...outerTableFunctions, ...tellingTableFunctions, 'format'])
    const there = await column('SELECT lower(name) FROM system.table_functions')
    expect(there).to.include('file')
    expect(there.filter((name) => !known.has(name))).to.deep.equal([])
    const suspicious = await column(`SELECT DISTINCT lower(name) FROM system.functions
      WHERE is_aggregate = 0 AND (name ILIKE 'file' OR name ILIKE 'ai%' OR name ILIKE 'catboost%' OR name ILIKE '%execut%' OR name ILIKE 'url')`)
    expect(suspicious.filter((name) => !outerFunctions.has(name))).to.deep.equal([])
  })
})
