import { expect } from 'chai'
import type { ResourceRef } from '#streams/cloud/connector.ts'
import { inClusters } from '#streams/cloud/kubernetes/in-clusters.ts'
import { account } from '#test/streams/cloud/gcp/far-google.ts'
import { apiOf, cluster, fixedServer, list, today, type FixedServer } from '#test/harness/kubernetes.ts'

describe('metrics of what both a cloud and a cluster know', () => {
  let server: FixedServer
  before(async () => {
    server = await fixedServer(({ path }) =>
      path === '/api/v1/nodes'
        ? list('Node', [
            {
              metadata: { name: 'a', labels: { 'cloud.google.com/gke-nodepool': 'general' } },
              status: { allocatable: { cpu: '4', memory: '8Gi' } },
            },
          ])
        : list('Pod', [
            {
              metadata: { name: 'web', namespace: 'shop' },
              spec: { nodeName: 'a', containers: [{ resources: { requests: { cpu: '1', memory: '4Gi' } } }] },
              status: { phase: 'Running' },
            },
          ]),
    )
  })
  after(() => server.close())

  it('are those of both for node pools, of the cluster that each is in', async () => {
    const pools: ResourceRef[] = [
      { type: 'gcp-gke-nodepool', resourceUid: '//container/projects/p/locations/l/clusters/shop/nodePools/general' },
      { type: 'azure-aks-nodepool', resourceUid: '/subscriptions/s/managedclusters/shop/agentpools/general' },
      { type: 'aws-eks-nodegroup', resourceUid: 'arn:aws:eks:eu-west-1:1:nodegroup/shop/general/0c4' },
      { type: 'gcp-vm', resourceUid: 'projects/p/zones/z/instances/web' },
    ].map((one) => ({ ...one, region: '' }))
    const asked: string[] = []
    const calls = inClusters(
      {
        measure: async function* (_, refs) {
          yield { resourceUid: refs.map(({ type }) => type).join(' '), samples: [] }
        },
        act: () => Promise.reject(new Error('none')),
        look: () => Promise.reject(new Error('none')),
        policies: () => Promise.reject(new Error('none')),
      },
      {
        clusterOfChild: () => undefined,
        withCluster: (_, uid, work) => {
          asked.push(uid)
          return work(apiOf(server.url), cluster)
        },
      },
    )
    const hour = [new Date(today.getTime() - 3_600_000), today] as const
    const found = await Array.fromAsync(calls.measure(account, pools, ...hour))
    expect(asked).to.deep.equal([
      '//container/projects/p/locations/l/clusters/shop',
      '/subscriptions/s/managedclusters/shop',
      'arn:aws:eks:eu-west-1:1:cluster/shop',
    ])
    const [ofCloud, ...others] = found
    expect(ofCloud?.resourceUid).to.equal(pools.map(({ type }) => type).join(' '))
    expect(others.map(({ resourceUid }) => resourceUid)).to.deep.equal(
      pools.slice(0, 3).map(({ resourceUid }) => resourceUid),
    )
    for (const { samples } of others)
      expect(samples.map(({ metric, value }) => [metric, value])).to.deep.equal([
        ['cpu_reserved_percent', 25],
        ['memory_reserved_percent', 50],
      ])
  })
})
