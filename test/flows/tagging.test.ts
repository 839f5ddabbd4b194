/** Policies and predictions from the discovery of a resource to the reports of its costs. */
import { expect } from 'chai'
import { accountId } from '#streams/account/id.ts'
import { billingLine } from '#streams/billing/messages.ts'
import { resourceDeleted, resourceDiscovered } from '#streams/resource/messages.ts'
import { until, type Tenant } from '#test/harness/product.ts'
import { found, policy, Tagged } from '#test/harness/tagged.ts'
import { deepIt } from '#test/harness/tier.ts'

const day = '2026-01-19'
const range = `from=${day}&to=${day}`
const azure = { type: 'azure-vm', provider: 'azure' as const, region: 'EastUS', resourceGroup: 'Prod-RG' }
const aws = { name: 'web-1', instanceType: 'm5.large' }
const value = (fields: string[], standardize = true, join = '-') => ({ fields, join, standardize })
const whole = value(['res.provider', 'res.resource_group', 'res.region'])

describe('the tags that policies derive', () => {
  let org: Tagged & Tenant
  beforeEach(async () => void (org = await Tagged.begin()))

  it('are made of fields, joined, without empty ones and in lower case where that is wanted [S-16] [TPOL-07] [TPOL-10] [TPOL-11] [TPOL-12] [TPOL-13]', async () => {
    await org.policy('whole', whole)
    await org.policy('kept', { ...whole, standardize: false })
    await org.policy('plain', value(['res.provider', 'res.region'], false))
    await org.policy('joined', value(['res.name', 'res.type', 'res.instance_type'], true, ' / '))
    await org.policy('group', value(['res.resource_group']))
    await org.discover(found('vm-1', { ...azure, name: 'Shop' }), found('i-1', { ...aws, resourceGroup: 'Ignored' }))
    expect(await org.derived('vm-1')).to.deep.equal({
      whole: 'azure-prod-rg-eastus',
      kept: 'azure-prod-rg-EastUS',
      plain: 'azure-EastUS',
      joined: 'shop / azure-vm',
      group: 'prod-rg',
    })
    expect(await org.derived('i-1')).to.deep.equal({
      whole: 'aws-us-east-1',
      kept: 'aws-us-east-1',
      plain: 'aws-us-east-1',
      joined: 'web-1 / aws-ec2 / m5.large',
    })
  })

  deepIt('are those of the policies whose every condition holds, by each facet [TPOL-05] [TPOL-06]', async () => {
    const one = [{ attr: 'res.provider', op: 'in', values: ['cloud-c'] }]
    const cases: [string, object[]][] = [
      ['provider', one],
      ['type', [{ attr: 'res.type', op: 'equals', values: ['AZURE-VM'] }]],
      ['region', [{ attr: 'region', op: 'starts_with', values: ['east'] }]],
      ['name', [{ attr: 'res.name', op: 'contains', values: ['SHOP'] }]],
      ['size', [{ attr: 'res.instance_type', op: 'not_exists' }]],
      ['group', [{ attr: 'res.resource_group', op: 'ends_with', values: ['-rg'] }]],
      ['account', [{ attr: 'res.cloud_account_id', op: 'not_in', values: ['acct-1'] }]],
      ['tag', [{ attr: 'res.tags.Cost', op: 'exists' }]],
      ['both', [...one, { attr: 'res.name', op: 'contains', values: ['shop'] }]],
      ['never', [...one, { attr: 'res.name', op: 'contains', values: ['web'] }]],
    ]
    for (const [key, all] of cases) await org.policy(key, value(['res.provider']), { all })
    await org.policy('everywhere', value(['res.provider']))
    await org.discover(
      found('vm-1', { ...azure, cloudAccountId: 'acct-2', name: 'shop-1', tags: { cost: 'x' } }),
      found('i-1', aws),
    )
    const chosen = ['account', 'both', 'everywhere', 'group', 'name', 'provider', 'region', 'size', 'tag', 'type']
    expect(Object.keys(await org.derived('vm-1')).toSorted()).to.deep.equal(chosen)
    expect(await org.derived('i-1')).to.deep.equal({ everywhere: 'aws' })
  })

  it('wait to be accepted, are revoked, and follow their policies and their resource [S-17] [SMART-02] [SMART-08] [SMART-11] [SMART-12] [SMART-14] [SMART-15] [SMART-16] [SMART-17] [TPOL-14]', async () => {
    const counts = async () => (await org.get('/smart-tags')).body.data.counts
    await org.policy('loc', value(['res.region']))
    const kind = await org.policy('kind', value(['res.type']))
    await org.discover(found('i-1'), found('i-2', { type: 'gcp-vm', provider: 'gcp' }))
    await org.discover(found('i-2', { type: 'gcp-vm', provider: 'gcp' }))
    await org.gone('i-2')
    const both = { loc: 'us-east-1', kind: 'aws-ec2' }
    expect(await org.entry('i-1')).to.deep.include({ derived: both, accepted: {}, pending: both })
    expect(await counts()).to.deep.equal({ pending: 1, accepted: 0 })

    const first = await org.decide({ resourceUid: 'i-1', keys: ['loc'], accepted: true })
    expect(first.body.data).to.deep.equal({
      resourceUid: 'i-1',
      resourceName: 'i-1',
      resourceType: 'aws-ec2',
      provider: 'aws',
      cloudAccountId: 'acct-1',
      derived: both,
      accepted: { loc: 'us-east-1' },
      pending: { kind: 'aws-ec2' },
    })
    expect(await counts()).to.deep.equal({ pending: 1, accepted: 1 })
    expect((await org.decide({ resourceUid: 'i-1', all: true, accepted: true })).body.data).to.deep.include({
      accepted: both,
      pending: {},
    })
    expect(await counts()).to.deep.equal({ pending: 0, accepted: 1 })
    expect((await org.decide({ resourceUid: 'i-1', keys: ['kind'], accepted: false })).body.data).to.deep.include({
      accepted: { loc: 'us-east-1' },
      pending: { kind: 'aws-ec2' },
    })

    await org.discover(found('i-1', { region: 'eu-west-1' }))
    const moved = { loc: 'eu-west-1', kind: 'aws-ec2' }
    expect(await org.entry('i-1')).to.deep.include({ derived: moved, accepted: {}, pending: moved })
    await org.decide({ resourceUid: 'i-1', all: true, accepted: true })
    expect((await org.get(`/policies/${kind}`)).body.data.pendingResources).to.equal(0)
    await org.change(kind, { ...policy('kind', value(['res.type'])), enabled: false })
    // Not before it is looked at again.
    expect((await org.entry('i-1'))!.accepted).to.deep.equal(moved)
    expect((await org.get(`/policies/${kind}`)).body.data.pendingResources).to.equal(1)
    await org.refresh()
    const left = { loc: 'eu-west-1' }
    expect(await org.entry('i-1')).to.deep.include({ derived: left, accepted: left, pending: {} })
    expect((await org.get(`/policies/${kind}`)).body.data.pendingResources).to.equal(0)

    await org.gone('i-1')
    expect(await org.entry('i-1')).to.equal(undefined)
    expect(await counts()).to.deep.equal({ pending: 0, accepted: 0 })
    expect((await org.decide({ resourceUid: 'i-1', all: true, accepted: true })).status).to.equal(404)
  })

  it('reach resources that were there before, by a refresh of everything [AUTO-33] [SMART-17] [SMART-21]', async () => {
    const uids = Array.from({ length: 5 }, (_, n) => `i-${n}`)
    await org.discover(...uids.map((uid) => found(uid, { name: `shop-prod-${uid}` })))
    await org.connections.store.pool.query('delete from resource_tagging where org_id = $1', [org.orgId])
    await org.policy('loc', value(['res.region']))
    expect([await org.count(), (await org.get('/smart-tags')).body.data.items]).to.deep.equal([0, []])
    await org.refresh()
    const { items, counts } = (await org.get('/smart-tags')).body.data
    expect(items.map((one: any) => [one.resourceUid, one.pending])).to.deep.equal(
      uids.map((uid) => [uid, { loc: 'us-east-1' }]),
    )
    expect([counts, await org.count()]).to.deep.equal([{ pending: 5, accepted: 0 }, 5])
  })
})

describe('tags that are accepted', () => {
  const bill = (resourceUid: string, costUSD: number) => ({
    lineId: `${day}/${resourceUid}`,
    cloudAccountId: 'acct-1',
    resourceUid,
    costUSD,
    usageDate: day,
    provider: 'aws' as const,
    serviceName: 'ec2',
    exportedAt: `${day}T23:00:00Z`,
  })
  const pairs = async (org: Tenant) =>
    (await org.get(`/reports/tags?unit=pairs&${range}`)).body.data.items
      .map((one: any) => `${one.tagKey}=${one.tagValue} ${one.tagSource} ${one.costUsd}`)
      .toSorted()

  it('count in reports from then on, of any time, and pending ones never; the cloud counts before and hears nothing [AUTO-20] [AUTO-21] [AUTO-22] [SMART-10] [SMART-13]', async () => {
    const org = await Tagged.begin()
    await org.policy('loc', value(['res.region']))
    await org.policy('env', value(['res.name']))
    const tags = { env: 'staging', owner: 'ana' }
    await org.discover(
      found('i-1', { name: 'shop-prod-db', type: 'aws-rds' }),
      found('i-2', { name: 'shop-prod-web', tags }),
    )
    await org.publish(billingLine, [bill('i-1', 10), bill('i-2', 20)])
    const before = ['env=staging cloud 20', 'owner=ana cloud 20']
    expect(await pairs(org)).to.deep.equal(before)
    const shown = await org.suggestion('i-1')
    expect([shown.predictedEnv, shown.predictedNoStop, shown.acceptedAt]).to.deep.equal(['prod', true, null])

    for (const resourceUid of ['i-1', 'i-2'])
      expect((await org.send('POST', '/autotagging/accept', { resourceUid })).status).to.equal(200)
    expect(await pairs(org)).to.deep.equal([...before, 'env=prod auto 10', 'no-stop=true auto 10'].toSorted())
    const values = (await org.get(`/reports/tags/env?${range}`)).body.data
    expect(values.items ?? values).to.deep.equal([
      { tagValue: 'staging', costUSD: 20, resourceCount: 1 },
      { tagValue: 'prod', costUSD: 10, resourceCount: 1 },
    ])

    await org.decide({ resourceUid: 'i-1', keys: ['loc', 'env'], accepted: true })
    await org.decide({ resourceUid: 'i-2', keys: ['env'], accepted: true })
    const smart = [...before, 'env=shop-prod-db smart 10', 'loc=us-east-1 smart 10', 'no-stop=true auto 10'].toSorted()
    expect(await pairs(org)).to.deep.equal(smart)
    await org.decide({ resourceUid: 'i-1', keys: ['env'], accepted: false })
    expect(await pairs(org)).to.deep.equal(
      [...before, 'env=prod auto 10', 'loc=us-east-1 smart 10', 'no-stop=true auto 10'].toSorted(),
    )

    const resources = (await org.get('/resources/by-uids?uids=i-1,i-2')).body.data
    expect(Object.fromEntries(resources.map((one: any) => [one.uid, one.tags]))).to.deep.equal({
      'i-1': {},
      'i-2': tags,
    })
    const { simulated } = org.product.get(org.clouds)
    const methods = Object.getOwnPropertyNames(Object.getPrototypeOf(simulated))
    expect(methods.filter((name) => /tag/i.test(name))).to.deep.equal([])
    expect(simulated.calls.filter(({ call }) => /tag/i.test(call))).to.deep.equal([])
  })
})

describe('what is predicted of resources that go', () => {
  deepIt('goes with them, decided or not, whoever says so [S-36] [AUTO-31] [SMART-16]', async () => {
    const org = await Tagged.begin()
    await org.policy('loc', value(['res.region']))
    const externalID = 'sim-aws-staging'
    await org.send('POST', '/cloud-accounts', { name: 'Staging', provider: 'aws', externalID })
    const ended = async () => {
      const { status } = (await org.get('/resources/refresh/status')).body.data
      return status === 'completed'
    }
    await until('the discovery', ended)
    const cloudAccountId = accountId(org.orgId, 'aws', externalID)
    const lost = { ...found('i-lost', { name: 'lost-prod' }), cloudAccountId }
    // Long enough ago for the refresh to miss it.
    await org.publish(resourceDiscovered, [lost], { time: new Date(Date.now() - 60_000) })
    await org.send('POST', '/autotagging/accept', { resourceUid: 'i-lost' })
    await org.decide({ resourceUid: 'i-lost', all: true, accepted: true })
    const before = [await org.count(), (await org.get('/smart-tags?limit=1')).body.data.counts.accepted]
    expect(before[1]).to.equal(1)
    await org.send('POST', '/resources/refresh', {})
    await until('the refresh', async () => (await org.count()) === before[0]! - 1 && (await ended()))
    expect(await org.entry('i-lost')).to.equal(undefined)
    expect((await org.get('/smart-tags?limit=1')).body.data.counts.accepted).to.equal(0)
    expect((await org.get('/autotagging?status=accepted')).body.total).to.equal(0)
  })

  // In memory: test/actors/tagging.test.ts.
  deepIt('does not come back by what was seen before [S-36] [AUTO-26] [AUTO-31]', async () => {
    const org = await Tagged.begin()
    const early = new Date(Date.now() - 60_000)
    await org.discover(found('i-1', { name: 'shop-prod' }), found('i-2', { name: 'shop-dev' }))
    expect((await org.suggestion('i-1')).acceptedAt).to.equal(null)
    await org.send('POST', '/autotagging/accept', { resourceUid: 'i-1' })
    await org.publish(resourceDeleted, [{ resourceUid: 'i-1', provider: 'aws', cloudAccountId: 'acct-1' }])
    expect([await org.count(), await org.suggestion('i-1')]).to.deep.equal([1, undefined])
    await org.publish(resourceDiscovered, [found('i-1', { name: 'shop-prod' })], { time: early })
    expect(await org.count()).to.equal(1)
    await org.discover(found('i-1', { name: 'shop-prod' }))
    expect((await org.suggestion('i-1')).acceptedAt).to.equal(null)
  })

  deepIt('is the same in every organization [AUTO-19] [AUTO-32]', async () => {
    const all = [
      found('a', { name: 'shop-prod-db', type: 'aws-rds', tags: { owner: 'ana' } }),
      found('b', { name: 'x-prod-1', tags: { env: 'dev' } }),
      found('c', { name: 'batch', instanceType: 't3.micro' }),
      found('d', { name: 'plain' }),
    ]
    const rows = async (list: typeof all) => {
      const org = await Tagged.begin()
      const [last, ...others] = list.toReversed()
      await org.discover(...others)
      const before = await org.count()
      await org.discover(last!)
      const items = (await org.get('/autotagging')).body.items as any[]
      const told = items.map((one) => [
        one.resourceUid,
        one.predictedEnv,
        one.predictedNoStop,
        one.confidence,
        one.reason,
      ])
      return { told: told.toSorted((a, b) => (a[0] < b[0] ? -1 : 1)), added: items.length - before }
    }
    const [one, other] = [await rows(all), await rows(all.toReversed())]
    expect(one.told).to.deep.equal(other.told)
    expect(one.told.map((row) => row.slice(0, 4))).to.deep.equal([
      ['a', 'prod', true, 70],
      ['b', 'dev', false, 58],
      ['c', 'dev', false, 35],
    ])
    expect([one.added, other.added]).to.deep.equal([0, 1])
  })
})
