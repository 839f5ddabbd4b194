import { expect } from 'chai'
import { kubernetesKind, resourceTypes } from '#streams/cloud/resource/resource-type.ts'
import { act } from '#streams/cloud/aws/act/act.ts'
import { kinds } from '#streams/cloud/aws/act/index.ts'
import type { At } from '#streams/cloud/aws/act/kind.ts'
import { carryOut } from '#streams/cloud/resource/verb/carry-out.ts'
import type { CloudAction, ActionKind } from '#streams/cloud/connector.ts'
import { account, answering, fails, refusing } from './stub-session.ts'

const does = (at: At, kind: ActionKind, more: Partial<CloudAction> = {}) =>
  carryOut(kinds[at.ref.type]!, at, { id: 'a-1', kind, resource: at.ref, ...more })

const machine = (...states: string[]) => ({
  DescribeInstances: states.map((Name) => ({
    Reservations: [{ Instances: [{ InstanceId: 'i-1', State: { Name }, InstanceType: 'm5.large' }] }],
  })),
})
const ec2 = { resourceUid: 'i-1', type: 'aws-ec2' }
const database = (state: string, more: object = {}) => ({
  DBInstances: [{ DBInstanceStatus: state, DBInstanceClass: 'db.m5.large', MultiAZ: true, ...more }],
})
const rds = { resourceUid: 'arn:aws:rds:us-east-1:1:db:orders', type: 'aws-rds' }

describe('acting on AWS', () => {
  it('says that what takes a while is on its way, and asks for it once', async () => {
    const { at, asked } = answering(ec2, machine('running', 'stopping', 'stopping', 'stopped'))
    expect(await does(at, 'stop')).to.deep.equal({ status: 'running', observedState: 'stopping' })
    expect(await does(at, 'stop')).to.deep.equal({ status: 'running', observedState: 'stopping' })
    expect(await does(at, 'stop')).to.deep.equal({ status: 'succeeded', observedState: 'stopped' })
    expect(asked.filter((one) => one === 'StopInstances').length).to.equal(1)
  })

  it('lets what is on its way elsewhere be asked again later', async () => {
    const cases: [ActionKind, string, string][] = [
      ['start', 'stopping', 'transient busy'],
      ['stop', 'pending', 'transient busy'],
      ['start', 'terminated', 'user_action resource_not_found'],
    ]
    for (const [kind, state, outcome] of cases) {
      const { at, asked } = answering(ec2, machine(state))
      expect(await fails(does(at, kind)), state).to.equal(outcome)
      expect(asked).to.deep.equal(['DescribeInstances'])
    }
  })

  it('deletes nothing a second time while it goes', async () => {
    const { at, asked } = answering(ec2, machine('running', 'shutting-down', 'shutting-down', 'shutting-down'))
    for (const _ of [1, 2]) expect(await does(at, 'delete')).to.deep.equal({ status: 'running' })
    expect(asked.filter((one) => one === 'TerminateInstances').length).to.equal(1)
    const none = answering(ec2, { DescribeInstances: [refusing('InvalidInstanceID.NotFound')] })
    expect(await does(none.at, 'delete')).to.deep.equal({ status: 'succeeded' })
  })

  it('does not report a table as autoscaled if only its reads have a policy', async () => {
    const table = { resourceUid: 'arn:aws:dynamodb:us-east-1:1:table/carts', type: 'aws-dynamodb-table' }
    const reads = { ScalableDimension: 'dynamodb:table:ReadCapacityUnits' }
    const { at, asked } = answering(table, {
      DescribeTable: [{ Table: { TableStatus: 'ACTIVE', BillingModeSummary: { BillingMode: 'PROVISIONED' } } }],
      DescribeScalableTargets: [{ ScalableTargets: [] }, { ScalableTargets: [reads] }],
      DescribeScalingPolicies: [{ ScalingPolicies: [reads] }],
      PutScalingPolicy: [{}, refusing('ConcurrentUpdateException')],
    })
    expect(await fails(does(at, 'set', { specs: { autoscaling: true } }))).to.equal('user_action rejected')
    expect(asked.filter((one) => one === 'PutScalingPolicy').length).to.equal(2)
  })

  it('waits for what a change is to come to, and makes no other before', async () => {
    const pending = { PendingModifiedValues: { MultiAZ: false } }
    const { at, asked } = answering(rds, {
      DescribeDBInstances: [database('available'), database('modifying', pending), database('modifying', pending)],
    })
    const specs = { multi_az: false }
    for (const _ of [1, 2]) expect(await does(at, 'set', { specs })).to.deep.equal({ status: 'running' })
    expect(asked.filter((one) => one === 'ModifyDBInstance').length).to.equal(1)
    expect(await fails(does(at, 'set', { specs: { iops: 4000 } }))).to.equal('transient busy')
    expect(await fails(does(at, 'set', { specs: { iops: 'many' } }))).to.equal('transient busy')
  })

  it('tells what a database does by its states', async () => {
    const states = { available: 'running', 'storage-optimization': 'running', stopped: 'stopped', deleting: 'stopping' }
    for (const [state, status] of Object.entries({ ...states, failed: 'pending' })) {
      const { at } = answering(rds, { DescribeDBInstances: [database(state)] })
      expect((await kinds['aws-rds']!.look(at)).status, state).to.equal(status)
    }
  })

  it('finds a snapshot again by its action, and says when it has failed', async () => {
    const volume = { resourceUid: 'vol-1', type: 'aws-ebs-volume' }
    const list = (State?: string) => ({ Snapshots: State === undefined ? [] : [{ SnapshotId: 'snap-1', State }] })
    const { at, asked } = answering(volume, {
      DescribeSnapshots: [list(), list('pending'), list('pending'), list('completed'), list('error')],
      DescribeVolumes: [{ Volumes: [{ VolumeId: 'vol-1', State: 'in-use' }] }],
      CreateSnapshot: [{ SnapshotId: 'snap-1', State: 'pending' }],
    })
    expect(await does(at, 'snapshot')).to.deep.equal({ status: 'running' })
    expect(await does(at, 'snapshot')).to.deep.equal({ status: 'running' })
    expect(await does(at, 'snapshot')).to.deep.equal({ status: 'succeeded' })
    expect(await fails(does(at, 'snapshot'))).to.equal('user_action snapshot_failed')
    expect(asked.filter((one) => one === 'CreateSnapshot').length).to.equal(1)
  })

  it('scales a group once, by whole counts, and leaves one that runs as it is', async () => {
    const uid = 'arn:aws:autoscaling:us-east-1:1:autoScalingGroup:8a70:autoScalingGroupName/web'
    const sized = (MinSize: number, MaxSize: number, DesiredCapacity: number) => ({
      AutoScalingGroups: [{ MinSize, MaxSize, DesiredCapacity, Instances: [{ LifecycleState: 'InService' }] }],
    })
    const { at, asked } = answering(
      { resourceUid: uid, type: 'aws-asg' },
      { DescribeAutoScalingGroups: [sized(1, 4, 2), sized(3, 8, 5)] },
    )
    const params = { min: 3, max: 8, desired: 5 }
    for (const _ of [1, 2])
      expect(await does(at, 'scale', { params })).to.deep.equal({ status: 'succeeded', observedState: 'running' })
    expect(await does(at, 'start', { params: { desired: 1 } })).to.include({ status: 'succeeded' })
    expect(asked.filter((one) => one === 'UpdateAutoScalingGroup').length).to.equal(1)
  })

  it('changes what share of a mixed group is bought on demand, and makes no group mixed', async () => {
    const uid = 'arn:aws:autoscaling:us-east-1:1:autoScalingGroup:8a70:autoScalingGroupName/web'
    const mixed = (share: number) => ({
      AutoScalingGroups: [
        { MixedInstancesPolicy: { InstancesDistribution: { OnDemandPercentageAboveBaseCapacity: share } } },
      ],
    })
    const specs = { on_demand_percent: 20, mixed_instances: true }
    const { at } = answering(
      { resourceUid: uid, type: 'aws-asg' },
      { DescribeAutoScalingGroups: [mixed(100), mixed(100), mixed(20)] },
    )
    expect(await does(at, 'set', { specs })).to.deep.equal({ status: 'succeeded' })
    const plain = answering(
      { resourceUid: uid, type: 'aws-asg' },
      { DescribeAutoScalingGroups: [{ AutoScalingGroups: [{}] }] },
    )
    expect(await fails(does(plain.at, 'set', { specs }))).to.equal('user_action unsupported_action')
    expect(plain.asked).to.not.include('UpdateAutoScalingGroup')
  })

  it('lets a node group that is being changed be asked again later', async () => {
    const scalingConfig = { minSize: 1, maxSize: 3, desiredSize: 2 }
    const group = { resourceUid: 'arn:aws:eks:us-east-1:1:nodegroup/main/workers/9c3', type: 'aws-eks-nodegroup' }
    const { at } = answering(group, {
      DescribeNodegroup: [{ nodegroup: { status: 'ACTIVE', scalingConfig } }],
      UpdateNodegroupConfig: [refusing('ResourceInUseException', 409)],
    })
    expect(await fails(does(at, 'stop'))).to.equal('transient busy')
  })

  it('leaves members of a cluster to the cluster', async () => {
    const { at, asked } = answering({ ...rds, specs: { cluster_id: 'shop' } }, {})
    expect(await fails(does(at, 'stop'))).to.equal('user_action unsupported_action')
    expect(asked).to.deep.equal([])
  })

  it('starts and stops all 16 types that AWS starts and stops', () => {
    const types = resourceTypes.filter(
      ({ provider, type, schedulable }) => provider === 'aws' && schedulable && kubernetesKind(type) === undefined,
    )
    expect(types.length).to.equal(16)
    const has = (type: string, ...verbs: string[]) => verbs.every((verb) => verb in (kinds[type] ?? {}))
    const lacking = types.filter(({ type }) => !has(type, 'scale') && !has(type, 'start', 'stop'))
    expect(lacking).to.deep.equal([])
  })

  it('refuses what is not offered before anything is asked, and answers with missing members', async () => {
    const options = { caller: undefined as never }
    const action = (kind: ActionKind, type: string, more: Partial<CloudAction> = {}): CloudAction => ({
      id: 'a-1',
      kind,
      resource: { resourceUid: 'x', type, region: 'us-east-1' },
      ...more,
    })
    for (const one of [
      action('pause', 'aws-ec2'),
      action('start', 'aws-sns-topic'),
      action('resize', 'aws-rds', { size: 'db.m5.large' }),
      action('set', 'aws-ec2', { specs: { name: 'other' } }),
      action('snapshot', 'aws-asg'),
    ])
      expect(await fails(act(options, account, one)), one.kind).to.equal('user_action unsupported_action')
    for (const [type, kind] of Object.entries(kinds)) {
      const { at } = answering({ resourceUid: 'x', type }, {})
      expect((await kind.look(at)).exists, type).to.be.a('boolean')
    }
  })
})
