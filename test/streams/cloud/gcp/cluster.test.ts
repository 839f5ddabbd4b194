import { expect } from 'chai'
import { systemClock } from '#engine/clock.ts'
import { gcpCloud } from '#streams/cloud/gcp/connector.ts'
import type { DiscoveredResource } from '#streams/cloud/connector.ts'
import type { ScanCoverage } from '#streams/refresh.ts'
import { account, farGoogle, type Answer, type FarGoogle, type Question } from './far-google.ts'

const project = 'shop-prod'
const gke = (name: string) => `//container.googleapis.com/projects/${project}/locations/us-central1/clusters/${name}`
const node = {
  metadata: {
    name: 'n1',
    labels: { 'topology.kubernetes.io/region': 'us-central1' },
    creationTimestamp: '2026-01-01T00:00:00Z',
  },
  spec: { providerID: `gce://${project}/us-central1-a/gke-shop-n1` },
  status: { capacity: { cpu: '4', memory: '16Gi' } },
}
const service = {
  metadata: { name: 'front', namespace: 'web', creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: { type: 'LoadBalancer' },
  status: { loadBalancer: { ingress: [{ ip: '203.0.113.7' }] } },
}
const rule = {
  name: 'front',
  IPAddress: '203.0.113.7',
  selfLink: `https://www.googleapis.com/compute/v1/projects/${project}/regions/us-central1/forwardingRules/front`,
}

/** What API servers list; nothing of what is not here. */
const objects: Readonly<Record<string, object[]>> = {
  '/api/v1/namespaces': [{ metadata: { name: 'web' } }],
  '/api/v1/nodes': [node],
  '/api/v1/services': [service],
}

describe('clusters of GKE', () => {
  let far: FarGoogle
  let endpoints: Record<string, string> = {}
  const answer = ({ path }: Question): Answer => {
    if (/^\/apis?\//.test(path)) return { body: { kind: 'AnyList', items: objects[path] ?? [] } }
    const clusters = Object.entries(endpoints).map(([name, endpoint]) => ({
      name,
      location: 'us-central1',
      status: 'RUNNING',
      endpoint,
    }))
    if (path.endsWith('/locations/-/clusters')) return { body: { clusters } }
    if (path.endsWith('/aggregated/forwardingRules'))
      return { body: { items: { 'regions/us-central1': { forwardingRules: [rule] } } } }
    return { body: clusters.find(({ name }) => path.endsWith(`/clusters/${name}`)) ?? {} }
  }
  const connected = async (allowPrivate: boolean, made: (own: string) => Record<string, string>) => {
    far = await farGoogle(answer)
    endpoints = made(far.options.endpoint!)
    return gcpCloud({ ...far.options, clock: systemClock, allowPrivate })
  }
  afterEach(() => far.close())

  const scanned = async (cloud: Awaited<ReturnType<typeof connected>>) => {
    const discovery = cloud.discover(account)
    const found: DiscoveredResource[] = []
    for await (const page of discovery.pages) found.push(...page)
    return { found, seen: discovery.seen as readonly ScanCoverage[], message: discovery.message }
  }
  const children = (seen: readonly ScanCoverage[]) => seen.filter(({ types }) => types.includes('gcp-gke-pod'))

  it('are looked into by the token of the account, what runs in them behind them', async () => {
    const { found, seen } = await scanned(await connected(true, (own) => ({ shop: own })))
    const uids = found.filter(({ type }) => type.startsWith('gcp-gke')).map(({ resourceUid }) => resourceUid)
    expect(uids).to.deep.equal([
      gke('shop'),
      `${gke('shop')}/node/n1`,
      `${gke('shop')}/namespace/web`,
      `${gke('shop')}/web/service/front`,
    ])
    const [own] = children(seen)
    expect([own?.regions, own?.parents, own?.types.length]).to.deep.equal([[], undefined, 24])
    const asked = far.questions.filter(({ path }) => path.startsWith('/api/v1/'))
    expect(new Set(asked.map(({ token }) => token))).to.deep.equal(new Set([far.questions[0]!.token]))
  })

  it('whose endpoint is private keep what was seen of them last, and hold up no other', async () => {
    const { found, seen, message } = await scanned(
      await connected(true, (own) => ({ hidden: 'https://127.0.0.1:1', shop: own })),
    )
    expect(found.some(({ resourceUid }) => resourceUid === `${gke('shop')}/web/service/front`)).to.equal(true)
    expect(children(seen).map(({ parents }) => parents)).to.deep.equal([[gke('shop')]])
    expect(message).to.include('hidden')
  })

  it('in private networks are not connected to unless that is allowed', async () => {
    const { found, seen } = await scanned(await connected(false, () => ({ hidden: '10.0.0.2' })))
    expect(found.filter(({ type }) => type.startsWith('gcp-gke')).map(({ resourceUid }) => resourceUid)).to.deep.equal([
      gke('hidden'),
    ])
    expect(children(seen)).to.deep.equal([])
  })

  it('tell who uses them: machines as the inventory calls them, and load balancers by their addresses', async () => {
    const cloud = await connected(true, (own) => ({ shop: own }))
    const [usage] = await Array.fromAsync(cloud.usage(account, new Date('2026-02-01T10:07:00Z')))
    expect([usage?.clusterUid, usage?.provider]).to.deep.equal([gke('shop'), 'gcp'])
    expect(usage?.nodes?.map(({ resourceUid }) => resourceUid)).to.deep.equal([
      `projects/${project}/zones/us-central1-a/instances/gke-shop-n1`,
    ])
    expect(usage?.loadBalancers?.map(({ resourceUid }) => resourceUid)).to.deep.equal([
      `projects/${project}/regions/us-central1/forwardingRules/front`,
    ])
  })

  it('are asked for a child by its uid', async () => {
    const cloud = await connected(true, (own) => ({ shop: own }))
    const resource = {
      resourceUid: `${gke('shop')}/web/deployment/api`,
      type: 'gcp-gke-deployment',
      region: 'us-central1',
    }
    await cloud.look(account, resource).catch(() => {})
    expect(far.asked.slice(0, 2)).to.deep.equal([
      `GET /v1/projects/${project}/locations/us-central1/clusters/shop`,
      'GET /apis/apps/v1/namespaces/web/deployments/api',
    ])
  })
})
