import { expect } from 'chai'
import { cloudFault, type MetricSamples, type ResourceRef } from '#streams/cloud/connector.ts'
import type { KubernetesApi } from '#streams/cloud/kubernetes/api/api.ts'
import { kubernetesSamples } from '#streams/cloud/kubernetes/usage/measure.ts'
import { kubernetesPoolSamples } from '#streams/cloud/kubernetes/pod/reserve.ts'
import {
  apiOf,
  cluster,
  failure,
  fixedServer,
  lines,
  list,
  today,
  type Answer,
  type Asked,
  type FixedServer,
} from '#test/harness/kubernetes.ts'

const ref = (kind: string, name: string, namespace = 'shop'): ResourceRef => ({
  resourceUid: [cluster.uid, ...(namespace ? [namespace] : []), kind, name].join('/'),
  type: `aws-eks-${kind}`,
  region: cluster.region,
})
const hour = { from: new Date(today.getTime() - 3_600_000), to: today }

const requests = (cpu: string, memory: string) => ({ requests: { cpu, memory } })
const pod = (name: string, owner: string, resources: object, phase = 'Running') => ({
  metadata: {
    name,
    namespace: 'shop',
    ownerReferences: [{ kind: owner.split('/')[0], name: owner.split('/')[1], controller: true }],
  },
  spec: { containers: [{ name: 'app', resources }] },
  status: { phase },
})
const usage = (name: string, cpu: string, memory: string, timestamp = '2026-01-15T11:59:30Z') => ({
  metadata: { name, namespace: 'shop' },
  timestamp,
  containers: [{ name: 'app', usage: { cpu, memory } }],
})

const answers: Record<string, Answer> = {
  '/api/v1/nodes': list('Node', [{ metadata: { name: 'n1' }, status: { allocatable: { cpu: '2', memory: '4Gi' } } }]),
  '/apis/metrics.k8s.io/v1beta1/nodes': list('NodeMetrics', [
    { metadata: { name: 'n1' }, timestamp: '2026-01-15T11:59:00Z', usage: { cpu: '500m', memory: '1Gi' } },
    { metadata: { name: 'n2' }, timestamp: '2026-01-15T11:59:00Z', usage: { cpu: '1', memory: '1Gi' } },
  ]),
  '/apis/apps/v1/replicasets': list('ReplicaSet', [
    {
      metadata: {
        name: 'web-1',
        namespace: 'shop',
        ownerReferences: [{ kind: 'Deployment', name: 'web', controller: true }],
      },
    },
  ]),
  '/api/v1/pods': list('Pod', [
    pod('web-a', 'ReplicaSet/web-1', { ...requests('500m', '1Gi'), limits: { cpu: '1', memory: '2Gi' } }),
    pod('web-b', 'ReplicaSet/web-1', requests('500m', '1Gi')),
    pod('web-old', 'ReplicaSet/web-1', requests('500m', '1Gi'), 'Failed'),
    pod('queue-0', 'StatefulSet/queue', {}),
    pod('agent-x', 'DaemonSet/agent', requests('100m', '128Mi')),
  ]),
  '/apis/metrics.k8s.io/v1beta1/pods': list('PodMetrics', [
    usage('web-a', '300m', '512Mi', '2026-01-15T11:59:00Z'),
    usage('web-b', '150000000n', '256Mi'),
    usage('web-old', '1', '1Gi'),
    usage('queue-0', '20m', '64Mi'),
    usage('agent-x', '25m', '32Mi'),
  ]),
  '/apis/autoscaling/v2/horizontalpodautoscalers': list('HorizontalPodAutoscaler', [
    {
      metadata: { name: 'web', namespace: 'shop' },
      status: {
        currentReplicas: 2,
        currentMetrics: [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 45 } } }],
      },
    },
  ]),
}

describe('what runs in a cluster uses now', () => {
  let server: FixedServer
  let answer: (asked: Asked) => Answer | undefined
  before(async () => {
    server = await fixedServer((asked) => answer(asked))
  })
  beforeEach(() => {
    server.asked.splice(0)
    answer = ({ path }) => answers[path]
  })
  after(() => server.close())

  const sampled = async (resources: readonly ResourceRef[], window = hour, api: KubernetesApi = apiOf(server.url)) => {
    const all: MetricSamples[] = []
    for await (const samples of kubernetesSamples(api, cluster, resources, window)) all.push(samples)
    return Object.fromEntries(
      all.map(({ resourceUid, samples }) => [
        resourceUid.slice(cluster.uid.length + 1),
        [
          new Set(samples.map(({ ts }) => ts)).values().next().value,
          Object.fromEntries(samples.map(({ metric, value }) => [metric, value])),
        ],
      ]),
    )
  }

  it('is told of nodes by what they can give, of pods by what they may take, of workloads by what they request', async () => {
    const all = [
      ref('node', 'n1', ''),
      ref('pod', 'web-a'),
      ref('pod', 'web-old'),
      ref('deployment', 'web'),
      ref('statefulset', 'queue'),
      ref('daemonset', 'agent'),
      ref('horizontalpodautoscaler', 'web'),
      ref('configmap', 'settings'),
    ]
    expect(await sampled(all)).to.deep.equal({
      'node/n1': ['2026-01-15T11:59:00.000Z', { cpu_percent: 25, memory_percent: 25 }],
      // Of its limits: 300 of 1,000 and 512 of 2,048.
      'shop/pod/web-a': ['2026-01-15T11:59:00.000Z', { cpu_percent: 30, memory_percent: 25 }],
      // 450 of the 1,000 that two pods request, and of the 1,500 that they may take: 1,000 by limit, 500 by request.
      'shop/deployment/web': [
        '2026-01-15T11:59:30.000Z',
        {
          cpu_percent: 30,
          memory_percent: 25,
          cpu_request_percent: 45,
          memory_request_percent: 37.5,
          cpu_cores_used: 0.45,
          instance_count: 2,
        },
      ],
      'shop/statefulset/queue': ['2026-01-15T11:59:30.000Z', { cpu_cores_used: 0.02, instance_count: 1 }],
      'shop/daemonset/agent': ['2026-01-15T11:59:30.000Z', { cpu_request_percent: 25, memory_request_percent: 25 }],
      // Asked at noon, the end of the hour.
      'shop/horizontalpodautoscaler/web': ['2026-01-15T11:59:59.999Z', { hpa_cpu_percent: 45, replicas: 2 }],
    })
  })

  it('is asked for only where something is measured, and only of this cluster', async () => {
    const elsewhere = { ...ref('node', 'n1', ''), resourceUid: 'other/node/n1' }
    expect(
      await sampled([ref('configmap', 'a'), elsewhere, { resourceUid: 'i-1', type: 'aws-ec2', region: '' }]),
    ).to.deep.equal({})
    expect(lines(server)).to.deep.equal([])
    await sampled([ref('node', 'n1', '')])
    expect(lines(server)).to.deep.equal(['GET /api/v1/nodes', 'GET /apis/metrics.k8s.io/v1beta1/nodes'])
  })

  it('has no history', async () => {
    const yesterday = {
      from: new Date(today.getTime() - 48 * 3_600_000),
      to: new Date(today.getTime() - 24 * 3_600_000),
    }
    expect(await sampled([ref('node', 'n1', '')], yesterday)).to.deep.equal({})
    expect(lines(server)).to.deep.equal([])
    const seconds = { from: new Date('2026-01-15T11:59:15Z'), to: today }
    expect(await sampled([ref('node', 'n1', '')], seconds), 'measured before').to.deep.equal({})
  })

  it('is silent where nothing measures, where it may not be seen, and where the cluster is out of reach', async () => {
    const all = [ref('node', 'n1', ''), ref('horizontalpodautoscaler', 'web')]
    for (const status of [403, 404, 503]) {
      answer = ({ path }) => (path.startsWith('/apis/metrics') ? failure(status, 'no') : answers[path])
      expect(Object.keys(await sampled(all)), String(status)).to.deep.equal(['shop/horizontalpodautoscaler/web'])
    }
    const far = apiOf('https://10.0.0.1', {}, { allowPrivate: false })
    expect(await sampled(all, hour, far)).to.deep.equal({})
    const refused = cloudFault('user_action', 'credentials_refused', 'no role')
    const error = await sampled(all, hour, apiOf(server.url, { token: () => Promise.reject(refused) })).catch(
      (thrown) => thrown,
    )
    expect(error).to.equal(refused)
  })

  it('is told of pools of nodes by what their pods reserve, running or about to', async () => {
    const node = (name: string, pool: string) => ({
      metadata: { name, labels: { 'eks.amazonaws.com/nodegroup': pool } },
      status: { allocatable: { cpu: '2', memory: '4Gi' } },
    })
    const on = (nodeName: string, cpu: string, phase: string) => ({
      metadata: { name: `${nodeName}-${cpu}-${phase}`, namespace: 'shop' },
      spec: { nodeName, containers: [{ resources: requests(cpu, '1Gi') }] },
      status: { phase },
    })
    const given: Record<string, Answer> = {
      '/api/v1/nodes': list('Node', [
        node('a', 'general'),
        node('b', 'general'),
        node('c', 'spot'),
        { metadata: { name: 'd' } },
      ]),
      '/api/v1/pods': list('Pod', [
        on('a', '1', 'Running'),
        on('b', '500m', 'Pending'),
        on('b', '2', 'Succeeded'),
        on('d', '1', 'Running'),
      ]),
    }
    answer = ({ path }) => given[path]
    const pools = ['general', 'spot', 'empty'].map((name) => ({
      name,
      ref: { resourceUid: `pool/${name}`, type: 'aws-eks-nodegroup', region: '' },
    }))
    const all: MetricSamples[] = []
    for await (const samples of kubernetesPoolSamples(apiOf(server.url), pools, hour)) all.push(samples)
    const ts = '2026-01-15T11:59:59.999Z'
    const percent = (cpu: number, memory: number) => [
      { metric: 'cpu_reserved_percent', value: cpu, ts },
      { metric: 'memory_reserved_percent', value: memory, ts },
    ]
    // 1.5 of 4 cores and 2 of 8 GiB; the pool without pods reserves nothing, the one without nodes has nothing to tell.
    expect(all).to.deep.equal([
      { resourceUid: 'pool/general', samples: percent(37.5, 25) },
      { resourceUid: 'pool/spot', samples: percent(0, 0) },
    ])
  })
})
