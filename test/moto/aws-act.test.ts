import { expect } from 'chai'
import { act } from '#streams/cloud/aws/act/act.ts'
import { look } from '#streams/cloud/aws/act/act.ts'
import { bucketOf, type CloudAction, type ActionKind, type ResourceRef } from '#streams/cloud/connector.ts'
import { Fault } from '#engine/value/fault.ts'
import { describeMoto, type Moto } from '#test/harness/moto.ts'
import { deepIt } from '#test/harness/tier.ts'
import { account, owning, region } from './account.ts'

const image = 'ami-12c6146b'

async function instances(moto: Moto, count: number): Promise<string[]> {
  const order = { ImageId: image, MinCount: count, MaxCount: count, InstanceType: 't3.micro' as const }
  const { Instances = [] } = await owning(moto, (s) => s.ask('ec2', region, (m) => new m.RunInstancesCommand(order)))
  return Instances.map(({ InstanceId }) => InstanceId!)
}

const ref = (type: string, resourceUid: string, more: Partial<ResourceRef> = {}): ResourceRef => ({
  resourceUid,
  type,
  region,
  ...more,
})

let serial = 0
const actionOf = (kind: ActionKind, resource: ResourceRef, more: Partial<CloudAction> = {}): CloudAction => ({
  id: `0190a1b2-0000-7000-8000-${String(serial++).padStart(12, '0')}`,
  kind,
  resource,
  ...more,
})

/** Bucket and code of what it throws. */
const fails = async (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'nothing',
    (error: unknown) => `${bucketOf(error)} ${error instanceof Fault ? error.code : String(error)}`,
  )

describeMoto('acting on AWS', (moto) => {
  const does = (action: CloudAction) => act(moto().options, account, action)
  const sees = (resource: ResourceRef) => look(moto().options, account, resource)
  beforeEach(() => moto().reset())

  it('stops a machine, makes it another size and starts it; each asked again changes nothing', async () => {
    const [id] = await instances(moto(), 1)
    const machine = ref('aws-ec2', id!)
    const [stop, resize, start] = [
      actionOf('stop', machine),
      actionOf('resize', machine, { size: 'm5.large' }),
      actionOf('start', machine),
    ]
    expect(await fails(does(resize))).to.equal('user_action invalid_state')
    expect(await does(stop)).to.deep.equal({ status: 'succeeded', observedState: 'stopped' })
    expect(await does(stop)).to.deep.equal({ status: 'succeeded', observedState: 'stopped' })
    expect(await does(resize)).to.deep.equal({ status: 'succeeded' })
    expect(await does(resize)).to.deep.equal({ status: 'succeeded' })
    expect(await sees(machine)).to.deep.include({ exists: true, status: 'stopped', instanceType: 'm5.large' })
    expect(await does(start)).to.deep.equal({ status: 'succeeded', observedState: 'running' })
    expect(await does(start)).to.deep.equal({ status: 'succeeded', observedState: 'running' })
    expect(await sees(machine)).to.deep.include({ exists: true, status: 'running', instanceType: 'm5.large' })
  })

  deepIt('sets how a machine is watched and what its metadata service answers', async () => {
    const [id] = await instances(moto(), 1)
    const machine = ref('aws-ec2', id!)
    const set = (specs: Record<string, unknown>) => does(actionOf('set', machine, { specs }))
    expect(await set({ imds_v1_allowed: false })).to.deep.equal({ status: 'succeeded' })
    expect((await sees(machine)).specs).to.include({ imds_v1_allowed: false })
    expect(await fails(set({ public_ipv4: '' }))).to.equal('user_action unsupported_action')
  })

  deepIt(
    'takes one image of a machine for one action, however often it is asked for, and ends the machine',
    async () => {
      const [id] = await instances(moto(), 1)
      const machine = ref('aws-ec2', id!)
      const snapshot = actionOf('snapshot', machine)
      expect(await does(snapshot)).to.deep.equal({ status: 'succeeded' })
      expect(await does(snapshot)).to.deep.equal({ status: 'succeeded' })
      const { Images = [] } = await owning(moto(), (s) =>
        s.ask('ec2', region, (m) => new m.DescribeImagesCommand({ Owners: ['self'] })),
      )
      expect(Images.map(({ Name }) => Name)).to.deep.equal([`tidemark-${snapshot.id}`])
      const gone = actionOf('delete', machine)
      expect(await does(gone)).to.deep.equal({ status: 'succeeded' })
      expect(await does(gone)).to.deep.equal({ status: 'succeeded' })
      expect(await sees(machine)).to.deep.equal({ exists: false })
      expect(await fails(does(actionOf('start', machine)))).to.equal('user_action resource_not_found')
    },
  )

  deepIt('says of what was never there that it is not', async () => {
    expect(await sees(ref('aws-ec2', 'i-0123456789abcdef0'))).to.deep.equal({ exists: false })
    expect(await fails(does(actionOf('stop', ref('aws-ec2', 'i-0123456789abcdef0'))))).to.equal(
      'user_action resource_not_found',
    )
    expect(await fails(does(actionOf('pause', ref('aws-ec2', 'i-0123456789abcdef0'))))).to.equal(
      'user_action unsupported_action',
    )
  })

  deepIt('makes a disk another kind, keeps one snapshot of it, and deletes both', async () => {
    const order = { AvailabilityZone: `${region}a`, Size: 100, VolumeType: 'gp2' as const }
    const { VolumeId } = await owning(moto(), (s) => s.ask('ec2', region, (m) => new m.CreateVolumeCommand(order)))
    const disk = ref('aws-ebs-volume', VolumeId!)
    const specs = { volume_type: 'gp3', size_gb: 120 }
    const set = actionOf('set', disk, { specs })
    for (const _ of [1, 2]) expect(await does(set)).to.deep.equal({ status: 'succeeded' })
    expect((await sees(disk)).specs).to.include(specs)
    expect(await fails(does(actionOf('set', disk, { specs: { size_gb: 10 } })))).to.equal(
      'user_action unsupported_action',
    )
    const snapshot = actionOf('snapshot', disk)
    expect(await does(snapshot)).to.deep.equal({ status: 'succeeded' })
    expect(await does(snapshot)).to.deep.equal({ status: 'succeeded' })
    const { Snapshots = [] } = await owning(moto(), (s) =>
      s.ask(
        'ec2',
        region,
        (m) => new m.DescribeSnapshotsCommand({ Filters: [{ Name: 'volume-id', Values: [VolumeId!] }] }),
      ),
    )
    expect(Snapshots.length).to.equal(1)
    const kept = ref('aws-ebs-snapshot', Snapshots[0]!.SnapshotId!)
    for (const resource of [disk, kept]) {
      expect(await does(actionOf('delete', resource))).to.deep.equal({ status: 'succeeded' })
      expect(await sees(resource)).to.deep.equal({ exists: false })
    }
  })

  deepIt('stops, starts, sets, keeps and deletes a database', async () => {
    const order = {
      DBInstanceIdentifier: 'orders',
      DBInstanceClass: 'db.m5.large',
      Engine: 'postgres',
      AllocatedStorage: 100,
      MasterUsername: 'owner',
      MasterUserPassword: 'a-long-password',
    }
    await owning(moto(), (s) => s.ask('rds', region, (m) => new m.CreateDBInstanceCommand(order)))
    const database = ref('aws-rds', `arn:aws:rds:${region}:123456789012:db:orders`)
    expect(await does(actionOf('stop', database))).to.deep.equal({ status: 'succeeded', observedState: 'stopped' })
    expect(await sees(database)).to.deep.include({ exists: true, status: 'stopped', instanceType: 'db.m5.large' })
    expect(await does(actionOf('start', database))).to.deep.equal({ status: 'succeeded', observedState: 'running' })
    const specs = { instance_type: 'db.m6g.large', backup_retention_days: 7 }
    expect(await does(actionOf('set', database, { specs }))).to.deep.equal({ status: 'succeeded' })
    expect((await sees(database)).specs).to.include({ backup_retention_days: 7, size_gb: 100 })
    const snapshot = actionOf('snapshot', database)
    expect(await does(snapshot)).to.deep.equal({ status: 'succeeded' })
    expect(await does(snapshot)).to.deep.equal({ status: 'succeeded' })
    expect(await does(actionOf('delete', database))).to.deep.equal({ status: 'succeeded' })
    expect(await sees(database)).to.deep.equal({ exists: false })
  })

  deepIt('stops and starts a cluster of databases, and deletes it with its members', async () => {
    await owning(moto(), async (s) => {
      const order = {
        DBClusterIdentifier: 'shop',
        Engine: 'aurora-postgresql',
        MasterUsername: 'owner',
        MasterUserPassword: 'a-long-password',
      }
      await s.ask('rds', region, (m) => new m.CreateDBClusterCommand(order))
      const member = { DBInstanceIdentifier: 'shop-1', DBClusterIdentifier: 'shop', Engine: 'aurora-postgresql' }
      await s.ask('rds', region, (m) => new m.CreateDBInstanceCommand({ ...member, DBInstanceClass: 'db.r6g.large' }))
    })
    const cluster = ref('aws-aurora-cluster', `arn:aws:rds:${region}:123456789012:cluster:shop`)
    expect(await does(actionOf('stop', cluster))).to.deep.equal({ status: 'succeeded', observedState: 'stopped' })
    expect(await does(actionOf('start', cluster))).to.deep.equal({ status: 'succeeded', observedState: 'running' })
    expect(await does(actionOf('snapshot', cluster))).to.deep.equal({ status: 'succeeded' })
    expect(await does(actionOf('delete', cluster))).to.deep.equal({ status: 'succeeded' })
    expect(await sees(cluster)).to.deep.equal({ exists: false })
  })

  deepIt('pauses a warehouse for a stop and resumes it for a start', async () => {
    const order = {
      ClusterIdentifier: 'facts',
      NodeType: 'ra3.xlplus',
      NumberOfNodes: 2,
      MasterUsername: 'owner',
      MasterUserPassword: 'Long-password1',
    }
    await owning(moto(), (s) => s.ask('redshift', region, (m) => new m.CreateClusterCommand(order)))
    const warehouse = ref('aws-redshift', `arn:aws:redshift:${region}:123456789012:cluster:facts`)
    expect(await does(actionOf('stop', warehouse))).to.deep.equal({ status: 'succeeded', observedState: 'stopped' })
    expect(await does(actionOf('start', warehouse))).to.deep.equal({ status: 'succeeded', observedState: 'running' })
    expect(await does(actionOf('snapshot', warehouse))).to.deep.equal({ status: 'succeeded' })
    expect(await does(actionOf('delete', warehouse))).to.deep.equal({ status: 'succeeded' })
    expect(await sees(warehouse)).to.deep.equal({ exists: false })
  })

  deepIt('sets tables, functions, buckets and log groups, and deletes them', async () => {
    await owning(moto(), async (s) => {
      const table = {
        TableName: 'carts',
        AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' as const }],
        KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' as const }],
        BillingMode: 'PROVISIONED' as const,
        ProvisionedThroughput: { ReadCapacityUnits: 100, WriteCapacityUnits: 50 },
      }
      await s.ask('dynamodb', region, (m) => new m.CreateTableCommand(table))
      await s.ask('s3', region, (m) => new m.CreateBucketCommand({ Bucket: 'pictures' }))
      await s.ask('cloudwatch-logs', region, (m) => new m.CreateLogGroupCommand({ logGroupName: '/aws/shop' }))
    })
    const cases: [ResourceRef, Record<string, unknown>][] = [
      [
        ref('aws-dynamodb-table', `arn:aws:dynamodb:${region}:123456789012:table/carts`),
        { read_capacity: 10, write_capacity: 5, autoscaling: true },
      ],
      [
        ref('aws-s3-bucket', 'arn:aws:s3:::pictures'),
        { tiering_rule: true, storage_class: 'INTELLIGENT_TIERING', abort_multipart_rule: true, noncurrent_rule: true },
      ],
      [ref('aws-log-group', `arn:aws:logs:${region}:123456789012:log-group:/aws/shop:*`), { retention_days: 30 }],
    ]
    for (const [resource, specs] of cases) {
      const set = actionOf('set', resource, { specs })
      expect(await does(set), resource.type).to.deep.equal({ status: 'succeeded' })
      expect(await does(set), resource.type).to.deep.equal({ status: 'succeeded' })
      expect((await sees(resource)).specs, resource.type).to.include(specs)
      expect(await does(actionOf('delete', resource)), resource.type).to.deep.equal({ status: 'succeeded' })
      expect(await sees(resource), resource.type).to.deep.equal({ exists: false })
    }
  })

  deepIt('finds a machine among hundreds in its own region alone', async function () {
    this.timeout(180_000)
    const regions = ['us-east-1', 'eu-west-1', 'ap-southeast-2']
    for (const [index, there] of regions.entries()) {
      const count = index === 0 ? 334 : 333
      const order = { ImageId: image, MinCount: count, MaxCount: count, InstanceType: 't3.micro' as const }
      const { Instances = [] } = await owning(moto(), (s) =>
        s.ask('ec2', there, (m) => new m.RunInstancesCommand(order)),
      )
      const last = ref('aws-ec2', Instances.at(-1)!.InstanceId!, { region: there })
      expect(await does(actionOf('stop', last))).to.deep.equal({ status: 'succeeded', observedState: 'stopped' })
      expect(await sees({ ...last, region: regions.at(index - 1)! })).to.deep.equal({ exists: false })
    }
  })
})
