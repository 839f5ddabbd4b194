import { expect } from 'chai'
import { ruleOf } from '#actors/recommendation/rule/catalogue.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { tenant, type Answer, type Tenant } from '#test/harness/product.ts'
import { recommended } from '#test/harness/recommendation.ts'
import { planted } from '#test/http/recommendation/planted.ts'

const told = ({ status, body }: Answer) => [
  status,
  body?.code,
  ...(body?.errors ?? []).map((e: any) => `${e.name} ${e.code}`),
]
const recordKeys = [
  'id',
  'resourceUid',
  'resourceName',
  'resourceType',
  'ruleId',
  'title',
  'titleParams',
  'description',
  'remediation',
  'currentCostUsd',
  'optimizedCostUsd',
  'savingsUsd',
  'grossSavingsUsd',
  'confidence',
  'priority',
  'status',
  'severity',
  'category',
  'consoleUrl',
  'provider',
  'cloudAccountId',
  'cloudAccountName',
  'actionType',
  'evidence',
  'generatedAt',
  'updatedAt',
]

describe('recommendations', () => {
  let org: Tenant
  let ids: string[]
  before(async () => {
    org = await tenant()
    ids = await recommended(org, ...planted)
    await recommended(await tenant(), ...planted)
  })
  const data = async (path: string) => (await org.get(`/recommendations${path}`)).body.data
  /** The places in `planted` of what a list answers. */
  const at = (page: any) => page.items.map(({ id }: { id: string }) => ids.indexOf(id))

  it('are listed with exactly these fields, those with nothing to say left out [REC-01] [REC-20] [REC-23] [REC-24] [REC-25] [REC-26] [REC-27] [REC-33]', async () => {
    const { items, ...page } = await data('')
    expect(page).to.deep.equal({ total: 7, page: 1, limit: 10, hasMore: false })
    const resize = items.find((one: any) => one.ruleId === 'RC-1101')
    expect(Object.keys(resize).toSorted()).to.deep.equal(recordKeys.toSorted())
    expect(resize).to.deep.equal({
      id: ids[1],
      resourceUid: 'i-1',
      resourceName: 'web',
      resourceType: 'aws-ec2',
      ruleId: 'RC-1101',
      title: 'Resize web from m5.large to m5a.large.',
      titleParams: { from: 'm5.large', to: 'm5a.large' },
      description: 'The processor never rose above 5%.',
      remediation: 'Ask the owner, then stop the instance. Attached volumes keep their data.',
      currentCostUsd: 100,
      optimizedCostUsd: 69.8,
      savingsUsd: 30.2,
      grossSavingsUsd: 50,
      confidence: 1,
      priority: 90,
      status: 'open',
      severity: 'high',
      category: 'rightsizing',
      consoleUrl: 'https://console.aws.amazon.com/ec2',
      provider: 'aws',
      cloudAccountId: 'acct-1',
      cloudAccountName: 'acct-1',
      actionType: 'stop',
      evidence: { metric: 'cpu_percent', windowDays: 14, p95: 2.1 },
      generatedAt: '2026-01-10T10:00:00.000Z',
      updatedAt: '2026-01-12T10:00:00.000Z',
    })
    const dismissed = items.find((one: any) => one.ruleId === 'RC-3001')
    expect(dismissed).to.have.property('snoozedUntil', '2027-01-01T00:00:00.000Z')
    expect(dismissed).not.to.have.property('titleParams')
    expect(items.find((one: any) => one.ruleId === 'RC-1002')).to.have.property(
      'staleSince',
      '2026-01-11T00:00:00.000Z',
    )
  })

  it('show their account by its name', async () => {
    const own = await tenant()
    const account = { name: 'Production', provider: 'aws', externalID: '123456789012' }
    const { id } = (await own.send('POST', '/cloud-accounts', account)).body.data
    await recommended(own, { cloud_account_id: id })
    expect((await own.get('/recommendations')).body.data.items[0]).to.include({
      cloudAccountId: id,
      cloudAccountName: 'Production',
    })
    expect((await own.get('/recommendations/resources')).body.data.items[0].cloudAccountName).to.equal('Production')
  })

  it('are sorted by savings unless asked otherwise, and severities by how serious they are [REC-18] [REC-56]', async () => {
    for (const [query, order] of [
      ['', [2, 6, 0, 1, 3, 4, 5]],
      ['sort_order=asc', [5, 4, 3, 1, 0, 6, 2]],
      ['sort_by=severity', [2, 0, 6, 1, 5, 3, 4]],
      ['sort_by=severity&sort_order=asc', [4, 3, 6, 1, 5, 2, 0]],
      ['sort_by=priority&size=2', [1, 3]],
      ['sort_by=updated_at&size=1', [1]],
    ] as const)
      expect(at(await data(`?${query}`)), query).to.deep.equal(order)
  })

  it('are narrowed by each filter, its values being alternatives, and by all of them together [REC-01] [REC-16] [REC-17]', async () => {
    for (const [query, found] of [
      ['status=open,dismissed', [2, 6, 0, 1, 3, 4]],
      ['status=open,dismissed&provider=aws', [2, 0, 1, 3]],
      ['severity=high&severity=info', [6, 1, 4, 5]],
      ['category=orphan,compliance', [4, 5]],
      ['provider=cloud-b', [4, 5]],
      ['resource_type=azure-vm,gcp-disk', [6, 4, 5]],
      ['cloud_account_id=acct-2,acct-4', [6, 3]],
      ['region=eu-west-1', [3]],
      ['rule_id=RC-1001', [0, 3]],
      [`resource_uid=${encodeURIComponent('/subscriptions/s/vm-1')}`, [6]],
      ['resource_uid=i-1,i-2', []],
      ['min_savings=30.2', [2, 6, 0, 1]],
      ['search=RESIZE', [1]],
      ['search=Db', [3]],
      ['search=0%25', [3]],
      ['search=k_1', [4, 5]],
      ['search=%25', [3]],
      ['search=b_1', []],
      ['team_id=unassigned&provider=gcp', [4, 5]],
      ['team_id=nobody', []],
      ['group_id=nothing', []],
    ] as const)
      expect(at(await data(`?${query}`)), query).to.deep.equal(found)
  })

  it('are narrowed by the team and the group of their resource', async () => {
    const own = await tenant()
    const [first] = await recommended(own, { resource_uid: 'i-1' }, { resource_uid: 'i-2' })
    const team = (await own.send('POST', '/teams', { name: 'Core' })).body.data.id
    await own.send('POST', `/teams/${team}/resources`, { resourceUIDs: ['i-1'] })
    const group = { name: 'Shop', members: [{ resourceUID: 'i-1' }] }
    const { id } = (await own.send('POST', '/resource-groups', group)).body.data
    for (const query of [`team_id=${team}`, `group_id=${id}`]) {
      const { items } = (await own.get(`/recommendations?${query}`)).body.data
      expect(
        items.map((one: any) => one.id),
        query,
      ).to.deep.equal([first])
      const summary = (await own.get(`/recommendations/summary?${query}`)).body.data
      expect([summary.totalOpen, summary.totalSavings], query).to.deep.equal([1, 40])
    }
  })

  it('come in pages of ten, and of a hundred at most [REC-19]', async () => {
    const own = await tenant()
    const twelve = Array.from({ length: 12 }, (_, n) => ({ resource_uid: `i-${n}`, rule_id: `RC-${1000 + n}` }))
    await recommended(own, ...twelve)
    for (const list of ['', '/resources', '/rules'])
      for (const [query, items, limit, hasMore] of [
        ['', 10, 10, true],
        ['page=2', 2, 10, false],
        ['page=3', 0, 10, false],
        ['size=500', 12, 100, false],
        ['size=12', 12, 12, false],
        ['limit=11', 11, 11, true],
      ] as const) {
        const page = (await own.get(`/recommendations${list}?${query}`)).body.data
        expect([page.items.length, page.limit, page.hasMore, page.total], `${list}?${query}`).to.deep.equal([
          items,
          limit,
          hasMore,
          12,
        ])
      }
  })

  it('are refused for words that are none [REC-16]', async () => {
    for (const [query, name] of [
      ['status=closed', 'status/0 enum'],
      ['severity=urgent', 'severity/0 enum'],
      ['category=cost', 'category/0 enum'],
      ['provider=other', 'provider/0 enum'],
      ['sort_by=name', 'sort_by enum'],
      ['sort_order=up', 'sort_order enum'],
      ['size=0', 'size minimum'],
      ['min_savings=-1', 'min_savings minimum'],
      ['colour=red', 'colour unknown_parameter'],
    ] as const)
      for (const list of ['', '/resources', '/rules']) {
        const [status, , ...errors] = told(await org.get(`/recommendations${list}?${query}`))
        expect([status, errors.length, errors[0]?.toString().split(/[/ ]/)[0]], `${list}?${query}`).to.deep.equal([
          400,
          1,
          name.split(/[/ ]/)[0],
        ])
      }
  })

  it('are summed by resource: all that match are counted, and open ones added up [REC-02] [REC-39]', async () => {
    const { items, ...page } = await data('/resources')
    expect(page).to.deep.equal({ total: 4, page: 1, limit: 10, hasMore: false })
    expect(items).to.deep.equal([
      {
        resourceUid: 'i-1',
        resourceName: 'web',
        resourceType: 'aws-ec2',
        provider: 'aws',
        cloudAccountId: 'acct-1',
        cloudAccountName: 'acct-1',
        recommendationCount: 3,
        openCount: 2,
        totalSavingsUsd: 90.3,
      },
      {
        resourceUid: 'i-2',
        resourceName: 'db 100%',
        resourceType: 'aws-ec2',
        provider: 'aws',
        cloudAccountId: 'acct-2',
        cloudAccountName: 'acct-2',
        recommendationCount: 1,
        openCount: 1,
        totalSavingsUsd: 10,
      },
      {
        resourceUid: 'disk-1',
        resourceName: 'disk_1',
        resourceType: 'gcp-disk',
        provider: 'gcp',
        cloudAccountId: 'acct-3',
        cloudAccountName: 'acct-3',
        recommendationCount: 2,
        openCount: 1,
        totalSavingsUsd: 0.3,
      },
      {
        resourceUid: '/subscriptions/s/vm-1',
        resourceName: 'vm-1',
        resourceType: 'azure-vm',
        provider: 'azure',
        cloudAccountId: 'acct-4',
        cloudAccountName: 'acct-4',
        recommendationCount: 1,
        openCount: 0,
        totalSavingsUsd: 0,
      },
    ])
    const uids = async (query: string) => (await data(`/resources?${query}`)).items.map((one: any) => one.resourceUid)
    // Of open ones: i-1 has a critical one, disk-1 one of info; of vm-1 all are looked at.
    expect(await uids('sort_by=severity')).to.deep.equal(['i-1', '/subscriptions/s/vm-1', 'i-2', 'disk-1'])
    expect(await uids('sort_by=updated_at&size=1')).to.deep.equal(['i-1'])
    expect(await uids('status=applied,dismissed')).to.have.members(['disk-1', '/subscriptions/s/vm-1'])
  })

  it('are summed by rule, which is as serious as its open ones are [REC-03] [REC-40]', async () => {
    const { items } = await data('/rules')
    const rule = (ruleId: string, category: string, severity: string, ...figures: number[]) => {
      const [resourceCount, openCount, totalSavingsUsd] = figures
      const title = ruleOf(ruleId)?.name ?? ruleId
      return { ruleId, title, category, severity, resourceCount, openCount, totalSavingsUsd }
    }
    expect(items).to.deep.equal([
      rule('RC-1001', 'idle', 'critical', 2, 2, 70.1),
      rule('RC-1101', 'rightsizing', 'high', 1, 1, 30.2),
      rule('RC-2301', 'orphan', 'info', 1, 1, 0.3),
      rule('RC-1002', 'idle', 'critical', 1, 0, 0),
      rule('RC-2401', 'compliance', 'high', 1, 0, 0),
      rule('RC-3001', 'idle', 'high', 1, 0, 0),
    ])
    const some = await data('/rules?rule_id=RC-1001&provider=aws&cloud_account_id=acct-2')
    expect(some.items).to.deep.equal([rule('RC-1001', 'idle', 'low', 1, 1, 10)])
  })

  it('come to these figures: a resource’s cost once, and nothing of what is stale [REC-04] [REC-05] [REC-41] [VER-06]', async () => {
    expect(await data('/summary')).to.deep.equal({
      totalOpen: 4,
      totalOpenCost: 110.4,
      totalSavings: 100.6,
      criticalCount: 1,
      highCount: 1,
      resourceCount: 3,
      awsResources: 2,
      gcpResources: 1,
      azureResources: 0,
      appliedCount: 1,
      dismissedCount: 1,
      optimisedCount: 0,
      ruleRetiredCount: 0,
    })
    expect(await data('/summary/providers')).to.deep.equal([
      { provider: 'aws', totalOpen: 3, totalSavings: 100.3, criticalCount: 1, highCount: 1 },
      { provider: 'gcp', totalOpen: 1, totalSavings: 0.3, criticalCount: 0, highCount: 0 },
      { provider: 'azure', totalOpen: 0, totalSavings: 0, criticalCount: 0, highCount: 0 },
    ])
    expect(await data('/summary?region=eu-west-1&min_savings=1')).to.include({
      totalOpen: 1,
      totalOpenCost: 10.1,
      totalSavings: 10,
    })
    const none = (await (await tenant()).get('/recommendations/summary')).body.data
    expect([...new Set(Object.values(none))]).to.deep.equal([0])
    expect(Object.keys(none)).to.have.length(13)
  })

  it('are filtered by these words, in this order [REC-06] [REC-28] [REC-29] [REC-30] [VER-06]', async () => {
    expect(await data('/filter-fields')).to.deep.equal({
      statuses: ['open', 'applied', 'dismissed', 'optimised', 'rule_retired'],
      severities: ['critical', 'high', 'medium', 'low', 'info'],
      categories: ['idle', 'rightsizing', 'schedule', 'orphan', 'compliance', 'discount', 'governance'],
      providers: ['aws', 'gcp', 'azure'],
    })
  })

  it('of one resource are there under its uid too, which is deprecated [REC-07] [VER-05]', async () => {
    const bare = {
      resourceUid: 'i-bare',
      name: 'bare',
      type: 'aws-ec2',
      provider: 'aws',
      cloudAccountId: 'acct-1',
    } as const
    await org.publish(resourceDiscovered, [{ ...bare, region: 'us-east-1' }])
    for (const uid of ['i-1', '/subscriptions/s/vm-1', 'i-bare']) {
      const answer = await org.get(`/recommendations/resources/${encodeURIComponent(uid)}`)
      expect([answer.status, answer.headers.get('deprecation')]).to.deep.equal([200, '@1767225600'])
      expect(answer.body.data).to.deep.equal((await data(`?resource_uid=${encodeURIComponent(uid)}`)).items)
    }
    expect(told(await org.get('/recommendations/resources/nothing'))).to.deep.equal([404, 'not_found'])
  })
})
