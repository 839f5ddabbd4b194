import { expect } from 'chai'
import { billingLine } from '#streams/billing/messages.ts'
import { ask, colleague, type Founder } from '#test/harness/people.ts'
import type { Answer, Tenant } from '#test/harness/product.ts'
import { found, policy, Tagged } from '#test/harness/tagged.ts'

const daysAgo = (n: number) => new Date(Date.now() - n * 86_400_000).toISOString().slice(0, 10)
const value = (...fields: string[]) => ({ fields, join: '-', standardize: true })
const specOf = (key: string, made: object, selector?: object) => policy(key, made, selector).spec
const told = ({ status, body }: Answer) => [
  status,
  body?.code,
  ...(body?.errors ?? []).map((e: any) => `${e.name} ${e.code}`),
]

describe('what a tagging policy would do', () => {
  let org: Tagged & Tenant
  const bill = (resourceUid: string, costUSD: number, date: string, cloudAccountId = 'acct-1') => ({
    lineId: `${date}/${resourceUid}`,
    cloudAccountId,
    resourceUid,
    costUSD,
    usageDate: date,
    provider: 'aws' as const,
    serviceName: 'ec2',
    exportedAt: new Date().toISOString(),
  })
  /** An organization with bills of 30 days. */
  before(async () => {
    org = await Tagged.begin()
    await org.discover(
      found('i-1', { name: 'web' }),
      found('i-2', { name: 'db', tags: { loc: 'here' } }),
      found('i-3', { name: 'batch', region: 'eu-west-1', tags: { Loc: 'there' } }),
      found('i-4', { name: 'loose', region: '' }),
      found('v-1', { name: 'vm', type: 'gcp-vm', provider: 'gcp', cloudAccountId: 'acct-2' }),
    )
    await org.publish(billingLine, [
      bill('i-1', 0.1, daysAgo(1)),
      bill('i-1', 0.2, daysAgo(29)),
      bill('i-1', 100, daysAgo(30)),
      bill('i-2', 5, daysAgo(2)),
      bill('i-3', 7, daysAgo(2)),
      bill('v-1', 64, daysAgo(2), 'acct-2'),
    ])
  })
  const preview = (body: object) => org.send('POST', '/tagging/policies/preview', body)
  const onAws = { all: [{ attr: 'provider', op: 'in', values: ['aws'] }] }

  it('is refused where the spec is wrong, by its place', async () => {
    const wrong = { tag: { key: 'loc', value: value('res.tags') } }
    expect(told(await preview({ spec: wrong }))).to.deep.equal([
      400,
      'validation_failed',
      '/spec/tag/value/fields/0 enum',
    ])
    expect(told(await preview({}))).to.deep.equal([400, 'validation_failed', '/spec required'])
    const spec = specOf('loc', value('res.region'))
    expect(told(await preview({ spec, limit: 1001 }))).to.deep.equal([400, 'validation_failed', '/limit maximum'])
    expect(told(await preview({ spec, policyID: 'none' }))).to.deep.equal([404, 'not_found'])
  })

  it('is of the resources and costs that a role sees', async () => {
    const reportScope = { all: false, cloudAccountIDs: ['acct-2'], teamIDs: [] }
    const made = await org.send('POST', '/roles', { name: 'Narrow', permissions: ['service.view'], reportScope })
    const who = await colleague({ accessToken: org.token, orgId: org.orgId } as Founder, made.body.data.id)
    const body = { spec: specOf('loc', value('res.region')) }
    const { data } = (await ask('POST', '/tagging/policies/preview', { token: who.accessToken, body })).body
    expect([data.matched, data.values]).to.deep.equal([1, [{ value: 'us-east-1', resources: 1, costUsd30d: 64 }]])
    const { facets } = (await ask('GET', '/tagging/policies/catalog', { token: who.accessToken })).body.data
    expect(facets.find((one: any) => one.attr === 'res.type').values).to.deep.equal(['gcp-vm'])
  })

  it('is said in resources and dollars of 30 days, with what the cloud and older policies say, and nothing is kept', async () => {
    const older = await org.policy('older', value('res.type'))
    await org.change(older, {
      ...policy('loc', value('res.type'), { all: [{ attr: 'name', op: 'in', values: ['web'] }] }),
      name: 'older',
    })
    const off = await org.send('POST', '/policies', {
      ...policy('loc', value('res.type')),
      name: 'off',
      enabled: false,
    })
    expect(off.status).to.equal(201)
    const rows = async () => {
      const sql =
        'select uid, derived, policy_version, observed_at from resource_tagging where org_id = $1 order by uid'
      return (await org.connections.store.pool.query(sql, [org.orgId])).rows
    }
    const before = await rows()
    const { status, body } = await preview({ spec: specOf('loc', value('res.region'), onAws) })
    expect([status, body.data]).to.deep.equal([
      200,
      {
        matched: 4,
        tagged: 3,
        values: [
          { value: 'eu-west-1', resources: 1, costUsd30d: 7 },
          { value: 'us-east-1', resources: 2, costUsd30d: 5.3 },
        ],
        valueCount: 2,
        overriddenByCloud: 1,
        conflicts: [{ policyID: older, key: 'loc', resources: 1 }],
        sample: [
          { resourceUid: 'i-1', resourceName: 'web', value: 'us-east-1' },
          { resourceUid: 'i-2', resourceName: 'db', value: 'us-east-1' },
          { resourceUid: 'i-3', resourceName: 'batch', value: 'eu-west-1' },
        ],
      },
    ])
    expect(await rows()).to.deep.equal(before)
    const changed = await preview({ spec: specOf('loc', value('res.region')), policyID: older, limit: 1 })
    const { conflicts, values, valueCount, matched } = changed.body.data
    expect([conflicts, values, valueCount, matched]).to.deep.equal([
      [],
      [{ value: 'us-east-1', resources: 3, costUsd30d: 69.3 }],
      2,
      5,
    ])
    for (const id of [older, off.body.data.id])
      expect((await org.send('DELETE', `/policies/${id}`)).status).to.equal(204)
  })

  it('and what one has come to: what it selects, what carries its tag, and what of it was accepted', async () => {
    const id = await org.policy('loc', value('res.region'), onAws)
    const coverage = async () => (await org.get(`/tagging/policies/${id}/coverage`)).body.data
    const nothing = { derived: 0, accepted: 0, pending: 0 }
    expect(await coverage()).to.deep.equal({ matched: 4, ...nothing, costUsd30d: nothing })
    await org.discover(found('i-1', { name: 'web' }), found('i-3', { name: 'batch', region: 'eu-west-1' }))
    await org.decide({ resourceUid: 'i-3', keys: ['loc'], accepted: true })
    expect(await coverage()).to.deep.equal({
      matched: 4,
      derived: 2,
      accepted: 1,
      pending: 1,
      costUsd30d: { derived: 7.3, accepted: 7, pending: 0.3 },
    })
    await org.change(id, { ...policy('loc', value('res.region'), onAws), enabled: false })
    expect((await coverage()).matched).to.equal(0)
    const allocation = { priority: 1, teamFromTag: { key: 'team' } }
    const other = { ...policy('team', {}), domain: 'allocation', spec: allocation }
    const otherId = (await org.send('POST', '/policies', other)).body.data.id as string
    expect(told(await org.get(`/tagging/policies/${otherId}/coverage`))).to.deep.equal([404, 'not_found'])
  })
})
