import { expect } from 'chai'
import type { Static } from '#engine/value/schema.ts'
import { resourceDeleted, resourceDiscovered } from '#streams/resource/messages.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'

type Discovered = Static<typeof resourceDiscovered.schema>

const linkUid = 'projects/shop/zones/europe-west1-b/instances/web-1'
const diskUid = '/subscriptions/s1/resourceGroups/RG-Shop/providers/Microsoft.Compute/disks/data'

const web: Discovered = {
  resourceUid: 'i-0a1b',
  name: 'Shop Web',
  type: 'aws-ec2',
  provider: 'aws',
  cloudAccountId: 'acct-1',
  region: 'us-east-1',
  status: 'running',
  instanceType: 'm5.large',
  tags: { env: 'prod', 'cost-center': 'cc-1 / 2' },
}
const vm: Discovered = {
  resourceUid: linkUid,
  name: 'web-1',
  type: 'cloud-b-vm',
  provider: 'cloud-b',
  cloudAccountId: 'acct-2',
  region: 'europe-west1',
  status: 'stopped',
  instanceType: 'e2-small',
}
const disk: Discovered = {
  resourceUid: diskUid,
  name: 'data',
  type: 'azure-disk',
  provider: 'azure',
  cloudAccountId: 'acct-3',
  region: 'westeurope',
  sizeGB: 512.5,
  resourceGroup: 'RG-Shop',
}
const pods: Discovered = {
  resourceUid: 'svc/orders',
  name: 'orders',
  type: 'aws-ecs-service',
  provider: 'aws',
  cloudAccountId: 'acct-1',
  region: 'eu-west-1',
  status: 'starting',
  unitCount: 4,
  sizeGB: null,
}

const names = (r: { body: { data: { name: string }[] } }) => r.body.data.map((resource) => resource.name)
const publish = (org: Tenant, ...list: Discovered[]) => org.publish(resourceDiscovered, list)
const q = encodeURIComponent

describe('the inventory, from the stream to its lists', () => {
  let org: Tenant
  const idOf = async (uid: string) => (await org.get(`/resources/by-uids?uids=${q(uid)}`)).body.data[0].id as string
  before(async () => {
    org = await tenant()
    await publish(org, web, vm, disk, pods)
    expect((await org.send('PATCH', '/cloud-accounts/acct-1', { name: 'Production' })).status).to.equal(200)
  })

  it('lists what was discovered, by name, as a bare array in data [RES-01]', async () => {
    const r = await org.get('/resources')
    expect([r.status, r.headers.get('x-total-count')]).to.deep.equal([200, '4'])
    expect(Object.keys(r.body)).to.deep.equal(['data'])
    expect(names(r)).to.deep.equal(['Shop Web', 'data', 'orders', 'web-1'])
  })

  it('shows every field of a resource as it was discovered [RES-16..RES-32]', async () => {
    const shown = async (uid: string) => {
      const r = await org.get(`/resources/${await idOf(uid)}`)
      const { id, createdAt, updatedAt, ...rest } = r.body.data
      expect(id).to.match(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
      expect(createdAt).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      expect(Date.parse(createdAt)).to.be.within(performance.timeOrigin, Date.now() + 1000)
      expect(updatedAt).to.equal(createdAt)
      return rest
    }
    expect(await shown('i-0a1b')).to.deep.equal({
      name: 'Shop Web',
      uid: 'i-0a1b',
      type: 'aws-ec2',
      instanceType: 'm5.large',
      sizeGB: null,
      unitCount: null,
      region: 'us-east-1',
      status: 'running',
      cloudAccountID: 'acct-1',
      cloudAccountName: 'Production',
      cloudAccountDriver: 'simulated',
      provider: 'aws',
      parentUID: '',
      childCount: 0,
      schedulable: true,
      tags: { env: 'prod', 'cost-center': 'cc-1 / 2' },
    })
    expect(await shown(linkUid)).to.deep.equal({
      name: 'web-1',
      uid: linkUid,
      type: 'gcp-vm',
      instanceType: 'e2-small',
      sizeGB: null,
      unitCount: null,
      region: 'europe-west1',
      status: 'stopped',
      cloudAccountID: 'acct-2',
      cloudAccountName: 'acct-2',
      cloudAccountDriver: 'simulated',
      provider: 'gcp',
      parentUID: '',
      childCount: 0,
      schedulable: true,
      tags: {},
    })
    expect(await shown(diskUid)).to.deep.include({
      uid: diskUid,
      type: 'azure-disk',
      instanceType: '',
      sizeGB: 512.5,
      unitCount: null,
      status: 'pending',
      schedulable: false,
    })
    expect(await shown('svc/orders')).to.deep.include({
      type: 'aws-ecs-service',
      sizeGB: null,
      unitCount: 4,
      status: 'starting',
      schedulable: true,
    })
  })

  it('gives one resource by its id, and 404 for any other id [RES-02]', async () => {
    const id = await idOf('i-0a1b')
    expect((await org.get(`/resources/${id}`)).body.data).to.include({ id, uid: 'i-0a1b' })
    for (const other of ['i-0a1b', 'nope', '00000000-0000-8000-8000-000000000000', q(linkUid)]) {
      const r = await org.get(`/resources/${other}`)
      expect([r.status, r.body.code], other).to.deep.equal([404, 'not_found'])
    }
  })

  it('gives many by ids and by uids, in the query raw or encoded, in a body raw; unknown ones are left out [RES-03] [RES-04] [RES-05] [GEN-15]', async () => {
    const [a, b] = [await idOf('i-0a1b'), await idOf(linkUid)]
    expect(names(await org.get(`/resources/by-ids?ids=${a},${b},unknown`))).to.deep.equal(['Shop Web', 'web-1'])
    expect(names(await org.get('/resources/by-ids?ids=unknown'))).to.deep.equal([])
    for (const uids of [`i-0a1b,${q(linkUid)}`, `i-0a1b,${linkUid}`]) {
      expect(names(await org.get(`/resources/by-uids?uids=${uids},nope`))).to.deep.equal(['Shop Web', 'web-1'])
    }
    const many = [...Array.from({ length: 497 }, (_, i) => `unknown-${i}`), 'i-0a1b', linkUid, diskUid]
    const found = names(await org.send('POST', '/resources/by-uids', { uids: many }))
    expect(found).to.have.members(['Shop Web', 'web-1', 'data'])
    const refused = await org.send('POST', '/resources/by-uids', {})
    expect([refused.status, refused.body.errors.map((e: any) => e.name)]).to.deep.equal([400, ['/uids']])
  })

  it('finds part of a name or a uid in any case [RES-10]', async () => {
    for (const [text, expected] of [
      ['SHOP w', ['Shop Web']],
      ['0A1B', ['Shop Web']],
      ['Instances/WEB', ['web-1']],
      ['rg-shop', ['data']],
      ['%', []],
      ['_', []],
      ['nothing like it', []],
    ] as const) {
      expect(names(await org.get(`/resources?search=${q(text)}`)), text).to.deep.equal(expected)
    }
  })

  it('narrows by type, provider, status, region, account and schedulable, all at once, and counts alike [RES-06] [RES-11] [RES-12]', async () => {
    for (const [filter, expected] of [
      ['', ['data', 'orders', 'Shop Web', 'web-1']],
      ['provider=aws', ['orders', 'Shop Web']],
      ['provider=cloud-a', ['orders', 'Shop Web']],
      ['provider=aws,gcp', ['orders', 'Shop Web', 'web-1']],
      ['provider=gcp&status=stopped', ['web-1']],
      ['provider=gcp&status=running', []],
      ['type=aws-ec2', ['Shop Web']],
      ['type=aws-ec2&region=eu-west-1', []],
      ['region=eu-west-1,westeurope', ['data', 'orders']],
      ['status=pending', ['data']],
      ['cloud_account_id=acct-1', ['orders', 'Shop Web']],
      ['schedulable=true', ['orders', 'Shop Web', 'web-1']],
      ['schedulable=false', ['data']],
      ['schedulable=true&provider=aws&search=shop', ['Shop Web']],
    ] as const) {
      expect(names(await org.get(`/resources?${filter}`)), filter).to.have.members([...expected])
      expect((await org.get(`/resources/count?${filter}`)).body.data, filter).to.deep.equal({ count: expected.length })
    }
    expect((await org.get('/resources?schedulable=maybe')).status).to.equal(400)
  })

  it('sorts by name, type, status and provider, up and down [RES-13]', async () => {
    const order = async (query: string) => names(await org.get(`/resources?${query}`))
    expect(await order('sort_by=type')).to.deep.equal(['Shop Web', 'orders', 'data', 'web-1'])
    expect(await order('sort_by=type&sort_order=desc')).to.deep.equal(['web-1', 'data', 'orders', 'Shop Web'])
    expect(await order('sort_by=status')).to.deep.equal(['data', 'Shop Web', 'orders', 'web-1'])
    expect((await order('sort_by=provider')).slice(2)).to.deep.equal(['data', 'web-1'])
    expect((await order('sort_by=provider&sort_order=desc')).slice(0, 2)).to.deep.equal(['web-1', 'data'])
    expect((await org.get('/resources?sort_by=colour')).status).to.equal(400)
  })

  it('sums up the inventory by provider, and names the values there are [RES-07] [RES-09] [GEN-13]', async () => {
    const summary = (await org.get('/resources/discovery-summary')).body.data
    expect(summary).to.deep.equal({
      totalResources: 4,
      schedulableResources: 3,
      providers: [
        { provider: 'aws', resources: 2, lastSyncedAt: null },
        { provider: 'gcp', resources: 1, lastSyncedAt: null },
        { provider: 'azure', resources: 1, lastSyncedAt: null },
      ],
    })
    expect((await org.get('/resources/filter-fields')).body.data).to.deep.equal({
      types: ['aws-ec2', 'aws-ecs-service', 'azure-disk', 'gcp-vm'],
      providers: ['aws', 'gcp', 'azure'],
      regions: ['eu-west-1', 'europe-west1', 'us-east-1', 'westeurope'],
      statuses: ['running', 'stopped', 'starting', 'pending'],
    })
  })
})

describe('the inventory, as it changes', () => {
  let org: Tenant
  const one = async (uid: string) => (await org.get(`/resources/by-uids?uids=${q(uid)}`)).body.data[0]
  beforeEach(async () => void (org = await tenant()))

  it('keeps the id and the creation over rediscoveries, and moves updatedAt with a change only [RES-16] [RES-32]', async () => {
    await publish(org, web)
    const first = await one('i-0a1b')
    await publish(org, web)
    expect(await one('i-0a1b')).to.deep.equal(first)
    await publish(org, { ...web, status: 'stopped' })
    const changed = await one('i-0a1b')
    expect(changed).to.deep.equal({ ...first, status: 'stopped', updatedAt: changed.updatedAt })
    expect(Date.parse(changed.updatedAt)).to.be.above(Date.parse(first.updatedAt))
    await org.publish(resourceDeleted, [{ resourceUid: 'i-0a1b', provider: 'aws', cloudAccountId: 'acct-1' }])
    await publish(org, web)
    expect(await one('i-0a1b')).to.include({ id: first.id, createdAt: first.createdAt, status: 'running' })
  })

  it('has no other statuses than the five [RES-33]', async () => {
    const statuses = ['running', 'stopped', 'starting', 'stopping', 'pending'] as const
    const { status: _, ...unseen } = web
    await publish(org, { ...unseen, resourceUid: 'unseen' })
    await publish(org, ...statuses.map((status) => ({ ...web, resourceUid: status, status })))
    await publish(org, { ...web, resourceUid: 'asleep', status: 'asleep' as 'running' })
    expect((await one('unseen')).status).to.equal('pending')
    for (const status of statuses) expect((await one(status)).status).to.equal(status)
    expect(await one('asleep')).to.equal(undefined)
    expect((await org.get('/resources/filter-fields')).body.data.statuses).to.deep.equal([...statuses])
    const dead = await org.connections.store.pool.query('select code, reason from dead_letter where org_id = $1', [
      org.orgId,
    ])
    expect(dead.rows.map((row) => row.code)).to.deep.equal(['validation_failed'])
    expect(dead.rows[0].reason).to.contain('/status')
  })

  it('knows machines, databases, clusters and node pools of each provider by their literal types [RES-34] [RES-37]', async () => {
    const schedulable: Record<string, boolean> = {
      'aws-ec2': true,
      'aws-rds': true,
      'aws-eks': false,
      'aws-eks-nodegroup': true,
      'gcp-vm': true,
      'gcp-cloudsql': true,
      'gcp-gke': false,
      'gcp-gke-nodepool': true,
      'azure-vm': true,
      'azure-postgres': true,
      'azure-mysql': true,
      'azure-sql-database': false,
      'azure-aks': true,
      'azure-aks-nodepool': true,
      'aws-s3-bucket': false,
      'gcp-gcs-bucket': false,
      'azure-storage-account': false,
      'aws-eks-secret': false,
    }
    const types = Object.keys(schedulable)
    const provider = (type: string) => type.split('-')[0] as 'aws'
    await publish(org, ...types.map((type) => ({ ...web, resourceUid: type, type, provider: provider(type) })))
    const listed = (await org.get('/resources?limit=100')).body.data
    expect(Object.fromEntries(listed.map((r: any) => [r.type, r.schedulable]))).to.deep.equal(schedulable)
    for (const type of types) expect((await org.get(`/resources/count?type=${type}`)).body.data.count).to.equal(1)
  })

  it('has the analytics workspace with its clusters, pools and warehouses as children [RES-35] [RES-28] [RES-29]', async () => {
    const workspace: Discovered = {
      ...disk,
      resourceUid: '/subscriptions/s1/workspaces/w1',
      name: 'w1',
      type: 'azure-databricks',
    }
    const kinds = ['cluster', 'instance-pool', 'warehouse']
    const children = kinds.map((kind) => ({
      ...disk,
      resourceUid: `${workspace.resourceUid}/${kind}`,
      name: kind,
      type: `azure-databricks-${kind}`,
      parentUID: workspace.resourceUid,
    }))
    await publish(org, workspace, ...children)
    expect(await one(workspace.resourceUid)).to.include({ childCount: 3, parentUID: '', type: 'azure-databricks' })
    for (const kind of kinds) {
      expect(await one(`${workspace.resourceUid}/${kind}`)).to.include({
        type: `azure-databricks-${kind}`,
        parentUID: workspace.resourceUid,
        childCount: 0,
      })
    }
  })

  it('counts the children that are there now, in the same account only [RES-36]', async () => {
    const cluster = { ...web, resourceUid: 'cluster-1', type: 'aws-eks' }
    const child = (uid: string, account = 'acct-1') => ({
      ...web,
      resourceUid: uid,
      type: 'aws-eks-nodegroup',
      parentUID: 'cluster-1',
      cloudAccountId: account,
    })
    await publish(org, cluster, child('a'), child('b'), child('c', 'acct-2'))
    expect((await one('cluster-1')).childCount).to.equal(2)
    await org.publish(resourceDeleted, [{ resourceUid: 'a', provider: 'aws', cloudAccountId: 'acct-1' }])
    expect((await one('cluster-1')).childCount).to.equal(1)
    await publish(org, { ...child('b'), parentUID: '' })
    expect((await one('cluster-1')).childCount).to.equal(0)
  })

  it('keeps resources of one uid in two accounts apart', async () => {
    await publish(org, web, { ...web, cloudAccountId: 'acct-2', name: 'twin' })
    const both = (await org.get('/resources/by-uids?uids=i-0a1b')).body.data
    expect(both.map((r: any) => [r.name, r.cloudAccountID])).to.deep.equal([
      ['Shop Web', 'acct-1'],
      ['twin', 'acct-2'],
    ])
    await org.publish(resourceDeleted, [{ resourceUid: 'i-0a1b', provider: 'aws', cloudAccountId: 'acct-1' }])
    expect(names(await org.get('/resources'))).to.deep.equal(['twin'])
  })

  it('comes in pages of 20, at most 100, and refuses pages and limits that are no positive whole numbers [RES-14] [RES-15] [GEN-11] [LIM-01] [LIM-02]', async () => {
    const name = (i: number) => `r-${String(i).padStart(3, '0')}`
    const all = Array.from({ length: 150 }, (_, i) => name(i))
    await publish(org, ...all.map((uid) => ({ ...web, resourceUid: uid, name: uid })))
    expect(names(await org.get('/resources'))).to.deep.equal(all.slice(0, 20))
    expect(names(await org.get('/resources?page=1'))).to.deep.equal(all.slice(0, 20))
    expect(names(await org.get('/resources?page=8'))).to.deep.equal(all.slice(140))
    expect(names(await org.get('/resources?limit=1&page=2'))).to.deep.equal([name(1)])
    const most = await org.get('/resources?limit=1000')
    expect(names(most)).to.deep.equal(all.slice(0, 100))
    expect([most.headers.get('x-total-count'), most.headers.get('link')]).to.deep.equal([
      '150',
      '</resources?limit=100&page=2>; rel="next"',
    ])
    for (const bad of ['page=0', 'page=-1', 'limit=0', 'limit=-5', 'limit=abc', 'page=1.5', 'limit=']) {
      expect((await org.get(`/resources?${bad}`)).status, bad).to.equal(400)
    }
  })
})
