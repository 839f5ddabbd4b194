import { expect } from 'chai'
import { kubernetesActor } from '#actors/kubernetes/actor.ts'
import { kubernetesDue, kubernetesUsage, type KubernetesUsage } from '#streams/kubernetes/messages.ts'
import { MemoryActor } from '#test/harness/turn.ts'

const clusterUid = 'shop-eu'
const fresh = () => new MemoryActor(kubernetesActor, { place: 'acct-1', key: clusterUid })
const gib = 1024 ** 3

const hour = (more: Partial<KubernetesUsage> = {}): KubernetesUsage => ({
  clusterUid,
  from: '2026-01-15T10:00:00Z',
  seconds: 3600,
  ...more,
})
const rows = ({ facts }: { facts: { table: string; row: any }[] }) =>
  facts.map(({ table, row: { x_Version: _version, ...row } }) => [table, row])
const of = { org_id: 'o1', cloud_account_id: 'acct-1', day: '2026-01-15', cluster_uid: clusterUid }
const interval = { from: '2026-01-15T10:00:00.000Z', seconds: 3600 }

describe('the kubernetes actor', () => {
  it('writes down a node with its machine, its price and what that is for', () => {
    const node = {
      name: 'n1',
      providerID: 'aws:///us-east-1a/i-1',
      instanceType: 'm5.large',
      region: 'us-east-1',
      cpuCores: 2,
      memoryBytes: 8 * gib,
    }
    // 2 × 0.031611 of 2 × 0.031611 + 8 × 0.004237 = 0.097118.
    expect(rows(fresh().take(kubernetesUsage, hour({ nodes: [node] })))).to.deep.equal([
      [
        'kubernetes_node',
        {
          ...of,
          ...interval,
          node: 'n1',
          resource_uid: 'i-1',
          provider: 'aws',
          region: 'us-east-1',
          instance_type: 'm5.large',
          cpu_millicores: 2000,
          memory_kib: 8_388_608,
          gpu_millis: 0,
          cpu_ppm: 650_981,
          gpu_ppm: 0,
          price: '0.09600000',
        },
      ],
    ])
  })

  it('divides the price of a machine of Google as its family is priced, and knows accelerators', () => {
    const nodeOf = (fields: object) => {
      const node = { name: 'n', cpuCores: 4, memoryBytes: 16 * gib, ...fields }
      return rows(fresh().take(kubernetesUsage, hour({ provider: 'gcp', nodes: [node] })))[0]![1]
    }
    // N2 in us-central1: 0.031611 a core and 0.004237 a GiB, as the table has them.
    const plain = nodeOf({ instanceType: 'n2-standard-4', region: 'us-central1' })
    expect([plain.cpu_ppm, plain.gpu_ppm]).to.deep.equal([650_981, 0])
    // 4 × 0.031611 + 16 × 0.004237 + 0.95 = 1.144236.
    const accelerated = nodeOf({ gpus: 1 })
    expect([accelerated.cpu_ppm, accelerated.gpu_ppm, accelerated.price]).to.deep.equal([
      110_505,
      830_248,
      '0.00000000',
    ])
  })

  it('takes the price that came with a node, and its parts, before that of the tables', () => {
    const nodeOf = (fields: object) => {
      const node = { name: 'n', instanceType: 'm5.large', cpuCores: 2, memoryBytes: 8 * gib, ...fields }
      const [, row] = rows(fresh().take(kubernetesUsage, hour({ provider: 'aws', nodes: [node] })))[0]!
      return [row.price, row.cpu_ppm, row.gpu_ppm]
    }
    // Without parts, as all prices: 0.063222 of 0.097118.
    expect(nodeOf({ usdHour: 0.25 })).to.deep.equal(['0.25000000', 650_981, 0])
    // 0.04 and 0.10 of 0.20; the rest is for memory.
    expect(nodeOf({ usdHour: 0.2, cpuUsdHour: 0.04, gpuUsdHour: 0.1 })).to.deep.equal(['0.20000000', 200_000, 500_000])
    expect(nodeOf({ usdHour: 0, cpuUsdHour: 0 })).to.deep.equal(['0.00000000', 650_981, 0])
    // Parts that are more than the whole are never more than it.
    expect(nodeOf({ usdHour: 0.1, cpuUsdHour: 0.3, gpuUsdHour: 1 })).to.deep.equal(['0.10000000', 1_000_000, 0])
  })

  it('writes down pods, claims and load balancers, for no longer than the interval', () => {
    const pod = {
      namespace: 'orders',
      name: 'api-1',
      node: 'n1',
      controllerKind: 'Deployment',
      controllerName: 'api',
      seconds: 420,
      cpuRequest: 0.25,
      memoryRequest: gib,
      memoryUsed: gib / 2,
    }
    const claim = { namespace: 'orders', name: 'data', volumeUid: 'vol-1', pods: ['api-1', 'api-1'], seconds: 3600 }
    const balancer = { namespace: 'orders', service: 'web', resourceUid: 'lb-1' }
    const usage = {
      from: '2026-01-15T10:50:00Z',
      seconds: 600,
      pods: [pod],
      claims: [claim],
      loadBalancers: [balancer],
    }
    const actor = fresh()
    const done = actor.take(kubernetesUsage, hour(usage))
    const late = { from: '2026-01-15T10:50:00.000Z', seconds: 600 }
    expect(rows(done)).to.deep.equal([
      [
        'kubernetes_pod',
        {
          ...of,
          ...late,
          seconds: 420,
          namespace: 'orders',
          pod: 'api-1',
          node: 'n1',
          controller_kind: 'deployment',
          controller: 'api',
          labels: {},
          cpu_request: 250,
          cpu_used: null,
          memory_request: 1_048_576,
          memory_used: 524_288,
          gpu_request: 0,
          network_bytes: null,
        },
      ],
      [
        'kubernetes_object',
        { ...of, ...late, kind: 'claim', namespace: 'orders', name: 'data', resource_uid: 'vol-1', pods: ['api-1'] },
      ],
      [
        'kubernetes_object',
        { ...of, ...late, kind: 'service', namespace: 'orders', name: 'web', resource_uid: 'lb-1', pods: [] },
      ],
    ])
  })

  it('writes down that there were no nodes, where that is said', () => {
    const said = rows(fresh().take(kubernetesUsage, hour({ nodes: [] })))
    expect(said.map(([table, row]) => [table, row.node, row.from, row.seconds])).to.deep.equal([
      ['kubernetes_node', '', '2026-01-15T10:00:00.000Z', 3600],
    ])
    expect(rows(fresh().take(kubernetesUsage, hour()))).to.deep.equal([])
  })

  it('has days divided at once by whole hours, and a quarter of an hour later by what comes bit by bit', () => {
    const actor = fresh()
    expect(actor.take(kubernetesUsage, hour()).marks).to.deep.equal([
      { projection: 'cost-day', key: 'acct-1|2026-01-15' },
    ])
    const bit = actor.take(kubernetesUsage, hour({ from: '2026-01-15T11:00:00Z', seconds: 300 }))
    expect([bit.marks, [...actor.reminders]]).to.deep.equal([[], [['due', actor.now + 900_000]]])
    actor.take(kubernetesUsage, hour({ from: '2026-01-16T00:00:00Z', seconds: 300 }))
    expect(actor.reminders.size).to.equal(1)
    const due = actor.take(kubernetesDue, { clusterUid }, { at: actor.now + 900_000, reminder: 'due' })
    expect(due.marks.map(({ key }) => key)).to.deep.equal(['acct-1|2026-01-15', 'acct-1|2026-01-16'])
    expect(actor.state.dueDays).to.deep.equal([])
  })

  it('knows since when and until when it was told, whatever order that comes in', () => {
    const actor = fresh()
    actor.take(kubernetesUsage, hour({ clusterName: 'shop' }))
    actor.take(kubernetesUsage, hour({ from: '2026-01-14T10:00:00Z', clusterName: 'old name' }))
    const { name, firstAt, lastAt } = actor.state
    expect([name, firstAt?.toISOString(), lastAt?.toISOString()]).to.deep.equal([
      'shop',
      '2026-01-14T10:00:00.000Z',
      '2026-01-15T11:00:00.000Z',
    ])
  })

  it('tells rules what workloads use of what they request, where all of their pods say both', () => {
    const pod = (name: string, fields: object) => ({
      namespace: 'orders',
      name,
      node: 'n1',
      controllerKind: 'deployment',
      controllerName: 'api',
      ...fields,
    })
    const pods = [
      pod('a', { cpuRequest: 1, cpuUsed: 0.2, memoryRequest: gib, memoryUsed: gib / 2 }),
      pod('b', { cpuRequest: 1, cpuUsed: 0.4, memoryRequest: gib, seconds: 1800 }),
    ]
    // Core-seconds: 720 and 720 used of 3,600 and 1,800 requested; memory of b was not measured.
    expect(fresh().take(kubernetesUsage, hour({ pods })).emitted).to.deep.equal([
      {
        type: 'metric.derived',
        data: {
          cloudAccountId: 'acct-1',
          resourceUid: 'shop-eu/orders/deployment/api',
          samples: [
            { metric: 'cpu_request_percent', value: 26.6667, ts: '2026-01-15T10:00:00.000Z' },
            { metric: 'cpu_cores_used', value: 0.4, ts: '2026-01-15T10:00:00.000Z' },
          ],
        },
      },
    ])
  })

  it('refuses an interval that is not of one hour, begins within a second or more than a day ahead', () => {
    const refused = (fields: Partial<KubernetesUsage>) => fresh().take(kubernetesUsage, hour(fields)).refused
    for (const wrong of [
      { from: '2026-01-15T10:00:01Z' },
      { from: '2026-01-15T10:00:00.500Z', seconds: 60 },
      { from: '1969-12-31T23:00:00Z' },
      { from: '2026-01-16T11:00:00Z' },
    ])
      expect(refused(wrong), JSON.stringify(wrong)).to.equal('interval_invalid')
    expect(refused({ from: '2026-01-15T10:59:59Z', seconds: 1 })).to.equal(undefined)
  })
})
