import { expect } from 'chai'
import { components } from '#actors/catalog/components/load.ts'
import { objectsOf } from '#actors/catalog/components/render.ts'
import { systemClock } from '#engine/clock.ts'
import type { ClusterOptions } from '#streams/cloud/aws/cluster/cluster.ts'
import * as calls from '#streams/cloud/aws/provision/index.ts'
import type { CloudAccount } from '#streams/cloud/connector.ts'
import type { ComponentObject } from '#streams/cloud/provision.ts'
import { failure, unpaced } from '#test/harness/kubernetes.ts'
import { amount, sample } from '#test/harness/tier.ts'
import { fails } from '#test/streams/cloud/aws/stub-session.ts'
import { jobId, ProvisioningRun } from '#test/streams/cloud/provisioning-job.ts'
import { FarCluster } from './far-cluster.ts'

const region = 'us-east-1'
const account: CloudAccount = {
  id: 'acct-1',
  orgId: 'o1',
  provider: 'aws',
  externalId: '123456789012',
  name: 'Production',
  regions: [],
  credentials: { roleARN: 'arn:aws:iam::123456789012:role/tidemark', externalID: 'x' },
}

/** Values by which objects of own kinds exist too. */
const all: Readonly<Record<string, object>> = {
  'cert-manager': { acmeEmail: 'ops@example.com' },
  flux: { repositoryURL: 'https://example.com/acme/fleet.git' },
}

describe('components in EKS clusters', () => {
  let far: FarCluster
  let options: ClusterOptions
  beforeEach(async () => {
    far = new FarCluster()
    await far.open()
    const caller = unpaced({ budgetMin: 1e6, pausesMs: { first: 0, doubledTo: 0 } })
    const base = async () => ({ accessKeyId: 'AKIA', secretAccessKey: 'secret' })
    options = { caller, endpoint: far.url, base, clock: systemClock, allowPrivate: true }
  })
  afterEach(() => far.close())

  const job = (componentID: string, id = jobId, failed = () => {}) => {
    const config = { componentID, values: all[componentID] ?? {} }
    const spec = { jobId: id, kind: 'component', config, clusterUid: far.uid } as const
    const run = new ProvisioningRun(
      { calls, options, account, region, failed },
      { ...spec, ...objectsOf({ ...spec, region, provider: 'aws' }) },
    )
    return { run, config, objects: run.request('create').objects! }
  }
  const creations = (objects: readonly ComponentObject[]) =>
    objects.map(({ kind, metadata: { name } }) => `create ${kind} ${name}`)
  const created = () => far.done.filter((what) => what.startsWith('create'))

  for (const { id, namespace, version } of sample(components, 3)) {
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
      expect(gone).to.include(`${far.uid}/${namespace}/serviceaccount/${serviceAccountOf(objects)}`)
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
    const [token = '', ...others] = [...far.tokens]
    expect(others).to.deep.equal([])
    expect(Buffer.from(token.slice('Bearer k8s-aws-v1.'.length), 'base64url').toString()).to.match(
      /^https:\/\/sts\.us-east-1\.amazonaws\.com\/\?.*X-Amz-Signature=[0-9a-f]{64}/,
    )
    const labels = far.kept.get('/api/v1/namespaces/fluent-bit')!.body['metadata'].labels
    expect(Object.keys(labels)).to.include('tidemark/job').and.not.include('Cost:Center')
    expect(labels).to.not.have.property('team')
  })

  for (const id of sample(
    components.map((one) => one.id),
    1,
  )) {
    it(`${id}: is applied once and nothing is left, although answers are lost`, async () => {
      for (let each = 2; each <= amount(2, 6, 9); each++) {
        far.loseEach = each
        const { run, objects } = job(id)
        await run.make()
        expect(created(), `each ${each}`).to.deep.equal(creations(objects))
        await run.unmake()
        expect([...far.kept.keys()], `each ${each}`).to.deep.equal([])
        far.done.length = 0
      }
    })

    it(`${id}: is applied once and nothing is left, although the process is killed after any call`, async () => {
      let isKilled = true
      const count = job(id).objects.length
      for (let at = 1; isKilled; at += amount(101, Math.ceil(count / 10), 1)) {
        Object.assign(far, { killAt: at, questions: 0 })
        isKilled = false
        const { run, objects } = job(id, jobId, () => {
          isKilled = true
          far.isDead = false
        })
        await run.make()
        await run.unmake()
        expect(created(), `at ${at}`).to.deep.equal(creations(objects))
        expect([...far.kept.keys()], `at ${at}`).to.deep.equal([])
        far.done.length = 0
      }
    })
  }

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
    expect(await run.unmake()).to.include(`${far.uid}/kube-system/deployment/metrics-server`)
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
