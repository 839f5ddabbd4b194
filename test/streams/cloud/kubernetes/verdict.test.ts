import { loadAll } from 'js-yaml'
import { expect } from 'chai'
import { listedKinds } from '#streams/cloud/kubernetes/object/kind.ts'
import { clusterRole, needs, permissions } from '#streams/cloud/kubernetes/api/permissions.ts'
import { kubernetesPermissions } from '#streams/cloud/kubernetes/api/verdict.ts'
import { apiOf, failure, fixedServer, type Asked, type FixedServer } from '#test/harness/kubernetes.ts'

const rulesPath = '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews'
const accessPath = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'

const rule = (verbs: string[], apiGroups: string[], resources: string[], more: object = {}) => ({
  verbs,
  apiGroups,
  resources,
  ...more,
})
const rulesIn = (accesses: readonly ('read' | 'write')[]) => (loadAll(clusterRole(accesses))[0] as any).rules as any[]

describe('what a cluster allows us', () => {
  let server: FixedServer
  let resourceRules: object[] = []
  let incomplete = false
  let allowed: (asked: Asked) => unknown = () => false
  before(async () => {
    server = await fixedServer((asked) => {
      if (asked.path === rulesPath)
        return { status: 201, body: { status: { resourceRules, nonResourceRules: [], incomplete } } }
      return asked.path === accessPath ? { status: 201, body: { status: { allowed: allowed(asked) } } } : undefined
    })
  })
  beforeEach(() => {
    server.asked.splice(0)
    incomplete = false
  })
  after(() => server.close())

  const checked = async (state: string) =>
    (await kubernetesPermissions(apiOf(server.url))).filter((check) => check.state === state).map(({ name }) => name)

  it('is all of it with the cluster role that we print, to read and to write', async () => {
    const names = (access: string) => needs.filter((need) => need.access === access).map(({ name }) => name)
    resourceRules = rulesIn(['read', 'write'])
    expect(await checked('granted')).to.deep.equal(needs.map(({ name }) => name))
    resourceRules = rulesIn(['read'])
    expect(await checked('granted')).to.deep.equal(names('read'))
    expect(await checked('missing')).to.deep.equal(names('write'))
    expect(names('read')).to.include.members(['list deployments.apps', 'get secrets', 'list pods.metrics.k8s.io'])
    expect(names('write')).to.include.members([
      'patch deployments.apps/scale',
      'patch cronjobs.batch',
      'delete services',
    ])
  })

  it('is asked with one question, about what holds in every namespace', async () => {
    resourceRules = []
    await checked('granted')
    expect(server.asked.map(({ method, path, body }) => [method, path, body])).to.deep.equal([
      [
        'POST',
        rulesPath,
        {
          apiVersion: 'authorization.k8s.io/v1',
          kind: 'SelfSubjectRulesReview',
          spec: { namespace: 'tidemark-permission-check' },
        },
      ],
    ])
    server.asked.splice(0)
    await kubernetesPermissions(apiOf(server.url, { namespace: 'shop' }))
    expect(server.asked[0]!.body.spec).to.deep.equal({ namespace: 'shop' })
  })

  it('is read by stars, and not by rules for single names', async () => {
    resourceRules = [rule(['*'], ['*'], ['*'])]
    expect(await checked('granted')).to.have.length(needs.length)
    resourceRules = [rule(['get', 'list'], ['apps'], ['*']), rule(['patch'], ['apps'], ['*/scale'])]
    expect((await checked('granted')).every((name) => name.includes('.apps'))).to.equal(true)
    expect(await checked('granted'))
      .to.include('patch statefulsets.apps/scale')
      .and.to.not.include('patch statefulsets.apps')
    resourceRules = [rule(['list'], [''], ['pods'], { resourceNames: ['one'] }), rule(['list'], ['apps'], ['pods'])]
    expect(await checked('granted')).to.deep.equal([])
  })

  it('is asked one by one where rules are not all that decides', async () => {
    resourceRules = [rule(['list'], [''], ['nodes'])]
    incomplete = true
    allowed = ({ body: { spec } }) =>
      spec.resourceAttributes.resource === 'pods' ? spec.resourceAttributes.verb === 'list' : undefined
    expect(await checked('granted')).to.deep.equal(['list nodes', 'list pods', 'list pods.metrics.k8s.io'])
    const asked = server.asked.filter(({ path }) => path === accessPath)
    expect(asked).to.have.length(needs.length - 1)
    expect(asked.map(({ body }) => body.spec.resourceAttributes)).to.deep.include({
      verb: 'patch',
      group: 'apps',
      resource: 'deployments',
      subresource: 'scale',
    })
    expect(await checked('missing')).to.deep.equal(['get pods'])
  })

  it('cannot be told where the cluster does not know us', async () => {
    const down = await fixedServer(() => failure(401, 'Unauthorized'))
    const error = await kubernetesPermissions(apiOf(down.url)).catch((thrown: unknown) => thrown)
    down.close()
    expect(error).to.include({ code: 'cluster_credentials_refused' })
  })
})

describe('the cluster role that is printed', () => {
  it('lets us read what is listed, and nothing be changed', () => {
    const [role, binding] = loadAll(clusterRole(['read'])) as any[]
    expect([role.kind, role.metadata, binding.kind, binding.roleRef.name]).to.deep.equal([
      'ClusterRole',
      { name: 'tidemark' },
      'ClusterRoleBinding',
      'tidemark',
    ])
    expect(binding.subjects).to.deep.equal([{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'tidemark' }])
    expect(new Set(role.rules.flatMap(({ verbs }: any) => verbs))).to.deep.equal(new Set(['get', 'list']))
    for (const { group, plural } of listedKinds)
      expect(
        role.rules.some(
          ({ apiGroups, resources, verbs }: any) =>
            apiGroups.includes(group) && resources.includes(plural) && verbs.includes('list'),
        ),
        plural,
      ).to.equal(true)
    expect(role.rules).to.deep.include({ apiGroups: [''], resources: ['secrets'], verbs: ['get', 'list'] })
  })

  it('never says star, nor what is not in the table', () => {
    const rules = rulesIn(['read', 'write'])
    expect(JSON.stringify(rules)).to.not.include('*')
    expect(rules).to.deep.equal(
      permissions.map(({ group, resources, verbs }) => ({ apiGroups: [group], resources, verbs })),
    )
  })
})
