import { expect } from 'chai'
import { ask, colleague, type Founder } from '#test/harness/people.ts'
import { until, type Answer, type Tenant } from '#test/harness/product.ts'
import { found, Tagged } from '#test/harness/tagged.ts'

const value = (...fields: string[]) => ({ fields, join: '-', standardize: true })
const told = ({ status, body }: Answer) => [
  status,
  body?.code,
  ...(body?.errors ?? []).map((e: any) => `${e.name} ${e.code}`),
]

describe('smart tags', () => {
  let org: Tagged & Tenant
  beforeEach(async () => {
    org = await Tagged.begin()
    await org.policy('loc', value('res.region'))
    await org.policy('kind', value('res.type'))
  })
  const list = async (query = '') => (await org.get(`/smart-tags?${query}`)).body.data
  const uids = async (query = '') => (await list(query)).items.map((one: any) => one.resourceUid)

  it('are listed with exactly these fields, by status, by provider and in pages, and counted whatever is asked [SMART-01] [SMART-03] [SMART-04] [SMART-05] [SMART-06] [SMART-07] [SMART-08] [SMART-09]', async () => {
    const some = Array.from({ length: 25 }, (_, n) => `i-${String(n).padStart(2, '0')}`)
    const ofGoogle = { type: 'gcp-vm', provider: 'gcp' as const, region: 'eu' }
    await org.discover(...some.map((uid, n) => found(uid, n < 5 ? ofGoogle : {})))
    await org.decide({ resourceUid: 'i-00', all: true, accepted: true })
    await org.decide({ resourceUid: 'i-01', keys: ['loc'], accepted: true })
    const counts = { pending: 24, accepted: 2 }
    const first = await list()
    expect(Object.keys(first).toSorted()).to.deep.equal(['counts', 'hasMore', 'items', 'limit'])
    expect(first.items.slice(0, 2)).to.deep.equal([
      {
        resourceUid: 'i-00',
        resourceName: 'i-00',
        resourceType: 'gcp-vm',
        provider: 'gcp',
        cloudAccountId: 'acct-1',
        derived: { loc: 'eu', kind: 'gcp-vm' },
        accepted: { loc: 'eu', kind: 'gcp-vm' },
        pending: {},
      },
      {
        resourceUid: 'i-01',
        resourceName: 'i-01',
        resourceType: 'gcp-vm',
        provider: 'gcp',
        cloudAccountId: 'acct-1',
        derived: { loc: 'eu', kind: 'gcp-vm' },
        accepted: { loc: 'eu' },
        pending: { kind: 'gcp-vm' },
      },
    ])
    for (const [query, expected, limit, hasMore] of [
      ['', some.slice(0, 20), 20, true],
      ['page=2', some.slice(20), 20, false],
      ['size=500', some, 100, false],
      ['size=25', some, 25, false],
      ['size=24', some.slice(0, 24), 24, true],
      ['limit=2&size=3', some.slice(0, 2), 2, true],
      ['status=accepted', some.slice(0, 2), 20, false],
      ['status=pending&size=100', some.slice(1), 100, false],
      ['provider=gcp', some.slice(0, 5), 20, false],
      ['provider=cloud-b&status=pending', some.slice(1, 5), 20, false],
      ['provider=azure', [], 20, false],
      ['page=9', [], 20, false],
    ] as const) {
      const { items, ...rest } = await list(query)
      expect(
        items.map((one: any) => one.resourceUid),
        query,
      ).to.deep.equal(expected)
      expect(rest, query).to.deep.equal({ counts, limit, hasMore })
    }
    for (const query of ['status=rejected', 'status=x', 'size=0', 'page=0', 'provider=x'])
      expect(told(await org.get(`/smart-tags?${query}`)).slice(0, 2), query).to.deep.equal([400, 'validation_failed'])
  })

  it('are decided by what is named, and otherwise stay as they are [SMART-12] [SMART-18] [SMART-19] [SMART-20]', async () => {
    await org.discover(found('projects/i/1'))
    const resourceUid = 'projects/i/1'
    const before = await org.entry(resourceUid)
    for (const [body, ...expected] of [
      [{ accepted: true }, 'validation_failed', '/keys required'],
      [{ accepted: true, keys: [] }, 'validation_failed', '/keys required'],
      [{ accepted: true, all: false }, 'validation_failed', '/keys required'],
      [{ accepted: false, all: true }, 'validation_failed', '/all accept_only'],
      [{ accepted: false, all: true, keys: ['loc'] }, 'validation_failed', '/all accept_only'],
      [{ keys: ['loc'] }, 'validation_failed', '/accepted required'],
      [{ accepted: true, keys: ['loc', 'none'] }, 'validation_failed', '/keys/1 unknown'],
      [{ accepted: false, keys: ['loc', 'kind'] }, 'validation_failed', '/keys/0 unknown', '/keys/1 unknown'],
      [{ accepted: true, keys: ['loc'], rejected: true }, 'invalid_parameter', '/rejected additionalProperties'],
    ] as const)
      expect(told(await org.decide({ resourceUid, ...body })), JSON.stringify(body)).to.deep.equal([400, ...expected])
    expect(told(await org.decide({ resourceUid: 'none', all: true, accepted: true }))).to.deep.equal([404, 'not_found'])
    expect(await org.entry(resourceUid)).to.deep.equal(before)

    const both = await org.decide({ resourceUid, keys: ['none'], all: true, accepted: true })
    expect([both.status, both.body.data]).to.deep.equal([200, { ...before, accepted: before.derived, pending: {} }])
    expect(told(await org.decide({ resourceUid, keys: ['loc'], accepted: true }))).to.deep.equal([
      400,
      'validation_failed',
      '/keys/0 unknown',
    ])
    await org.decide({ resourceUid, keys: ['loc', 'kind'], accepted: false })
    expect(await org.entry(resourceUid)).to.deep.equal(before)
    const { items } = (await org.get('/security-events?type=smart_tags_decided')).body.data
    const what = { resourceUID: resourceUid, cloudAccountID: 'acct-1' }
    expect(items.map((one: any) => one.detail)).to.have.deep.members([
      { ...what, accepted: 'true', keys: '*' },
      { ...what, accepted: 'false', keys: 'loc, kind' },
    ])
  })

  it('are the older policy’s where two give one key', async () => {
    await org.policy('later', value('res.name'))
    const spec = { tag: { key: 'loc', value: value('res.name') } }
    const body = { domain: 'tagging', targetType: 'organisation', name: 'second', spec, enabled: true }
    expect((await org.send('POST', '/policies', body)).status).to.equal(201)
    await org.discover(found('i-1'))
    expect(await org.derived('i-1')).to.deep.equal({ loc: 'us-east-1', kind: 'aws-ec2', later: 'i-1' })
  })

  it('are accepted on all resources by policy or key, narrowed by a selector', async () => {
    const policyID = await org.policy('env', value('res.name'))
    await org.discover(found('i-1'), found('i-2'), found('i-3', { region: 'eu-west-1' }))
    const run = async (body: object) => {
      const { status, body: answer } = await org.send('POST', '/smart-tags/accept-all', body)
      expect([status, Object.keys(answer.data), answer.data.status]).to.deep.equal([202, ['id', 'status'], 'queued'])
      const path = `/smart-tags/accept-all/${answer.data.id}`
      await until('the end of the run', async () => (await org.get(path)).body.data.status !== 'queued')
      const { startedAt, endedAt, ...rest } = (await org.get(path)).body.data
      expect(Date.parse(endedAt)).to.be.at.least(Date.parse(startedAt))
      return rest
    }
    const accepted = async () => (await list()).items.map((one: any) => one.accepted)
    const selector = { all: [{ attr: 'region', op: 'in', values: ['us-east-1'] }] }
    const byKey = await run({ key: 'loc', selector })
    expect(byKey).to.deep.include({ status: 'completed', resources: 2 })
    await until('what was asked', async () => (await list()).counts.accepted === 2)
    expect(await accepted()).to.deep.equal([{ loc: 'us-east-1' }, { loc: 'us-east-1' }, {}])
    expect((await run({ policyID })).resources).to.equal(3)
    await until('what was asked', async () => (await list()).counts.accepted === 3)
    expect(await accepted()).to.deep.equal([
      { loc: 'us-east-1', env: 'i-1' },
      { loc: 'us-east-1', env: 'i-2' },
      { env: 'i-3' },
    ])
    const { items } = (await org.get('/security-events?type=smart_tags_accept_all')).body.data
    const details = items.map((one: any) => one.detail)
    expect(details).to.have.length(2)
    expect(details).to.deep.include({ runID: byKey.id, key: 'loc' })

    const none = '00000000-0000-4000-8000-000000000000'
    const wrong = { all: [{ attr: 'res.mood', op: 'in', values: ['x'] }] }
    for (const [body, ...expected] of [
      [{}, 400, 'validation_failed', ' one_of'],
      [{ policyID, key: 'loc' }, 400, 'validation_failed', ' one_of'],
      [{ key: 'loc', selector: wrong }, 400, 'validation_failed', '/selector/all/0/attr unknown'],
      [{ policyID: none }, 404, 'not_found'],
    ] as const)
      expect(told(await org.send('POST', '/smart-tags/accept-all', body)), JSON.stringify(body)).to.deep.equal(expected)
    expect(told(await org.get(`/smart-tags/accept-all/${none}`))).to.deep.equal([404, 'not_found'])
  })

  it('are those of the accounts that a role sees, which accepts nothing beyond them', async () => {
    await org.discover(found('i-1'), found('i-2', { cloudAccountId: 'acct-2' }))
    const body = {
      name: 'Narrow',
      permissions: ['service.view', 'service.update'],
      reportScope: { all: false, cloudAccountIDs: ['acct-1'], teamIDs: [] },
    }
    const role = (await org.send('POST', '/roles', body)).body.data.id as string
    const { accessToken: token } = await colleague({ accessToken: org.token, orgId: org.orgId } as Founder, role)
    const { items, counts } = (await ask('GET', '/smart-tags', { token })).body.data
    expect([items.map((one: any) => one.resourceUid), counts]).to.deep.equal([['i-1'], { pending: 1, accepted: 0 }])
    const decide = (resourceUid: string) =>
      ask('PATCH', '/smart-tags', { token, body: { resourceUid, all: true, accepted: true } })
    expect([(await decide('i-2')).status, (await decide('i-1')).status]).to.deep.equal([404, 200])
    const all = await ask('POST', '/smart-tags/accept-all', { token, body: { key: 'loc' } })
    expect(told(all)).to.deep.equal([403, 'report_scope'])
    expect(await uids('status=accepted')).to.deep.equal(['i-1'])
    const [team, roleID] = [(await org.send('POST', '/teams', { name: 'Core' })).body.data.id as string, role]
    await org.send('PATCH', `/roles/${roleID}`, { reportScope: { ...body.reportScope, teamIDs: [team] } })
    expect(told(await decide('i-1'))).to.deep.equal([403, 'report_scope'])
    await org.send('POST', `/teams/${team}/resources`, { resourceUIDs: ['i-2'] })
    expect((await decide('i-2')).status).to.equal(200)
  })

  it('of one uid in two accounts are those of the account seen last, also where it was found again as it was', async () => {
    const inEurope = found('i-1', { region: 'eu-west-1', cloudAccountId: 'acct-2' })
    for (const one of [found('i-1'), inEurope]) await org.discover(one)
    const { items, counts } = await list()
    expect([items.length, counts, items[0].derived.loc]).to.deep.equal([1, { pending: 1, accepted: 0 }, 'eu-west-1'])
    const answer = await org.decide({ resourceUid: 'i-1', keys: ['loc'], accepted: true })
    expect(answer.body.data).to.deep.include({ cloudAccountId: 'acct-2', accepted: { loc: 'eu-west-1' } })
    await org.discover(found('i-1'))
    expect((await list()).items.map((one: any) => one.derived.loc)).to.deep.equal(['us-east-1'])
  })
})
