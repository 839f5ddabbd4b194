// tier: deep
import { expect } from 'chai'
import type { Fault } from '#engine/value/fault.ts'
import { act } from '#streams/cloud/aws/act/act.ts'
import { createInfrastructure } from '#streams/cloud/aws/scaling/infrastructure.ts'
import { look } from '#streams/cloud/aws/act/act.ts'
import { policies, replacePolicies } from '#streams/cloud/aws/scaling/policy.ts'
import { access } from '#streams/cloud/aws/session/access.ts'
import type { ActionKind, Capacity, ResourceRef } from '#streams/cloud/connector.ts'
import { describeMoto, type Moto } from '#test/harness/moto.ts'
import { account, owning, region } from './account.ts'

const size = (min: number, max: number, desired: number): Capacity => ({ min, max, desired })

async function group(moto: Moto): Promise<ResourceRef> {
  return owning(moto, async (s) => {
    const launch = { LaunchConfigurationName: 'web', ImageId: 'ami-12c6146b', InstanceType: 'm5.large' }
    await s.ask('auto-scaling', region, (m) => new m.CreateLaunchConfigurationCommand(launch))
    const order = {
      AutoScalingGroupName: 'web',
      LaunchConfigurationName: 'web',
      MinSize: 2,
      MaxSize: 6,
      DesiredCapacity: 3,
      AvailabilityZones: [`${region}a`],
    }
    await s.ask('auto-scaling', region, (m) => new m.CreateAutoScalingGroupCommand(order))
    const { AutoScalingGroups = [] } = await s.ask(
      'auto-scaling',
      region,
      (m) => new m.DescribeAutoScalingGroupsCommand({}),
    )
    return { resourceUid: AutoScalingGroups[0]!.AutoScalingGroupARN!, type: 'aws-asg', region }
  })
}

async function containers(moto: Moto): Promise<ResourceRef> {
  return owning(moto, async (s) => {
    await s.ask('ecs', region, (m) => new m.CreateClusterCommand({ clusterName: 'shop' }))
    const task = {
      family: 'cart',
      cpu: '512',
      memory: '1024',
      containerDefinitions: [{ name: 'cart', image: 'cart:1', memory: 1024 }],
    }
    await s.ask('ecs', region, (m) => new m.RegisterTaskDefinitionCommand(task))
    const order = { cluster: 'shop', serviceName: 'cart', taskDefinition: 'cart', desiredCount: 2 }
    const { service } = await s.ask('ecs', region, (m) => new m.CreateServiceCommand(order))
    return { resourceUid: service!.serviceArn!, type: 'aws-ecs-service', region }
  })
}

async function nodes(moto: Moto): Promise<ResourceRef> {
  return owning(moto, async (s) => {
    const cluster = {
      name: 'main',
      roleArn: 'arn:aws:iam::123456789012:role/eks',
      resourcesVpcConfig: {
        subnetIds: ['subnet-1'],
        endpointPublicAccess: true,
        publicAccessCidrs: ['203.0.113.0/24'],
      },
    }
    await s.ask('eks', region, (m) => new m.CreateClusterCommand(cluster))
    const order = {
      clusterName: 'main',
      nodegroupName: 'workers',
      nodeRole: 'arn:aws:iam::123456789012:role/eks',
      subnets: ['subnet-1'],
      scalingConfig: { minSize: 1, maxSize: 5, desiredSize: 2 },
    }
    const { nodegroup } = await s.ask('eks', region, (m) => new m.CreateNodegroupCommand(order))
    return { resourceUid: nodegroup!.nodegroupArn!, type: 'aws-eks-nodegroup', region }
  })
}

describeMoto('scaling AWS', (moto) => {
  let serial = 0
  const does = (kind: ActionKind, resource: ResourceRef, params?: Partial<Capacity>) =>
    act(moto().options, account, { id: `s-${serial++}`, kind, resource, ...(params && { params }) })
  const sees = (resource: ResourceRef) => look(moto().options, account, resource)
  beforeEach(() => moto().reset())

  for (const [what, make, full] of [
    ['a group of machines', group, size(2, 6, 3)],
    ['a node group', nodes, size(1, 5, 2)],
  ] as const) {
    it(`scales ${what}, stops it to nothing, and brings back what a start names`, async () => {
      const fleet = await make(moto())
      expect(await sees(fleet)).to.deep.include({ exists: true, status: 'running', capacity: full })
      await does('scale', fleet, size(3, 8, 5))
      expect((await sees(fleet)).capacity).to.deep.equal(size(3, 8, 5))
      expect(await does('scale', fleet, { max: 4 })).to.include({ observedState: 'running' })
      expect((await sees(fleet)).capacity).to.deep.equal(size(3, 4, 4))
      for (const _ of [1, 2])
        expect(await does('stop', fleet)).to.deep.equal({ status: 'succeeded', observedState: 'stopped' })
      expect(await sees(fleet)).to.deep.include({ status: 'stopped', capacity: size(0, 4, 0) })
      for (const _ of [1, 2])
        expect(await does('start', fleet, full)).to.deep.equal({ status: 'succeeded', observedState: 'running' })
      expect(await sees(fleet)).to.deep.include({ status: 'running', capacity: full })
      await does('delete', fleet)
      expect(await sees(fleet)).to.deep.equal({ exists: false })
    })
  }

  it('scales a service within bounds of its own, stops it and starts it again', async () => {
    const service = await containers(moto())
    expect((await sees(service)).capacity).to.deep.equal(size(0, 2, 2))
    await does('scale', service, size(2, 10, 6))
    expect((await sees(service)).capacity).to.deep.equal(size(2, 10, 6))
    await does('stop', service)
    expect((await sees(service)).capacity).to.deep.equal(size(0, 10, 0))
    await does('start', service, size(2, 10, 6))
    expect((await sees(service)).capacity).to.deep.equal(size(2, 10, 6))
    await does('delete', service)
    expect(await sees(service)).to.deep.equal({ exists: false })
  })

  it('gives tasks another size by one revision of their definition', async () => {
    const service = await containers(moto())
    const action = {
      id: 'size-1',
      kind: 'set' as const,
      resource: service,
      specs: { task_cpu_units: 256, task_memory_mib: 512 },
    }
    for (const _ of [1, 2]) expect(await act(moto().options, account, action)).to.deep.equal({ status: 'succeeded' })
    expect((await sees(service)).specs).to.include({ task_cpu_units: 256, task_memory_mib: 512 })
    const { taskDefinitionArns = [] } = await owning(moto(), (s) =>
      s.ask('ecs', region, (m) => new m.ListTaskDefinitionsCommand({ familyPrefix: 'cart' })),
    )
    expect(taskDefinitionArns.map((arn) => arn.split('/')[1])).to.deep.equal(['cart:1', 'cart:2'])
  })

  it('puts one policy of ours where others stood, once', async () => {
    const target = await group(moto())
    await owning(moto(), async (s) => {
      const order = {
        AutoScalingGroupName: 'web',
        PolicyName: 'by-hand',
        PolicyType: 'TargetTrackingScaling',
        TargetTrackingConfiguration: {
          PredefinedMetricSpecification: { PredefinedMetricType: 'ASGAverageNetworkIn' as const },
          TargetValue: 1e6,
        },
      }
      await s.ask('auto-scaling', region, (m) => new m.PutScalingPolicyCommand(order))
    })
    expect(await policies(moto().options, account, target)).to.deep.equal([
      { policyName: 'by-hand', metric: 'network_bytes_in', target: 1e6, managedBy: 'customer' },
    ])
    const ours = { id: 'r-1', policyName: 'web', metric: 'cpu_percent', target: 55 }
    for (const _ of [1, 2]) {
      await replacePolicies(moto().options, account, target, ours)
      expect(await policies(moto().options, account, target)).to.deep.equal([
        { policyName: 'web', metric: 'cpu_percent', target: 55, managedBy: 'tidemark' },
      ])
    }
  })

  it('puts one policy of ours at a service, which gets bounds for it', async () => {
    const target = await containers(moto())
    expect(await policies(moto().options, account, target)).to.deep.equal([])
    const ours = { id: 'r-1', policyName: 'cart', metric: 'cpu_percent', target: 60 }
    for (const _ of [1, 2]) {
      await replacePolicies(moto().options, account, target, ours)
      expect(await policies(moto().options, account, target)).to.deep.equal([
        { policyName: 'cart', metric: 'cpu_percent', target: 60, managedBy: 'tidemark' },
      ])
    }
    expect((await sees(target)).capacity).to.deep.equal(size(1, 2, 2))
    const other = replacePolicies(moto().options, account, target, { ...ours, metric: 'connections' })
    expect(await other.catch((error: unknown) => (error as Fault).code)).to.equal('unsupported_action')
  })

  it('tells as whom it comes, and how far the network of a cluster is open', async () => {
    await nodes(moto())
    const cluster = { resourceUid: `arn:aws:eks:${region}:123456789012:cluster/main`, type: 'aws-eks', region }
    expect(await access(moto().options, account, cluster)).to.deep.equal({
      accessible: true,
      principal: 'arn:aws:iam::123456789012:role/tidemark',
      network: { publicAccess: true, allowlist: ['203.0.113.0/24'] },
    })
    expect(
      await access(moto().options, account, { resourceUid: 'arn:aws:s3:::none', type: 'aws-s3-bucket', region }),
    ).to.deep.equal({ accessible: false, principal: 'arn:aws:iam::123456789012:role/tidemark' })
  })

  it('makes the role and the function of an account once', async () => {
    const one = await createInfrastructure(moto().options, account)
    expect(one).to.deep.equal({
      role: 'arn:aws:iam::123456789012:role/tidemark-scaling',
      runtime: `arn:aws:lambda:${region}:123456789012:function:tidemark-scaling`,
    })
    expect(await createInfrastructure(moto().options, account)).to.deep.equal(one)
    const { Targets = [] } = await owning(moto(), (s) =>
      s.ask('eventbridge', region, (m) => new m.ListTargetsByRuleCommand({ Rule: 'tidemark-scaling' })),
    )
    expect(Targets).to.deep.equal([{ Id: 'tidemark-scaling', Arn: one.runtime }])
  })
})
