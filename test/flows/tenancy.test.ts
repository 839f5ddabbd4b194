// tier: deep
import { expect } from 'chai'
import { routes } from '#http/index.ts'
import { billingLine } from '#streams/billing/messages.ts'
import { metricSample } from '#streams/metric/messages.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { allAnswers, differing, pathWith } from '#test/harness/all-answers.ts'
import { calm } from '#test/harness/chat.ts'
import { tenant, until, type Tenant } from '#test/harness/product.ts'

const day = new Date(Date.now() - 2 * 86_400_000).toISOString().slice(0, 10)

/** What both organizations have, under the same names. */
async function seed(org: Tenant): Promise<void> {
  const at = { cloudAccountId: 'acct-1', provider: 'aws' as const, region: 'us-east-1', tags: { env: 'prod' } }
  await org.publish(resourceDiscovered, [
    { ...at, resourceUid: 'cluster', name: 'cluster', type: 'aws-eks' },
    { ...at, resourceUid: 'i-1', name: 'web', type: 'aws-ec2', parentUID: 'cluster', status: 'running' },
  ])
  const samples = [{ metric: 'cpu_percent' as const, value: 50, ts: `${day}T10:00:00Z` }]
  const line = { cloudAccountId: 'acct-1', provider: 'aws' as const, resourceUid: 'i-1', serviceName: 'ec2' }
  await Promise.all([
    org.publish(metricSample, [{ resourceUid: 'i-1', samples }], { place: 'acct-1' }),
    org.publish(billingLine, [
      { ...line, lineId: `${day}/1`, usageDate: day, costUSD: 100, exportedAt: `${day}T23:00:00Z` },
    ]),
  ])
  const body = { name: 'Staging', provider: 'aws', externalID: 'sim-aws-staging' }
  expect((await org.send('POST', '/cloud-accounts', body)).status).to.equal(201)
  const status = async () => (await org.get('/resources/refresh/status')).body.data.status
  await until('the first discovery', async () => (await status()) === 'completed')
  const synced = async () =>
    (await org.get('/billing/sync-status')).body.data.find((one: any) => one.cloudAccountID !== 'acct-1')
  await until('the first bills', async () => (await synced()).lastSyncedAt !== null)
}

/** The ids of an organization by the names that paths give them. */
async function idsOf(org: Tenant): Promise<Record<string, string>> {
  const [resource] = (await org.get('/resources/by-uids?uids=i-1')).body.data
  const accounts = (await org.get('/cloud-accounts')).body.data.items
  return { resourceID: resource.id, cloudAccountID: accounts.find((a: any) => a.id !== 'acct-1').id }
}

/** The answer of every endpoint that reads, word for word. */
const everything = async (org: Tenant) => allAnswers(org, await idsOf(org))

/** The same once nothing goes on any more that its answers tell of: what was found is judged and tagged behind its discovery. */
async function atRest(org: Tenant): Promise<Record<string, string>> {
  await calm(org)
  let before = await everything(org)
  const { pool } = org.connections.store
  await until('nothing to change', async () => {
    const { rowCount } = await pool.query(`select from outbox where subject like '%.' || $1 || '.%' limit 1`, [
      org.orgId,
    ])
    const now = await everything(org)
    const isSame = rowCount === 0 && differing(now, before).length === 0
    before = now
    return isSame
  })
  return before
}

describe('two organizations that look alike [GEN-10]', () => {
  let a: Tenant
  let b: Tenant
  let ofA: Record<string, string>
  let ofB: Record<string, string>
  let alone: Record<string, string>
  let untouched: Record<string, string>
  before(async () => {
    a = await tenant()
    b = await tenant()
    await seed(a)
    alone = await atRest(a)
    await seed(b)
    await b.publish(resourceDiscovered, [
      { resourceUid: 'only-b', name: 'only b', type: 'gcp-vm', provider: 'gcp', cloudAccountId: 'acct-b', region: 'b' },
    ])
    ;[ofA, ofB] = [await idsOf(a), await idsOf(b)]
    untouched = await atRest(b)
  })

  it('have ids of their own for what is called alike', () => {
    for (const name of Object.keys(ofA)) expect(ofA[name], name).to.not.equal(ofB[name])
    expect(Object.values(alone).filter((text) => text.length > 3)).to.have.length.above(8)
  })

  it('see, count and sum up nothing of one another, in no endpoint', async () => {
    expect(differing(await everything(a), alone)).to.deep.equal([])
    for (const text of Object.values(alone)) {
      for (const foreign of [b.orgId, ...Object.values(ofB), 'only-b']) expect(text).to.not.contain(foreign)
    }
  })

  // With bodies that are right, for people and tokens: test/flows/probe.test.ts.
  it('answer 404 to the ids of one another, whatever is asked of them', async () => {
    for (const { method, path: template } of routes.filter((route) => route.path.includes(':'))) {
      const isKnown = [...template.matchAll(/:(\w+)/g)].every(([, name]) => Object.hasOwn(ofB, name!))
      const body = ['PATCH', 'PUT', 'POST'].includes(method) ? {} : undefined
      const r = await a.send(method, pathWith(template, ofB), body)
      const answer = `${method} ${template}: ${r.status} ${JSON.stringify(r.body)}`
      if (isKnown) expect([r.status, r.body.code], answer).to.deep.equal([404, 'not_found'])
      else expect(r.status === 200 ? JSON.stringify(r.body) : '', answer).to.not.contain('only-b')
    }
  })

  it('find nothing by the ids, uids, names and accounts of one another', async () => {
    const { cloudAccountID = 'acct-b' } = ofB
    for (const query of [
      `/resources/by-ids?ids=${ofB['resourceID']}`,
      '/resources/by-uids?uids=only-b',
      '/resources?search=only',
      '/resources?provider=gcp',
      `/resources?cloud_account_id=${cloudAccountID},acct-b`,
    ]) {
      expect((await a.get(query)).body, query).to.deep.equal({ data: [] })
    }
    expect((await a.send('POST', '/resources/by-uids', { uids: ['only-b'] })).body).to.deep.equal({ data: [] })
    expect((await a.get('/resources/count?search=only')).body).to.deep.equal({ data: { count: 0 } })
    expect((await a.get(`/cloud-accounts?search=${cloudAccountID}`)).body.data.items).to.deep.equal([])
    for (const body of [{ cloudAccountID }, { cloudAccountID: 'acct-b' }, { cloudAccountName: 'acct-b' }]) {
      expect((await a.send('POST', '/resources/refresh', body)).status).to.equal(404)
    }
    const response = await fetch(`${a.url}/resources`, {
      headers: { Authorization: `Bearer ${a.token}`, 'X-Org-Id': b.orgId },
    })
    expect([response.status, ((await response.json()) as any).code]).to.deep.equal([403, 'not_a_member'])
  })

  it('change nothing of one another, even under ids that both have', async () => {
    expect((await a.send('PATCH', '/cloud-accounts/acct-1', { name: 'Renamed', enabled: false })).status).to.equal(200)
    expect((await a.send('DELETE', '/cloud-accounts/acct-1')).status).to.equal(204)
    expect((await a.send('DELETE', `/cloud-accounts/${ofA['cloudAccountID']}`)).status).to.equal(204)
    expect((await a.send('POST', '/resources/refresh', {})).status).to.equal(202)
    const count = async () => (await a.get('/resources/count')).body.data.count
    await until('the inventory to be empty', async () => (await count()) === 0)
    expect(differing(await everything(b), untouched)).to.deep.equal([])
  })
})
