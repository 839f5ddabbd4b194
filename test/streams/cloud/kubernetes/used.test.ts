import { expect } from 'chai'
import { Fault } from '#engine/value/fault.ts'
import { balancedBy, clusterUsage } from '#streams/cloud/kubernetes/usage/cluster-usage.ts'
import { apiOf, cluster, failure, fixedServer, list, type Answer, type FixedServer } from '#test/harness/kubernetes.ts'

const interval = { from: new Date('2026-01-15T11:55:00Z'), seconds: 300 }
const old = '2026-01-01T00:00:00Z'

const meta = (name: string, more: object = {}) => ({ metadata: { name, creationTimestamp: old, ...more } })
const inShop = (name: string, more: object = {}) => meta(name, { namespace: 'shop', ...more })
const ownedBy = (kind: string, name: string) => ({ ownerReferences: [{ kind, name, controller: true }] })
const requests = (cpu: string, memory: string, more: object = {}) => ({
  resources: { requests: { cpu, memory, ...more } },
})

const node = {
  ...meta('n1', {
    labels: { 'node.kubernetes.io/instance-type': 'm5.large', 'topology.kubernetes.io/region': 'eu-west-1' },
  }),
  spec: { providerID: 'aws:///eu-west-1a/i-0abc' },
  status: { capacity: { cpu: '2', memory: '8Gi', 'nvidia.com/gpu': '1' } },
}
/** Came at 11:58. */
const young = {
  metadata: { name: 'n2', creationTimestamp: '2026-01-15T11:58:00Z' },
  spec: {},
  status: { capacity: { cpu: '4', memory: '16Gi' } },
}

/** Two containers, one of which starts beside a sidecar: at start it needs 0.1 + 1 core, running 0.1 + 0.5 + 0.25. */
const web = {
  ...inShop('web-1-a', { ...ownedBy('ReplicaSet', 'web-1'), labels: { app: 'web', team: 'shop' } }),
  spec: {
    nodeName: 'n1',
    volumes: [{ persistentVolumeClaim: { claimName: 'data' } }],
    initContainers: [
      { name: 'mesh', restartPolicy: 'Always', ...requests('100m', '64Mi') },
      { name: 'migrate', ...requests('1', '128Mi') },
    ],
    containers: [
      { name: 'app', ...requests('500m', '256Mi', { 'nvidia.com/gpu': '1' }) },
      { name: 'log', resources: { limits: { cpu: '250m', memory: '128Mi' } } },
    ],
  },
  status: { phase: 'Running', startTime: '2026-01-15T09:00:00Z' },
}
const nightly = {
  ...inShop('nightly-1-x', ownedBy('Job', 'nightly-1')),
  spec: { nodeName: 'n1', containers: [{ name: 'job', ...requests('1', '1Gi') }] },
  status: {
    phase: 'Succeeded',
    startTime: '2026-01-15T11:50:00Z',
    containerStatuses: [{ state: { terminated: { finishedAt: '2026-01-15T11:56:30Z' } } }],
  },
}
/** Ended before the interval, waits for a node, and came behind it. */
const others = [
  { ...nightly, ...inShop('done'), status: { ...nightly.status, containerStatuses: [] } },
  { ...inShop('waits'), spec: {}, status: { phase: 'Pending' } },
  { ...inShop('later'), spec: { nodeName: 'n1' }, status: { phase: 'Running', startTime: '2026-01-15T12:00:01Z' } },
]

const lists: Record<string, Answer> = {
  '/api/v1/nodes': list('Node', [node, young, { ...meta('broken'), status: {} }]),
  '/api/v1/pods': list('Pod', [web, nightly, ...others]),
  '/apis/apps/v1/replicasets': list('ReplicaSet', [inShop('web-1', ownedBy('Deployment', 'web'))]),
  '/apis/batch/v1/jobs': list('Job', [inShop('nightly-1', ownedBy('CronJob', 'nightly'))]),
  '/apis/metrics.k8s.io/v1beta1/pods': list('PodMetrics', [
    {
      metadata: { name: 'web-1-a', namespace: 'shop' },
      containers: [{ usage: { cpu: '300m', memory: '200Mi' } }, { usage: { cpu: '20m', memory: '56Mi' } }],
    },
  ]),
  '/api/v1/persistentvolumes': list('PersistentVolume', [
    { ...meta('pv-1'), spec: { csi: { volumeHandle: 'vol-1' } } },
    { ...meta('pv-2'), spec: { awsElasticBlockStore: { volumeID: 'aws://eu-west-1a/vol-2' } } },
    { ...meta('pv-3'), spec: { hostPath: { path: '/data' } } },
  ]),
  '/api/v1/persistentvolumeclaims': list('PersistentVolumeClaim', [
    { ...inShop('data'), spec: { volumeName: 'pv-1' } },
    { ...inShop('left'), spec: { volumeName: 'pv-2' } },
    { ...inShop('local'), spec: { volumeName: 'pv-3' } },
    { ...inShop('unbound'), spec: {} },
  ]),
  '/api/v1/services': list('Service', [
    {
      ...inShop('web'),
      spec: { type: 'LoadBalancer' },
      status: { loadBalancer: { ingress: [{ hostname: 'Web-1.elb.amazonaws.com' }] } },
    },
    {
      ...inShop('foreign'),
      spec: { type: 'LoadBalancer' },
      status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } },
    },
    { ...inShop('inside'), spec: { type: 'ClusterIP' } },
  ]),
}

describe('who uses a cluster, as its API server tells', () => {
  let server: FixedServer
  let answers: Record<string, Answer>
  beforeEach(async () => {
    answers = { ...lists }
    server = await fixedServer(({ path }) => answers[path])
  })
  afterEach(() => server.close())

  const balancer = balancedBy(async (host) => (host === 'web-1.elb.amazonaws.com' ? 'arn:balancer' : undefined))
  const told = () => clusterUsage(apiOf(server.url), cluster, interval, balancer)

  it('is its nodes, its pods by what runs them in the end, its claims by their disks and its load balancers', async () => {
    expect(await told()).to.deep.equal({
      clusterUid: cluster.uid,
      clusterName: 'prod',
      provider: 'aws',
      from: '2026-01-15T11:55:00.000Z',
      seconds: 300,
      nodes: [
        {
          name: 'n1',
          resourceUid: 'i-0abc',
          providerID: 'aws:///eu-west-1a/i-0abc',
          instanceType: 'm5.large',
          region: 'eu-west-1',
          cpuCores: 2,
          memoryBytes: 8 * 2 ** 30,
          gpus: 1,
        },
        { name: 'n2', seconds: 120, cpuCores: 4, memoryBytes: 16 * 2 ** 30 },
      ],
      pods: [
        {
          namespace: 'shop',
          name: 'web-1-a',
          node: 'n1',
          controllerKind: 'deployment',
          controllerName: 'web',
          labels: { app: 'web', team: 'shop' },
          cpuRequest: 1.1,
          cpuUsed: 0.32,
          memoryRequest: 448 * 2 ** 20,
          memoryUsed: 256 * 2 ** 20,
          gpus: 1,
        },
        {
          namespace: 'shop',
          name: 'nightly-1-x',
          node: 'n1',
          controllerKind: 'cronjob',
          controllerName: 'nightly',
          seconds: 90,
          cpuRequest: 1,
          memoryRequest: 2 ** 30,
        },
      ],
      claims: [
        { namespace: 'shop', name: 'data', volumeUid: 'vol-1', pods: ['web-1-a'] },
        { namespace: 'shop', name: 'left', volumeUid: 'vol-2' },
      ],
      loadBalancers: [{ namespace: 'shop', service: 'web', resourceUid: 'arn:balancer' }],
    })
  })

  it('leaves out what a cluster does not measure or let us see, and nothing else', async () => {
    for (const path of [
      '/apis/metrics.k8s.io/v1beta1/pods',
      '/apis/batch/v1/jobs',
      '/api/v1/persistentvolumes',
      '/api/v1/services',
    ])
      answers[path] = failure(403, 'no')
    const usage = await told()
    expect(Object.keys(usage ?? {})).to.not.include.members(['claims', 'loadBalancers'])
    expect(usage?.pods?.map(({ name, controllerKind, cpuUsed }) => [name, controllerKind, cpuUsed])).to.deep.equal([
      ['web-1-a', 'deployment', undefined],
      ['nightly-1-x', 'job', undefined],
    ])
  })

  it('says so of a cluster without nodes, is nothing of one of which one namespace is ours, and a fault where pods are not listed', async () => {
    answers['/api/v1/nodes'] = list('Node', [])
    expect((await told())?.nodes).to.deep.equal([])
    const narrow = apiOf(server.url, { namespace: 'shop' })
    expect(await clusterUsage(narrow, cluster, interval, balancer)).to.equal(undefined)
    Object.assign(answers, { '/api/v1/nodes': lists['/api/v1/nodes'], '/api/v1/pods': failure(403, 'no') })
    const error = await told().catch((caught: unknown) => caught)
    expect(error).to.be.instanceOf(Fault).and.include({ code: 'permission_missing' })
  })
})
