import { expect } from 'chai'
import { components } from '#actors/catalog/components/load.ts'
import type { ComponentObject } from '#streams/cloud/provision.ts'
import { failure, type Answer } from '#test/harness/kubernetes.ts'
import { amount, sample } from '#test/harness/tier.ts'
import { fails } from '#test/streams/cloud/aws/stub-session.ts'
import { armError } from '#test/streams/cloud/azure/answer-server.ts'
import { refusing } from '#test/streams/cloud/gcp/far-google.ts'
import { jobId } from '#test/streams/cloud/provisioning-job.ts'
import { aks, aksPath, eks, gke, gkePath, type TestCloud } from './clouds.ts'
import { FarCluster } from './far-cluster.ts'

const creations = (objects: readonly ComponentObject[]) =>
  objects.map(({ kind, metadata: { name } }) => `create ${kind} ${name}`)

const createdIn = ({ done }: FarCluster) => done.filter((what) => what.startsWith('create'))

type ClusterJobs = ReturnType<typeof clusterOf>

/** Jobs in a cluster of the cloud, which is a new one for each test. */
function clusterOf(cloud: TestCloud) {
  let far: FarCluster
  let start: ReturnType<TestCloud['open']>
  beforeEach(async () => {
    far = new FarCluster(cloud)
    await far.open()
    start = cloud.open(far.url)
  })
  afterEach(() => far.close())
  return {
    get far() {
      return far
    },
    job: (componentID: string, id = jobId, failed = () => {}) => {
      const run = start({ componentID, id, failed })
      const { config, objects } = run.request('create')
      return { run, config, objects: objects! }
    },
  }
}

function surviveFaults(jobs: ClusterJobs, id: string): void {
  it(`${id}: is applied once and nothing is left, although answers are lost`, async () => {
    for (let each = 2; each <= amount(2, 6, 9); each++) {
      jobs.far.loseEach = each
      const { run, objects } = jobs.job(id)
      await run.make()
      expect(createdIn(jobs.far), `each ${each}`).to.deep.equal(creations(objects))
      await run.unmake()
      expect([...jobs.far.kept.keys()], `each ${each}`).to.deep.equal([])
      jobs.far.done.length = 0
    }
  })

  it(`${id}: is applied once and nothing is left, although the process is killed after any call`, async () => {
    let isKilled = true
    const count = jobs.job(id).objects.length
    for (let at = 1; isKilled; at += amount(101, Math.ceil(count / 10), 1)) {
      Object.assign(jobs.far, { killAt: at, questions: 0 })
      isKilled = false
      const { run, objects } = jobs.job(id, jobId, () => {
        isKilled = true
        jobs.far.isDead = false
      })
      await run.make()
      await run.unmake()
      expect(createdIn(jobs.far), `at ${at}`).to.deep.equal(creations(objects))
      expect([...jobs.far.kept.keys()], `at ${at}`).to.deep.equal([])
      jobs.far.done.length = 0
    }
  })
}

describe('components in EKS clusters', () => {
  const at = clusterOf(eks)
  const { job } = at
  let far: FarCluster
  beforeEach(() => {
    far = at.far
  })

  for (const { id, namespace, version } of sample(components)) {
    it(`${id}: is applied in order, marked as ours, told of, and removed whole [PROV-20] [PROV-26]`, async () => {
      const { run, config, objects } = job(id)
      await run.make()
      expect(far.done).to.deep.equal(creations(objects))
      for (const { body } of far.kept.values())
        expect(body['metadata'].labels).to.include({
          'tidemark/job': jobId,
          'app.kubernetes.io/managed-by': 'tidemark',
          'app.kubernetes.io/version': version,
        })
      expect(run.outputs['create']).to.include({ namespace, version })
      expect(await run.describe()).to.deep.equal(config)
      const gone = await run.unmake()
      expect(gone).to.include(`${eks.uid}/${namespace}/serviceaccount/${serviceAccountOf(objects)}`)
      expect([...far.kept.keys()]).to.deep.equal([])
      expect(await run.describe()).to.equal(null)
      expect(await run.unmake(), 'again').to.deep.equal(gone)
    })
  }
  const serviceAccountOf = (objects: readonly ComponentObject[]) =>
    objects.find(({ kind }) => kind === 'ServiceAccount')!.metadata.name

  it('are applied under a token that STS would confirm, and keep tags that are labels', async () => {
    const { run } = job('fluent-bit')
    await run.make()
    // A slow run gets several, because they are of the second when they were signed.
    expect([...far.tokens]).to.have.length.above(0)
    for (const token of far.tokens)
      expect(Buffer.from(token.slice('Bearer k8s-aws-v1.'.length), 'base64url').toString()).to.match(
        /^https:\/\/sts\.us-east-1\.amazonaws\.com\/\?.*X-Amz-Signature=[0-9a-f]{64}/,
      )
    const labels = far.kept.get('/api/v1/namespaces/fluent-bit')!.body['metadata'].labels
    expect(Object.keys(labels)).to.include('tidemark/job').and.not.include('Cost:Center')
    expect(labels).to.not.have.property('team')
  })

  for (const { id } of sample(components, 1)) surviveFaults(at, id)

  it('leave alone what others have installed, and create nothing then', async () => {
    far.add('ClusterRole', { metadata: { name: 'fluent-bit' } })
    const { run } = job('fluent-bit')
    expect(await fails(run.make())).to.equal('user_action already_exists')
    expect(far.done).to.deep.equal([])
    // It came after the check.
    expect(await fails(run.step('create'))).to.equal('user_action already_exists')
    expect(await run.unmake()).to.have.length.above(0)
    expect([...far.kept.keys()]).to.deep.equal(['/apis/rbac.authorization.k8s.io/v1/clusterroles/fluent-bit'])
  })

  it('of another job are not taken over', async () => {
    await job('metrics-server').run.make()
    const other = job('metrics-server', '7c0f6f0e-1e4a-4a36-9a43-0f9f2b9f6a02')
    expect(await fails(other.run.make())).to.equal('user_action already_exists')
    const before = [...far.kept.keys()]
    await other.run.unmake()
    expect([...far.kept.keys()]).to.deep.equal(before)
  })

  it('are not removed while others use their kinds or live in their namespace: nothing is deleted then', async () => {
    const { run } = job('cert-manager')
    await run.make()
    const certificate = { metadata: { name: 'web', namespace: 'shop' } }
    far.add('Certificate', certificate)
    const before = [...far.kept.keys()]
    expect(await fails(run.unmake())).to.equal('user_action resource_in_use')
    expect([...far.kept.keys()]).to.deep.equal(before)
    far.kept.delete([...far.kept.keys()].find((path) => path.endsWith('/certificates/web'))!)
    far.add('PersistentVolumeClaim', { metadata: { name: 'data', namespace: 'cert-manager' } })
    expect(await fails(run.unmake())).to.equal('user_action resource_in_use')
    far.kept.delete('/api/v1/namespaces/cert-manager/persistentvolumeclaims/data')
    await run.unmake()
    expect([...far.kept.keys()]).to.deep.equal([])
  })

  it('need an administrator, and a cluster', async () => {
    far.isAdministrator = false
    expect(await fails(job('istio').run.make())).to.equal('user_action permission_missing')
    Object.assign(far, { isAdministrator: true, isThere: false })
    expect(await fails(job('istio').run.make())).to.equal('user_action not_found')
    expect(far.done).to.deep.equal([])
  })

  it('are gone with their cluster', async () => {
    const { run } = job('metrics-server')
    await run.make()
    far.isThere = false
    expect(await run.describe()).to.equal(null)
    expect(await run.unmake()).to.include(`${eks.uid}/kube-system/deployment/metrics-server`)
  })

  it('say why they do not run', async () => {
    far.stuck = 'metrics-server'
    const { run } = job('metrics-server')
    expect(await fails(run.make())).to.equal('user_action component_not_ready')
    await run.unmake()
    expect([...far.kept.keys()]).to.deep.equal([])
  })

  it('wait while the server is busy, and say what it refuses', async () => {
    for (const status of [429, 503])
      far.refusals.push({ method: 'PATCH', of: /roles/, answer: failure(status, 'Busy.') })
    const { run, objects } = job('fluent-bit')
    await run.make()
    expect(far.done).to.deep.equal(creations(objects))
    far.refusals.push({ method: 'PATCH', of: /daemonsets/, answer: failure(422, 'spec is invalid') })
    expect(await fails(run.step('create'))).to.equal('user_action rejected')
    await run.step('create')
    expect(far.done).to.deep.equal(creations(objects))
  })
})

/** The token that the API server gets, and what the cloud answers if the account itself is gone. */
const others: readonly { cloud: TestCloud; token: string; described: string; accountGone: Answer }[] = [
  {
    cloud: gke,
    token: 'google',
    described: `GET /v1/${gkePath}`,
    accountGone: refusing(404, 'NOT_FOUND', 'Not found: projects/shop-prod.') as Answer,
  },
  {
    cloud: aks,
    token: '6dae42f8-4368-4678-94ff-3960e28e3630/.default',
    described: `GET ${aksPath}`,
    accountGone: armError(404, 'SubscriptionNotFound', 'The subscription could not be found.') as Answer,
  },
]

for (const { cloud, token, described, accountGone } of others)
  describe(`components in ${cloud.title} clusters`, () => {
    const at = clusterOf(cloud)
    const { job } = at
    let far: FarCluster
    beforeEach(() => {
      far = at.far
    })
    const offered = components.filter(({ clouds }) => clouds.some((one) => one === cloud.provider))

    for (const { id, namespace, version } of sample(offered, 1))
      it(`${id}: is applied in order with the account's token, and removed whole [PROV-20] [PROV-26]`, async () => {
        const { run, config, objects } = job(id)
        await run.make()
        expect(far.done).to.deep.equal(creations(objects))
        expect([far.asked[0], [...far.tokens]]).to.deep.equal([described, [`Bearer ${token}`]])
        expect(run.outputs['create']).to.include({ namespace, version })
        expect(await run.describe()).to.deep.equal(config)
        const gone = await run.unmake()
        expect(gone.every((uid) => uid.startsWith(`${cloud.uid}/`))).to.equal(true)
        expect([...far.kept.keys()]).to.deep.equal([])
        expect(await run.describe()).to.equal(null)
        expect(await run.unmake(), 'again').to.deep.equal(gone)
      })

    for (const { id } of offered.slice(0, amount(0, 1, 9))) surviveFaults(at, id)

    it('need an administrator, and are gone with their cluster, but not with its account', async () => {
      const { run } = job('fluent-bit')
      far.isAdministrator = false
      expect(await fails(run.make())).to.equal('user_action permission_missing')
      far.isAdministrator = true
      await run.make()
      const path = new RegExp(`${cloud.uid.split('/').at(-1)!}$`)
      far.refusals.push({ method: 'GET', of: path, answer: accountGone })
      expect(await fails(run.unmake())).to.equal('user_action not_found')
      far.isThere = false
      expect(await run.describe()).to.equal(null)
      expect(await run.unmake()).to.include(`${cloud.uid}/fluent-bit/daemonset/fluent-bit`)
    })
  })
