import { expect } from 'chai'
import { accountId } from '#streams/account/id.ts'
import type { Provider } from '#streams/names.ts'
import { resourceDeleted, resourceDiscovered } from '#streams/resource/messages.ts'
import { tenant, until, type Tenant } from '#test/harness/product.ts'
import { sample } from '#test/harness/tier.ts'

/** The interface's six categories and their kinds, by the requirement that lists them. */
const categories = {
  '[K8S-02]': ['deployment', 'statefulset', 'daemonset', 'job', 'cronjob', 'replicaset'],
  '[K8S-03]': ['service', 'ingress', 'networkpolicy'],
  '[K8S-04]': ['configmap', 'secret', 'serviceaccount'],
  '[K8S-05]': ['persistentvolume', 'persistentvolumeclaim', 'storageclass'],
  '[K8S-06]': ['horizontalpodautoscaler', 'verticalpodautoscaler'],
  '[K8S-07]': ['namespace', 'node', 'pod', 'role', 'rolebinding', 'clusterrole', 'clusterrolebinding'],
}
const kinds = Object.values(categories).flat()
/** What can be started and stopped, as the table of resource types says: suspending a job is a stop, too. */
const schedulable = ['deployment', 'statefulset', 'job', 'cronjob', 'replicaset']
const clusters = [
  { provider: 'aws', type: 'aws-eks', account: 'acct-aws' },
  { provider: 'gcp', type: 'gcp-gke', account: 'acct-gcp' },
  { provider: 'azure', type: 'azure-aks', account: 'acct-azure' },
] as const

const q = encodeURIComponent

describe('kubernetes, from the stream to the inventory', () => {
  let org: Tenant
  const uid = (type: string) => `clusters/${type}-1`
  const listed = async (query: string) => (await org.get(`/resources?limit=100&${query}`)).body.data as any[]
  before(async () => {
    org = await tenant()
    const all = clusters.flatMap(({ provider, type, account }) => {
      const at = { provider, cloudAccountId: account, region: 'here', tags: {} }
      const children = kinds.map((kind) => ({
        ...at,
        resourceUid: `${uid(type)}/shop/${kind}/one`,
        name: `${kind} one`,
        type: `${type}-${kind}`,
        parentUID: uid(type),
      }))
      return [{ ...at, resourceUid: uid(type), name: type, type }, ...children]
    })
    await org.publish(resourceDiscovered, all)
  })

  for (const [area, list] of Object.entries(categories)) {
    it(`has ${list.join(', ')} in clusters of every provider, each under its cluster ${area} [K8S-09] [K8S-11]`, async () => {
      for (const { type, provider, account } of clusters) {
        for (const kind of list) {
          const found = await listed(`type=${type}-${kind}`)
          expect(found, `${type}-${kind}`).to.have.length(1)
          expect(found[0]).to.include({
            name: `${kind} one`,
            uid: `${uid(type)}/shop/${kind}/one`,
            type: `${type}-${kind}`,
            provider,
            cloudAccountID: account,
            parentUID: uid(type),
            childCount: 0,
          })
        }
      }
    })
  }

  it('has 24 kinds and no more, which the matrix of what we support says of every provider [K8S-08]', async () => {
    const matrix = (await org.get('/cloud-support')).body.data as any[]
    for (const { type, provider } of clusters) {
      const children = matrix.filter((row) => kinds.some((kind) => row.type === `${type}-${kind}`))
      expect(children.map((row) => row.type)).to.have.members(kinds.map((kind) => `${type}-${kind}`))
      const category = (name: string) => children.filter((row) => row.category === name).length
      const six = ['Workloads', 'Services and networking', 'Configuration', 'Storage', 'Autoscaling', 'Cluster']
      expect(six.map(category)).to.deep.equal([6, 3, 3, 3, 2, 7])
      const others = matrix.filter((row) => row.type.startsWith(`${type}-`) && !children.includes(row))
      expect(others.map((row) => [row.type, row.provider])).to.deep.equal([
        [`${type}-node${type === 'aws-eks' ? 'group' : 'pool'}`, provider],
      ])
    }
    expect(new Set(kinds).size).to.equal(24)
  })

  it('can be scheduled where the cluster lets it [K8S-10]', async () => {
    for (const { type, account } of clusters) {
      const children = (await listed(`cloud_account_id=${account}`)).filter((r) => r.parentUID !== '')
      const yes = children.filter((r) => r.schedulable).map((r) => r.type)
      expect(yes).to.have.members(schedulable.map((kind) => `${type}-${kind}`))
    }
  })

  it('is counted by its cluster, and no longer when it is gone [K8S-11]', async () => {
    const [{ type, account, provider }] = clusters
    const count = async () => (await listed(`type=${type}`))[0].childCount
    expect(await count()).to.equal(24)
    const pod = { resourceUid: `${uid(type)}/shop/pod/one`, provider, cloudAccountId: account }
    await org.publish(resourceDeleted, [pod])
    expect(await count()).to.equal(23)
    expect((await org.get(`/resources/by-uids?uids=${q(pod.resourceUid)}`)).body.data).to.deep.equal([])
  })
})

describe('kubernetes, from the clouds to the inventory', () => {
  const all = { aws: 'sim-aws-production', gcp: 'sim-gcp-data', azure: 'sim-azure-corp' }

  it('is discovered in the managed clusters of each provider [K8S-01]', async () => {
    const org = await tenant()
    // In `npm test` of one: that each simulated account has them, and what the clouds say of them, is shown without a server.
    const some = sample(clusters, 1)
    for (const { provider } of some) {
      const externalID = all[provider]
      const r = await org.send('POST', '/cloud-accounts', { name: externalID, provider, externalID })
      expect(r.status).to.equal(201)
    }
    const status = async () => (await org.get('/resources/refresh/status')).body.data.status
    await until('the end of the discovery', async () => (await status()) === 'completed')
    for (const { type, provider } of some) {
      const account = accountId(org.orgId, provider as Provider, all[provider])
      const list = async (types: string) =>
        (await org.get(`/resources?limit=100&cloud_account_id=${account}&type=${types}`)).body.data as any[]
      const found = await list(type)
      expect(found, type).to.have.length.above(0)
      const deployments = await list(`${type}-deployment`)
      expect(
        deployments.map((r) => r.name),
        type,
      ).to.include.members(['web', 'api'])
      const uids = found.map((r) => r.uid)
      for (const deployment of deployments) {
        expect(uids).to.include(deployment.parentUID)
        expect(deployment).to.include({ provider, schedulable: true, status: 'running' })
      }
      const types = new Set((await list(kinds.map((kind) => `${type}-${kind}`).join(','))).map((r) => r.type))
      expect([...types], 'one cluster of each provider holds all kinds').to.have.members(
        kinds.map((kind) => `${type}-${kind}`),
      )
    }
  })

  it('shows the cluster of a deployment, a stateful set and a config map with three children, two of them schedulable [K8S-10] [K8S-11]', async () => {
    const org = await tenant()
    const base = { provider: 'gcp', cloudAccountId: 'acct-1', region: 'europe-west1', tags: {} } as const
    const children = ['deployment', 'statefulset', 'configmap'].map((kind) => ({
      ...base,
      resourceUid: `c1/${kind}`,
      name: kind,
      type: `gcp-gke-${kind}`,
      parentUID: 'c1',
    }))
    await org.publish(resourceDiscovered, [...children, { ...base, resourceUid: 'c1', name: 'c1', type: 'gcp-gke' }])
    const { data } = (await org.get('/resources?sort_by=type')).body
    expect(data.map((r: any) => [r.type, r.parentUID, r.childCount, r.schedulable])).to.deep.equal([
      ['gcp-gke', '', 3, false],
      ['gcp-gke-configmap', 'c1', 0, false],
      ['gcp-gke-deployment', 'c1', 0, true],
      ['gcp-gke-statefulset', 'c1', 0, true],
    ])
  })
})
