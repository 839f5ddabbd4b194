/** The end of an organization: asked for, taken back, and carried out while another one goes on beside it. */
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { routes } from '#http/index.ts'
import { billingLine } from '#streams/billing/messages.ts'
import { metricSample } from '#streams/metric/messages.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { deleteDue, settleMs, type DeletionTools } from '#config/tenant/delete.ts'
import { deletionTools } from '#config/tenant/tend-tenants.ts'
import { allTables, tenantTables } from '#config/tenant/tables.ts'
import { tidemark } from '#test/harness/command.ts'
import { askAt, basic } from '#test/harness/door.ts'
import { ask, advance, colleague, login, mailsTo, resetClock, type Founder } from '#test/harness/people.ts'
import { exampleOf } from '#test/harness/place.ts'
import { tenantOf, testProduct, until, type Tenant } from '#test/harness/product.ts'
import { directory, entraUser, type Directory } from '#test/harness/scim.ts'
import { amount, deepIt } from '#test/harness/tier.ts'
import { everywhere, nowhere } from '#test/harness/traces.ts'

const day = '2026-01-10'
const range = `from=${day}&to=${day}`

/** Routes whose examples make something that stays, and ask for nothing that does not exist. */
const fillers = routes.filter(
  ({ method, path: at, body, permission }) =>
    method === 'POST' &&
    body !== undefined &&
    !/:|^\/(?:auth|internal|organisations|scim|build-callbacks|event-readiness\/|allocation|shared-cost|what-if)|preview|validations|next-runs|refresh/.test(
      at,
    ) &&
    permission !== 'public' &&
    permission !== 'internal',
)

interface Filled {
  /** Its token is an owner's, for machines. */
  org: Tenant
  owner: Founder
  viewer: Founder
  dir: Directory
  /** Requests that made something. */
  made: number
  exported: string
}

/** An organization with something of everything, or of a few things, made as its people and producers make it. */
async function filled(few?: 'few'): Promise<Filled> {
  const dir = await directory()
  const { owner } = dir
  const org = await tenantOf(owner.orgId)
  const scope = { name: 'analyst', scope: 'analyst' }
  const token = (await ask('POST', '/settings/personal-access-tokens', { token: owner.accessToken, body: scope })).body
    .data.token
  const at = { cloudAccountId: 'acct-1', provider: 'aws' as const, region: 'us-east-1', tags: { env: 'prod' } }
  const line = { cloudAccountId: 'acct-1', provider: 'aws' as const, resourceUid: 'i-1', serviceName: 'ec2' }
  const samples = [{ metric: 'cpu_percent' as const, value: 50, ts: `${day}T10:00:00Z` }]
  await org.publish(resourceDiscovered, [
    { ...at, resourceUid: 'i-1', name: 'web', type: 'aws-ec2', status: 'running' },
  ])
  await org.publish(metricSample, [{ resourceUid: 'i-1', samples }], { place: 'acct-1' })
  await org.publish(billingLine, [
    { ...line, lineId: `${day}/1`, usageDate: day, costUSD: 100, exportedAt: `${day}T23:00:00Z` },
  ])
  await until('the costs', async () => (await org.get(`/reports/summary?${range}`)).body.data.totalCostUSD === 100)
  let made = 0
  const plain = /^\/(?:teams|budgets|roles|saved-views|policies|settings\/personal-access-tokens)$/
  for (const route of few ? fillers.filter((one) => plain.test(one.path)) : fillers) {
    const { status } = await ask('POST', route.path, { token: owner.accessToken, body: exampleOf(route.body) })
    if (status < 300) made++
  }
  await dir.send('POST', '/Users', entraUser(`eva@${dir.domain}`))
  const body = { report: 'costs', format: 'csv', from: day, to: day, dimensions: ['provider'] }
  const exported = (await org.send('POST', '/reports/export', body)).body.data.downloadURL as string
  const question = await askAt(org.analystsUrl, { body: 'SELECT count() FROM resources', headers: basic(token) })
  expect(question.status, await question.text()).to.equal(200)
  return { org, owner, viewer: await colleague(owner, 'viewer'), dir, made, exported }
}

const close = (f: Filled, name = 'With a directory', who: Founder = f.owner) =>
  ask('DELETE', `/organisations/${f.org.orgId}`, { token: who.accessToken, body: { name } })
const restore = (f: Filled, who: Founder = f.owner) =>
  ask('POST', `/organisations/${f.org.orgId}/restore`, { token: who.accessToken })

/** What is asked of an organization that is to stay as it is. */
async function figures({ org }: Filled): Promise<unknown[]> {
  const paths = [`/reports/summary?${range}`, '/resources', '/members', '/teams', '/budgets', '/roles', '/saved-views']
  const answers = await Promise.all(paths.map((one) => org.get(one)))
  return answers.map(({ status, body }) => [status, body.data])
}

/** As many rows as PostgreSQL holds of it, by table. */
async function rowsOf({ org }: Filled): Promise<Record<string, number>> {
  const { pool } = org.connections.store
  const counts: Record<string, number> = {}
  for (const { name, where } of await tenantTables(pool)) {
    const { rows } = await pool.query(`select count(*)::int as n from "${name}" where ${where}`, [org.orgId])
    if (rows[0].n > 0) counts[name] = rows[0].n
  }
  return counts
}

/** Of tables that no time passes in. */
async function kept(f: Filled): Promise<Record<string, number>> {
  const quiet = /^(?:resource|member|team|budget|policy|saved_view|scim_user|saml_domain|personal_access_token|role)$/
  return Object.fromEntries(Object.entries(await rowsOf(f)).filter(([name]) => quiet.test(name)))
}

describe('an organization that is deleted [GEN-10]', () => {
  let a: Filled
  let b: Filled
  let tools: DeletionTools
  before(async () => {
    await resetClock()
    a = await filled()
    b = await filled('few')
    tools = deletionTools(a.org.connections, a.org.product)
  })
  after(resetClock)

  it('has something in most stores before: what the search looks for is there', async () => {
    const found = await everywhere(a.org, a.org.orgId)
    const counts = Object.keys(await rowsOf(a))
    expect(counts).to.include.members([
      'resource',
      'member',
      'team',
      'budget',
      'schedule',
      'export_file',
      'scim_user',
      'saved_view',
      'policy',
      'saml_connection',
    ])
    expect(found.clickhouse).to.include.members([
      'cost_fact',
      'metric_sample',
      'resource_state',
      'security_event',
      `database org_${a.org.orgId}_security`,
    ])
    expect(
      found.nats.some((stream) => stream.startsWith('LANE-')),
      found.nats.join(),
    ).to.equal(true)
    expect([a.made, found.postgres.length]).to.satisfy(([made, tables]: number[]) => made! > 15 && tables! > 25)
  })

  it('is closed by an owner alone, who types its name', async () => {
    const answers = [
      await close(a, 'Another'),
      await close(a, 'With a directory', a.viewer),
      await close(a, 'With a directory', b.owner),
      await a.org.send('DELETE', `/organisations/${a.org.orgId}`, { name: 'With a directory' }),
    ]
    expect(answers.map(({ status }) => status)).to.deep.equal([400, 403, 404, 403])
    expect((await a.org.get('/members')).status).to.equal(200)
  })

  it('shows and does nothing from then on, and tells its owners until when that can be taken back', async () => {
    const { status, body } = await close(a)
    expect(status).to.equal(202)
    const { requestedAt, deletesAt } = body.data
    expect(Date.parse(deletesAt) - Date.parse(requestedAt)).to.equal(7 * 86_400_000)
    expect((await close(a)).body.data, 'asked again').to.deep.equal(body.data)

    const refused = async (answer: { status: number; body: any }) => [answer.status, answer.body.code]
    const closed = [403, 'organization_closed']
    expect(await refused(await a.org.get('/members')), 'by a token').to.deep.equal(closed)
    expect(await refused(await ask('GET', '/members', { token: a.owner.accessToken })), 'by its owner').to.deep.equal(
      closed,
    )
    expect(await refused(await ask('GET', '/resources', { token: a.viewer.accessToken })), 'by a viewer').to.deep.equal(
      closed,
    )
    expect(await refused(await restore(a, a.viewer)), 'restored by a viewer').to.deep.equal([403, 'forbidden'])
    expect((await a.dir.send('GET', '/Users')).status, 'by its directory').to.equal(403)
    expect((await fetch(a.exported)).status, 'by a link').to.equal(404)

    const listed = async (who: Founder) =>
      (await ask('GET', '/organisations', { token: who.accessToken })).body.data.find(
        (one: any) => one.id === a.org.orgId,
      )
    expect(await listed(a.owner)).to.deep.include({ isClosed: true, deletesAt })
    expect(await listed(a.viewer)).to.deep.include({ isClosed: true, deletesAt: null })
    expect((await b.org.get('/members')).status, 'of another').to.equal(200)
  })

  it('is not deleted before its time, and is as it was once it is restored', async () => {
    expect(await deleteDue(tools)).to.not.include(a.org.orgId)
    expect((await restore(a)).status).to.equal(200)
    expect((await a.org.get(`/reports/summary?${range}`)).body.data.totalCostUSD).to.equal(100)
    expect((await restore(a)).body.code, 'twice').to.equal('invalid_transition')
  })

  it('is gone from every store after seven days, and the other one is as it was', async () => {
    const before = [await figures(b), await kept(b)]
    expect((await close(a)).status).to.equal(202)
    await until('the mail of the first time', async () => (await mailsTo(a.owner.email)).length > 0)
    const subjects = (await mailsTo(a.owner.email)).map(({ subject }) => subject)
    expect(subjects, 'once a day').to.deep.equal(['Your organization on Tidemark will be deleted'])
    await advance(7 * 86_400 + 1)
    expect(await deleteDue(tools), 'at once').to.deep.equal([])
    expect((await restore(a)).status, 'too late').to.be.oneOf([401, 403, 404, 409])
    await advance(settleMs / 1000 + 1)
    expect(await deleteDue(tools)).to.deep.equal([a.org.orgId])
    expect(await everywhere(a.org, a.org.orgId)).to.deep.equal({ ...nowhere, postgres: ['closed_organization'] })
    expect([await figures(b), await kept(b)]).to.deep.equal(before)
  })

  it('leaves who asked for it, when, and its id, and people their account', async () => {
    const { rows } = await a.org.connections.store.pool.query('select * from closed_organization where org_id = $1', [
      a.org.orgId,
    ])
    expect(rows[0]).to.include({ org_id: a.org.orgId, closed_by: a.owner.userId })
    const listed = await tidemark('org', 'list')
    expect(listed.find((one: any) => one.id === a.org.orgId)).to.include({
      name: null,
      closedBy: a.owner.userId,
      members: 0,
    })
    const { accessToken: token } = await login(a.owner.email)
    const { status, body } = await ask('GET', '/organisations', { token })
    expect([status, body.data]).to.deep.equal([200, []])
  })

  it('hears nothing that is sent late', async () => {
    const at = { cloudAccountId: 'acct-1', provider: 'aws' as const, region: 'us-east-1', tags: {} }
    const late = { ...at, resourceUid: 'i-late', name: 'late', type: 'aws-ec2' as const, status: 'running' as const }
    await a.org.publish(resourceDiscovered, [late])
    const facts = await a.org.facts('SELECT 1 FROM resource_state WHERE org_id = {org:String}')
    expect([await rowsOf(a), facts]).to.deep.equal([{}, []])
  })

  it('is taken along as files before, without secrets', async () => {
    const folder = path.join(mkdtempSync(path.join(tmpdir(), 'export-')), 'b')
    const { files } = await tidemark('org', 'export', b.org.orgId, folder)
    const lines = (file: string): any[] =>
      readFileSync(path.join(folder, file), 'utf8')
        .trim()
        .split('\n')
        .map((one) => JSON.parse(one))
    expect(lines('state/resource.jsonl').map(({ uid }) => uid)).to.deep.equal(['i-1'])
    expect(lines('facts/cost_fact.jsonl').map((row) => [row.x_LineId, Number(row.BilledCost)])).to.deep.equal([
      [`${day}/1`, 100],
    ])
    expect(lines('state/organization.jsonl').map(({ id }) => id)).to.deep.equal([b.org.orgId])
    expect(files.length).to.equal(
      readdirSync(path.join(folder, 'state')).length + readdirSync(path.join(folder, 'facts')).length,
    )
    const { rows } = await b.org.connections.store.pool.query(
      'select hash from personal_access_token where org_id = $1',
      [b.org.orgId],
    )
    const all = files.map(({ file }: { file: string }) => readFileSync(path.join(folder, file), 'utf8')).join()
    expect(rows.length).to.be.greaterThan(0)
    for (const { hash } of rows) expect(all).to.not.include(hash)
    expect(all).to.not.match(/"s1\.[0-9a-f]{12}\./)
  })

  deepIt('goes on wherever it was ended', async () => {
    const c = await filled('few')
    expect((await close(c)).status).to.equal(202)
    await advance(7 * 86_400 + 1)
    const steps: string[] = []
    const all = [
      'files',
      ...(await tenantTables(c.org.connections.store.pool)).map(({ name }) => name),
      'clickhouse',
      'nats',
    ]
    const ends = amount(3, 12, all.length)
    for (let n = 0; n < ends; n++) {
      const end = all[Math.floor((n * all.length) / ends)]!
      const point = (step: string) => {
        if (step !== end) return
        steps.push(step)
        throw new Error('ended here')
      }
      expect(await deleteDue({ ...tools, point })).to.deep.equal([])
    }
    expect(steps.length).to.equal(ends)
    await advance(settleMs / 1000 + 1)
    expect(await deleteDue(tools)).to.deep.equal([c.org.orgId])
    expect(await everywhere(c.org, c.org.orgId)).to.deep.equal({ ...nowhere, postgres: ['closed_organization'] })
  })
})

describe('what is of organizations', () => {
  it('is said of every table of PostgreSQL [GEN-10]', async () => {
    const { connections } = await testProduct()
    const tables = await tenantTables(connections.store.pool)
    const byOrg = (await allTables(connections.store.pool)).filter(({ isByOrg }) => isByOrg).map(({ name }) => name)
    expect(tables.map(({ name }) => name)).to.include.members(byOrg.filter((name) => name !== 'closed_organization'))
  })
})
