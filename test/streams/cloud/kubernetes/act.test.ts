import { expect } from 'chai'
import type { Fault } from '#engine/value/fault.ts'
import { bucketOf, type CloudAction, type ResourceRef } from '#streams/cloud/connector.ts'
import { kubernetesAct } from '#streams/cloud/kubernetes/act.ts'
import { kubernetesLook, kubernetesPolicies } from '#streams/cloud/kubernetes/object/look.ts'
import {
  apiOf,
  cluster,
  failure,
  fixedServer,
  lines,
  list,
  type Answer,
  type Asked,
  type FixedServer,
} from '#test/harness/kubernetes.ts'

const ref = (kind: string, name: string, namespace: string | undefined = 'shop'): ResourceRef => ({
  resourceUid: [cluster.uid, ...(namespace ? [namespace] : []), kind, name].join('/'),
  type: `aws-eks-${kind}`,
  region: cluster.region,
})

const containers = [
  {
    name: 'app',
    image: 'shop/app:1',
    resources: { requests: { cpu: '300m', memory: '512Mi' }, limits: { cpu: '1', memory: '512Mi' } },
  },
  { name: 'proxy', image: 'proxy:2', resources: { requests: { cpu: '100m', memory: '128Mi' } } },
]
const workload = (replicas: number, ready = replicas, more: object = {}) => ({
  metadata: { name: 'web', namespace: 'shop', resourceVersion: '7', ...more },
  spec: { replicas, template: { spec: { containers } } },
  status: { replicas: ready, readyReplicas: ready },
})

const paths = {
  deployment: '/apis/apps/v1/namespaces/shop/deployments/web',
  replicaset: '/apis/apps/v1/namespaces/shop/replicasets/web',
  cronjob: '/apis/batch/v1/namespaces/shop/cronjobs/nightly',
  job: '/apis/batch/v1/namespaces/shop/jobs/once',
}

/** What merge patches make of an object, as far as they go here. */
const merged = (one: any, patch: any): any =>
  typeof patch === 'object' && patch !== null && !Array.isArray(patch)
    ? {
        ...one,
        ...Object.fromEntries(Object.entries(patch).map(([name, value]) => [name, merged(one?.[name], value)])),
      }
    : patch

describe('acting on objects of a cluster', () => {
  let server: FixedServer
  let objects: Record<string, any> = {}
  /** Answers before the objects do. */
  let first: (asked: Asked) => Answer | undefined = () => undefined
  before(async () => {
    server = await fixedServer((asked) => first(asked) ?? stored(asked))
  })
  beforeEach(() => {
    server.asked.splice(0)
    first = () => undefined
    objects = {}
  })
  after(() => server.close())

  function stored({ method, path, body }: Asked): Answer | undefined {
    const own = path.replace(/\/scale$/, '')
    const object = objects[own]
    if (!object) return undefined
    if (method === 'GET') return { body: object }
    if (method === 'DELETE') delete objects[own]
    if (method === 'PATCH') objects[own] = merged(object, body)
    return { body: { kind: 'Status' } }
  }

  const act = (kind: CloudAction['kind'], resource: ResourceRef, more: Partial<CloudAction> = {}) =>
    kubernetesAct(apiOf(server.url), { id: 'action-1', kind, resource, ...more })
  const refusal = (doing: Promise<unknown>): Promise<string> =>
    doing.then(
      (done) => `done: ${JSON.stringify(done)}`,
      (error: Fault) => `${bucketOf(error)} ${error.code}: ${error.message}`,
    )
  const changes = () => server.asked.filter(({ method }) => method !== 'GET')

  it('stops a deployment by its scale, is on its way until the pods are gone, and does it once however often it is asked', async () => {
    objects[paths.deployment] = workload(3)
    expect(await act('stop', ref('deployment', 'web'))).to.deep.equal({ status: 'running', observedState: 'stopping' })
    expect(await act('stop', ref('deployment', 'web'))).to.deep.equal({ status: 'running', observedState: 'stopping' })
    objects[paths.deployment].status = {}
    expect(await act('stop', ref('deployment', 'web'))).to.deep.equal({ status: 'succeeded', observedState: 'stopped' })
    expect(
      changes().map(({ method, path, body, headers }) => [method, path, body, headers['content-type']]),
    ).to.deep.equal([['PATCH', `${paths.deployment}/scale`, { spec: { replicas: 0 } }, 'application/merge-patch+json']])
  })

  it('starts it with as many as it is told, with one without a word, and leaves alone what runs', async () => {
    objects[paths.deployment] = workload(0)
    const resource = ref('deployment', 'web')
    expect(await act('start', resource, { params: { desired: 3 } })).to.deep.equal({
      status: 'running',
      observedState: 'starting',
    })
    expect(objects[paths.deployment].spec.replicas).to.equal(3)
    await act('start', resource)
    expect(objects[paths.deployment].spec.replicas).to.equal(3)
    objects[paths.deployment] = workload(0)
    await act('start', resource)
    expect(objects[paths.deployment].spec.replicas).to.equal(1)
    objects[paths.deployment] = workload(0)
    await act('start', resource, { params: { min: 2 } })
    expect(objects[paths.deployment].spec.replicas).to.equal(2)
  })

  it('scales to what is desired, and asks for nothing where it is so', async () => {
    objects[paths.deployment] = workload(3)
    const resource = ref('deployment', 'web')
    expect(await act('scale', resource, { params: { desired: 2 } })).to.deep.equal({
      status: 'succeeded',
      observedState: 'running',
    })
    expect(await act('scale', resource, { params: { desired: 2 } })).to.deep.equal({
      status: 'succeeded',
      observedState: 'running',
    })
    expect(await act('scale', resource, { params: { min: 1, max: 9 } })).to.include({ status: 'succeeded' })
    expect(changes()).to.have.length(1)
  })

  it('scales a replica set that stands alone, and none that its deployment would set back', async () => {
    objects[paths.replicaset] = workload(2)
    expect(await act('stop', ref('replicaset', 'web'))).to.include({ observedState: 'stopping' })
    objects[paths.replicaset] = workload(2, 2, {
      ownerReferences: [{ kind: 'Deployment', name: 'web', controller: true }],
    })
    for (const kind of ['stop', 'start', 'scale'] as const)
      expect(await refusal(act(kind, ref('replicaset', 'web'), { params: { desired: 0 } }))).to.match(
        /^user_action unsupported_action/,
      )
  })

  it('suspends cron jobs and jobs, and resumes them', async () => {
    objects[paths.cronjob] = { metadata: { name: 'nightly' }, spec: { schedule: '0 3 * * *' } }
    objects[paths.job] = { metadata: { name: 'once' }, spec: {}, status: { active: 1 } }
    expect(await act('stop', ref('cronjob', 'nightly'))).to.deep.equal({
      status: 'succeeded',
      observedState: 'stopped',
    })
    expect(await act('start', ref('cronjob', 'nightly'))).to.deep.equal({
      status: 'succeeded',
      observedState: 'running',
    })
    expect(await act('stop', ref('job', 'once'))).to.deep.equal({ status: 'running', observedState: 'stopping' })
    expect(changes().map(({ path, body }) => [path, body])).to.deep.equal([
      [paths.cronjob, { spec: { suspend: true } }],
      [paths.cronjob, { spec: { suspend: false } }],
      [paths.job, { spec: { suspend: true } }],
    ])
  })

  it('leaves a job that has finished as it is, and cannot start it', async () => {
    objects[paths.job] = { metadata: { name: 'once' }, status: { conditions: [{ type: 'Complete', status: 'True' }] } }
    expect(await act('stop', ref('job', 'once'))).to.deep.equal({ status: 'succeeded', observedState: 'stopped' })
    expect(await refusal(act('start', ref('job', 'once')))).to.match(
      /^user_action unsupported_action: once \(Kubernetes job\) does not support/,
    )
    expect(changes()).to.deep.equal([])
  })

  describe('sets what containers request', () => {
    const set = (specs: Record<string, unknown>) => act('set', ref('deployment', 'web'), { specs })

    it('each in the proportion it had, in one change that holds for the version that was read', async () => {
      objects[paths.deployment] = workload(2)
      await set({ cpu_request_millicores: 101, memory_request_mib: 1000 })
      expect(changes().map(({ path, body, headers }) => [path, headers['content-type'], body])).to.deep.equal([
        [
          paths.deployment,
          'application/strategic-merge-patch+json',
          {
            metadata: { resourceVersion: '7' },
            spec: {
              template: {
                spec: {
                  containers: [
                    // 300 of 400 of 101 are 75.75, 512 of 640 of 1000 are 800: above the limit of 512, which rises.
                    {
                      name: 'app',
                      resources: { requests: { cpu: '76m', memory: '800Mi' }, limits: { memory: '800Mi' } },
                    },
                    { name: 'proxy', resources: { requests: { cpu: '25m', memory: '200Mi' } } },
                  ],
                },
              },
            },
          },
        ],
      ])
    })

    it('from what stands there when another was quicker, and gives up when others always are', async () => {
      objects[paths.deployment] = workload(2)
      let conflicts = 0
      first = ({ method }) => {
        if (method !== 'PATCH' || conflicts++ > 0) return undefined
        objects[paths.deployment].metadata.resourceVersion = '8'
        return failure(409, 'the object has been modified')
      }
      await set({ cpu_request_millicores: 200 })
      expect(changes().map(({ body }) => body.metadata.resourceVersion)).to.deep.equal(['7', '8'])
      server.asked.splice(0)
      first = ({ method }) => (method === 'PATCH' ? failure(409, 'the object has been modified') : undefined)
      expect(await refusal(set({ cpu_request_millicores: 200 }))).to.match(/^transient conflict/)
      expect(changes()).to.have.length(4)
    })

    it('not where nobody can say whose they are, not of less than there can be, and not what is no number', async () => {
      const bare = containers.map(({ name }) => ({ name }))
      objects[paths.deployment] = { metadata: {}, spec: { template: { spec: { containers: bare } } } }
      expect(await refusal(set({ cpu_request_millicores: 200 }))).to.match(/^user_action invalid_size/)
      objects[paths.deployment] = workload(2)
      expect(await refusal(set({ cpu_request_millicores: 1 }))).to.match(/^user_action invalid_size/)
      for (const wrong of [-1, 1.5, '200m', null, Number.NaN])
        expect(await refusal(set({ cpu_request_millicores: wrong })), String(wrong)).to.match(
          /^user_action invalid_size/,
        )
      expect(await refusal(set({ cpu_request_millicores: 200, image: 'evil' }))).to.match(/unsupported_action: .*image/)
      expect(changes()).to.deep.equal([])
    })

    it('of the one container that requests nothing yet', async () => {
      objects[paths.deployment] = { metadata: {}, spec: { template: { spec: { containers: [{ name: 'app' }] } } } }
      await set({ memory_request_mib: 64 })
      expect(changes()[0]!.body.spec.template.spec.containers).to.deep.equal([
        { name: 'app', resources: { requests: { memory: '64Mi' } } },
      ])
    })
  })

  it('sets bounds of autoscalers in one change, replicas by the scale, and the time that jobs stay', async () => {
    const autoscaler = '/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers/web'
    objects = { [autoscaler]: { metadata: {} }, [paths.deployment]: workload(3), [paths.job]: { metadata: {} } }
    await act('set', ref('horizontalpodautoscaler', 'web'), { specs: { min_replicas: 4, max_replicas: 8 } })
    await act('set', ref('deployment', 'web'), { specs: { replicas: 0 } })
    await act('set', ref('job', 'once'), { specs: { ttl_seconds: 3600 } })
    expect(changes().map(({ path, body }) => [path, body])).to.deep.equal([
      [autoscaler, { spec: { minReplicas: 4, maxReplicas: 8 } }],
      [`${paths.deployment}/scale`, { spec: { replicas: 0 } }],
      [paths.job, { spec: { ttlSecondsAfterFinished: 3600 } }],
    ])
  })

  it('deletes what the cluster role lets it, which is so when it is gone, and nothing else', async () => {
    objects[paths.deployment] = workload(0)
    expect(await act('delete', ref('deployment', 'web'))).to.deep.equal({ status: 'succeeded' })
    expect(await act('delete', ref('deployment', 'web'))).to.deep.equal({ status: 'succeeded' })
    expect(changes().map(({ method, path, query }) => [method, path, query['propagationPolicy']])).to.deep.equal([
      ['DELETE', paths.deployment, 'Background'],
    ])
    expect(await refusal(act('delete', ref('namespace', 'shop', '')))).to.match(/^user_action unsupported_action/)
    expect(await refusal(act('delete', ref('clusterrole', 'admin', '')))).to.match(/^user_action unsupported_action/)
  })

  it('says what is gone, what a kind cannot do, what may not be done and by which permission', async () => {
    expect(await refusal(act('stop', ref('deployment', 'web')))).to.equal(
      'user_action resource_not_found: web no longer exists.',
    )
    objects[paths.deployment] = workload(3)
    for (const kind of ['resize', 'snapshot', 'pause'] as const)
      expect(await refusal(act(kind, ref('deployment', 'web')))).to.match(/^user_action unsupported_action/)
    const daemons = '/apis/apps/v1/namespaces/shop/daemonsets/agent'
    objects[daemons] = workload(1)
    expect(await refusal(act('stop', ref('daemonset', 'agent')))).to.match(/^user_action unsupported_action/)
    first = ({ method }) => (method === 'PATCH' ? failure(403, 'forbidden') : undefined)
    const denied = await act('stop', ref('deployment', 'web')).catch((error: Fault) => error)
    expect((denied as Fault).detail).to.deep.include({
      bucket: 'user_action',
      permission: 'patch deployments.apps/scale',
    })
    expect(await refusal(act('stop', { ...ref('deployment', 'web'), resourceUid: 'i-1' }))).to.match(
      /unsupported_action/,
    )
  })

  it('tries again what the server could not do for a moment, and gives up on what it takes for wrong', async () => {
    objects[paths.deployment] = workload(3)
    let failed = 0
    first = ({ method }) => (method === 'PATCH' && failed++ < 2 ? failure(500, 'etcd') : undefined)
    expect(await act('stop', ref('deployment', 'web'))).to.include({ observedState: 'stopping' })
    expect(changes()).to.have.length(3)
    objects[paths.deployment] = workload(3)
    first = ({ method }) => (method === 'PATCH' ? failure(422, 'spec.replicas: Invalid value') : undefined)
    expect(await refusal(act('stop', ref('deployment', 'web')))).to.equal(
      'user_action rejected: Kubernetes patch deployments.apps/scale in prod: spec.replicas: Invalid value',
    )
  })

  it('looks at one object with one call; of a secret only at what is around it', async () => {
    objects[paths.deployment] = workload(3, 1)
    expect(await kubernetesLook(apiOf(server.url), ref('deployment', 'web'))).to.deep.include({
      exists: true,
      status: 'starting',
      capacity: { min: 0, max: 3, desired: 3 },
    })
    expect(await kubernetesLook(apiOf(server.url), ref('secret', 'database'))).to.deep.equal({ exists: false })
    expect(lines(server)).to.deep.equal([`GET ${paths.deployment}`, 'GET /api/v1/namespaces/shop/secrets/database'])
    expect(server.asked[1]!.headers.accept).to.equal('application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io')
  })

  it("tells the autoscalers of a workload, which are the customer's", async () => {
    const scaling = (name: string, target: string, resource: string, averageUtilization: number) => ({
      metadata: { name, namespace: 'shop' },
      spec: {
        scaleTargetRef: { kind: 'Deployment', name: target },
        metrics: [
          { type: 'Resource', resource: { name: resource, target: { type: 'Utilization', averageUtilization } } },
        ],
      },
    })
    const all = [scaling('b', 'web', 'memory', 80), scaling('a', 'web', 'cpu', 70), scaling('c', 'api', 'cpu', 60)]
    first = ({ path }) =>
      path === '/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers'
        ? list('HorizontalPodAutoscaler', all)
        : undefined
    expect(await kubernetesPolicies(apiOf(server.url), ref('deployment', 'web'))).to.deep.equal([
      { policyName: 'a', metric: 'cpu_request_percent', target: 70, managedBy: 'customer' },
      { policyName: 'b', metric: 'memory_request_percent', target: 80, managedBy: 'customer' },
    ])
  })
})
