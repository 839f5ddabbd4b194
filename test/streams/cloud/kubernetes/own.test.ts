import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { generate } from 'selfsigned'
import { systemClock } from '#engine/clock.ts'
import { Fault } from '#engine/value/fault.ts'
import type { CloudAccount, CloudAction } from '#streams/cloud/connector.ts'
import { cloudsOf } from '#streams/cloud/index.ts'
import { listedKinds, pathOf } from '#streams/cloud/kubernetes/object/kind.ts'
import type { OwnClusterOptions } from '#streams/cloud/kubernetes/own/account.ts'
import { ownCluster } from '#streams/cloud/kubernetes/own/connector.ts'
import type { ScanCoverage } from '#streams/refresh.ts'
import type { NodePrices } from '#streams/cloud/kubernetes/own/price.ts'
import {
  failure,
  fixedServer,
  lines,
  list,
  today,
  unpaced,
  type Answer,
  type FixedServer,
} from '#test/harness/kubernetes.ts'

const made = (name: string, more: object = {}) => ({
  metadata: { name, creationTimestamp: '2026-01-01T00:00:00Z', ...more },
})
const nodeOf = (name: string, labels: object, capacity: object) => ({
  ...made(name, { labels }),
  spec: {},
  status: { capacity },
})
const nodes = [
  nodeOf('rack-1', { pool: 'large' }, { cpu: '16', memory: '64Gi' }),
  nodeOf('rack-2', { pool: 'small' }, { cpu: '4', memory: '8Gi', 'nvidia.com/gpu': '1' }),
]
const web = {
  ...made('web', { namespace: 'shop' }),
  spec: { replicas: 2, template: { spec: { containers: [] } } },
  status: { replicas: 2, readyReplicas: 2 },
}
const pod = {
  ...made('web-1', { namespace: 'shop' }),
  spec: { nodeName: 'rack-1', containers: [{ resources: { requests: { cpu: '2', memory: '4Gi' } } }] },
  status: { phase: 'Running', startTime: '2026-01-10T00:00:00Z' },
}
const used = { metadata: { name: 'web-1', namespace: 'shop' }, containers: [{ usage: { cpu: '500m', memory: '1Gi' } }] }

/** A cluster that lists everything, grants everything, and remembers how many replicas it was told. */
function clusterAnswers(): Record<string, Answer | undefined> {
  const empty = listedKinds.map((kind) => [pathOf(kind), list('Thing', [])] as const)
  const all = { apiGroups: ['*'], resources: ['*'], verbs: ['*'] }
  return {
    ...Object.fromEntries(empty),
    '/version': { body: { gitVersion: 'v1.31.0' } },
    '/api/v1/nodes': list('Node', nodes),
    '/api/v1/pods': list('Pod', [pod]),
    '/apis/apps/v1/deployments': list('Deployment', [web]),
    '/apis/apps/v1/namespaces/shop/deployments/web': { body: web },
    '/apis/metrics.k8s.io/v1beta1/pods': list('PodMetrics', [used]),
    '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews': {
      status: 201,
      body: { status: { resourceRules: [all], incomplete: false } },
    },
  }
}

const kubeconfigOf = (url: string, user: object = { token: 'secret-token' }, more: object = {}) =>
  JSON.stringify({
    clusters: [{ name: 'c', cluster: { server: url, ...more } }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
  })

const accountOf = (credentials: unknown, more: Partial<CloudAccount> = {}): CloudAccount => ({
  id: 'acct-1',
  orgId: 'o1',
  provider: 'aws',
  externalId: 'cluster/rack',
  name: 'Rack',
  regions: [],
  credentials,
  ...more,
})

const cloudBy = (more: Partial<OwnClusterOptions> = {}) =>
  ownCluster({
    caller: unpaced(),
    clock: { ...systemClock, now: () => today.getTime() },
    allowPrivate: true,
    ...more,
  })

const codeOf = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => (error instanceof Fault ? error.code : error),
  )

describe('a cluster without a cloud account', () => {
  let server: FixedServer
  let answers: Record<string, Answer | undefined>
  let account: CloudAccount
  beforeEach(async () => {
    answers = clusterAnswers()
    server = await fixedServer(({ path }) => answers[path])
    account = accountOf({ kubeconfig: kubeconfigOf(server.url) })
  })
  afterEach(() => server.close())

  it('is the cloud of accounts named cluster/NAME, and of no others', () => {
    const cluster = cloudBy()
    const aws = cloudBy()
    const clouds = cloudsOf({ seed: 'a', now: () => today, sleep: async () => {} }, { cluster, aws })
    const of = (externalId: string, credentials: unknown = {}) =>
      clouds.of({ provider: 'aws', externalId, credentials })
    expect(of('cluster/rack')).to.equal(cluster)
    expect(of('123456789012')).to.equal(aws)
    expect(of('sim-1')).to.equal(clouds.simulated)
    expect(of('cluster/rack', null).driver).to.equal('none')
  })

  describe('is checked', () => {
    it('by what its user may do', async () => {
      expect(await cloudBy().verify(account))
        .to.include({ verdict: 'read_write' })
        .and.to.not.have.property('message')
      const rules = [{ apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list'] }]
      answers['/apis/authorization.k8s.io/v1/selfsubjectrulesreviews'] = {
        body: { status: { resourceRules: rules, incomplete: false } },
      }
      expect((await cloudBy().verify(account)).verdict).to.equal('read_only')
    })

    it('and refused with its credentials, which stops the account', async () => {
      for (const path of Object.keys(answers)) answers[path] = failure(401, 'Unauthorized')
      expect(await cloudBy().verify(account)).to.deep.include({ verdict: 'none', missingPermissions: [] })
      expect(await codeOf(Array.fromAsync(cloudBy().discover(account).pages))).to.equal('credentials_refused')
      expect(await codeOf(Array.fromAsync(cloudBy().usage(account, today)))).to.equal('credentials_refused')
    })

    it('by a client certificate too', async () => {
      const own = await generate([{ name: 'commonName', value: '127.0.0.1' }], {
        keyType: 'ec',
        extensions: [
          { name: 'basicConstraints', cA: true },
          { name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] },
        ],
      })
      const secure = await fixedServer(({ path }) => answers[path], { key: own.private, cert: own.cert })
      try {
        const data = (text: string) => Buffer.from(text).toString('base64')
        const user = { 'client-certificate-data': data(own.cert), 'client-key-data': data(own.private) }
        const kubeconfig = kubeconfigOf(secure.url, user, { 'certificate-authority-data': data(own.cert) })
        expect((await cloudBy().verify(accountOf({ kubeconfig }))).verdict).to.equal('read_write')
        expect(secure.asked[0]!.headers.authorization).to.equal(undefined)
      } finally {
        secure.close()
      }
    })
  })

  describe('is discovered', () => {
    it('with itself, its nodes and its workloads, under the types of its provider', async () => {
      const found = cloudBy().discover(account)
      const all = (await Array.fromAsync(found.pages)).flat()
      expect(all.map(({ type, resourceUid }) => `${type} ${resourceUid}`)).to.deep.equal([
        'aws-eks cluster/rack',
        'aws-eks-node cluster/rack/node/rack-1',
        'aws-eks-node cluster/rack/node/rack-2',
        'aws-eks-pod cluster/rack/shop/pod/web-1',
        'aws-eks-deployment cluster/rack/shop/deployment/web',
      ])
      expect(all[0]).to.include({ name: 'rack', schedulable: false, region: 'global' })
      expect(found.seen).to.have.length(1)
    })

    it('but for what it does not let us list, which keeps its last state', async () => {
      answers['/apis/apps/v1/deployments'] = failure(403, 'no')
      const found = cloudBy().discover(account)
      const all = (await Array.fromAsync(found.pages)).flat()
      expect(all.map(({ type }) => type)).to.not.include('aws-eks-deployment')
      expect(found.missingPermissions).to.deep.equal(['list deployments.apps'])
      const [part] = found.seen as readonly ScanCoverage[]
      expect(part!.types).to.include('aws-eks-node').and.not.include('aws-eks-deployment')
    })

    it('not at all while it does not answer', async () => {
      answers['/version'] = failure(503, 'away')
      const found = cloudBy().discover(account)
      expect(await codeOf(Array.fromAsync(found.pages))).to.equal('cloud_unavailable')
      expect(found.seen).to.deep.equal([])
    })

    it('page by page, and waits as long as it asks to', async () => {
      let asked = 0
      const first = list('Node', [nodes[0]], 'more')
      const slow = { ...failure(429, 'slow down'), headers: { 'retry-after': '7' } }
      server.answer = ({ path, query }) => {
        if (path !== '/api/v1/nodes') return answers[path]
        if (query['continue'] === undefined) return first
        return asked++ === 0 ? slow : list('Node', [nodes[1]])
      }
      const slept: number[] = []
      const { pages } = cloudBy({ caller: unpaced({}, slept) }).discover(account, undefined, new Set(['aws-eks-node']))
      const names = (await Array.fromAsync(pages)).flat().map(({ name }) => name)
      expect([names, slept]).to.deep.equal([['rack-1', 'rack-2'], [7000]])
    })
  })

  describe('costs', () => {
    const priced = async (prices?: NodePrices) => {
      const { kubeconfig } = account.credentials as { kubeconfig: string }
      const of = accountOf({ kubeconfig, ...(prices && { prices }) })
      const [usage] = await Array.fromAsync(cloudBy().usage(of, today))
      return usage!.nodes!.map(({ usdHour, cpuUsdHour, gpuUsdHour }) => [usdHour, cpuUsdHour, gpuUsdHour])
    }

    it('what is set for a label of its nodes, otherwise for their processors, memory and accelerators', async () => {
      const prices = {
        nodes: [{ label: 'pool=large', usdHour: 1.25 }],
        vcpuUsdHour: 0.02,
        gibUsdHour: 0.003,
        gpuUsdHour: 0.5,
      }
      // 4 × 0.02 + 8 × 0.003 + 0.5 = 0.604.
      expect(await priced(prices)).to.deep.equal([
        [1.25, undefined, undefined],
        [0.604, 0.08, 0.5],
      ])
    })

    it('what the price tables say where nothing is set', async () => {
      const none = [undefined, undefined, undefined]
      expect(await priced()).to.deep.equal([none, none])
      expect(await priced({ nodes: [{ label: 'pool=other', usdHour: 9 }] })).to.deep.equal([none, none])
    })
  })

  it('tells who uses it, by its metrics API; without one by requests alone', async () => {
    const told = async () => {
      const [usage] = await Array.fromAsync(cloudBy().usage(account, today))
      const [used] = usage!.pods!
      return [usage!.clusterUid, usage!.seconds, used!.cpuRequest, used!.cpuUsed]
    }
    expect(await told()).to.deep.equal(['cluster/rack', 300, 2, 0.5])
    answers['/apis/metrics.k8s.io/v1beta1/pods'] = undefined
    expect(await told()).to.deep.equal(['cluster/rack', 300, 2, undefined])
    answers['/api/v1/pods'] = failure(403, 'no')
    expect(await Array.fromAsync(cloudBy().usage(account, today)), 'a gap').to.deep.equal([])
  })

  describe('is changed', () => {
    const action = (resourceUid: string, type = 'aws-eks-deployment'): CloudAction => ({
      id: 'a-1',
      kind: 'scale',
      resource: { resourceUid, type, region: 'global', specs: {} } as CloudAction['resource'],
      params: { desired: 5 },
    })

    it('by actions on its workloads', async () => {
      const scale = '/apis/apps/v1/namespaces/shop/deployments/web/scale'
      answers[scale] = { body: { spec: { replicas: 5 } } }
      await cloudBy().act(account, action('cluster/rack/shop/deployment/web'))
      expect(lines(server)).to.include(`PATCH ${scale}`)
    })

    it('never in another cluster, nor as a whole', async () => {
      const cloud = cloudBy()
      expect(await codeOf(cloud.act(account, action('cluster/other/shop/deployment/web')))).to.equal('not_found')
      expect(await codeOf(cloud.act(account, action('cluster/rack', 'aws-eks')))).to.equal('unsupported_action')
      expect(server.asked).to.deep.equal([])
    })
  })

  describe('in which this installation runs', () => {
    let folder: string
    beforeEach(async () => {
      folder = await mkdtemp(path.join(tmpdir(), 'service-account-'))
      await writeFile(path.join(folder, 'token'), 'first\n')
      await writeFile(path.join(folder, 'ca.crt'), '')
    })
    afterEach(() => rm(folder, { recursive: true }))

    const inside = accountOf({ inCluster: true })
    const asked = () => server.asked.map(({ headers }) => headers.authorization)

    it('is read with its service account, whose token is read again for each call', async () => {
      const cloud = cloudBy({ allowPrivate: false, inCluster: { orgId: 'o1', url: server.url, folder } })
      await cloud.look(inside, { resourceUid: 'cluster/rack', type: 'aws-eks', region: 'global', specs: {} })
      await writeFile(path.join(folder, 'token'), 'second\n')
      await cloud.look(inside, { resourceUid: 'cluster/rack', type: 'aws-eks', region: 'global', specs: {} })
      expect(asked()).to.deep.equal(['Bearer first', 'Bearer second'])
    })

    it('is closed to every other organization, and to all without the setting', async () => {
      const other = cloudBy({ inCluster: { orgId: 'o2', url: server.url, folder } })
      for (const cloud of [other, cloudBy()])
        expect(await codeOf(Array.fromAsync(cloud.discover(inside).pages))).to.equal('capability_missing')
      expect(asked()).to.deep.equal([])
    })
  })
})
