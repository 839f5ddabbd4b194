import { expect } from 'chai'
import { billingLine } from '#streams/billing/messages.ts'
import { kubernetesUsage, type KubernetesUsage } from '#streams/kubernetes/messages.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { calm } from '#test/harness/chat.ts'
import { ask, colleague, type Founder } from '#test/harness/people.ts'
import { tenant, until, type Tenant } from '#test/harness/product.ts'
import { deepIt, isDeep } from '#test/harness/tier.ts'

const day = new Date(Date.now() - 3 * 86_400_000).toISOString().slice(0, 10)
const gib = 1024 ** 3
const cluster = 'shop-eu'

/** Hour 10 of the day: a machine of 4 cores and 16 GiB, of whose price 0.650981 is for processors. */
const usage = (more: Partial<KubernetesUsage> = {}): KubernetesUsage => ({
  clusterUid: cluster,
  clusterName: 'shop',
  provider: 'aws',
  from: `${day}T10:00:00Z`,
  seconds: 3600,
  nodes: [{ name: 'n1', resourceUid: 'i-1', cpuCores: 4, memoryBytes: 16 * gib }],
  pods: [
    {
      namespace: 'orders',
      name: 'api-1',
      node: 'n1',
      controllerKind: 'deployment',
      controllerName: 'api',
      labels: { team: 'shop', 'pod-template-hash': '7f' },
      cpuRequest: 1,
      cpuUsed: 0.5,
      memoryRequest: 4 * gib,
      memoryUsed: 2 * gib,
    },
    {
      namespace: 'search',
      name: 'index-0',
      node: 'n1',
      controllerKind: 'statefulset',
      controllerName: 'index',
      labels: { team: 'data' },
      cpuRequest: 0.5,
      cpuUsed: 1,
      memoryRequest: 2 * gib,
      memoryUsed: 4 * gib,
    },
  ],
  claims: [{ namespace: 'search', name: 'data', volumeUid: 'vol-1', pods: ['index-0'] }],
  ...more,
})

const line = (uid: string, costUSD: number, more: object = {}) => ({
  lineId: `${day}/${uid}`,
  cloudAccountId: 'acct-1',
  provider: 'aws',
  resourceUid: uid,
  serviceName: 'ec2',
  usageDate: day,
  costUSD,
  exportedAt: `${day}T23:00:00Z`,
  ChargePeriodStart: `${day}T10:00:00Z`,
  ChargePeriodEnd: `${day}T11:00:00Z`,
  ...more,
})

describe('what clusters cost', () => {
  let org: Tenant
  const range = `from=${day}&to=${day}`
  const report = async (more = '') => (await org.get(`/reports/kubernetes?${range}${more}`)).body.data
  const brief = (items: any[]) => items.map(({ kind, label, costUSD }) => [kind, label, costUSD])

  before(async () => {
    org = await tenant()
    await org.publish(kubernetesUsage, [usage()], { place: 'acct-1' })
    await org.publish(billingLine, [line('i-1', 1), line('vol-1', 0.2), line(cluster, 0.1), line('i-other', 5)])
    await until('it is divided', async () => Number((await report()).totals.costUSD) === 1.3)
  })

  // Of 4 cores and 16 GiB: 4 × 0.031611 = 0.126444 and 16 × 0.004237 = 0.067792, so processors are 0.650981 of the price.
  // A pod with a core of four has 0.16274525 of it, with 4 GiB of sixteen 0.08725475: 0.25 together.
  it('is by namespace what was requested or used, with idle and overhead beside it, and adds up to the bill', async () => {
    const { items, totals, total } = await report()
    expect(brief(items)).to.deep.equal([
      ['idle', 'Idle of shop', '0.5'],
      ['workload', 'search', '0.45'],
      ['workload', 'orders', '0.25'],
      ['overhead', 'Overhead of shop', '0.1'],
    ])
    expect([total, totals]).to.deep.equal([
      4,
      {
        costUSD: '1.3',
        workloadUSD: '0.7',
        idleUSD: '0.5',
        overheadUSD: '0.1',
        unmeasuredUSD: '0',
        estimatedUSD: '0',
        itemsUSD: '1.3',
      },
    ])
    const { kind: _kind, label: _label, ...orders } = items[2]
    expect(orders).to.deep.equal({
      clusterUID: cluster,
      clusterName: 'shop',
      namespace: 'orders',
      costUSD: '0.25',
      cpuUSD: '0.16274525',
      memoryUSD: '0.08725475',
      gpuUSD: '0',
      storageUSD: '0',
      loadBalancerUSD: '0',
      networkUSD: '0',
      idleUSD: '0',
      estimatedUSD: '0',
      cpuCoreHours: { requested: 1, used: 0.5, allocated: 1, measured: 1 },
      memoryGibHours: { requested: 4, used: 2, allocated: 4, measured: 4 },
    })
  })

  it('is by workload, pod, node, cluster and label too', async () => {
    const groups = ['controller', 'pod', 'label:team', 'cluster', 'node']
    const [controllers, pods, teams, clusters, nodes] = await Promise.all(
      groups.map(async (group) => brief((await report(`&group_by=${group}&idle=apart`)).items)),
    )
    expect(controllers).to.deep.equal([
      ['workload', 'statefulset/index', '0.45'],
      ['workload', 'deployment/api', '0.25'],
    ])
    expect(pods).to.deep.equal([
      ['workload', 'index-0', '0.45'],
      ['workload', 'api-1', '0.25'],
    ])
    expect(teams).to.deep.equal([
      ['workload', 'data', '0.45'],
      ['workload', 'shop', '0.25'],
    ])
    expect(clusters).to.deep.equal([['workload', 'shop', '0.7']])
    expect(nodes).to.deep.equal([
      ['workload', 'n1', '0.5'],
      ['workload', '(none)', '0.2'],
    ])
  })

  it('shares what was idle as workloads cost of processors and of memory, to the last decimal', async () => {
    const { items, totals } = await report('&idle=shared')
    expect(totals.itemsUSD).to.equal('1.3')
    expect(items.map(({ label, costUSD, idleUSD }: any) => [label, costUSD, idleUSD])).to.deep.equal([
      ['search', '0.7', '0.25'],
      ['orders', '0.5', '0.25'],
      ['Overhead of shop', '0.1', '0'],
    ])
  })

  it('is narrowed by cluster, namespace and account', async () => {
    const narrowed = ['&namespace=orders', '&cluster=other', '&cloud_account_id=acct-2']
    const [orders, other, elsewhere] = await Promise.all(narrowed.map(report))
    expect(brief(orders.items)).to.deep.equal([['workload', 'orders', '0.25']])
    expect(other.items).to.deep.equal([])
    expect(elsewhere.totals.costUSD).to.equal('0')
  })

  deepIt('is narrowed by workload and by label, alone and together, with what of idle costs is theirs', async () => {
    const both = async (more: string) => {
      const { items, totals } = await report(more)
      return [
        items.map(({ kind, label, costUSD, idleUSD }: any) => `${kind} ${label} ${costUSD} ${idleUSD}`),
        `${totals.costUSD} ${totals.itemsUSD}`,
      ]
    }
    const api = '&controller=deployment/api'
    expect(await both(api)).to.deep.equal([['workload orders 0.25 0'], '0.25 0.25'])
    expect(await both('&label=team=data')).to.deep.equal([['workload search 0.45 0'], '0.45 0.45'])
    // Idle costs are half of the machine's; each had as much of it.
    expect(await both(`${api}&idle=shared`)).to.deep.equal([['workload orders 0.5 0.25'], '0.25 0.5'])
    expect(await both('&label=team=data&idle=shared&group_by=pod')).to.deep.equal([
      ['workload index-0 0.7 0.25'],
      '0.45 0.7',
    ])
    expect(await both(`${api},statefulset/index&label=team=shop,team=data&group_by=controller`)).to.deep.equal([
      ['workload statefulset/index 0.45 0', 'workload deployment/api 0.25 0'],
      '0.7 0.7',
    ])
    expect(await both(`${api}&label=team=data`)).to.deep.equal([[], '0 0'])
    expect(await both('&label=team=shop,team=data,tier=')).to.deep.equal([
      ['workload search 0.45 0', 'workload orders 0.25 0'],
      '0.7 0.7',
    ])
    expect(await both('&label=team=')).to.deep.equal([[], '0 0'])
    expect(await both('&controller=/&group_by=pod')).to.deep.equal([[], '0 0'])
    for (const [name, value] of [
      ['label', 'team'],
      ['label', '=shop'],
      ['controller', 'api'],
      ['label', 'pod-template-hash=7f'],
      ['group_by', 'label:pod-template-hash'],
    ]) {
      const { status, body } = await org.get(`/reports/kubernetes?${range}&${name}=${value}`)
      expect([status, body.errors.map((one: any) => one.name)]).to.deep.equal([400, [name]])
    }
  })

  deepIt('says which labels there are, and what the workloads cost that carry them', async () => {
    const labels = async (more = '') => (await org.get(`/reports/kubernetes/labels?${range}${more}`)).body.data
    // What differs from pod to pod of one template is no label of the workload.
    expect(await labels()).to.deep.equal({
      items: [{ key: 'team', values: 2, costUSD: '0.7' }],
      total: 1,
      page: 1,
      limit: 20,
      hasMore: false,
    })
    expect((await labels('&namespace=orders&search=EA')).items).to.deep.equal([
      { key: 'team', values: 1, costUSD: '0.25' },
    ])
    expect((await labels('&search=x')).items).to.deep.equal([])
    expect((await labels('&cluster=other')).total).to.equal(0)
    const { items, total } = await labels('&page=3')
    expect([items, total]).to.deep.equal([[], 1])
  })

  it('has a receipt that names each row of the bill and the share of it', async () => {
    const { data } = (await org.get(`/reports/kubernetes/receipt?${range}&cluster=${cluster}&namespace=search`)).body
    const told = data.items.map((one: any) => [one.resourceUid, one.component, one.costUSD, one.lineCostUSD, one.share])
    expect([data.totalUSD, told]).to.deep.equal([
      '0.45',
      [
        ['vol-1', 'storage', '0.2', '0.2', 1],
        ['i-1', 'cpu', '0.16274525', '1', 0.16274525],
        ['i-1', 'memory', '0.08725475', '1', 0.08725475],
      ],
    ])
    const behind = `/reports/kubernetes/receipt?${range}&cluster=${cluster}&namespace=search&page=2&limit=3`
    const { items, total, totalUSD } = (await org.get(behind)).body.data
    expect([items, total, totalUSD]).to.deep.equal([[], 3, '0.45'])
  })

  it('tells the hours that nobody told of', async () => {
    const { gaps } = await report()
    const [{ lastToldAt, ...gap }] = gaps
    expect([gaps.length, gap, lastToldAt]).to.deep.equal([
      1,
      { clusterUID: cluster, clusterName: 'shop', cloudAccountID: 'acct-1', hoursMissing: 13 },
      `${day}T11:00:00.000Z`,
    ])
  })

  it('is a dimension of costs, beside all that no cluster uses', async () => {
    const flow = (await org.get(`/reports/costs/breakdown?dims=cluster&dims=namespace&${range}`)).body.data
    expect([flow.totalUSD, flow.nodes.map(({ id, label, valueUSD }: any) => [id, label, valueUSD])]).to.deep.equal([
      6.3,
      [
        ['(none)', undefined, 5],
        [cluster, 'shop', 1.3],
        ['(none)|(none)', undefined, 5],
        [`${cluster}|(none)`, undefined, 0.6],
        [`${cluster}|search`, undefined, 0.45],
        [`${cluster}|orders`, undefined, 0.25],
      ],
    ])
    const { items } = (await org.get(`/reports/costs/resources?group_by=namespace&${range}`)).body.data
    expect(items.map(({ key, costUSD, resourceCount }: any) => [key, costUSD, resourceCount])).to.deep.equal([
      ['(none)', 5.6, 3],
      ['search', 0.45, 2],
      ['orders', 0.25, 1],
    ])
    const filtered = `/reports/costs/breakdown?dims=provider&filter[namespace]=search&${range}`
    expect((await org.get(filtered)).body.data.totalUSD).to.equal(0.45)
    const resources = `/reports/costs/resources?group_by=resource&filter[cluster]=${cluster}&${range}`
    expect((await org.get(resources)).body.data.items.map(({ key, costUSD }: any) => [key, costUSD])).to.deep.equal([
      ['i-1', 1],
      ['vol-1', 0.2],
      [cluster, 0.1],
    ])
  })

  it('goes to the teams and tags of workloads, else of their namespace, else of the machine', async () => {
    const at = { cloudAccountId: 'acct-1', provider: 'aws' as const, region: 'us-east-1' }
    const uids = { api: `${cluster}/orders/deployment/api`, search: `${cluster}/namespace/search`, machine: 'i-1' }
    await org.publish(resourceDiscovered, [
      { ...at, resourceUid: uids.api, name: 'api', type: 'aws-eks-deployment', tags: { tier: 'front' } },
      { ...at, resourceUid: uids.search, name: 'search', type: 'aws-eks-namespace', tags: { tier: 'back' } },
      { ...at, resourceUid: uids.machine, name: 'm', type: 'aws-ec2', tags: { tier: 'none', owner: 'ops' } },
    ])
    const tagged = async (key: string) => {
      const { nodes } = (await org.get(`/reports/costs/breakdown?dims=tag:${key}&filter[cluster]=${cluster}&${range}`))
        .body.data
      return nodes.map(({ id, valueUSD }: any) => [id, valueUSD])
    }
    const make = async (name: string, uid: string) => {
      const { id } = (await org.send('POST', '/teams', { name })).body.data
      await org.send('POST', `/teams/${id}/resources`, { resourceUIDs: [uid] })
    }
    await Promise.all([make('Shop', uids.api), make('Platform', uids.machine)])
    await calm(org)
    const byTier = await tagged('tier')
    expect(byTier).to.deep.equal([
      ['none', 0.5],
      ['back', 0.45],
      ['front', 0.25],
      ['(none)', 0.1],
    ])
    // The report of tags divides costs of clusters as the breakdown does [G-117].
    const values = (await org.get(`/reports/tags/tier?${range}`)).body.data
    expect(values.map(({ tagValue, costUSD }: any) => [tagValue, costUSD])).to.deep.equal(byTier.slice(0, 3))
    if (isDeep)
      expect(await tagged('team')).to.deep.equal([
        ['(none)', 0.6],
        ['data', 0.45],
        ['shop', 0.25],
      ])
    const { data } = (await org.get(`/reports/teams?${range}`)).body
    const teams = data.map((one: any) => [one.teamName, one.costUSD])
    // The machine's own team has what is idle and what the namespace without a team used of the machine; the disk has none.
    expect(teams).to.deep.equal([
      ['Unassigned', 5.3],
      ['Platform', 0.75],
      ['Shop', 0.25],
    ])
  })

  deepIt('is behind the receipts of teams, tags and namespaces: shares of lines that sum to the figure', async () => {
    const receipt = async (more: string) => {
      const { totalUSD, items } = (await org.get(`/reports/receipt?${range}&${more}`)).body.data
      return [
        totalUSD,
        items.map((one: any) => [one.resourceUid, one.costUSD, one.share ?? null, one.lineCostUSD ?? null]),
      ]
    }
    const teams = (await org.get('/teams')).body.data
    const idOf = (name: string) => (teams.items ?? teams).find((one: any) => one.name === name).id
    expect(await receipt(`team_id=${idOf('Platform')}`)).to.deep.equal(['0.75', [['i-1', '0.75', '0.75', '1']]])
    // ClickHouse plans each of these for seconds.
    if (!isDeep) return
    expect(await receipt('tag=tier:back')).to.deep.equal([
      '0.45',
      [
        ['i-1', '0.25', '0.25', '1'],
        ['vol-1', '0.2', null, null],
      ],
    ])
    expect(await receipt(`team_id=${idOf('Shop')}`)).to.deep.equal(['0.25', [['i-1', '0.25', '0.25', '1']]])
    const rest = [
      ['i-other', '5', null, null],
      [cluster, '0.1', null, null],
      ['vol-1', '0.2', null, null],
    ]
    expect(await receipt('team_id=unassigned')).to.deep.equal(['5.3', rest])
    expect(await receipt('filter[namespace]=orders')).to.deep.equal(['0.25', [['i-1', '0.25', '0.25', '1']]])
    expect((await receipt(`filter[cluster]=${cluster}`))[0]).to.equal('1.3')
  })

  it('shows a role with a report scope the clusters of its accounts alone [RBAC-04]', async () => {
    const asked = async (cloudAccountIDs: string[]) => {
      const name = `of ${cloudAccountIDs.join()}`
      const reportScope = { all: false, cloudAccountIDs }
      const role = await org.send('POST', '/roles', { name, permissions: ['service.view'], reportScope })
      const founder = { accessToken: org.token, orgId: org.orgId } as Founder
      const { accessToken: token } = await colleague(founder, role.body.data.id)
      const { totals, items, gaps } = (await ask('GET', `/reports/kubernetes?${range}`, { token })).body.data
      const receipt = (await ask('GET', `/reports/kubernetes/receipt?cluster=${cluster}&${range}`, { token })).body.data
      const labels = (await ask('GET', `/reports/kubernetes/labels?${range}`, { token })).body.data
      return [totals.costUSD, items.length, gaps.length, receipt.totalUSD, labels.total]
    }
    expect(await Promise.all([asked(['acct-1']), asked(['acct-2'])])).to.deep.equal([
      ['1.3', 4, 1, '1.3', 1],
      ['0', 0, 0, '0', 0],
    ])
  })

  it('refuses what cannot be known together, with the reason', async () => {
    const refused = async (path: string) => {
      const { status, body } = await org.get(path)
      return [status, body.errors?.[0]?.name, body.errors?.[0]?.message]
    }
    expect(await refused(`/reports/kubernetes?group_by=namespaces&${range}`)).to.deep.equal([
      400,
      'group_by',
      'must be one of cluster, namespace, controller, pod, node, label:KEY; did you mean namespace?',
    ])
    expect(await refused(`/reports/costs/breakdown?dims=namespace&dims=invoice_id&${range}`)).to.deep.equal([
      400,
      'dims',
      'invoice_id cannot be combined with namespace',
    ])
    const asOf = new Date(Date.now() - 60_000).toISOString()
    expect(await refused(`/reports/costs/breakdown?dims=cluster&asOf=${asOf}&${range}`)).to.deep.equal([
      400,
      'asOf',
      'cannot be combined with cluster',
    ])
  })
})
