// tier: deep
import { expect } from 'chai'
import { listedKinds, pathOf } from '#streams/cloud/kubernetes/object/kind.ts'
import { ownCluster } from '#streams/cloud/kubernetes/own/connector.ts'
import { connect, type Connected } from '#test/harness/connected.ts'
import { fixedServer, list, unpaced, type Answer, type FixedServer } from '#test/harness/kubernetes.ts'
import { resetClock, setClock } from '#test/harness/people.ts'
import { ownClouds, tenant, testProduct } from '#test/harness/product.ts'

const externalID = 'cluster/rack'
const made = (name: string, more: object = {}) => ({
  metadata: { name, creationTimestamp: '2025-01-01T00:00:00Z', ...more },
})
const web = made('web', { namespace: 'shop' })
const scale = '/apis/apps/v1/namespaces/shop/deployments/web'

/** One node of 16 cores and 64 GiB, on which one pod requests two cores and 4 GiB and uses half a core. */
const answers: Record<string, Answer> = {
  ...Object.fromEntries(listedKinds.map((kind) => [pathOf(kind), list('Thing', [])])),
  '/version': { body: { gitVersion: 'v1.31.0' } },
  '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews': {
    body: { status: { resourceRules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }], incomplete: false } },
  },
  '/api/v1/nodes': list('Node', [{ ...made('rack-1'), status: { capacity: { cpu: '16', memory: '64Gi' } } }]),
  '/api/v1/pods': list('Pod', [
    {
      ...made('web-1', { namespace: 'shop' }),
      spec: { nodeName: 'rack-1', containers: [{ resources: { requests: { cpu: '2', memory: '4Gi' } } }] },
      status: { phase: 'Running', startTime: '2025-01-01T00:00:00Z' },
    },
  ]),
  '/apis/metrics.k8s.io/v1beta1/pods': list('PodMetrics', [
    {
      metadata: { name: 'web-1', namespace: 'shop' },
      containers: [{ usage: { cpu: '500m', memory: '1Gi' } }],
    },
  ]),
}

describe('a cluster without a cloud account, through the whole product', () => {
  let server: FixedServer
  let org: Connected
  let replicas = 2
  const deployment = () => ({ ...web, spec: { replicas }, status: { replicas, readyReplicas: replicas } })
  before(async () => {
    server = await fixedServer(({ method, path, body }) => {
      if (method === 'PATCH' && path === `${scale}/scale`) replicas = body.spec.replicas
      if (path.startsWith(scale)) return { body: deployment() }
      return path === '/apis/apps/v1/deployments' ? list('Deployment', [deployment()]) : answers[path]
    })
    const { clock } = (await testProduct()).connections
    ownClouds.set(externalID, ownCluster({ caller: unpaced(), clock, allowPrivate: true }))
    const kubeconfig = JSON.stringify({
      clusters: [{ name: 'c', cluster: { server: server.url } }],
      users: [{ name: 'u', user: { token: 'secret' } }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    })
    const credentials = { kubeconfig, prices: { vcpuUsdHour: 0.02, gibUsdHour: 0.005 } }
    const body = { name: 'Rack', provider: 'aws', externalID, credentials }
    org = await connect(await tenant(), body, async () => {
      ownClouds.delete(externalID)
      server.close()
    })
  })
  after(async () => {
    await org.end()
    await resetClock()
  })

  it('is connected with what its user may do, and shows no credentials', async () => {
    const account = await org.account()
    expect(account).to.include({ driver: 'real', status: 'connected', permissionVerdict: 'read_write' })
    expect(JSON.stringify(account)).to.not.include('secret')
  })

  it('is in the inventory with its nodes and workloads', async () => {
    const found = (await org.resources()).map(({ type, uid }) => `${type} ${uid}`)
    expect(found).to.have.members([
      'aws-eks cluster/rack',
      'aws-eks-node cluster/rack/node/rack-1',
      'aws-eks-pod cluster/rack/shop/pod/web-1',
      'aws-eks-deployment cluster/rack/shop/deployment/web',
    ])
  })

  it('has workloads that are stopped', async () => {
    const { actionID } = await org.done('POST', '/actions', {
      type: 'stop',
      resourceUID: 'cluster/rack/shop/deployment/web',
      provider: 'aws',
      resourceType: 'aws-eks-deployment',
      cloudAccountID: org.accountId,
      region: 'global',
    })
    await org.reached('the end of the action', async () => {
      const { status } = await org.data(`/actions/${actionID}`)
      return status === 'succeeded'
    })
    expect(replicas).to.equal(0)
  })

  it('has costs by the prices that are set, in the Kubernetes report and in no total', async () => {
    await org.job('kubernetes-usage')
    const intervals = async () =>
      org.facts(`SELECT DISTINCT \`from\` AS begin FROM kubernetes_node WHERE org_id = {org:String}`)
    await org.reached('its nodes', async () => (await intervals()).length > 0)
    await org.done('PATCH', `/cloud-accounts/${org.accountId}`, { enabled: false })
    const told = (await intervals()).length
    // What arrives in parts is divided a quarter of an hour later.
    await setClock(new Date(org.connections.clock.now() + 16 * 60_000), org.orgId)
    const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
    const range = `from=${day(-1)}&to=${day(1)}`
    const report = () => org.data(`/reports/kubernetes?${range}`)
    await org.reached('its costs', async () => Number((await report()).totals.workloadUSD) > 0)
    const { totals } = await report()
    // An hour of the node: 16 × 0.02 + 64 × 0.005 = 0.64. Of the pod: 2 × 0.02 + 4 × 0.005 = 0.06. Each interval is a twelfth.
    const figures = [totals.costUSD, totals.workloadUSD, totals.idleUSD, totals.estimatedUSD].map(Number)
    for (const [at, hour] of [0.64, 0.06, 0.58, 0.64].entries())
      expect(figures[at], `${at}`).to.be.closeTo((hour / 12) * told, 1e-9)
    const { data } = (await org.get(`/reports/costs/resources?${range}`)).body
    expect(data.items ?? data).to.deep.equal([])
  })
})
