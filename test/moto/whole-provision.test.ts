// tier: deep
/** What is provisioned at AWS through the API, and taken away whole. */
import { expect } from 'chai'
import { configExample } from '#http/catalog/example.ts'
import type { ProvisioningKind } from '#streams/cloud/provision.ts'
import { describeMoto } from '#test/harness/moto.ts'
import { resetClock } from '#test/harness/people.ts'
import { until } from '#test/harness/product.ts'
import { stepping } from '#test/harness/stepping.ts'
import { owning, region } from './account.ts'
import { connected, type Connected } from './connected.ts'

describeMoto('what is provisioned at AWS through the API', (moto) => {
  let org: Connected
  let spaceID: string
  before(async () => {
    org = await connected(moto(), { regions: [region] })
    spaceID = (await org.done('POST', '/spaces', { name: 'Shop', cloudAccountID: org.accountId, region })).id
  })
  after(async () => {
    await org.end()
    await resetClock()
  })

  const begin = async (kind: ProvisioningKind, config: object) =>
    (await org.done('POST', '/provisioning-jobs', { spaceID, kind, config: { ...configExample(kind), ...config } }))
      .id as string
  const become = async (id: string, phase: string) => {
    const step = stepping(org)
    let shown: any
    await until(`${phase} of a job`, async () => {
      shown = await org.data(`/provisioning-jobs/${id}`)
      if ([phase, 'failed', 'delete_failed'].includes(shown.phase)) return true
      await step()
      return false
    })
    expect([shown.phase, shown.error]).to.deep.equal([phase, undefined])
    return shown
  }
  const standing = () =>
    owning(moto(), async (s) => {
      const { Vpcs = [] } = await s.ask('ec2', region, (m) => new m.DescribeVpcsCommand({}))
      const { Subnets = [] } = await s.ask('ec2', region, (m) => new m.DescribeSubnetsCommand({}))
      const { InternetGateways = [] } = await s.ask('ec2', region, (m) => new m.DescribeInternetGatewaysCommand({}))
      const { repositories = [] } = await s.ask('ecr', region, (m) => new m.DescribeRepositoriesCommand({}))
      return {
        networks: Vpcs.filter(({ IsDefault }) => !IsDefault).map(({ CidrBlock }) => CidrBlock),
        subnets: Subnets.filter(({ DefaultForAz }) => !DefaultForAz).map(({ CidrBlock }) => CidrBlock),
        gateways: InternetGateways.length,
        repositories: repositories.map(({ repositoryName }) => repositoryName),
      }
    })

  it('a network and a registry: made once, and gone whole', async () => {
    const before = await standing()
    const subnets = [{ name: 'a', cidr: '10.9.1.0/24', public: true }]
    const network = await begin('network', { name: 'shop', cidr: '10.9.0.0/16', subnets })
    const registry = await begin('registry', { name: 'images', immutableTags: true })
    await become(network, 'ready')
    await become(registry, 'ready')
    expect(await standing()).to.deep.equal({
      networks: ['10.9.0.0/16'],
      subnets: ['10.9.1.0/24'],
      gateways: before.gateways + 1,
      repositories: ['images'],
    })
    for (const id of [network, registry]) {
      await org.done('DELETE', `/provisioning-jobs/${id}`)
      await become(id, 'deleted')
    }
    expect(await standing()).to.deep.equal(before)
  })

  it('no component, which is refused before there is a job', async () => {
    await owning(moto(), async (s) => {
      const { Subnets = [] } = await s.ask('ec2', region, (m) => new m.DescribeSubnetsCommand({}))
      const subnetIds = Subnets.slice(0, 2).map(({ SubnetId }) => SubnetId!)
      const roleArn = 'arn:aws:iam::123456789012:role/eks'
      await s.ask(
        'eks',
        region,
        (m) => new m.CreateClusterCommand({ name: 'shop', roleArn, resourcesVpcConfig: { subnetIds } }),
      )
    })
    await org.scan()
    await until('the cluster', async () => (await org.resources('&type=aws-eks')).length === 1)
    const [{ uid }] = await org.resources('&type=aws-eks')
    const place = { name: 'Cluster', cloudAccountID: org.accountId, region, clusterUid: uid }
    const { id } = await org.done('POST', '/spaces', place)
    const jobs = (await org.data('/provisioning-jobs')).total
    const body = { spaceID: id, componentID: 'metrics-server', values: {} }
    const refused = await org.send('POST', '/provisioning-jobs/install-component', body)
    expect([refused.status, refused.body.code]).to.deep.equal([422, 'unsupported_provisioning'])
    expect((await org.data('/provisioning-jobs')).total).to.equal(jobs)
  })
})
