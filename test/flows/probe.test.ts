import { randomUUID } from 'node:crypto'
import { jetstream } from '@nats-io/jetstream'
import { expect } from 'chai'
import type { EntityManager } from '@mikro-orm/postgresql'
import { actorEntities } from '#actors/index.ts'
import { CloudAccount } from '#actors/account/entity.ts'
import { Resource } from '#actors/resource/entity.ts'
import { tenantRole, tenantSetting } from '#engine/actor/tenant-policy.ts'
import { Member, Organization, PersonalAccessToken, Role, User } from '#http/identity/entity.ts'
import { SecurityEvent } from '#http/identity/organization/record-entity.ts'
import { routes } from '#http/index.ts'
import { asOrganization, asService } from '#http/store/tenant.ts'
import { billingLine } from '#streams/billing/messages.ts'
import { publishMarkers, reached } from '#test/fuzz/stream.ts'
import { allAnswers, differing, everything, filled } from '#test/harness/all-answers.ts'
import { calm } from '#test/harness/chat.ts'
import { askAt, basic } from '#test/harness/door.ts'
import { active, ask, claimsOf, login } from '#test/harness/people.ts'
import { dnsRecords, tenant, until } from '#test/harness/product.ts'
import { exampleOf, probedDay } from '#test/harness/place.ts'
import { made, onlooker, samlOf, send, side, type Side } from '#test/harness/side.ts'
import { isDeep, sample } from '#test/harness/tier.ts'

const day = probedDay
const month = day.slice(0, 7)

let a: Side
let b: Side
/** What the first was answered before there was the other. */
let alone: Record<string, string>
/** Two organizations that all tests here share. Their resources and accounts have the same ids. */
async function twoSides(): Promise<void> {
  if (a) return
  // In `npm test` the one that is looked at alone has something of everything, and nothing in the simulated cloud.
  if (isDeep) return void ([a, b] = await Promise.all([side(60, 125), side(500, 999)]))
  a = await onlooker(60, 125)
  await calm(a.org)
  alone = await allAnswers(a.org, a.ids)
  b = await side(500, 999, 'nothing-there')
  await calm(b.org)
}

describe('an organization probed by another [GEN-10] [S-31]', () => {
  let ofB: Record<string, string>
  before(async () => {
    await twoSides()
    ofB = await everything(b)
  })
  // Nothing that was asked has changed anything of the other. In deep it is looked at after each test.
  const untouched = isDeep ? afterEach : after
  untouched(async () => expect(differing(await everything(b), ofB)).to.deep.equal([]))

  const totals = async (how: Parameters<typeof ask>[2]) => {
    const { body } = await ask('GET', `/reports/summary?period=${month}`, how)
    return body.data?.totalCostUSD ?? body.code
  }

  // In deep: test/flows/tenancy.test.ts.
  if (!isDeep)
    it('is not seen, counted or summed up in any answer of the other', async () => {
      expect(Object.values(alone).filter((text) => text.length > 3)).to.have.length.above(8)
      expect(differing(await allAnswers(a.org, a.ids), alone)).to.deep.equal([])
    })

  it('is not there by its ids, for a person and for a token', async () => {
    // A tag, a currency and an event type are no ids: whoever has none of it gets nothing, or what is his own. The catalog is the same for all.
    // An export of a bill is named with its account: test/flows/bill-removal.test.ts.
    const byId = routes.filter(
      ({ path, permission }) =>
        path.includes(':') &&
        !/:tagKey|:eventKey|:componentID|:exportID|:currency/.test(path) &&
        !['public', 'internal', 'scim'].includes(permission),
    )
    expect(byId.length).to.be.above(12)
    for (const [n, route] of byId.entries()) {
      const { method, path, permission } = route
      const name = `${method} ${path}`
      // Only the id can be what is refused.
      const body = exampleOf(route.body)
      if (route.body) expect(body, `${name} has no example`).to.be.an('object')
      for (const [, parameter] of path.matchAll(/:(\w+)/g)) expect(b.ids, name).to.have.property(parameter!)
      const both = permission === 'session' ? [a.owner.accessToken] : [a.owner.accessToken, a.pat]
      for (const token of isDeep ? both : [both[n % both.length]!]) {
        const answer = await ask(method, filled(route, b.ids), { token, ...(route.body && { body }) })
        expect([answer.status, answer.body?.code], name).to.deep.equal([404, 'not_found'])
      }
    }
  })

  it('is closed to one who names it in X-Org-Id or as tenantID [AUTH-28]', async () => {
    const own = routes.filter(({ permission }) => permission !== 'public' && permission !== 'scim')
    // One piece of code looks at the organization before any route does.
    for (const [n, route] of sample(own, 20).entries()) {
      const { method, path, permission } = route
      const both = [a.owner.accessToken, a.pat]
      for (const token of isDeep ? both : [both[n % 2]!]) {
        const how = { token, orgId: b.org.orgId, ...(method !== 'GET' && method !== 'DELETE' && { body: {} }) }
        const { status, body } = await ask(method, filled(route, b.ids), how)
        expect([status, body.code], `${permission} ${method} ${path}`).to.deep.equal([403, 'not_a_member'])
      }
    }
    const refreshToken = (await login(a.owner.email)).refreshToken
    const refreshed = await ask('POST', '/auth/refresh', { body: { refreshToken, tenantID: b.org.orgId } })
    expect([refreshed.status, refreshed.body.code]).to.deep.equal([403, 'not_a_member'])
  })

  it('is not there for the directory of another, nor by its ids nor where it is named', async () => {
    const ofDirectories = routes.filter(({ permission }) => permission === 'scim')
    for (const route of ofDirectories) {
      const body = route.body && exampleOf(route.body)
      const how = { token: a.scim, ...(body !== undefined && { body }) }
      const named = await ask(route.method, filled(route, b.ids), { ...how, orgId: b.org.orgId })
      expect([named.status, named.body.status], `${route.method} ${route.path}`).to.deep.equal([403, '403'])
      if (!/:userID|:groupID/.test(route.path)) continue
      const { status, body: said } = await ask(route.method, filled(route, b.ids), how)
      expect([status, said.status], `${route.method} ${route.path}`).to.deep.equal([404, '404'])
    }
    const { userID } = b.ids
    for (const query of [`filter=id eq "${userID}"`, 'filter=active eq true or active eq false', 'count=200']) {
      const { body } = await ask('GET', `/scim/v2/Users?${query}`, { token: a.scim })
      expect(JSON.stringify(body), query).to.not.contain(userID)
    }
    expect(JSON.stringify((await ask('GET', '/scim/v2/Groups', { token: a.scim })).body)).to.not.contain(userID)
  })

  it('shows nothing to lists and reports that name its ids', async () => {
    const { resourceID, resourceUid, cloudAccountID, userID } = b.ids
    for (const [path, expected] of [
      [`/resources/by-ids?ids=${resourceID}`, []],
      [`/resources?cloud_account_id=${cloudAccountID}`, []],
      [`/resources/by-uids?uids=${resourceUid}`, []],
      [`/resources?search=${resourceID}`, []],
      [`/resources?search=${resourceUid}`, []],
      [`/resources/count?cloud_account_id=${cloudAccountID}`, { count: 0 }],
    ] as const)
      expect((await send(a, 'GET', path)).body.data, path).to.deep.equal(expected)
    for (const path of [`/security-events?user_id=${userID}`, `/roles?search=${b.ids['roleID']}`]) {
      const { items, total } = (await send(a, 'GET', path)).body.data
      expect([items, total], path).to.deep.equal([[], 0])
    }
    const summary = await send(a, 'GET', `/reports/summary?period=${month}&cloud_account_id=${cloudAccountID}`)
    expect(summary.body.data).to.include({ totalCostUSD: 0, resourceCount: 0 })
  })

  it('is not there where analysts ask, in any view or table that they are shown', async () => {
    const asked = async (who: Side, sql: string) => {
      const token = await who.org.tokenFor('owner', 'analyst')
      const answer = await askAt(who.org.analystsUrl, { body: sql, headers: basic(token) })
      expect(answer.status, sql).to.equal(200)
      return answer.text()
    }
    // Those that take parameters are asked in the tests of that port.
    const plain = `SELECT name FROM system.tables WHERE database = currentDatabase() AND create_table_query NOT LIKE '%{%'`
    const names = (await asked(a, plain)).trim().split('\n')
    expect(names).to.include.members(['cost_daily', 'cost_lines', 'metric_samples', 'resources', 'security_events'])
    // Each has a policy that narrows it: test/config/analyst/policies.test.ts.
    for (const name of sample(names, 10)) {
      expect(await asked(a, `SELECT * FROM ${name}`), name).to.not.include(b.org.orgId)
      if (isDeep) expect(await asked(b, `SELECT * FROM ${name}`), name).to.not.include(a.org.orgId)
    }
    const total = 'SELECT toString(sum(billed_cost)) FROM cost_daily'
    expect([await asked(a, total), await asked(b, total)]).to.deep.equal(['125\n', '999\n'])
  })

  it('is not touched by bodies that name its ids', async () => {
    const { cloudAccountID, roleID, userID } = b.ids
    for (const [method, path, body, expected] of [
      ['POST', '/resources/refresh', { cloudAccountID }, '404 not_found'],
      ['POST', '/members', { email: `x@${a.domain}`, roleID }, '400 validation_failed'],
      ['PATCH', `/members/${a.ids['userID']}`, { roleID }, '400 validation_failed'],
      ['PATCH', `/members/${a.ids['userID']}`, { roleID: 'viewer', orgId: b.org.orgId }, '400 invalid_parameter'],
      ['PATCH', `/roles/${a.ids['roleID']}`, { name: 'x', orgID: b.org.orgId }, '400 invalid_parameter'],
    ] as const) {
      const answer = await send(a, method, path, body)
      expect(`${answer.status} ${answer.body.code}`, `${method} ${path}`).to.equal(expected)
    }
    expect((await made(a, '/resources/by-ids', { ids: [b.ids['resourceID']] })) ?? []).to.deep.equal([])
    expect(JSON.stringify((await send(a, 'GET', '/members')).body)).to.not.contain(userID)
  })

  it('keeps the domain it has proved, whoever names it: only who holds the record of it gets it', async () => {
    const saml = `/organisations/${a.org.orgId}/saml`
    const named = await send(a, 'PUT', saml, samlOf(a.domain, b.domain))
    const statuses = Object.fromEntries(named.body.data.domains.map((one: any) => [one.domain, one.status]))
    expect(statuses).to.deep.equal({ [a.domain]: 'verified', [b.domain]: 'pending' })
    const verify = async () => {
      const { status, body } = await send(a, 'POST', `${saml}/domains/${b.domain}/verify`)
      return `${status} ${body.code}`
    }
    expect(await verify()).to.equal('422 domain_not_verified')
    const { record } = named.body.data.domains.find((one: any) => one.domain === b.domain)
    dnsRecords.set(record.name, [...dnsRecords.get(record.name)!, record.value])
    expect(await verify()).to.equal('409 domain_taken')
    const begun = await ask('POST', '/auth/saml/initiate', { body: { email: `eva@${b.domain}` } })
    expect(new URL(begun.body.data.redirectURL).searchParams.get('RelayState')).to.equal(b.org.orgId)
    expect((await send(a, 'PUT', saml, samlOf(a.domain))).status).to.equal(200)
    const theirs = await send(b, 'GET', `/organisations/${b.org.orgId}/saml`)
    expect(theirs.body.data.domains.map((one: any) => one.status)).to.deep.equal(['verified'])
  })

  it('has costs of its own: 125 here, 999 there, and both for one who is in both [AUTH-28]', async () => {
    expect(await totals({ token: a.owner.accessToken })).to.equal(125)
    expect(await totals({ token: b.owner.accessToken })).to.equal(999)
    const both = await tenant()
    const line = { ...billingLine.examples[0]!, cloudAccountId: 'acct-1', usageDate: day, lineId: `${day}/1` }
    await both.publish(billingLine, [{ ...line, costUSD: 2 }])
    const invited = await both.send('POST', '/members', { email: a.owner.email, roleID: 'viewer' })
    expect(invited.status).to.equal(201)
    const { accessToken } = await active(await login(a.owner.email), a.org.orgId)
    expect(claimsOf(accessToken)['org_id']).to.equal(a.org.orgId)
    expect(await totals({ token: accessToken })).to.equal(125)
    expect(await totals({ token: accessToken, orgId: both.orgId })).to.equal(2)
    expect(await totals({ token: accessToken, orgId: b.org.orgId })).to.equal('not_a_member')
  })

  it('takes no message that another organization’s subject carries', async () => {
    const js = jetstream(a.org.connections.nats)
    const data = { ...billingLine.examples[0], usageDate: day, lineId: 'forged', costUSD: 7, cloudAccountId: 'acct-1' }
    const head = { id: randomUUID(), type: 'billing.line', schemaVersion: 1, time: `${day}T10:00:00Z` }
    const forged = JSON.stringify({ ...head, orgId: b.org.orgId, data })
    const ack = await js.publish(`ingest.billing.${a.org.orgId}.acct-1`, forged)
    expect(await reached(a.org, await publishMarkers(js, a.org))).to.deep.equal([])
    const { rows } = await a.org.connections.store.pool.query(
      'select code from dead_letter where lane = $1 and seq = $2',
      [ack.stream.slice('LANE-'.length), ack.seq],
    )
    expect(rows).to.deep.equal([{ code: 'foreign_organization' }])
    expect(await totals({ token: a.owner.accessToken })).to.equal(125)
    expect(await totals({ token: b.owner.accessToken })).to.equal(999)
  })

  it('keeps its own when the other changes and removes what has the same ids', async () => {
    expect((await send(a, 'PATCH', '/cloud-accounts/acct-1', { name: 'Renamed', enabled: false })).status).to.equal(200)
    expect((await send(a, 'DELETE', '/cloud-accounts/acct-1')).status).to.equal(204)
    const left = async () => (await send(a, 'GET', '/resources/count?cloud_account_id=acct-1')).body.data.count
    await until('nothing of the account to be left', async () => (await left()) === 0)
  })
})

describe('row-level security [GEN-10]', () => {
  let tables: string[]
  const em = (): EntityManager => a.org.connections.orm.em.fork() as EntityManager
  const sql = <T = any>(text: string, parameters: unknown[] = []): Promise<T[]> => em().execute<T[]>(text, parameters)
  /** PostgreSQL's word for a failure. */
  const codeOf = (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'done',
      (error: { code?: string; cause?: { code?: string } }) => error.code ?? error.cause?.code ?? 'none',
    )

  before(async () => {
    await twoSides()
    const found = await sql<{ name: string }>(`
      select table_name as name from information_schema.columns
      where table_schema = current_schema and column_name = 'org_id' order by 1`)
    tables = found.map(({ name }) => name)
    await asService(() =>
      sql(
        `insert into security_event (id, org_id, type, at, principal, email, ip, user_agent, request_id, detail)
         values (?, '', 'login_failed', now(), '', 'nobody@example.com', '', '', '', '{}')`,
        [randomUUID()],
      ),
    )
  })

  /** Tables that the role may touch in any way, without rows of its organization alone being all it sees. */
  const open = (query: (text: string) => Promise<{ name: string }[]>) =>
    query(`
      select c.relname as name from pg_class c
      where c.relnamespace = current_schema::regnamespace and c.relkind in ('r', 'p', 'v', 'm')
        and (has_table_privilege('${tenantRole}', c.oid, 'select, insert, update, delete, truncate')
          or has_any_column_privilege('${tenantRole}', c.oid, 'select, insert, update'))
        and not (c.relrowsecurity and exists (
          select from pg_policy p where p.polrelid = c.oid and p.polpermissive
            and p.polroles = array['${tenantRole}'::regrole::oid] and p.polcmd = '*'
            and pg_get_expr(p.polqual, p.polrelid) like '%${tenantSetting}%'))
      order by 1`)

  it('covers every table that the edge may touch; a new one without a policy fails here', async () => {
    expect(await open((text) => sql(text))).to.deep.equal([])
    const bare = await em().transactional(async (tx) => {
      await tx.execute('create table probe_bare (org_id text)')
      await tx.execute(`grant select on probe_bare to ${tenantRole}`)
      const found = await open((text) => tx.execute(text))
      await tx.execute('drop table probe_bare')
      return found
    })
    expect(bare).to.deep.equal([{ name: 'probe_bare' }])
  })

  it('has no way around: the role is no superuser, owns nothing and holds no other role', async () => {
    const [role] = await sql(
      `select rolsuper, rolbypassrls, rolcanlogin, rolcreaterole from pg_roles where rolname = '${tenantRole}'`,
    )
    expect(role).to.deep.equal({ rolsuper: false, rolbypassrls: false, rolcanlogin: false, rolcreaterole: false })
    expect(await sql(`select relname from pg_class where relowner = '${tenantRole}'::regrole`)).to.deep.equal([])
    expect(await sql(`select roleid from pg_auth_members where member = '${tenantRole}'::regrole`)).to.deep.equal([])
  })

  it('shows rows of the one organization, or refuses, on every table', async () => {
    expect(tables).to.include.members(['resource', 'member', 'role', 'personal_access_token', 'security_event'])
    const shown: string[] = []
    for (const table of tables) {
      const work = asOrganization(a.org.orgId, () => sql(`select org_id from "${table}"`))
      const code = await codeOf(work)
      if (code === 'done') {
        shown.push(table)
        const owners = [...new Set((await work).map((row) => row.org_id))]
        expect(owners, table).to.be.deep.oneOf([[], [a.org.orgId]])
      } else expect(code, table).to.equal('42501')
      const counted = asOrganization(b.org.orgId, () => sql(`select 1 from "${table}" where org_id = '${a.org.orgId}'`))
      expect(await counted.catch(() => []), table).to.deep.equal([])
    }
    const own = actorEntities.map((entity) => a.org.connections.orm.getMetadata().get(entity as never).tableName)
    const people = [
      'saml_connection',
      'oidc_connection',
      'saml_domain',
      'member',
      'role',
      'personal_access_token',
      'security_event',
    ]
    const ofEdge = ['closed_organization', 'idempotent_answer', 'organization_setting', 'dead_letter', 'effect']
    expect(shown).to.have.members([...own.filter((table) => table !== 'security_log'), ...people, ...ofEdge])
  })

  it('shows nothing without an organization', async () => {
    for (const table of [...tables, 'organization', 'app_user']) {
      const column = table === 'organization' || table === 'app_user' ? 'id' : 'org_id'
      const work = asOrganization('', () => sql(`select ${column} from "${table}"`))
      if ((await codeOf(work)) === 'done') expect(await work, table).to.deep.equal([])
    }
  })

  it('takes no row of another organization', async () => {
    for (const table of tables) {
      const own = `select to_jsonb(x) as row from "${table}" x where org_id = ? limit 1`
      const [found] = await asService(() => sql<{ row: object }>(own, [b.org.orgId]))
      const row = JSON.stringify(found?.row ?? { org_id: b.org.orgId })
      const insert = `insert into "${table}" select (jsonb_populate_record(null::"${table}", ?::jsonb)).*`
      expect(await codeOf(asOrganization(a.org.orgId, () => sql(insert, [row]))), table).to.equal('42501')
    }
  })

  it('changes and deletes nothing of another organization, and gives nothing away', async () => {
    const here = <T>(work: () => Promise<T>) => asOrganization(a.org.orgId, work)
    const ofB = `org_id = '${b.org.orgId}'`
    const state = () => asService(() => sql(`select * from member m join role r using (org_id) where ${ofB}`))
    const before = await state()
    for (const table of ['member', 'role', 'saml_connection', 'saml_domain'])
      expect(await codeOf(here(() => sql(`delete from "${table}" where ${ofB}`))), table).to.equal('done')
    await here(() => sql(`update member set role_id = 'viewer' where ${ofB}`))
    await here(() => sql(`update role set name = 'taken' where ${ofB}`))
    expect(await state()).to.deep.equal(before)
    for (const table of ['member', 'role', 'personal_access_token']) {
      const moved = here(() => sql(`update "${table}" set org_id = ? where org_id = ?`, [b.org.orgId, a.org.orgId]))
      expect(await codeOf(moved), table).to.equal('42501')
    }
    expect(await codeOf(here(() => sql('select password_hash from app_user')))).to.equal('42501')
  })

  it('writes the answers of its organization alone, and reads none', async () => {
    const key = randomUUID()
    const insert = `insert into idempotent_answer (org_id, principal, route, key, request_hash, started_at)
      values (?, '', '', ?, '', now()), (?, '', '', ?, '', now())`
    await asService(() => sql(insert, [a.org.orgId, key, b.org.orgId, key]))
    const here = (statement: string) => asOrganization(a.org.orgId, () => sql(statement, [key]))
    await here(`update idempotent_answer set status = 200, sealed = 'mine' where key = ?`)
    const found = await asService(() =>
      sql<{ org_id: string }>('select org_id, sealed from idempotent_answer where key = ?', [key]),
    )
    expect(found).to.have.deep.members([
      { org_id: a.org.orgId, sealed: 'mine' },
      { org_id: b.org.orgId, sealed: null },
    ])
    expect(await codeOf(here('select sealed from idempotent_answer where key = ?'))).to.equal('42501')
    expect(await codeOf(here(`update idempotent_answer set request_hash = '' where key = ?`))).to.equal('42501')
    expect(await codeOf(here('delete from idempotent_answer where key = ?'))).to.equal('42501')
  })

  it('finds own rows alone where a query forgot its organization', async () => {
    await asOrganization(a.org.orgId, async () => {
      for (const entity of [Member, Role, PersonalAccessToken, Resource, CloudAccount, SecurityEvent] as const) {
        const rows = (await em().find(entity as typeof Member, {})) as { orgId: string }[]
        expect([...new Set(rows.map(({ orgId }) => orgId))], entity.name).to.deep.equal([a.org.orgId])
      }
      expect((await em().find(Organization, {})).map(({ id }) => id)).to.deep.equal([a.org.orgId])
      const people = await em().find(User, {}, { fields: ['id', 'email'] })
      const members = await em().find(Member, {})
      expect(people.map(({ id }) => id)).to.have.members(members.map(({ userId }) => userId))
    })
  })

  it('holds while many work at once on the same connections', async () => {
    const all = await asService(() => sql(`select count(*)::int as n from member where org_id in (?, ?)`, both()))
    const seen = await Promise.all(
      Array.from({ length: 120 }, (_, i) => {
        const count = () => sql('select array_agg(distinct org_id) as orgs, count(*)::int as n from member')
        if (i % 3 === 2)
          return asService(() => sql(`select count(*)::int as n from member where org_id in (?, ?)`, both()))
        return asOrganization(both()[i % 3]!, count)
      }),
    )
    for (const [i, rows] of seen.entries()) {
      if (i % 3 === 2) expect(rows).to.deep.equal(all)
      else expect(rows[0].orgs).to.deep.equal([both()[i % 3]])
    }
  })
  const both = () => [a.org.orgId, b.org.orgId]
})
