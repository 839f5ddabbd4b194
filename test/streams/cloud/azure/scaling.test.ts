import { expect } from 'chai'
import { azureCloud } from '#streams/cloud/azure/connector.ts'
import type { Connector, ResourceRef } from '#streams/cloud/connector.ts'
import { account, answerServer, armError, fails, subscription, type AnswerServer } from './answer-server.ts'
import { FarSide, idFor, type Thing } from './far-side.ts'

const resource: ResourceRef = {
  resourceUid: idFor('azure-vmss', 'web').toLowerCase(),
  type: 'azure-vmss',
  region: 'westeurope',
}
const replacement = { id: 'r-1', policyName: 'Keep / the web cool', metric: 'cpu_percent', target: 60 }
const rule = (direction: string, threshold: number) => ({
  metricTrigger: { metricName: 'Percentage CPU', threshold },
  scaleAction: { direction },
})

describe('policies of sets of machines at Azure', () => {
  let server: AnswerServer
  let far: FarSide
  let cloud: Connector
  let set: Thing
  beforeEach(async () => {
    far = new FarSide(0)
    set = far.add('azure-vmss', 'web', 'on', { sku: { name: 'Standard_D2s_v3', capacity: 3 } })
    server = await answerServer((question) => far.answer(question))
    cloud = azureCloud(server.options)
  })
  afterEach(() => server.close())
  const standing = () => {
    const rules = [rule('Increase', 75), rule('Decrease', 25)]
    const profiles = [{ name: 'usual', capacity: { minimum: '2', maximum: '9', default: '2' }, rules }]
    return far.add('azure-autoscale', 'theirs', 'on', {
      properties: { targetResourceUri: set.id.toUpperCase(), profiles },
    })
  }

  it('are the rules that add machines, none where there is no setting', async () => {
    expect(await cloud.policies(account, resource)).to.deep.equal([])
    standing()
    expect(await cloud.policies(account, resource)).to.deep.equal([
      { policyName: 'theirs', metric: 'cpu_percent', target: 75, managedBy: 'customer' },
    ])
  })

  it('are replaced by ours in the setting that stands, within its bounds, however often it is asked for', async () => {
    const theirs = standing()
    await cloud.replacePolicies(account, resource, replacement)
    await cloud.replacePolicies(account, resource, replacement)
    expect(await cloud.policies(account, resource)).to.deep.equal([
      { policyName: 'Keep / the web cool', metric: 'cpu_percent', target: 60, managedBy: 'tidemark' },
    ])
    expect(theirs.effects).to.deep.equal(['write'])
    const [profile, ...others] = theirs.body['properties'].profiles
    expect([profile.capacity, others]).to.deep.equal([{ minimum: '2', maximum: '9', default: '2' }, []])
    const told = profile.rules.map(
      ({ metricTrigger: of, scaleAction: does }: Record<string, Record<string, unknown>>) =>
        [of!['operator'], of!['threshold'], does!['direction'], does!['value']].join(' '),
    )
    expect(told).to.deep.equal(['GreaterThan 60 Increase 1', 'LessThan 42 Decrease 1'])
  })

  it('are made where there were none, once, around the machines that there are', async () => {
    await cloud.replacePolicies(account, resource, replacement)
    await cloud.replacePolicies(account, resource, replacement)
    const made = [...far.things.values()].filter(({ id }) => id.includes('autoscaleSettings'))
    expect(made.map(({ effects }) => effects)).to.deep.equal([['make']])
    expect(made[0]!.body['properties'].profiles[0].capacity).to.deep.equal({ minimum: '1', maximum: '3', default: '1' })
    expect(made[0]!.body['properties'].targetResourceUri).to.equal(set.id)
  })

  it('are refused by metrics that Azure does not keep, and for what has none', async () => {
    const by = (metric: string, type = 'azure-vmss') =>
      fails(cloud.replacePolicies(account, { ...resource, type }, { ...replacement, metric }))
    expect([await by('requests'), await by('cpu_percent', 'azure-aks-nodepool')]).to.deep.equal([
      'user_action unsupported_action',
      'user_action unsupported_action',
    ])
    expect(server.asked).to.deep.equal([])
  })
})

describe('quotas of Azure', () => {
  let server: AnswerServer
  afterEach(() => server.close())
  const usages = (values: readonly [string, number, number][]) => ({
    body: { value: values.map(([value, limit, currentValue]) => ({ name: { value }, limit, currentValue })) },
  })
  const most = async (values: readonly [string, number, number][]) => {
    const far = new FarSide(0)
    far.add('azure-vmss', 'web', 'on', { sku: { name: 'Standard_D2s_v3', capacity: 3 } })
    server = await answerServer((question) =>
      question.path === `/subscriptions/${subscription}/providers/Microsoft.Compute/locations/westeurope/usages`
        ? usages(values)
        : far.answer(question),
    )
    return azureCloud(server.options).quotas(account, resource)
  }

  it('let a set have as many machines as its region and the family of its size have room for', async () => {
    // Room for 17 processors of the region, 9 of the family, two a machine.
    expect(
      await most([
        ['cores', 100, 83],
        ['standardDSv3Family', 50, 41],
        ['standardESv3Family', 10, 10],
      ]),
    ).to.deep.equal({ max: 7 })
    await server.close()
    expect(await most([['cores', 10, 12]])).to.deep.equal({ max: 3 })
    await server.close()
    expect(await most([])).to.deep.equal({})
  })

  it('are not told of what is not counted, and without the right to read them', async () => {
    server = await answerServer(({ path }) => (path.endsWith('/usages') ? armError(403, 'AuthorizationFailed') : {}))
    const cloud = azureCloud(server.options)
    expect(await cloud.quotas(account, { ...resource, type: 'azure-vm' })).to.deep.equal({})
    expect(server.asked).to.deep.equal([])
    expect(await cloud.access(account, { ...resource, type: 'azure-vnet' })).to.deep.equal({
      accessible: true,
      principal: '99999999-8888-7777-6666-555555555555',
    })
  })
})
