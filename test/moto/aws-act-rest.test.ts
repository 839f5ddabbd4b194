// tier: deep
import { expect } from 'chai'
import { act } from '#streams/cloud/aws/act/act.ts'
import { zipOf } from '#streams/cloud/aws/scaling/zip.ts'
import { look } from '#streams/cloud/aws/act/act.ts'
import type { ActionKind, ResourceRef } from '#streams/cloud/connector.ts'
import { describeMoto } from '#test/harness/moto.ts'
import { account, owning, region } from './account.ts'

const arn = (service: string, what: string): string => `arn:aws:${service}:${region}:123456789012:${what}`

describeMoto('acting on what is not switched at AWS', (moto) => {
  let serial = 0
  const does = (kind: ActionKind, resource: ResourceRef, specs?: Record<string, unknown>) =>
    act(moto().options, account, { id: `r-${serial++}`, kind, resource, ...(specs && { specs }) })
  const sees = (resource: ResourceRef) => look(moto().options, account, resource)
  const ref = (type: string, resourceUid: string): ResourceRef => ({ resourceUid, type, region })
  beforeEach(() => moto().reset())

  async function sets(resource: ResourceRef, specs: Record<string, unknown>): Promise<void> {
    for (const _ of [1, 2]) expect(await does('set', resource, specs)).to.deep.equal({ status: 'succeeded' })
    expect((await sees(resource)).specs).to.include(specs)
  }

  async function goes(resource: ResourceRef): Promise<void> {
    expect((await sees(resource)).exists).to.equal(true)
    for (const _ of [1, 2]) expect(await does('delete', resource)).to.deep.equal({ status: 'succeeded' })
    expect(await sees(resource)).to.deep.equal({ exists: false })
  }

  it('gives a function other memory, and deletes it', async () => {
    await owning(moto(), async (s) => {
      const role = { RoleName: 'runs', AssumeRolePolicyDocument: '{}' }
      await s.ask('iam', region, (m) => new m.CreateRoleCommand(role))
      const order = {
        FunctionName: 'resize',
        Role: 'arn:aws:iam::123456789012:role/runs',
        Runtime: 'nodejs22.x' as const,
        Handler: 'index.handler',
        MemorySize: 1024,
        Code: { ZipFile: zipOf('index.mjs', '') },
      }
      await s.ask('lambda', region, (m) => new m.CreateFunctionCommand(order))
    })
    const lambda = ref('aws-lambda', arn('lambda', 'function:resize'))
    await sets(lambda, { memory_mb: 512, timeout_seconds: 30 })
    await goes(lambda)
  })

  it('lets images without tags go from a repository, and deletes it', async () => {
    await owning(moto(), (s) =>
      s.ask('ecr', region, (m) => new m.CreateRepositoryCommand({ repositoryName: 'shop/cart' })),
    )
    const repository = ref('aws-ecr-repository', arn('ecr', 'repository/shop/cart'))
    await sets(repository, { lifecycle_policy: true })
    await goes(repository)
  })

  it('gives a NAT gateway a way to S3 past it, once, and deletes it with its address', async () => {
    const { gateway, address } = await owning(moto(), async (s) => {
      const { Subnets = [] } = await s.ask('ec2', region, (m) => new m.DescribeSubnetsCommand({}))
      const { AllocationId } = await s.ask('ec2', region, (m) => new m.AllocateAddressCommand({ Domain: 'vpc' }))
      const order = { SubnetId: Subnets[0]!.SubnetId!, AllocationId: AllocationId! }
      const { NatGateway } = await s.ask('ec2', region, (m) => new m.CreateNatGatewayCommand(order))
      return { gateway: NatGateway!.NatGatewayId!, address: AllocationId! }
    })
    const nat = ref('aws-nat-gateway', gateway)
    await sets(nat, { vpc_has_s3_endpoint: true })
    const { VpcEndpoints = [] } = await owning(moto(), (s) =>
      s.ask('ec2', region, (m) => new m.DescribeVpcEndpointsCommand({})),
    )
    expect(VpcEndpoints.length).to.equal(1)
    await goes(nat)
    await goes(ref('aws-eip', address))
  })

  it('deletes caches, load balancers and clusters', async () => {
    const balancer = await owning(moto(), async (s) => {
      const cache = { CacheClusterId: 'carts', Engine: 'redis', CacheNodeType: 'cache.t4g.small', NumCacheNodes: 1 }
      await s.ask('elasticache', region, (m) => new m.CreateCacheClusterCommand(cache))
      const cluster = { name: 'main', roleArn: 'arn:aws:iam::123456789012:role/eks', resourcesVpcConfig: {} }
      await s.ask('eks', region, (m) => new m.CreateClusterCommand(cluster))
      const { Subnets = [] } = await s.ask('ec2', region, (m) => new m.DescribeSubnetsCommand({}))
      const order = { Name: 'web', Subnets: Subnets.slice(0, 2).map(({ SubnetId }) => SubnetId!) }
      const made = await s.ask('elastic-load-balancing-v2', region, (m) => new m.CreateLoadBalancerCommand(order))
      return made.LoadBalancers![0]!.LoadBalancerArn!
    })
    await goes(ref('aws-alb', balancer))
    // The stand-in never comes to the end of it.
    const cache = ref('aws-elasticache', arn('elasticache', 'cluster:carts'))
    for (const _ of [1, 2]) expect(await does('delete', cache)).to.deep.equal({ status: 'running' })
    expect(await sees(cache)).to.deep.include({ exists: true, status: 'stopping' })
    await goes(ref('aws-eks', arn('eks', 'cluster/main')))
  })
})
