import { expect } from 'chai'
import type { ProvisioningKind } from '#streams/cloud/provision.ts'
import { answerServer, armError, fails, type AnswerServer } from '#test/streams/cloud/azure/answer-server.ts'
import { group, Job, ownName, tags } from './case.ts'
import { cases } from './cases.ts'
import { FarArm } from './far-arm.ts'

const caseOf = (title: string) => cases.find((one) => one.title === title)!
const vmss = 'Microsoft.Compute/virtualMachineScaleSets'

describe('what Azure does not have', () => {
  let server: AnswerServer
  let arm: FarArm
  beforeEach(async () => {
    arm = new FarArm()
    server = await answerServer((question) => arm.answer(question), { rules: { budgetMin: 100_000 } })
  })
  afterEach(() => server.close())

  const jobOf = (title: string, change: Record<string, unknown> = {}) => {
    const { kind, config, before = {} } = caseOf(title)
    for (const [path, body] of Object.entries(before)) arm.add(path, structuredClone(body))
    return new Job(server.options, kind, { ...config, ...change })
  }
  const web = (name: string) =>
    `/subscriptions/11111111-2222-3333-4444-555555555555/resourcegroups/shop/providers/${name}`
  const listener = { port: 80, protocol: 'TCP', targetPort: 80 }
  const groups = [{ name: 'batch', instanceType: 'Standard_F8s_v2', min: 0, max: 10 }]

  const refused: readonly (readonly [string, ProvisioningKind, string, Record<string, unknown>, string])[] = [
    ['tags that cannot be overwritten', 'registry', 'a registry', { immutableTags: true }, 'config_invalid'],
    ['a disk of another size', 'datastore', 'a server of Postgres', { allocatedStorageGB: 100 }, 'config_invalid'],
    ['a server without backups', 'datastore', 'a server of Postgres', { backupRetentionDays: 0 }, 'config_invalid'],
    [
      'a size of another series',
      'datastore',
      'a server of Postgres',
      { instanceClass: 'db.m5.large' },
      'config_invalid',
    ],
    ['a standby of series B', 'datastore', 'a server of MySQL', { multiAZ: true }, 'config_invalid'],
    ['a disk under 20 GB', 'datastore', 'a server of MySQL', { allocatedStorageGB: 19 }, 'config_invalid'],
    ['a size of Redis', 'datastore', 'a server of Redis', { instanceClass: 'Premium_C1' }, 'config_invalid'],
    ['a standby of tier Basic', 'datastore', 'a server of Redis', { instanceClass: 'Basic_C1' }, 'config_invalid'],
    ['a disk of Redis', 'datastore', 'a server of Redis', { allocatedStorageGB: 1 }, 'config_invalid'],
    ['backups of Redis', 'datastore', 'a server of Redis', { backupRetentionDays: 1 }, 'config_invalid'],
    ['a cluster in two subnets', 'kubernetes', 'a cluster', { subnetIDs: ['a', 'b'] }, 'config_invalid'],
    ['a subnet of another network', 'kubernetes', 'a cluster', { subnetIDs: ['nodes'] }, 'config_invalid'],
    ['a cluster without machines', 'kubernetes', 'a cluster', { nodeGroups: groups }, 'config_invalid'],
    [
      'one target port twice',
      'load_balancer',
      'an internal load balancer',
      { listeners: [listener, { ...listener, port: 81 }] },
      'config_invalid',
    ],
    [
      'a certificate',
      'load_balancer',
      'an internal load balancer',
      { listeners: [{ ...listener, protocol: 'HTTPS' }] },
      'unsupported_provisioning',
    ],
    [
      'a single machine as target',
      'load_balancer',
      'an internal load balancer',
      { targetUID: web('microsoft.compute/virtualmachines/web') },
      'unsupported_provisioning',
    ],
    [
      'a scale set of another subscription',
      'load_balancer',
      'an internal load balancer',
      { targetUID: web('microsoft.compute/virtualmachinescalesets/web').replace('1111', '2222') },
      'unsupported_provisioning',
    ],
  ]
  for (const [what, , title, change, code] of refused)
    it(`is refused before anything is created: ${what}`, async () => {
      expect(await fails(jobOf(title, change).make())).to.match(new RegExp(`^(user_action|system) ${code}$`))
      expect(arm.bodies.size).to.equal(0)
    })

  const dns = 'microsoft.compute/virtualmachinescalesets/dns'

  it('names the scale set that a load balancer is for, if it is gone', async () => {
    const job = jobOf('an internal load balancer', { targetUID: web(dns.replace('dns', 'other')) })
    expect(await fails(job.make())).to.equal('user_action resource_not_found')
  })

  it('is a scale set whose machines wait for another change', async () => {
    const job = jobOf('an internal load balancer')
    const { set } = arm.kept.get(web(dns))!
    set!.change({ properties: { virtualMachineProfile: { networkProfile: { networkInterfaceConfigurations: [] } } } })
    expect(await fails(job.make())).to.equal('user_action target_outdated')
  })

  it('leaves the other load balancers of a scale set as they are, also when its own is deleted', async () => {
    const job = jobOf('an internal load balancer')
    const pools = () => arm.kept.get(web(dns))!.set!.pools
    const before = pools()
    await job.make()
    // Two machines, each in both pools.
    expect(pools().length).to.equal(4)
    await job.unmake()
    expect(pools()).to.deep.equal(before)
  })

  it('keeps what somebody else changes of a scale set at the same moment', async () => {
    const job = jobOf('an internal load balancer')
    arm.refusals.push({ method: 'PATCH', of: /virtualmachinescalesets/i, answer: armError(412, 'PreconditionFailed') })
    await job.make()
    const sent = server.asked.filter(({ method }) => method === 'PATCH').map(({ headers }) => headers['if-match'])
    expect(sent).to.deep.equal(['"1"', '"1"'])
  })

  it('is a network that something else is in: it stays as a whole, and Azure says what that is', async () => {
    const job = jobOf('a network')
    await job.make()
    const machine = arm.add(web('microsoft.network/networkinterfaces/web'), {
      properties: {
        subnet: { id: `${group}/providers/Microsoft.Network/virtualNetworks/${ownName}/subnets/public-a` },
      },
    })
    expect(await fails(job.unmake())).to.equal('user_action rejected')
    expect(arm.done.filter((what) => what.startsWith('delete'))).to.deep.equal([])
    arm.kept.delete(machine.path)
    await job.unmake()
    expect([...arm.kept.keys()]).to.deep.equal([])
  })

  it('is a group of which Azure could not delete everything: it says of what, and deletes it when asked again', async () => {
    const job = jobOf('a pool of machines')
    await job.make()
    const subnet = `${group}/providers/Microsoft.Network/virtualNetworks/${ownName}/subnets/machines`
    const machine = arm.add(web('microsoft.network/networkinterfaces/web'), { properties: { subnet: { id: subnet } } })
    const failure = (await job.unmake().catch((error: unknown) => error)) as Error
    expect(failure.message).to.include(`identifiers 'virtualNetworks/${ownName}' could not be deleted`)
    expect(await fails(job.unmake())).to.equal('user_action rejected')
    arm.kept.delete(machine.path)
    await job.unmake()
    expect([...arm.kept.keys()]).to.deep.equal([])
  })

  it('is told with the permission that is missing, and what to do', async () => {
    const message = `The client 'x' does not have authorization to perform action '${vmss}/write' over scope 'y'.`
    arm.refusals.push({
      method: 'PUT',
      of: /virtualMachineScaleSets/,
      answer: armError(403, 'AuthorizationFailed', message),
    })
    const failure = await jobOf('a pool of machines')
      .make()
      .catch((error: unknown) => error)
    expect(failure).to.deep.include({ code: 'permission_missing' })
    expect((failure as { detail: object }).detail).to.include({ permission: `${vmss}/write` })
  })

  it('goes by the object where its role may not read operations', async () => {
    const answer = armError(403, 'AuthorizationFailed')
    for (let times = 0; times < 3; times++) arm.refusals.push({ method: 'GET', of: /\/locations\//, answer })
    await jobOf('a network').make()
    expect(arm.done.length).to.equal(3)
  })

  it('is a node pool that was deleted: it is created again in its step', async () => {
    const job = jobOf('a cluster')
    for (const step of ['validate', 'control_plane']) await job.step(step)
    const batch = [...arm.kept.keys()].find((path) => path.endsWith('/agentpools/batch'))!
    arm.kept.delete(batch)
    await job.step('node_groups')
    expect(arm.done.slice(1)).to.deep.equal([`create managedClusters/${ownName}`, 'create agentPools/batch'])
  })

  it('is what Azure has found changed: sizes, bounds, subnets, and what is not there', async () => {
    const job = jobOf('a pool of machines')
    await job.make()
    const within = (type: string) => arm.kept.get(`${group}/providers/${type}/${ownName}`.toLowerCase())!
    within(vmss).body['sku'].name = 'Standard_D4ps_v5'
    within('Microsoft.Insights/autoscaleSettings').body['properties'].profiles[0].capacity.maximum = '9'
    expect(await job.describe()).to.deep.include({ instanceType: 'Standard_D4ps_v5', min: 2, max: 9 })
    const network = jobOf('a network')
    arm.kept.clear()
    await network.make()
    within('Microsoft.Network/virtualNetworks').body['properties'].subnets.pop()
    expect((await network.describe())?.['subnets']).to.have.length(1)
  })

  it('has tags within the rules of Azure: no name twice in another case, none of ours, at most 50', async () => {
    const job = jobOf('a registry')
    const request = job.request('create')
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`t${at}`, 'x'.repeat(300)]))
    job.request = () => ({ ...request, tags: { 'a/b': '1', 'A/B': '2', 'TIDEMARK:JOB': 'other', ...many } })
    await job.step('create')
    const [body] = [...arm.bodies.values()]
    expect(Object.keys(body!['tags'])).to.have.length(50)
    expect(body!['tags']).to.include({ 'a-b': '1', 'tidemark:job': tags['tidemark:job'], t0: 'x'.repeat(256) })
    expect(body!['tags']).not.to.have.any.keys('A-B', 'TIDEMARK:JOB')
  })
})
