/** That analysts read what their permissions read over REST: every view by every set of permissions, and what a change of a role does. */
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { askedViews } from '#analytics/store/tenancy.ts'
import { databaseOf, databasesFrom, openDatabases } from '#config/analyst/database-name.ts'
import { AnalystDatabases } from '#config/analyst/database.ts'
import { parametersOf } from '#config/analyst/description.ts'
import { routes } from '#http/index.ts'
import {
  checkAnalyst,
  hiddenColumns,
  readableViews,
  viewColumns,
  viewGroups,
  viewRightsOf,
  type ViewRight,
} from '#http/identity/token/analyst-view.ts'
import { permissions, systemRights, type Permission } from '#http/identity/organization/role.ts'
import { askAt, basic } from '#test/harness/door.ts'
import { ask as rest, colleague, type Founder } from '#test/harness/people.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'
import { testStores } from '#test/harness/stores.ts'

const id = '5d0c1b6e-7f0a-4c1a-9d52-3f6f0f6f0a01'
const viewer: ViewRight[] = ['service.view', 'space.view']
const all = askedViews().map(({ name }) => name)
const security = ['security_events']
const inventory = ['fact_sheets', 'present_resources', 'resource_slice', 'resources']
const less = (names: readonly string[], ...without: string[][]) =>
  names.filter((name) => !without.flat().includes(name))

describe('the rights to views of analysts', () => {
  it('are said of every view that there is, once [G-126]', () => {
    expect(viewGroups.flatMap(({ views }) => views).toSorted()).to.deep.equal(all.toSorted())
    for (const { view } of viewColumns) expect(all).to.include(view)
  })

  it('are those of the routes that answer the same data [G-126]', () => {
    const access = new Map(routes.map(({ method, path, permission }) => [`${method} ${path}`, permission]))
    for (const { needs, like } of viewGroups)
      expect([...new Set(like.map((name) => access.get(name)))], like.join()).to.have.members(needs)
    expect(viewColumns.map(({ like }) => access.get(like))).to.deep.equal(viewColumns.map(({ needs }) => needs))
  })

  it('open by permission what it reads over REST, and by any other nothing [G-126]', () => {
    const opened = (held: readonly Permission[], isAdmin = false) =>
      readableViews(viewRightsOf({ permissions: new Set(held), isAdmin })).toSorted()
    const expected: Partial<Record<Permission, string[]>> = {
      'service.view': less(all, security, inventory),
      'space.view': ['resources'],
    }
    expect(permissions).to.have.length(16)
    for (const one of permissions) expect(opened([one]), one).to.deep.equal((expected[one] ?? []).toSorted())
    expect(opened([])).to.deep.equal([])
    expect(opened(viewer as Permission[])).to.deep.equal(less(all, security).toSorted())
    expect(opened(permissions)).to.deep.equal(less(all, security).toSorted())
    expect(opened(permissions, true)).to.deep.equal(all.toSorted())
    expect(hiddenColumns('resources', ['space.view'])).to.deep.equal(['hourly_rate_usd'])
    expect(hiddenColumns('resources', viewer)).to.deep.equal([])
  })

  it('refuse who may read nothing, and who sees a part [G-126]', () => {
    const code = (held: readonly Permission[], isAll = true) => {
      const reportScope = { all: isAll, cloudAccountIDs: [], teamIDs: [] }
      try {
        checkAnalyst({ permissions: new Set(held), isAdmin: false, reportScope })
        return 'let in'
      } catch (error) {
        return (error as { code?: string }).code
      }
    }
    expect(code([])).to.equal('nothing_to_read')
    expect(code(less(permissions, ['service.view', 'space.view']) as Permission[])).to.equal('nothing_to_read')
    expect(code(['space.view'])).to.equal('let in')
    expect(code(permissions, false)).to.equal('report_scope')
    expect(() => checkAnalyst(systemRights('viewer'))).to.not.throw()
  })

  it('name the database: what a viewer has stays, and what is missing is said [G-126]', () => {
    const names: [ViewRight[], string][] = [
      [viewer, `org_${id}`],
      [[...viewer, 'admin'], `org_${id}_security`],
      [['service.view'], `org_${id}_without_space`],
      [['space.view'], `org_${id}_without_service`],
      [[], `org_${id}_without_service_space`],
      [['admin'], `org_${id}_without_service_space_security`],
    ]
    for (const [held, name] of names) expect(databaseOf(id, held)).to.equal(name)
    expect([...openDatabases(id, ['space.view'])].toSorted()).to.deep.equal([
      `org_${id}_without_service`,
      `org_${id}_without_service_space`,
    ])
    expect(databasesFrom(id, viewer)).to.deep.equal([`org_${id}`, `org_${id}_security`])
  })

  it('are said on the page where tokens are created, as far as they are more than service.view [G-126]', () => {
    const page = readFileSync('http/console/web/view/account/new-token.tsx', 'utf8')
    for (const { needs, views } of viewGroups)
      if (needs.join() !== 'service.view') for (const name of views) expect(page).to.include(`<code>${name}</code>`)
    expect(page).to.include('service.view').and.to.include('space.view')
  })

  it('are printed for analysts, view by view [G-126]', () => {
    const page = readFileSync('docs/analytics.md', 'utf8')
    const code = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ')
    for (const { needs, like, views } of viewGroups)
      expect(page).to.include(`| ${code(needs)} | ${code(like)} | ${code(views)} |`)
    for (const { view, column, needs, like } of viewColumns)
      expect(page).to.include(`| ${code([needs])} | ${code([like])} | \`${column}\` of \`${view}\` |`)
  })
})

describe('the port of analysts, by permission', () => {
  let org: Tenant
  let owner: Founder
  before(async () => {
    org = await tenant()
    owner = await colleague({ accessToken: org.token, orgId: org.orgId } as Founder, 'owner')
    const { clickhouse } = org.connections
    const insert = (table: string, row: object) =>
      clickhouse.insert({ table, values: [{ org_id: org.orgId, ...row }], format: 'JSONEachRow' })
    const at = '2026-01-01 00:00:00.000'
    await insert('team_state', { team_id: 't-1', name: 'shop', x_Version: '1' })
    await insert('security_event', { at, type: 'login', event_id: org.orgId })
    await insert('resource_state', { resource_uid: 'i-1', first_seen_at: at, observed_at: at, x_Version: '1' })
  })

  const role = async (name: string, held: readonly Permission[]): Promise<string> => {
    const body = { name, permissions: held }
    const made = await rest('POST', '/roles', { token: owner.accessToken, body })
    expect(made.status, JSON.stringify(made.body)).to.equal(201)
    return made.body.data.id
  }
  const makeToken = (who: Founder, body: object = {}) =>
    rest('POST', '/settings/personal-access-tokens', {
      token: who.accessToken,
      body: { name: 'bi', scope: 'analyst', ...body },
    })
  const give = async (who: Founder, roleID: string) =>
    expect(
      (await rest('PATCH', `/members/${who.userId}`, { token: owner.accessToken, body: { roleID } })).status,
    ).to.equal(200)
  const tokenOf = async (who: Founder): Promise<string> => {
    const made = await makeToken(who)
    expect(made.status, JSON.stringify(made.body)).to.equal(201)
    return made.body.data.token
  }
  /** The rows, or the code of the refusal. */
  const by = async (token: string, body: string, params: Record<string, string> = {}): Promise<string> => {
    const text = await (await askAt(org.analystsUrl, { body, params, headers: basic(token) })).text()
    return /^Code: \d+/.exec(text)?.[0] ?? text.trim()
  }
  const shown = async (token: string) => (await by(token, 'SHOW TABLES')).split('\n').filter(Boolean)

  it('is closed to a role without permissions: no token is made, and none that there is answers [G-126]', async () => {
    const who = await colleague(owner, 'viewer')
    const token = await tokenOf(who)
    expect(await by(token, 'SELECT name FROM team_state')).to.equal('shop')
    await give(who, await role('nothing', []))
    const made = await makeToken(who)
    expect([made.status, made.body.code]).to.deep.equal([403, 'nothing_to_read'])
    expect(await by(token, 'SELECT name FROM team_state')).to.equal('Code: 497')
    expect(await by(token, 'SELECT 1')).to.equal('Code: 497')
    expect((await makeToken(who, { scope: 'api' })).status).to.equal(201)
  })

  it('makes no token for a role that sees a part, or may only write [G-126]', async () => {
    const who = await colleague(owner, 'viewer')
    const scope = { all: false, cloudAccountIDs: ['acct-1'], teamIDs: [] }
    const narrow = await rest('POST', '/roles', {
      token: owner.accessToken,
      body: { name: 'part', permissions: ['service.view'], reportScope: scope },
    })
    await give(who, narrow.body.data.id)
    const made = await makeToken(who)
    expect([made.status, made.body.code]).to.deep.equal([403, 'report_scope'])
    await give(who, await role('writes', ['service.create', 'space.update', 'deployment.view', 'provisioning.view']))
    expect((await makeToken(who)).body.code).to.equal('nothing_to_read')
  })

  it('has the views of each set of permissions, changed by the next statement [G-126]', async () => {
    const who = await colleague(owner, 'viewer')
    const token = await tokenOf(who)
    const changing = await role('changing', ['service.view', 'space.view'])
    await give(who, changing)
    const sets: [Permission[], string[]][] = [
      [['service.view', 'space.view'], less(all, security)],
      [['service.view'], less(all, security, inventory)],
      [['space.view'], ['resources']],
      [['service.view', 'deployment.view', 'provisioning.view'], less(all, security, inventory)],
    ]
    for (const [held, views] of sets) {
      const change = { token: owner.accessToken, body: { permissions: held } }
      expect((await rest('PATCH', `/roles/${changing}`, change)).status).to.equal(200)
      expect(await shown(token), held.join()).to.deep.equal(views.toSorted())
      for (const name of ['team_state', 'resources', 'security_events', 'cost_lines'])
        expect(await by(token, `SELECT count() >= 0 FROM ${name}`), `${held.join()} ${name}`).to.equal(
          views.includes(name) ? '1' : 'Code: 60',
        )
    }
    expect(await shown(await tokenOf(owner))).to.deep.equal(all.toSorted())
  })

  it('has a comment on each view, and on each column', async () => {
    const token = await tokenOf(owner)
    const bare = (table: string) => by(token, `SELECT name FROM system.${table} WHERE comment = '' ORDER BY name`)
    expect(await bare('tables')).to.equal('')
    expect(await bare('columns')).to.equal('')
    const plain = askedViews().filter(({ select }) => parametersOf(select).length === 0)
    expect(await by(token, 'SELECT uniqExact(table) FROM system.columns')).to.equal(String(plain.length))
    expect(await by(token, "SELECT comment FROM system.tables WHERE name = 'team_state'")).to.equal(
      'Teams, deleted ones included: one row per team',
    )
    const described = (await by(token, 'DESCRIBE team_state')).split('\n').map((row) => row.split('\t'))
    expect(described.find(([name]) => name === 'name')).to.include.members(['String', 'Name of the team'])
  })

  it('shows no other view however it is named, and no column beyond the permission [G-126]', async () => {
    const who = await colleague(owner, await role('inventory', ['space.view']))
    const token = await tokenOf(who)
    const whole = `org_${org.orgId}`
    // The databases of those with more rights are there.
    for (const one of [await colleague(owner, 'viewer'), owner])
      expect(await by(await tokenOf(one), 'SELECT count() FROM resources WHERE hourly_rate_usd IS NULL')).to.equal('1')
    expect(await by(token, 'SELECT resource_uid FROM resources')).to.equal('i-1')
    const params = { param_d: whole, param_t: 'team_state' }
    const tries = [
      'SELECT name FROM team_state',
      `SELECT name FROM "${whole}".team_state`,
      `SELECT name FROM "${whole}_security".team_state`,
      'SELECT name FROM {d:Identifier}.team_state',
      'SELECT name FROM {t:Identifier}',
      'WITH a AS (SELECT * FROM team_state) SELECT * FROM a',
      'SELECT * FROM resources AS r LEFT JOIN team_state AS t ON 1',
      'SELECT 1 FROM resources WHERE name IN (SELECT name FROM team_state)',
      'SELECT 1 FROM resources WHERE name IN team_state',
      'SELECT * FROM view(SELECT * FROM team_state)',
      "SELECT * FROM merge('^org_', 'team_state')",
      'SELECT hourly_rate_usd FROM resources',
      `SELECT hourly_rate_usd FROM "${whole}".resources`,
      'DESCRIBE team_state',
      'SHOW CREATE TABLE team_state',
      `SHOW TABLES FROM "${whole}"`,
      'EXPLAIN QUERY TREE SELECT * FROM team_state',
    ]
    const found: [string, string][] = []
    for (const sql of tries) found.push([sql, await by(token, sql, params)])
    expect(found.filter(([, answer]) => !/^Code: (47|60|81|164)$/.test(answer))).to.deep.equal([])
    const listed = 'SELECT DISTINCT name FROM system.tables UNION ALL SELECT DISTINCT table FROM system.columns'
    expect(await by(token, listed)).to.equal('resources\nresources')
    expect(await by(token, "SELECT count() FROM system.columns WHERE name = 'hourly_rate_usd'")).to.equal('0')
  })

  it('is kept by the engine itself, were a name of a database with more views let through [G-126]', async () => {
    const { url } = (await testStores()).clickhouse
    const count = async (database: string, from: string, table: string) => {
      const body = `SELECT count() FROM "${from}".${table}`
      return (await (await askAt(url, { path: '/analyst', params: { database }, body })).text()).trim()
    }
    const [whole, some] = [`org_${org.orgId}`, `org_${org.orgId}_without_service`]
    expect(await count(whole, whole, 'team_state')).to.equal('1')
    expect(await count(some, whole, 'team_state')).to.equal('0')
    expect(await count(some, whole, 'resources')).to.equal('0')
    expect(await count(some, `${whole}_security`, 'security_events')).to.equal('0')
    expect(await count(some, some, 'resources')).to.equal('1')
    expect(await count(`${whole}_security`, some, 'resources')).to.equal('1')
  })

  it('drops the database that was asked longest ago, and makes one anew that another version left [G-126]', async () => {
    const { clickhouse } = org.connections
    const names = async () => {
      const query = 'SELECT name FROM system.databases WHERE startsWith(name, {prefix:String}) ORDER BY name'
      const found = await clickhouse.query({
        query,
        query_params: { prefix: `org_${ids[0]!.slice(0, -1)}` },
        format: 'JSONEachRow',
      })
      return (await found.json<{ name: string }>()).map(({ name }) => name)
    }
    const ids = [1, 2, 3].map((n) => `${id.slice(0, -1)}${n}`)
    const few = new AnalystDatabases(clickhouse, 'default', 2)
    for (const one of ids) await few.of(one, ['space.view'])
    await few.of(ids[1]!, ['space.view'])
    expect(await names()).to.deep.equal(ids.slice(1).map((one) => `org_${one}_without_service`))
    const [name] = await names()
    await clickhouse.command({ query: `DROP DATABASE "${name}"` })
    await clickhouse.command({ query: `CREATE DATABASE "${name}" ENGINE = Memory COMMENT 'of before'` })
    await clickhouse.command({ query: `CREATE VIEW "${name}".resources AS SELECT 1 AS old` })
    await new AnalystDatabases(clickhouse).of(ids[1]!, ['space.view'])
    const columns = await clickhouse.query({ query: `DESCRIBE "${name}".resources`, format: 'JSONEachRow' })
    expect((await columns.json<{ name: string }>()).map((one) => one.name)).to.include('resource_uid')
    for (const one of await names()) await clickhouse.command({ query: `DROP DATABASE "${one}"` })
  })
})
