/** Each type from an object of the SDK, worked out by hand. */
import type { Instance } from '@aws-sdk/client-ec2'
import { expect } from 'chai'
import { decoder } from '#engine/schema.ts'
import { autoScalingGroup } from '#streams/cloud/aws/map/auto-scaling.ts'
import { table } from '#streams/cloud/aws/map/dynamodb.ts'
import { address, instance, natGateway, snapshot, volume } from '#streams/cloud/aws/map/ec2.ts'
import { containerCluster, containerService } from '#streams/cloud/aws/map/ecs.ts'
import { kubernetesCluster, nodeGroup } from '#streams/cloud/aws/map/eks.ts'
import { loadBalancer } from '#streams/cloud/aws/map/elastic-load-balancing.ts'
import { cache } from '#streams/cloud/aws/map/elasticache.ts'
import { lambdaFunction } from '#streams/cloud/aws/map/lambda.ts'
import { logGroup } from '#streams/cloud/aws/map/logs.ts'
import { database, databaseCluster } from '#streams/cloud/aws/map/rds.ts'
import { warehouse } from '#streams/cloud/aws/map/redshift.ts'
import { bucket } from '#streams/cloud/aws/map/s3.ts'
import type { DiscoveredResource } from '#streams/cloud/connector.ts'
import { resourceDiscovered } from '#streams/resource.ts'

const where = { region: 'us-east-1', account: '123456789012' }
const made = new Date('2025-03-01T08:00:00Z')
const madeAt = '2025-03-01T08:00:00.000Z'
const arn = (service: string, what: string) => `arn:aws:${service}:us-east-1:123456789012:${what}`
const none = () => undefined

const decode = decoder(resourceDiscovered.schema)

/** The one resource, which is one that may be published. */
function one(found: readonly DiscoveredResource[]): DiscoveredResource {
  expect(found.length).to.equal(1)
  decode({ ...found[0]!, cloudAccountId: 'acct-1' })
  return found[0]!
}
const specsOf = (found: readonly DiscoveredResource[]) => one(found).specs
const aws = { provider: 'aws', region: 'us-east-1' } as const

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
    expect(one(snapshot({ ...copy, StartTime: made, Encrypted: true, Tags }, where))).to.deep.equal({
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
    expect(one(natGateway({ ...gateway, SubnetId: 's-1', CreateTime: made }, where, 2))).to.deep.equal({
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

describe('what AWS tells of data and the rest', () => {
  const db = {
    DBInstanceArn: arn('rds', 'db:orders'),
    DBInstanceIdentifier: 'orders',
    DBInstanceClass: 'db.m5.large',
    DBInstanceStatus: 'available',
    Engine: 'postgres',
    EngineVersion: '17.6',
    AvailabilityZone: 'us-east-1c',
    MultiAZ: true,
    AllocatedStorage: 500,
    StorageType: 'gp3',
    Iops: 3000,
    InstanceCreateTime: made,
    PubliclyAccessible: false,
    StorageEncrypted: true,
    BackupRetentionPeriod: 7,
    DeletionProtection: true,
    AutoMinorVersionUpgrade: true,
    TagList: [{ Key: 'env', Value: 'prod' }],
  } as const

  it('makes an aws-rds, of two zones paid twice; a member of a cluster starts and stops with it alone', () => {
    const { hourlyRateUSD: twice, ...orders } = one(database(db as never, where, none))
    const { hourlyRateUSD: once } = one(database({ ...db, MultiAZ: false } as never, where, none))
    expect([once, twice]).to.deep.equal([0.178, 0.356])
    expect(orders).to.deep.equal({
      ...aws,
      resourceUid: db.DBInstanceArn,
      name: 'orders',
      type: 'aws-rds',
      status: 'running',
      instanceType: 'db.m5.large',
      sizeGB: 500,
      tags: { env: 'prod' },
      specs: {
        created_at: madeAt,
        engine: 'postgres',
        engine_version: '17.6',
        multi_az: true,
        storage_type: 'gp3',
        iops: 3000,
        is_replica: false,
        replica_count: 0,
        publicly_accessible: false,
        storage_encrypted: true,
        backup_retention_days: 7,
        deletion_protection: true,
        auto_minor_upgrade: true,
        max_allocated_storage_gb: null,
        cluster_id: null,
        zone: 'us-east-1c',
      },
    })
    const member = one(database({ ...db, DBClusterIdentifier: 'shop' } as never, where, (name) => `cluster:${name}`))
    expect([member.parentUID, member.schedulable, member.specs?.['cluster_id']]).to.deep.equal([
      'cluster:shop',
      false,
      'shop',
    ])
  })

  it('makes an aws-aurora-cluster, and what its engine says of those of others', () => {
    const cluster = {
      DBClusterArn: arn('rds', 'cluster:shop'),
      DBClusterIdentifier: 'shop',
      Status: 'stopped',
    } as const
    const more = {
      Engine: 'aurora-postgresql',
      EngineVersion: '16.8',
      DBClusterMembers: [{}, {}],
      StorageEncrypted: true,
    }
    const serverless = { ServerlessV2ScalingConfiguration: { MinCapacity: 0.5, MaxCapacity: 8 } }
    expect(one(databaseCluster({ ...cluster, ...more, ...serverless }, where))).to.deep.equal({
      ...aws,
      resourceUid: cluster.DBClusterArn,
      name: 'shop',
      type: 'aws-aurora-cluster',
      status: 'stopped',
      tags: {},
      specs: {
        engine: 'aurora-postgresql',
        engine_version: '16.8',
        storage_type: 'aurora',
        member_count: 2,
        serverless_min_acu: 0.5,
        serverless_max_acu: 8,
        storage_encrypted: true,
      },
    })
    const types = ['docdb', 'neptune', 'mysql'].map(
      (Engine) => one(databaseCluster({ ...cluster, Engine }, where)).type,
    )
    expect(types).to.deep.equal(['aws-documentdb', 'aws-neptune', 'aws-aurora-cluster'])
  })

  it('makes an aws-elasticache, with what its replication group says', () => {
    const node = {
      CacheClusterId: 'sessions-001',
      CacheNodeType: 'cache.r5.large',
      NumCacheNodes: 1,
      Engine: 'redis',
      ReplicationGroupId: 'sessions',
    }
    const group = { MultiAZ: 'enabled', NodeGroups: [{ NodeGroupMembers: [{}, {}] }] } as const
    const found = one(cache(node, where, group as never, [{ Key: 'env', Value: 'prod' }]))
    expect(found).to.deep.equal({
      ...aws,
      resourceUid: arn('elasticache', 'cluster:sessions-001'),
      name: 'sessions-001',
      type: 'aws-elasticache',
      status: 'running',
      instanceType: 'cache.r5.large',
      unitCount: 1,
      hourlyRateUSD: 0.216,
      tags: { env: 'prod' },
      specs: { engine: 'redis', node_count: 1, replication_group: 'sessions', replicas_per_shard: 1, multi_az: true },
    })
    // Where the group may not be asked nothing is said of it.
    expect(specsOf(cache(node, where, undefined, null))).to.not.have.any.keys('multi_az', 'replicas_per_shard')
  })

  it('makes an aws-dynamodb-table, an aws-redshift and an aws-lambda', () => {
    const carts = {
      TableArn: arn('dynamodb', 'table/carts'),
      TableName: 'carts',
      TableStatus: 'ACTIVE',
      TableSizeBytes: 80e9,
      ItemCount: 12,
    } as const
    expect(
      one(
        table({ ...carts, ProvisionedThroughput: { ReadCapacityUnits: 5, WriteCapacityUnits: 2 } }, where, undefined),
      ),
    ).to.deep.equal({
      ...aws,
      resourceUid: carts.TableArn,
      name: 'carts',
      type: 'aws-dynamodb-table',
      status: 'running',
      sizeGB: 80,
      tags: {},
      specs: {
        state: 'ACTIVE',
        billing_mode: 'PROVISIONED',
        read_capacity: 5,
        write_capacity: 2,
        table_class: 'STANDARD',
        item_count: 12,
      },
    })
    const stars = {
      ClusterIdentifier: 'stars',
      NodeType: 'ra3.4xlarge',
      NumberOfNodes: 2,
      ClusterStatus: 'paused',
      Encrypted: true,
    }
    expect(one(warehouse(stars, where))).to.deep.equal({
      ...aws,
      resourceUid: arn('redshift', 'cluster:stars'),
      name: 'stars',
      type: 'aws-redshift',
      status: 'stopped',
      instanceType: 'ra3.4xlarge',
      unitCount: 2,
      tags: {},
      specs: { node_type: 'ra3.4xlarge', node_count: 2, encrypted: true },
    })
    const thumbs = {
      FunctionArn: arn('lambda', 'function:thumbs'),
      FunctionName: 'thumbs',
      MemorySize: 1024,
      Timeout: 60,
      Architectures: ['arm64' as const],
      Runtime: 'nodejs22.x' as const,
    }
    expect(one(lambdaFunction(thumbs, where, { env: 'prod' }))).to.deep.equal({
      ...aws,
      resourceUid: thumbs.FunctionArn,
      name: 'thumbs',
      type: 'aws-lambda',
      status: 'running',
      tags: { env: 'prod' },
      specs: { memory_mb: 1024, timeout_seconds: 60, architecture: 'arm64', runtime: 'nodejs22.x' },
    })
  })

  it('makes an aws-s3-bucket with what its rules say, an aws-log-group, an aws-alb and an aws-nlb', () => {
    const rules = [
      {
        Status: 'Enabled' as const,
        Transitions: [{ Days: 30 }],
        AbortIncompleteMultipartUpload: { DaysAfterInitiation: 7 },
      },
      { Status: 'Disabled' as const, NoncurrentVersionExpiration: { NoncurrentDays: 3 } },
    ]
    const encryption = [
      { ApplyServerSideEncryptionByDefault: { SSEAlgorithm: 'aws:kms' as const }, BucketKeyEnabled: true },
    ]
    const more = { tags: [{ Key: 'env', Value: 'prod' }], versioning: 'Enabled', lifecycle: rules, encryption }
    expect(one(bucket({ Name: 'media', CreationDate: made }, where, more))).to.deep.equal({
      ...aws,
      resourceUid: 'arn:aws:s3:::media',
      name: 'media',
      type: 'aws-s3-bucket',
      status: 'running',
      tags: { env: 'prod' },
      specs: {
        created_at: madeAt,
        versioning: 'Enabled',
        lifecycle_rule_count: 1,
        abort_multipart_rule: true,
        noncurrent_rule: false,
        tiering_rule: true,
        encryption: 'aws:kms',
        bucket_key_enabled: true,
      },
    })
    const logs = {
      arn: `${arn('logs', 'log-group:/shop')}:*`,
      logGroupName: '/shop',
      creationTime: made.getTime(),
      storedBytes: 25e9,
    }
    expect(one(logGroup(logs, where, {}))).to.deep.equal({
      ...aws,
      resourceUid: arn('logs', 'log-group:/shop'),
      name: '/shop',
      type: 'aws-log-group',
      status: 'running',
      tags: {},
      specs: { created_at: madeAt, retention_days: null, log_class: 'STANDARD', stored_gb: 25 },
    })
    const front = {
      LoadBalancerArn: arn('elasticloadbalancing', 'loadbalancer/app/front/1'),
      LoadBalancerName: 'front',
      Scheme: 'internal' as const,
    }
    const [alb, nlb] = (['application', 'network'] as const).map((Type) =>
      one(loadBalancer({ ...front, Type }, where, undefined)),
    )
    expect(alb).to.deep.equal({
      ...aws,
      resourceUid: front.LoadBalancerArn,
      name: 'front',
      type: 'aws-alb',
      status: 'running',
      hourlyRateUSD: 0.0225,
      tags: {},
      specs: { scheme: 'internal' },
    })
    expect([nlb?.type, nlb?.hourlyRateUSD]).to.deep.equal(['aws-nlb', undefined])
  })
})
