// tier: deep
/** Discovery and verdict against moto, by AWS's own clients over HTTP. moto checks no permissions. */
import { expect } from 'chai'
import { openAws } from '#streams/cloud/aws/session/open.ts'
import { discoverAws } from '#streams/cloud/aws/discover/discover.ts'
import type { AwsSession } from '#streams/cloud/aws/session/session.ts'
import { verifyAws } from '#streams/cloud/aws/permission/verify/verify.ts'
import type { CloudAccount, DiscoveredResource } from '#streams/cloud/connector.ts'
import type { ScanCoverage } from '#streams/refresh.ts'
import { describeMoto, type Moto } from '#test/harness/moto.ts'

const account: CloudAccount = {
  id: 'acct-1',
  orgId: 'org-1',
  provider: 'aws',
  // What moto calls the account of whoever asks without one.
  externalId: '123456789012',
  name: 'moto',
  regions: ['eu-west-1', 'us-east-1', 'us-west-2'],
  credentials: { roleARN: 'arn:aws:iam::123456789012:role/tidemark', externalID: 'tidemark-1' },
}

async function discovered(moto: Moto, of: CloudAccount = account) {
  const discovery = discoverAws({ open: (one, signal) => openAws(one, moto.options, signal) })(of)
  const found: DiscoveredResource[] = []
  for await (const page of discovery.pages) found.push(...page)
  const { seen, message, missingPermissions } = discovery
  return { found, seen, message, missingPermissions }
}

/** Asks moto as the account's own role would. */
async function asking(moto: Moto, work: (session: AwsSession) => Promise<void>): Promise<void> {
  const session = openAws(account, moto.options)
  try {
    await work(session)
  } finally {
    session.close()
  }
}

const amiId = 'ami-12c6146b'

/** Machines with tags, so many in each region. */
const machines = (session: AwsSession, region: string, count: number) =>
  session.ask(
    'ec2',
    region,
    (m) =>
      new m.RunInstancesCommand({
        ImageId: amiId,
        InstanceType: 't3.micro',
        MinCount: count,
        MaxCount: count,
        TagSpecifications: [{ ResourceType: 'instance', Tags: [{ Key: 'team', Value: `shop-${region}` }] }],
      }),
  )

describeMoto('discovery of an account in moto', (moto) => {
  beforeEach(() => moto().reset())

  it('assumes the role, and finds 1,000 machines of three regions, each with its tags and its disk', async () => {
    const counts = { 'eu-west-1': 400, 'us-east-1': 350, 'us-west-2': 250 }
    await asking(moto(), async (session) => {
      for (const [region, count] of Object.entries(counts)) await machines(session, region, count)
    })
    const { found, seen, message, missingPermissions } = await discovered(moto())
    const of = found.filter(({ type }) => type === 'aws-ec2')
    const inRegions = [...Map.groupBy(of, ({ region }) => region)].map(([region, some]) => [region, some.length])
    expect(Object.fromEntries(inRegions)).to.deep.equal(counts)
    expect(of.filter(({ tags, region }) => tags?.['team'] !== `shop-${region}`)).to.deep.equal([])
    expect(new Set(of.map(({ status, instanceType }) => `${status} ${instanceType}`))).to.deep.equal(
      new Set(['running t3.micro']),
    )
    const machineIds = new Set(of.map(({ resourceUid }) => resourceUid))
    const disks = found.filter(({ type, parentUID }) => type === 'aws-ebs-volume' && machineIds.has(parentUID ?? ''))
    expect(disks.length).to.equal(1000)
    expect([message, missingPermissions]).to.deep.equal([undefined, []])
    expect((seen as readonly ScanCoverage[]).filter(({ types }) => types.includes('aws-ec2')).length).to.equal(3)
  })

  it('leaves out machines that were terminated, and finds those that were stopped', async () => {
    await asking(moto(), async (session) => {
      const { Instances = [] } = await machines(session, 'us-east-1', 3)
      const [gone, stopped] = Instances.map(({ InstanceId }) => InstanceId!)
      await session.ask('ec2', 'us-east-1', (m) => new m.TerminateInstancesCommand({ InstanceIds: [gone!] }))
      await session.ask('ec2', 'us-east-1', (m) => new m.StopInstancesCommand({ InstanceIds: [stopped!] }))
    })
    const { found } = await discovered(moto(), { ...account, regions: ['us-east-1'] })
    const statuses = found.filter(({ type }) => type === 'aws-ec2').map(({ status }) => status)
    expect(new Set(statuses)).to.deep.equal(new Set(['running', 'stopped']))
  })

  it('finds one of each type', async () => {
    await asking(moto(), oneOfEach)
    const { found, message } = await discovered(moto(), { ...account, regions: ['us-east-1'] })
    expect(message).to.equal(undefined)
    const types = new Set(found.map(({ type }) => type))
    expect(wanted.filter((type) => !types.has(type))).to.deep.equal([])
    const tagged = [...new Set(found.filter(({ tags }) => tags?.['team'] === 'shop').map(({ type }) => type))]
    expect(tagged.toSorted()).to.deep.equal(wanted.toSorted())
    const uids = new Set(found.map(({ resourceUid }) => resourceUid))
    const orphans = found.filter(({ type, parentUID }) => /service|nodegroup/.test(type) && !uids.has(parentUID ?? ''))
    expect(orphans).to.deep.equal([])
  })

  it('takes the role for good, and one of another account for none', async () => {
    const verify = verifyAws({ open: (one) => openAws(one, moto().options) })
    const { verdict, missingPermissions } = await verify(account)
    // moto has no IAM simulator and refuses nobody.
    expect([verdict, missingPermissions]).to.deep.equal(['read_write', []])
    const other = await verify({ ...account, externalId: '999999999999' })
    expect(other.verdict).to.equal('none')
    expect(other.message).to.contain('The role belongs to account 123456789012, not to 999999999999')
  })
})

const wanted = [
  'aws-ec2',
  'aws-ebs-volume',
  'aws-ebs-snapshot',
  'aws-eip',
  'aws-nat-gateway',
  'aws-alb',
  'aws-nlb',
  'aws-asg',
  'aws-ecs-cluster',
  'aws-ecs-service',
  'aws-eks',
  'aws-eks-nodegroup',
  'aws-rds',
  'aws-aurora-cluster',
  'aws-elasticache',
  'aws-dynamodb-table',
  'aws-redshift',
  'aws-s3-bucket',
  'aws-lambda',
  'aws-log-group',
]
const Tags = [{ Key: 'team', Value: 'shop' }]
const tags = { team: 'shop' }
const east = 'us-east-1'

async function oneOfEach(session: AwsSession): Promise<void> {
  await machinesAndDisks(session)
  await fleets(session)
  await data(session)
}

async function machinesAndDisks(session: AwsSession): Promise<void> {
  const tagging = (ResourceType: 'instance' | 'volume' | 'snapshot' | 'elastic-ip' | 'natgateway') => [
    { ResourceType, Tags },
  ]
  await session.ask(
    'ec2',
    east,
    (m) =>
      new m.RunInstancesCommand({ ImageId: amiId, MinCount: 1, MaxCount: 1, TagSpecifications: tagging('instance') }),
  )
  const { VolumeId } = await session.ask(
    'ec2',
    east,
    (m) => new m.CreateVolumeCommand({ AvailabilityZone: `${east}a`, Size: 8, TagSpecifications: tagging('volume') }),
  )
  await session.ask(
    'ec2',
    east,
    (m) => new m.CreateSnapshotCommand({ VolumeId, TagSpecifications: tagging('snapshot') }),
  )
  const { AllocationId } = await session.ask(
    'ec2',
    east,
    (m) => new m.AllocateAddressCommand({ Domain: 'vpc', TagSpecifications: tagging('elastic-ip') }),
  )
  const [subnet] = await subnets(session)
  await session.ask(
    'ec2',
    east,
    (m) => new m.CreateNatGatewayCommand({ SubnetId: subnet, AllocationId, TagSpecifications: tagging('natgateway') }),
  )
}

async function subnets(session: AwsSession): Promise<string[]> {
  const { Subnets = [] } = await session.ask('ec2', east, (m) => new m.DescribeSubnetsCommand({}))
  return Subnets.map(({ SubnetId }) => SubnetId!).slice(0, 2)
}

async function fleets(session: AwsSession): Promise<void> {
  const Subnets = await subnets(session)
  for (const Type of ['application', 'network'] as const)
    await session.ask(
      'elastic-load-balancing-v2',
      east,
      (m) => new m.CreateLoadBalancerCommand({ Name: `front-${Type}`, Type, Subnets, Tags }),
    )
  await session.ask(
    'ec2',
    east,
    (m) =>
      new m.CreateLaunchTemplateCommand({
        LaunchTemplateName: 'edge',
        LaunchTemplateData: { ImageId: amiId, InstanceType: 't3.micro' },
      }),
  )
  await session.ask(
    'auto-scaling',
    east,
    (m) =>
      new m.CreateAutoScalingGroupCommand({
        AutoScalingGroupName: 'edge',
        MinSize: 1,
        MaxSize: 2,
        DesiredCapacity: 1,
        LaunchTemplate: { LaunchTemplateName: 'edge' },
        VPCZoneIdentifier: Subnets[0],
        Tags,
      }),
  )
  const ecsTags = [{ key: 'team', value: 'shop' }]
  await session.ask('ecs', east, (m) => new m.CreateClusterCommand({ clusterName: 'shop', tags: ecsTags }))
  const containerDefinitions = [{ name: 'web', image: 'web', memory: 128 }]
  await session.ask('ecs', east, (m) => new m.RegisterTaskDefinitionCommand({ family: 'web', containerDefinitions }))
  await session.ask(
    'ecs',
    east,
    (m) =>
      new m.CreateServiceCommand({
        cluster: 'shop',
        serviceName: 'web',
        taskDefinition: 'web',
        desiredCount: 1,
        tags: ecsTags,
      }),
  )
  const roleArn = 'arn:aws:iam::123456789012:role/eks'
  await session.ask(
    'eks',
    east,
    (m) => new m.CreateClusterCommand({ name: 'shop', roleArn, resourcesVpcConfig: { subnetIds: Subnets }, tags }),
  )
  await session.ask(
    'eks',
    east,
    (m) =>
      new m.CreateNodegroupCommand({
        clusterName: 'shop',
        nodegroupName: 'general',
        nodeRole: roleArn,
        subnets: Subnets,
        scalingConfig: { minSize: 1, maxSize: 2, desiredSize: 1 },
        tags,
      }),
  )
}

async function data(session: AwsSession): Promise<void> {
  const owner = { MasterUsername: 'owner', MasterUserPassword: 'not-a-secret-1' }
  await session.ask(
    'rds',
    east,
    (m) =>
      new m.CreateDBInstanceCommand({
        DBInstanceIdentifier: 'orders',
        DBInstanceClass: 'db.m5.large',
        Engine: 'postgres',
        AllocatedStorage: 20,
        ...owner,
        Tags,
      }),
  )
  await session.ask(
    'rds',
    east,
    (m) => new m.CreateDBClusterCommand({ DBClusterIdentifier: 'shop', Engine: 'aurora-postgresql', ...owner, Tags }),
  )
  await session.ask(
    'elasticache',
    east,
    (m) =>
      new m.CreateCacheClusterCommand({
        CacheClusterId: 'sessions',
        CacheNodeType: 'cache.t3.micro',
        Engine: 'redis',
        NumCacheNodes: 1,
        Tags,
      }),
  )
  await session.ask(
    'dynamodb',
    east,
    (m) =>
      new m.CreateTableCommand({
        TableName: 'carts',
        KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
        AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
        BillingMode: 'PAY_PER_REQUEST',
        Tags,
      }),
  )
  await session.ask(
    'redshift',
    east,
    (m) => new m.CreateClusterCommand({ ClusterIdentifier: 'stars', NodeType: 'ra3.xlplus', ...owner, Tags }),
  )
  await session.ask('s3', east, (m) => new m.CreateBucketCommand({ Bucket: 'shop-media' }))
  await session.ask(
    's3',
    east,
    (m) => new m.PutBucketTaggingCommand({ Bucket: 'shop-media', Tagging: { TagSet: Tags } }),
  )
  await session.ask('cloudwatch-logs', east, (m) => new m.CreateLogGroupCommand({ logGroupName: '/shop', tags }))
  const AssumeRolePolicyDocument = JSON.stringify({ Version: '2012-10-17', Statement: [] })
  const { Role } = await session.ask(
    'iam',
    east,
    (m) => new m.CreateRoleCommand({ RoleName: 'thumbs', AssumeRolePolicyDocument }),
  )
  await session.ask(
    'lambda',
    east,
    (m) =>
      new m.CreateFunctionCommand({
        FunctionName: 'thumbs',
        Role: Role!.Arn,
        PackageType: 'Image',
        Code: { ImageUri: '123456789012.dkr.ecr.us-east-1.amazonaws.com/thumbs:1' },
        Tags: tags,
      }),
  )
}
