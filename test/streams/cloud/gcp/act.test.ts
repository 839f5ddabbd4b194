import { expect } from 'chai'
import { act, look } from '#streams/cloud/gcp/act/act.ts'
import { bucketOf, type CloudAction, type ActionOutcome, type ResourceRef } from '#streams/cloud/connector.ts'
import { resourceTypes } from '#streams/cloud/resource/resource-type.ts'
import {
  account,
  denied,
  fails,
  farGoogle,
  refusing,
  type Answer,
  type FarGoogle,
  type Question,
} from './far-google.ts'
import { Project } from './project.ts'
import { amount } from '#test/harness/tier.ts'

const zone = 'projects/shop-prod/zones/us-central1-a'
const gke = '//container.googleapis.com/projects/shop-prod/locations/us-central1/clusters/shop'
const ref = (type: string, resourceUid: string): ResourceRef => ({ type, resourceUid, region: 'us-central1' })
const refs = {
  'gcp-vm': ref('gcp-vm', `${zone}/instances/web`),
  'gcp-mig': ref('gcp-mig', `${zone}/instanceGroupManagers/api`),
  'gcp-gke-nodepool': ref('gcp-gke-nodepool', `${gke}/nodePools/default`),
  'gcp-cloudsql': ref('gcp-cloudsql', '//cloudsql.googleapis.com/projects/shop-prod/instances/orders'),
  'gcp-dataproc': ref(
    'gcp-dataproc',
    '//dataproc.googleapis.com/projects/shop-prod/regions/us-central1/clusters/spark',
  ),
  'gcp-workbench': ref(
    'gcp-workbench',
    '//notebooks.googleapis.com/projects/shop-prod/locations/us-central1-a/instances/lab',
  ),
  'gcp-workstation': ref(
    'gcp-workstation',
    '//workstations.googleapis.com/projects/shop-prod/locations/us-central1/workstationClusters/c/workstationConfigs/f/workstations/desk',
  ),
  'gcp-appengine-version': ref(
    'gcp-appengine-version',
    '//appengine.googleapis.com/apps/shop-prod/services/default/versions/v1',
  ),
} as const
const disk = ref('gcp-disk', `${zone}/disks/data`)

/** The same numbers for the same seed, 0 <= x < 1. */
function chances(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1103515245 + 12345) % 2147483648
    return state / 2147483648
  }
}

/** Google that throttles, fails, and does without being heard. */
const faulty =
  (project: Project, chance: () => number) =>
  (question: Question): Answer => {
    const drawn = chance()
    if (drawn < 0.2) return refusing(429, 'rateLimitExceeded')
    if (drawn < 0.25) return refusing(503, 'backendError')
    const said = project.answer(question)
    return drawn < 0.45 && question.method !== 'GET' ? { isLost: true } : said
  }

describe('what is done to resources of Google Cloud', () => {
  let far: FarGoogle
  afterEach(() => far.close())

  /** As the product does it: asked again under the same id while it passes, and looked at until it is done. */
  async function carried(action: CloudAction): Promise<ActionOutcome> {
    for (let tries = 0; tries < 60; tries++) {
      try {
        const outcome = await act(far.options, account, action)
        if (outcome.status === 'succeeded') return outcome
      } catch (error) {
        if (bucketOf(error) !== 'transient') throw error
      }
    }
    throw new Error(`${action.id} does not end`)
  }
  const seen = async (one: ResourceRef) => {
    for (;;) {
      try {
        return await look(far.options, account, one)
      } catch (error) {
        if (bucketOf(error) !== 'transient') throw error
      }
    }
  }

  it('is offered for every type that can be scheduled', () => {
    const schedulable = resourceTypes.filter(
      ({ provider, schedulable: is, type }) => provider === 'gcp' && is && !/^gcp-gke-(?!nodepool)/.test(type),
    )
    expect(schedulable.map(({ type }) => type).toSorted()).to.deep.equal(Object.keys(refs).toSorted())
  })
  before(async () => {
    far = await farGoogle(() => ({}))
  })

  /** What has to have been done to stop and to start each. */
  const switching: Readonly<Record<keyof typeof refs, readonly [string[], string[]]>> = {
    'gcp-vm': [['stop web'], ['start web']],
    'gcp-mig': [['group 0'], ['group 3']],
    'gcp-gke-nodepool': [['nodes 0'], ['nodes 2']],
    'gcp-cloudsql': [['database NEVER'], ['database ALWAYS']],
    'gcp-dataproc': [['stop hadoop'], ['start hadoop']],
    'gcp-workbench': [['stop lab'], ['start lab']],
    'gcp-workstation': [['stop desk'], ['start desk']],
    'gcp-appengine-version': [['version STOPPED'], ['version SERVING']],
  }
  for (const [type, [stops, starts]] of Object.entries(switching))
    it(`stops and starts ${type} once each, under throttling and lost answers`, async () => {
      const resource = refs[type as keyof typeof refs]
      for (let seed = 1; seed <= amount(2, 4, 40); seed++) {
        const project = new Project()
        far = await farGoogle(faulty(project, chances(seed)))
        const before = (await seen(resource)).capacity
        await carried({ id: `stop-${seed}`, kind: 'stop', resource })
        expect((await seen(resource)).status).to.equal('stopped')
        await carried({ id: `start-${seed}`, kind: 'start', resource, ...(before && { params: before }) })
        expect((await seen(resource)).status).to.equal('running')
        expect((await seen(resource)).capacity).to.deep.equal(before)
        expect(project.done, `seed ${seed}`).to.deep.equal([...stops, ...starts])
        await far.close()
      }
      far = await farGoogle(() => ({}))
    })

  it('asked again under one id has no second effect', async () => {
    const project = new Project()
    far = await farGoogle(project.answer)
    const stop: CloudAction = { id: 'a-1', kind: 'stop', resource: refs['gcp-vm'] }
    expect(await act(far.options, account, stop)).to.deep.equal({ status: 'running', observedState: 'stopping' })
    await carried(stop)
    expect(await act(far.options, account, stop)).to.deep.equal({ status: 'succeeded', observedState: 'stopped' })
    const snapshot: CloudAction = { id: 'a-2', kind: 'snapshot', resource: disk }
    expect(await act(far.options, account, snapshot)).to.deep.equal({ status: 'running' })
    await carried(snapshot)
    await carried({ id: 'a-3', kind: 'snapshot', resource: refs['gcp-cloudsql'] })
    await carried({ id: 'a-3', kind: 'snapshot', resource: refs['gcp-cloudsql'] })
    expect(project.done).to.deep.equal(['stop web', 'snapshot tidemark-a-2', 'backup tidemark-a-3'])
  })

  it('of another size a machine has to be off for', async () => {
    const project = new Project()
    far = await farGoogle(project.answer)
    const resize: CloudAction = { id: 'a-1', kind: 'resize', resource: refs['gcp-vm'], size: 'e2-standard-4' }
    expect(await fails(act(far.options, account, resize))).to.equal('user_action invalid_state')
    await carried({ id: 'a-2', kind: 'stop', resource: refs['gcp-vm'] })
    await carried(resize)
    await carried(resize)
    expect(project.done).to.deep.equal(['stop web', 'size e2-standard-4'])
    expect((await seen(refs['gcp-vm'])).instanceType).to.equal('e2-standard-4')
    expect(await fails(act(far.options, account, { ...resize, size: '../x' }))).to.equal('user_action invalid_size')
  })

  it('stops a group whose autoscaler is on by switching it off first, and starts it with its bounds', async () => {
    for (let seed = 1; seed <= amount(2, 4, 40); seed++) {
      const project = new Project({ mode: 'ON', min: 2, max: 8 })
      far = await farGoogle(faulty(project, chances(seed)))
      const params = (await seen(refs['gcp-mig'])).capacity!
      expect(params).to.deep.equal({ min: 2, max: 8, desired: 3 })
      await carried({ id: 's', kind: 'stop', resource: refs['gcp-mig'] })
      expect(await seen(refs['gcp-mig'])).to.deep.include({
        status: 'stopped',
        capacity: { min: 0, max: 0, desired: 0 },
      })
      await carried({ id: 't', kind: 'start', resource: refs['gcp-mig'], params })
      expect(await seen(refs['gcp-mig'])).to.deep.include({ status: 'running', capacity: params })
      expect(project.done, `seed ${seed}`).to.deep.equal(['scaler OFF 2-8', 'group 0', 'group 3', 'scaler ON 2-8'])
      await far.close()
    }
    far = await farGoogle(() => ({}))
  })

  it('scales a group by its number, or by the bounds of its autoscaler', async () => {
    const plain = new Project()
    far = await farGoogle(plain.answer)
    await carried({ id: 'a', kind: 'scale', resource: refs['gcp-mig'], params: { desired: 5 } })
    await carried({ id: 'b', kind: 'scale', resource: refs['gcp-mig'], params: { min: 7, max: 9 } })
    await carried({ id: 'b', kind: 'scale', resource: refs['gcp-mig'], params: { min: 7, max: 9 } })
    expect(plain.done).to.deep.equal(['group 5', 'group 7'])
    await far.close()
    const scaled = new Project({ mode: 'ON', min: 2, max: 8 })
    far = await farGoogle(scaled.answer)
    await carried({ id: 'a', kind: 'scale', resource: refs['gcp-mig'], params: { min: 6, max: 10, desired: 6 } })
    expect(await seen(refs['gcp-mig'])).to.deep.include({ capacity: { min: 6, max: 10, desired: 6 } })
    const within: CloudAction = { id: 'b', kind: 'scale', resource: refs['gcp-mig'], params: { desired: 9 } }
    expect(await fails(act(far.options, account, within))).to.equal('user_action unsupported_action')
    expect(scaled.done).to.deep.equal(['scaler ON 6-10'])
  })

  it('counts the nodes of a pool over its zones, and binds it again before it starts', async () => {
    for (let seed = 1; seed <= amount(2, 4, 40); seed++) {
      const project = new Project()
      project.pool.scaling = { enabled: true, totalMinNodeCount: 2, totalMaxNodeCount: 6 }
      far = await farGoogle(faulty(project, chances(seed)))
      const resource = refs['gcp-gke-nodepool']
      const params = (await seen(resource)).capacity!
      expect(params).to.deep.equal({ min: 2, max: 6, desired: 4 })
      await carried({ id: 's', kind: 'stop', resource })
      await carried({ id: 't', kind: 'start', resource, params })
      expect((await seen(resource)).capacity).to.deep.equal(params)
      expect(project.done, `seed ${seed}`).to.deep.equal(['pool unbound', 'nodes 0', 'pool 2-6', 'nodes 2'])
      await far.close()
    }
    const project = new Project()
    far = await farGoogle(project.answer)
    await carried({ id: 'u', kind: 'scale', resource: refs['gcp-gke-nodepool'], params: { desired: 5 } })
    expect([project.done, (await seen(refs['gcp-gke-nodepool'])).capacity?.desired]).to.deep.equal([['nodes 3'], 6])
  })

  it('sets what its specs shall say, by what differs alone', async () => {
    const project = new Project()
    far = await farGoogle(faulty(project, chances(3)))
    const set: CloudAction = {
      id: 'a',
      kind: 'set',
      resource: refs['gcp-cloudsql'],
      specs: { instance_type: 'db-custom-1-3840' },
    }
    await carried(set)
    await carried(set)
    expect(project.done).to.deep.equal(['database db-custom-1-3840'])
  })

  it('names the permission that it lacks, and what a type has not', async () => {
    const project = new Project()
    far = await farGoogle((question) =>
      question.method === 'POST' ? denied('compute.instances.stop') : project.answer(question),
    )
    const error = await act(far.options, account, { id: 'a', kind: 'stop', resource: refs['gcp-vm'] }).catch(
      (thrown: unknown) => thrown,
    )
    expect(error).to.deep.include({ code: 'permission_missing' })
    expect((error as { detail: object }).detail).to.include({ permission: 'compute.instances.stop' })
    const asked = far.asked.length
    expect(await fails(act(far.options, account, { id: 'b', kind: 'pause', resource: refs['gcp-vm'] }))).to.equal(
      'user_action unsupported_action',
    )
    expect(
      await fails(act(far.options, account, { id: 'c', kind: 'set', resource: disk, specs: { colour: 'red' } })),
    ).to.equal('user_action unsupported_action')
    expect(await fails(look(far.options, account, ref('gcp-kms-key', 'x')))).to.equal('user_action unsupported_action')
    expect(far.asked).to.have.length(asked)
  })

  it('puts nothing into an address that is no name of Google’s', async () => {
    far = await farGoogle(() => ({}))
    for (const uid of [
      `${zone}/instances/..`,
      `${zone}/instances/a?b`,
      'projects/x/zones/y',
      `${zone}/instances/a/../../b`,
      '',
    ])
      expect(await fails(look(far.options, account, ref('gcp-vm', uid))), uid).to.equal('user_action not_found')
    const elsewhere = { ...account, externalId: 'shop-prod/../other' }
    expect(await fails(look(far.options, elsewhere, refs['gcp-vm']))).to.equal('user_action project_invalid')
    expect(far.asked).to.deep.equal([])
  })

  it('tells what ended a change at once: no room passes, a quota does not', async () => {
    const ended = (code: string) => async () => {
      const project = new Project()
      project.machine.state = 'TERMINATED'
      far = await farGoogle((question) =>
        question.path.endsWith('/start')
          ? { body: { status: 'DONE', error: { errors: [{ code, message: code }] } } }
          : project.answer(question),
      )
      const outcome = await fails(act(far.options, account, { id: 'a', kind: 'start', resource: refs['gcp-vm'] }))
      await far.close()
      return outcome
    }
    expect(await ended('ZONE_RESOURCE_POOL_EXHAUSTED')()).to.equal('transient cloud_unavailable')
    expect(await ended('QUOTA_EXCEEDED')()).to.equal('user_action quota_exceeded')
    far = await farGoogle(() => ({}))
  })
})
