/** How resources of AWS look and answer around one change, after the API references of their services. */
import { awsError } from '#test/streams/cloud/aws/stub.ts'
import { switchedTypes } from './aws-switched-types.ts'
import type { CloudErrors, FarType } from './far-resource.ts'

export const awsErrors: CloudErrors = {
  lost: () => awsError('TimeoutError', 0),
  throttled: () => awsError('ThrottlingException'),
  denied: () => awsError('AccessDeniedException', 403),
}

const arn = (service: string, rest: string) => `arn:aws:${service}:us-east-1:123456789012:${rest}`
const same = (answer: unknown) => [answer, answer, answer] as const
const none = same({})

const machine = (Name: string, InstanceType = 'm5.large', Monitoring = 'disabled') => ({
  Reservations: [{ Instances: [{ State: { Name }, InstanceType, Monitoring: { State: Monitoring } }] }],
})
const machineOf = { resourceUid: 'i-1', taken: {}, again: {} }

const database = (DBInstanceStatus: string, more: object = {}) => ({
  DBInstances: [{ DBInstanceStatus, DBInstanceClass: 'db.m5.large', Iops: 3000, ...more }],
})
const databaseOf = { resourceUid: arn('rds', 'db:orders'), taken: {}, again: awsError('InvalidDBInstanceState') }

const cluster = (Status: string, more: object = {}) => ({
  DBClusters: [{ Status, BackupRetentionPeriod: 1, ...more }],
})
const clusterOf = { resourceUid: arn('rds', 'cluster:shop'), taken: {}, again: awsError('InvalidDBClusterStateFault') }

const warehouse = (ClusterStatus: string, more: object = {}) => ({
  Clusters: [{ ClusterStatus, NodeType: 'ra3.4xlarge', NumberOfNodes: 2, ...more }],
})
const warehouseOf = { resourceUid: arn('redshift', 'cluster:facts'), taken: {}, again: awsError('InvalidClusterState') }

const group = (MinSize: number, MaxSize: number, DesiredCapacity: number, there: number, Status?: string) => ({
  AutoScalingGroups: [
    { MinSize, MaxSize, DesiredCapacity, Status, Instances: Array(there).fill({ LifecycleState: 'InService' }) },
  ],
})
const groupOf = {
  resourceUid: arn('autoscaling', 'autoScalingGroup:8a70:autoScalingGroupName/web'),
  taken: {},
  again: {},
}

const service = (desiredCount: number, runningCount: number) => ({
  services: [{ status: 'ACTIVE', desiredCount, runningCount, taskDefinition: 'api:1' }],
})
const serviceOf = { resourceUid: arn('ecs', 'service/main/api'), change: 'UpdateService', taken: {}, again: {} }
const serviceLooks = { DescribeScalableTargets: none, DescribeTaskDefinition: none }

const nodes = (desiredSize: number, status = 'ACTIVE') => ({
  nodegroup: { status, scalingConfig: { minSize: 0, maxSize: 5, desiredSize } },
})
const nodesOf = {
  resourceUid: arn('eks', 'nodegroup/main/workers/9c3'),
  change: 'UpdateNodegroupConfig',
  taken: {},
  again: awsError('ResourceInUseException', 409),
}

const volume = (State: string, Size = 20) => ({ Volumes: [{ State, VolumeType: 'gp3', Size }] })
const volumeOf = { resourceUid: 'vol-1', taken: {}, again: {} }

const table = (TableStatus: string, ReadCapacityUnits = 5) => ({
  Table: { TableStatus, ProvisionedThroughput: { ReadCapacityUnits, WriteCapacityUnits: 5 } },
})
const tableOf = { resourceUid: arn('dynamodb', 'table/carts'), taken: {}, again: awsError('ResourceInUseException') }

const cache = (Status: string, CacheNodeType = 'cache.m5.large') => ({ ReplicationGroups: [{ Status, CacheNodeType }] })
const cacheOf = {
  resourceUid: arn('elasticache', 'replicationgroup:sessions'),
  taken: {},
  again: awsError('InvalidReplicationGroupState'),
}

const missing = (word: string) => awsError(word, 404)

/** `<type> <verb>` */
export const awsTypes: Readonly<Record<string, FarType>> = {
  ...switchedTypes,
  'aws-ec2 start': {
    ...machineOf,
    action: { kind: 'start' },
    change: 'StartInstances',
    looks: { DescribeInstances: [machine('stopped'), machine('pending'), machine('running')] },
  },
  'aws-ec2 stop': {
    ...machineOf,
    action: { kind: 'stop' },
    change: 'StopInstances',
    looks: { DescribeInstances: [machine('running'), machine('stopping'), machine('stopped')] },
  },
  'aws-ec2 resize': {
    ...machineOf,
    action: { kind: 'resize', size: 'm5.xlarge' },
    change: 'ModifyInstanceAttribute',
    looks: {
      DescribeInstances: [machine('stopped'), machine('stopped', 'm5.xlarge'), machine('stopped', 'm5.xlarge')],
    },
  },
  'aws-ec2 set': {
    ...machineOf,
    action: { kind: 'set', specs: { monitoring_detailed: true } },
    change: 'MonitorInstances',
    looks: {
      DescribeInstances: [
        machine('running'),
        machine('running', 'm5.large', 'pending'),
        machine('running', 'm5.large', 'enabled'),
      ],
    },
  },
  'aws-ec2 snapshot': {
    ...machineOf,
    action: { kind: 'snapshot' },
    change: 'CreateImage',
    again: awsError('InvalidAMIName.Duplicate'),
    looks: {
      DescribeImages: [{ Images: [] }, { Images: [{ State: 'pending' }] }, { Images: [{ State: 'available' }] }],
      DescribeInstances: same(machine('running')),
    },
  },
  'aws-ec2 delete': {
    ...machineOf,
    action: { kind: 'delete' },
    change: 'TerminateInstances',
    looks: { DescribeInstances: [machine('running'), machine('shutting-down'), machine('terminated')] },
  },
  'aws-rds start': {
    ...databaseOf,
    action: { kind: 'start' },
    change: 'StartDBInstance',
    looks: { DescribeDBInstances: [database('stopped'), database('starting'), database('available')] },
  },
  'aws-rds stop': {
    ...databaseOf,
    action: { kind: 'stop' },
    change: 'StopDBInstance',
    looks: { DescribeDBInstances: [database('available'), database('stopping'), database('stopped')] },
  },
  'aws-rds set': {
    ...databaseOf,
    action: { kind: 'set', specs: { iops: 4000 } },
    change: 'ModifyDBInstance',
    looks: {
      DescribeDBInstances: [
        database('available'),
        database('modifying', { PendingModifiedValues: { Iops: 4000 } }),
        database('available', { Iops: 4000 }),
      ],
    },
  },
  'aws-rds snapshot': {
    ...databaseOf,
    action: { kind: 'snapshot' },
    change: 'CreateDBSnapshot',
    again: awsError('DBSnapshotAlreadyExists'),
    looks: {
      DescribeDBSnapshots: [
        missing('DBSnapshotNotFound'),
        { DBSnapshots: [{ Status: 'creating' }] },
        { DBSnapshots: [{ Status: 'available' }] },
      ],
      DescribeDBInstances: same(database('available')),
    },
  },
  'aws-rds delete': {
    ...databaseOf,
    action: { kind: 'delete' },
    change: 'DeleteDBInstance',
    looks: { DescribeDBInstances: [database('available'), database('deleting'), missing('DBInstanceNotFound')] },
  },
  'aws-aurora-cluster start': {
    ...clusterOf,
    action: { kind: 'start' },
    change: 'StartDBCluster',
    looks: { DescribeDBClusters: [cluster('stopped'), cluster('starting'), cluster('available')] },
  },
  'aws-aurora-cluster stop': {
    ...clusterOf,
    action: { kind: 'stop' },
    change: 'StopDBCluster',
    looks: { DescribeDBClusters: [cluster('available'), cluster('stopping'), cluster('stopped')] },
  },
  'aws-aurora-cluster set': {
    ...clusterOf,
    action: { kind: 'set', specs: { backup_retention_days: 7 } },
    change: 'ModifyDBCluster',
    looks: {
      DescribeDBClusters: [
        cluster('available'),
        cluster('available', { PendingModifiedValues: { BackupRetentionPeriod: 7 } }),
        cluster('available', { BackupRetentionPeriod: 7 }),
      ],
    },
  },
  'aws-aurora-cluster snapshot': {
    ...clusterOf,
    action: { kind: 'snapshot' },
    change: 'CreateDBClusterSnapshot',
    again: awsError('DBClusterSnapshotAlreadyExistsFault'),
    looks: {
      DescribeDBClusterSnapshots: [
        missing('DBClusterSnapshotNotFoundFault'),
        { DBClusterSnapshots: [{ Status: 'creating' }] },
        { DBClusterSnapshots: [{ Status: 'available' }] },
      ],
      DescribeDBClusters: same(cluster('available')),
    },
  },
  'aws-aurora-cluster delete': {
    ...clusterOf,
    action: { kind: 'delete' },
    change: 'DeleteDBCluster',
    looks: { DescribeDBClusters: [cluster('available'), cluster('deleting'), missing('DBClusterNotFoundFault')] },
  },
  'aws-documentdb stop': {
    ...clusterOf,
    action: { kind: 'stop' },
    change: 'StopDBCluster',
    looks: { DescribeDBClusters: [cluster('available'), cluster('stopping'), cluster('stopped')] },
  },
  'aws-neptune stop': {
    ...clusterOf,
    action: { kind: 'stop' },
    change: 'StopDBCluster',
    looks: { DescribeDBClusters: [cluster('available'), cluster('stopping'), cluster('stopped')] },
  },
  'aws-redshift start': {
    ...warehouseOf,
    action: { kind: 'start' },
    change: 'ResumeCluster',
    looks: { DescribeClusters: [warehouse('paused'), warehouse('resuming'), warehouse('available')] },
  },
  'aws-redshift stop': {
    ...warehouseOf,
    action: { kind: 'stop' },
    change: 'PauseCluster',
    looks: { DescribeClusters: [warehouse('available'), warehouse('pausing'), warehouse('paused')] },
  },
  'aws-redshift set': {
    ...warehouseOf,
    action: { kind: 'set', specs: { node_count: 4 } },
    change: 'ResizeCluster',
    looks: {
      DescribeClusters: [
        warehouse('available'),
        warehouse('resizing', { PendingModifiedValues: { NumberOfNodes: 4 } }),
        warehouse('available', { NumberOfNodes: 4 }),
      ],
    },
  },
  'aws-redshift snapshot': {
    ...warehouseOf,
    action: { kind: 'snapshot' },
    change: 'CreateClusterSnapshot',
    again: awsError('ClusterSnapshotAlreadyExists'),
    looks: {
      DescribeClusterSnapshots: [
        missing('ClusterSnapshotNotFound'),
        { Snapshots: [{ Status: 'creating' }] },
        { Snapshots: [{ Status: 'available' }] },
      ],
      DescribeClusters: same(warehouse('available')),
    },
  },
  'aws-redshift delete': {
    ...warehouseOf,
    action: { kind: 'delete' },
    change: 'DeleteCluster',
    looks: { DescribeClusters: [warehouse('available'), warehouse('deleting'), missing('ClusterNotFound')] },
  },
  'aws-asg start': {
    ...groupOf,
    action: { kind: 'start', params: { min: 1, max: 4, desired: 2 } },
    change: 'UpdateAutoScalingGroup',
    looks: { DescribeAutoScalingGroups: [group(0, 4, 0, 0), group(1, 4, 2, 0), group(1, 4, 2, 2)] },
  },
  'aws-asg stop': {
    ...groupOf,
    action: { kind: 'stop' },
    change: 'UpdateAutoScalingGroup',
    looks: { DescribeAutoScalingGroups: [group(1, 4, 2, 2), group(0, 4, 0, 2), group(0, 4, 0, 0)] },
  },
  'aws-asg scale': {
    ...groupOf,
    action: { kind: 'scale', params: { desired: 3 } },
    change: 'UpdateAutoScalingGroup',
    looks: { DescribeAutoScalingGroups: [group(1, 4, 2, 2), group(1, 4, 3, 2), group(1, 4, 3, 3)] },
  },
  'aws-asg set': {
    ...groupOf,
    action: { kind: 'set', specs: { max_size: 6 } },
    change: 'UpdateAutoScalingGroup',
    looks: { DescribeAutoScalingGroups: [group(1, 4, 2, 2), group(1, 6, 2, 2), group(1, 6, 2, 2)] },
  },
  'aws-asg delete': {
    ...groupOf,
    action: { kind: 'delete' },
    change: 'DeleteAutoScalingGroup',
    looks: {
      DescribeAutoScalingGroups: [
        group(0, 4, 0, 0),
        group(0, 4, 0, 0, 'Delete in progress'),
        { AutoScalingGroups: [] },
      ],
    },
  },
  'aws-ecs-service scale': {
    ...serviceOf,
    action: { kind: 'scale', params: { desired: 2 } },
    looks: { DescribeServices: [service(5, 5), service(2, 5), service(2, 2)], ...serviceLooks },
  },
  'aws-ecs-service stop': {
    ...serviceOf,
    action: { kind: 'stop' },
    looks: { DescribeServices: [service(2, 2), service(0, 1), service(0, 0)], ...serviceLooks },
  },
  'aws-eks-nodegroup scale': {
    ...nodesOf,
    action: { kind: 'scale', params: { desired: 4 } },
    looks: { DescribeNodegroup: [nodes(2), nodes(4, 'UPDATING'), nodes(4)] },
  },
  'aws-eks-nodegroup start': {
    ...nodesOf,
    action: { kind: 'start', params: { desired: 2 } },
    looks: { DescribeNodegroup: [nodes(0), nodes(2, 'UPDATING'), nodes(2)] },
  },
  'aws-ebs-volume set': {
    ...volumeOf,
    action: { kind: 'set', specs: { size_gb: 40 } },
    change: 'ModifyVolume',
    again: awsError('IncorrectModificationState'),
    looks: {
      DescribeVolumesModifications: [
        {},
        { VolumesModifications: [{ ModificationState: 'modifying', TargetSize: 40 }] },
        { VolumesModifications: [{ ModificationState: 'optimizing', TargetSize: 40 }] },
      ],
      DescribeVolumes: [volume('in-use'), volume('in-use'), volume('in-use', 40)],
    },
  },
  'aws-ebs-volume snapshot': {
    ...volumeOf,
    action: { kind: 'snapshot' },
    change: 'CreateSnapshot',
    looks: {
      DescribeSnapshots: [
        { Snapshots: [] },
        { Snapshots: [{ State: 'pending' }] },
        { Snapshots: [{ State: 'completed' }] },
      ],
      DescribeVolumes: same(volume('in-use')),
      DescribeVolumesModifications: none,
    },
  },
  'aws-ebs-volume delete': {
    ...volumeOf,
    action: { kind: 'delete' },
    change: 'DeleteVolume',
    again: missing('InvalidVolume.NotFound'),
    looks: {
      DescribeVolumes: [volume('available'), volume('deleting'), missing('InvalidVolume.NotFound')],
      DescribeVolumesModifications: none,
    },
  },
  'aws-dynamodb-table set': {
    ...tableOf,
    action: { kind: 'set', specs: { read_capacity: 20 } },
    change: 'UpdateTable',
    looks: {
      DescribeTable: [table('ACTIVE'), table('UPDATING', 20), table('ACTIVE', 20)],
      DescribeScalableTargets: none,
    },
  },
  'aws-dynamodb-table delete': {
    ...tableOf,
    action: { kind: 'delete' },
    change: 'DeleteTable',
    looks: {
      DescribeTable: [table('ACTIVE'), table('DELETING'), missing('ResourceNotFoundException')],
      DescribeScalableTargets: none,
    },
  },
  'aws-elasticache set': {
    ...cacheOf,
    action: { kind: 'set', specs: { instance_type: 'cache.m5.xlarge' } },
    change: 'ModifyReplicationGroup',
    looks: {
      DescribeReplicationGroups: [cache('available'), cache('modifying'), cache('available', 'cache.m5.xlarge')],
    },
  },
  'aws-elasticache delete': {
    ...cacheOf,
    action: { kind: 'delete' },
    change: 'DeleteReplicationGroup',
    looks: {
      DescribeReplicationGroups: [cache('available'), cache('deleting'), missing('ReplicationGroupNotFoundFault')],
    },
  },
  'aws-lambda set': {
    resourceUid: arn('lambda', 'function:resize'),
    action: { kind: 'set', specs: { memory_mb: 512 } },
    change: 'UpdateFunctionConfiguration',
    taken: {},
    again: awsError('ResourceConflictException', 409),
    looks: {
      GetFunctionConfiguration: [{ MemorySize: 1024 }, { MemorySize: 512 }, { MemorySize: 512 }],
      ListProvisionedConcurrencyConfigs: none,
    },
  },
}
