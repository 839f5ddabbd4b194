/** Each type from an object of the SDK, worked out by hand. */
import type { Instance } from '@aws-sdk/client-ec2'
import { expect } from 'chai'
import { autoScalingGroup } from '#streams/cloud/aws/map/auto-scaling.ts'
import { address, instance, natGateway, snapshot, volume } from '#streams/cloud/aws/map/ec2.ts'
import { containerCluster, containerService } from '#streams/cloud/aws/map/ecs.ts'
import { kubernetesCluster, nodeGroup } from '#streams/cloud/aws/map/eks.ts'
import { arn, aws, made, madeAt, none, one, where } from './mapped.ts'

const web: Instance = {
  InstanceId: 'i-1',
  InstanceType: 'm5.large',
  State: { Name: 'running', Code: 16 },
  LaunchTime: new Date('2026-01-01T00:00:00Z'),
  Placement: { AvailabilityZone: 'us-east-1b', Tenancy: 'default' },
  PlatformDetails: 'Linux/UNIX',
  Architecture: 'x86_64',
  Monitoring: { State: 'disabled' },
  MetadataOptions: { HttpTokens: 'required' },
  EbsOptimized: true,
  VpcId: 'vpc-1',
  SubnetId: 'subnet-1',
  ImageId: 'ami-1',
  BlockDeviceMappings: [{ DeviceName: '/dev/xvda', Ebs: { VolumeId: 'vol-1', AttachTime: made } }],
  Tags: [
    { Key: 'Name', Value: 'shop-web-1' },
    { Key: 'env', Value: 'prod' },
  ],
}

describe('what AWS tells of machines and what hangs on them', () => {
  it('makes an aws-ec2 of an instance', () => {
    expect(one(instance(web, where, none))).to.deep.equal({
      ...aws,
      resourceUid: 'i-1',
      name: 'shop-web-1',
      type: 'aws-ec2',
      status: 'running',
      instanceType: 'm5.large',
      hourlyRateUSD: 0.096,
      tags: { Name: 'shop-web-1', env: 'prod' },
      specs: {
        // Its first disk is as old as it is, however often it was started since.
        created_at: madeAt,
        launched_at: '2026-01-01T00:00:00.000Z',
        image_id: 'ami-1',
        vpc_id: 'vpc-1',
        subnet_id: 'subnet-1',
        lifecycle: 'on-demand',
        platform_details: 'Linux/UNIX',
        architecture: 'x86_64',
        monitoring_detailed: false,
        imds_v1_allowed: false,
        public_ipv4: null,
        tenancy: 'default',
        iam_profile: null,
        ebs_optimized: true,
        arm_ready: true,
        zone: 'us-east-1b',
      },
    })
  })

  it('gives a member of a group its parent, which is never stopped by itself; spot and Windows have no price here', () => {
    const Tags = [{ Key: 'aws:autoscaling:groupName', Value: 'edge' }]
    const member = one(instance({ ...web, Tags, InstanceLifecycle: 'spot' }, where, (name) => `group/${name}`))
    const { parentUID, schedulable, name, hourlyRateUSD, specs } = member
    expect({ parentUID, schedulable, name, hourlyRateUSD, lifecycle: specs?.['lifecycle'] }).to.deep.equal({
      parentUID: 'group/edge',
      schedulable: false,
      name: 'i-1',
      hourlyRateUSD: undefined,
      lifecycle: 'spot',
    })
    const windows = one(instance({ ...web, Platform: 'Windows', PlatformDetails: 'Windows' }, where, none))
    expect([windows.hourlyRateUSD, windows.specs?.['arm_ready']]).to.deep.equal([undefined, false])
  })

  it('says what each state is, and nothing where none is told', () => {
    const states = ['pending', 'running', 'shutting-down', 'stopping', 'stopped', 'unheard-of', undefined]
    const statuses = states.map((Name) => one(instance({ ...web, State: { Name: Name as never } }, where, none)).status)
    expect(statuses).to.deep.equal(['starting', 'running', 'stopping', 'stopping', 'stopped', 'pending', undefined])
  })

  it('places it by its zone, a local zone in its region, and without one where it was asked for', () => {
    const zones = ['us-west-2a', 'us-west-2-lax-1a', 'us-east-1f', undefined]
    const regions = zones.map(
      (AvailabilityZone) => one(instance({ ...web, Placement: { AvailabilityZone } }, where, none)).region,
    )
    expect(regions).to.deep.equal(['us-west-2', 'us-west-2', 'us-east-1', 'us-east-1'])
  })

  it('makes an aws-ebs-volume, of a machine or free', () => {
    const disk = {
      VolumeId: 'vol-1',
      VolumeType: 'gp3',
      Size: 60,
      Iops: 3000,
      Throughput: 125,
      State: 'in-use',
    } as const
    const more = { Encrypted: true, MultiAttachEnabled: false, CreateTime: made, AvailabilityZone: 'us-east-1b' }
    const held = { ...disk, ...more, Attachments: [{ InstanceId: 'i-1', Device: '/dev/xvda' }] }
    expect(one(volume(held, where, () => true))).to.deep.equal({
      ...aws,
      resourceUid: 'vol-1',
      name: 'vol-1',
      type: 'aws-ebs-volume',
      status: 'running',
      parentUID: 'i-1',
      instanceType: 'gp3',
      sizeGB: 60,
      tags: {},
      specs: {
        created_at: madeAt,
        state: 'in-use',
        attached: true,
        volume_type: 'gp3',
        iops: 3000,
        throughput_mibps: 125,
        encrypted: true,
        multi_attach: false,
        is_root: true,
        zone: 'us-east-1b',
      },
    })
    const free = one(volume({ ...disk, State: 'available', Attachments: [] }, where, none))
    expect([free.parentUID, free.specs?.['attached'], free.specs?.['is_root']]).to.deep.equal([undefined, false, false])
  })

  it('makes an aws-ebs-snapshot, an aws-eip and an aws-nat-gateway', () => {
    const Tags = [{ Key: 'aws:backup:source-resource', Value: 'x' }]
    const copy = {
      SnapshotId: 'snap-1',
      VolumeId: 'vol-1',
      VolumeSize: 60,
      State: 'completed',
      StorageTier: 'standard',
    } as const
    expect(
      one(
        snapshot({ ...copy, StartTime: made, Encrypted: true, Tags }, where, {
          images: 1,
          newer: 0,
          fastZones: undefined,
          isPublic: true,
        }),
      ),
    ).to.deep.equal({
      ...aws,
      resourceUid: 'snap-1',
      name: 'snap-1',
      type: 'aws-ebs-snapshot',
      status: 'running',
      parentUID: 'vol-1',
      sizeGB: 60,
      tags: { 'aws:backup:source-resource': 'x' },
      specs: {
        created_at: madeAt,
        state: 'completed',
        volume_id: 'vol-1',
        storage_tier: 'standard',
        encrypted: true,
        managed_by_backup: true,
        ami_count: 1,
        newer_snapshot_count: 0,
        public: true,
      },
    })
    const ip = { AllocationId: 'eipalloc-1', PublicIp: '203.0.113.5', NetworkInterfaceId: 'eni-1', AssociationId: 'a' }
    expect(one(address(ip, where, (id) => (id === 'eni-1' ? 'nat-1' : undefined)))).to.deep.equal({
      ...aws,
      resourceUid: 'eipalloc-1',
      name: '203.0.113.5',
      type: 'aws-eip',
      status: 'running',
      parentUID: 'nat-1',
      hourlyRateUSD: 0.005,
      tags: {},
      specs: { associated: true, public_ipv4: '203.0.113.5', network_interface_id: 'eni-1' },
    })
    const gateway = { NatGatewayId: 'nat-1', State: 'available', ConnectivityType: 'public', VpcId: 'vpc-1' } as const
    expect(
      one(
        natGateway({ ...gateway, SubnetId: 's-1', CreateTime: made }, where, {
          inNetwork: 2,
          routes: 3,
          hasS3Endpoint: false,
        }),
      ),
    ).to.deep.equal({
      ...aws,
      resourceUid: 'nat-1',
      name: 'nat-1',
      type: 'aws-nat-gateway',
      status: 'running',
      tags: {},
      specs: {
        created_at: madeAt,
        state: 'available',
        connectivity_type: 'public',
        vpc_id: 'vpc-1',
        subnet_id: 's-1',
        vpc_nat_gateway_count: 2,
        route_count: 3,
        vpc_has_s3_endpoint: false,
      },
    })
  })
})

describe('what AWS tells of fleets and clusters', () => {
  const group = {
    AutoScalingGroupARN: arn('autoscaling', 'autoScalingGroup:1:autoScalingGroupName/edge'),
    AutoScalingGroupName: 'edge',
    MinSize: 2,
    MaxSize: 10,
    DesiredCapacity: 4,
    CreatedTime: made,
    AvailabilityZones: ['us-east-1a', 'us-east-1b'],
    Instances: Array.from({ length: 4 }, () => ({ InstanceType: 'c5.xlarge', LifecycleState: 'InService' })),
  } as const
  const plans = { policies: 1, schedules: 0 }

  it('makes an aws-asg, of which all units are paid', () => {
    expect(one(autoScalingGroup(group as never, where, plans))).to.deep.equal({
      ...aws,
      resourceUid: group.AutoScalingGroupARN,
      name: 'edge',
      type: 'aws-asg',
      status: 'running',
      instanceType: 'c5.xlarge',
      unitCount: 4,
      hourlyRateUSD: 0.68,
      tags: {},
      specs: {
        created_at: madeAt,
        min_size: 2,
        max_size: 10,
        desired: 4,
        instance_count: 4,
        scaling_policy_count: 1,
        scheduled_action_count: 0,
        mixed_instances: false,
        uses_launch_configuration: false,
        az_count: 2,
      },
    })
  })

  it('says of a group by its machines what it is doing', () => {
    const state = (DesiredCapacity: number, ...states: string[]) =>
      one(
        autoScalingGroup(
          { ...group, DesiredCapacity, Instances: states.map((LifecycleState) => ({ LifecycleState })) } as never,
          where,
          plans,
        ),
      ).status
    expect([
      state(2, 'InService', 'Pending'),
      state(2, 'Pending', 'Pending:Wait'),
      state(0, 'Terminating'),
      state(0),
    ]).to.deep.equal(['running', 'starting', 'stopping', 'stopped'])
  })

  it('makes an aws-ecs-cluster and an aws-ecs-service, with what its task needs', () => {
    const cluster = { clusterArn: arn('ecs', 'cluster/shop'), clusterName: 'shop', runningTasksCount: 3 }
    expect(one(containerCluster({ ...cluster, tags: [{ key: 'env', value: 'prod' }] }, where))).to.deep.equal({
      ...aws,
      resourceUid: cluster.clusterArn,
      name: 'shop',
      type: 'aws-ecs-cluster',
      status: 'running',
      tags: { env: 'prod' },
      specs: { running_tasks: 3 },
    })
    const service = { serviceArn: arn('ecs', 'service/shop/web'), serviceName: 'web', desiredCount: 3, runningCount: 2 }
    const spread = [
      { capacityProvider: 'FARGATE', weight: 1 },
      { capacityProvider: 'FARGATE_SPOT', weight: 3 },
    ]
    const task = { cpu: '512', memory: '1024', containerDefinitions: [{ privileged: true }] }
    const more = {
      clusterArn: cluster.clusterArn,
      capacityProviderStrategy: spread,
      taskDefinition: 'web:7',
      createdAt: made,
    }
    expect(one(containerService({ ...service, ...more }, where, task))).to.deep.equal({
      ...aws,
      resourceUid: service.serviceArn,
      name: 'web',
      type: 'aws-ecs-service',
      status: 'running',
      parentUID: cluster.clusterArn,
      unitCount: 3,
      tags: {},
      specs: {
        created_at: madeAt,
        launch_type: 'FARGATE',
        desired_count: 3,
        running_count: 2,
        spot_weight_percent: 75,
        task_definition: 'web:7',
        task_cpu_units: 512,
        task_memory_mib: 1024,
        cpu_architecture: 'X86_64',
        operating_system: 'LINUX',
        privileged_containers: true,
      },
    })
    const statusOf = (desiredCount: number, runningCount: number) =>
      one(containerService({ ...service, desiredCount, runningCount }, where, undefined)).status
    expect([statusOf(0, 0), statusOf(2, 0)]).to.deep.equal(['stopped', 'starting'])
  })

  it('makes an aws-eks and an aws-eks-nodegroup', () => {
    const cluster = {
      arn: arn('eks', 'cluster/shop'),
      name: 'shop',
      version: '1.33',
      status: 'ACTIVE',
      createdAt: made,
      resourcesVpcConfig: { endpointPublicAccess: true, publicAccessCidrs: ['203.0.113.0/24'] },
      encryptionConfig: [{ resources: ['secrets'] }],
      logging: {
        clusterLogging: [
          { types: ['api', 'audit'], enabled: true },
          { types: ['scheduler'], enabled: false },
        ],
      },
      tags: { env: 'prod' },
    } as const
    expect(one(kubernetesCluster(cluster as never, where))).to.deep.equal({
      ...aws,
      resourceUid: cluster.arn,
      name: 'shop',
      type: 'aws-eks',
      status: 'running',
      hourlyRateUSD: 0.1,
      tags: { env: 'prod' },
      specs: {
        created_at: madeAt,
        state: 'ACTIVE',
        version: '1.33',
        public_endpoint: true,
        public_access_cidrs: ['203.0.113.0/24'],
        secrets_encrypted: true,
        logging_types: ['api', 'audit'],
      },
    })
    const nodes = {
      nodegroupArn: arn('eks', 'nodegroup/shop/general/1'),
      nodegroupName: 'general',
      clusterName: 'shop',
      status: 'ACTIVE',
      scalingConfig: { minSize: 1, maxSize: 6, desiredSize: 3 },
      instanceTypes: ['m5.large'],
      capacityType: 'ON_DEMAND',
      amiType: 'AL2023_ARM_64_STANDARD',
      tags: { 'k8s.io/cluster-autoscaler/enabled': 'true' },
    } as const
    const { status, unitCount, hourlyRateUSD, parentUID, specs } = one(nodeGroup(nodes as never, where, cluster.arn))
    expect({ status, unitCount, hourlyRateUSD, parentUID, specs }).to.deep.equal({
      status: 'running',
      unitCount: 3,
      hourlyRateUSD: 0.288,
      parentUID: cluster.arn,
      specs: {
        state: 'ACTIVE',
        cluster_name: 'shop',
        min_size: 1,
        max_size: 6,
        desired: 3,
        capacity_type: 'ON_DEMAND',
        ami_type: 'AL2023_ARM_64_STANDARD',
        architecture: 'arm64',
        autoscaler_managed: true,
      },
    })
    const asleep = { ...nodes, scalingConfig: { minSize: 0, maxSize: 6, desiredSize: 0 } }
    const statuses = [asleep, { ...nodes, status: 'UPDATING' }].map(
      (of) => one(nodeGroup(of as never, where, 'x')).status,
    )
    expect(statuses).to.deep.equal(['stopped', 'pending'])
  })
})
