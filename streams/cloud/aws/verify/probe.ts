/** What a role may do, by trying: reads that cost nothing, and writes to machines that are only rehearsed. The rest stays unknown. */
import { Fault } from '#engine/fault.ts'
import { permissionIn } from '#streams/cloud/aws/discover/finder.ts'
import { globalRegion, type AwsSession } from '#streams/cloud/aws/session.ts'
import { bucketOf, isCredentialsRefused } from '#streams/cloud/connector.ts'
import { mapped } from '#streams/cloud/merge.ts'
import type { State, Wanted } from './wanted.ts'

type Probe = (session: AwsSession, region: string) => Promise<unknown>

/** Nothing has this name: whoever may ask is told so. */
const nothing = 'tidemark-check'
const atOnce = 4

/** Nothing has these identifiers, either. */
const dry = { DryRun: true } as const
const InstanceIds = ['i-00000000000000000']
const InstanceId = InstanceIds[0]!
const VolumeId = 'vol-00000000000000000'

const probes: Readonly<Record<string, Probe>> = {
  'ec2:DescribeRegions': (s) => s.ask('ec2', globalRegion, (m) => new m.DescribeRegionsCommand({})),
  'ec2:DescribeInstances': (s, r) => s.ask('ec2', r, (m) => new m.DescribeInstancesCommand({ MaxResults: 5 })),
  'ec2:DescribeVolumes': (s, r) => s.ask('ec2', r, (m) => new m.DescribeVolumesCommand({ MaxResults: 5 })),
  'ec2:DescribeSnapshots': (s, r) =>
    s.ask('ec2', r, (m) => new m.DescribeSnapshotsCommand({ OwnerIds: ['self'], MaxResults: 5 })),
  'ec2:DescribeNatGateways': (s, r) => s.ask('ec2', r, (m) => new m.DescribeNatGatewaysCommand({ MaxResults: 5 })),
  'ec2:DescribeAddresses': (s, r) => s.ask('ec2', r, (m) => new m.DescribeAddressesCommand({})),
  'ec2:DescribeVpcs': (s, r) => s.ask('ec2', r, (m) => new m.DescribeVpcsCommand({ MaxResults: 5 })),
  'ec2:DescribeSubnets': (s, r) => s.ask('ec2', r, (m) => new m.DescribeSubnetsCommand({ MaxResults: 5 })),
  'ec2:DescribeSecurityGroups': (s, r) =>
    s.ask('ec2', r, (m) => new m.DescribeSecurityGroupsCommand({ MaxResults: 5 })),
  'autoscaling:DescribeAutoScalingGroups': (s, r) =>
    s.ask('auto-scaling', r, (m) => new m.DescribeAutoScalingGroupsCommand({ MaxRecords: 1 })),
  'autoscaling:DescribePolicies': (s, r) =>
    s.ask('auto-scaling', r, (m) => new m.DescribePoliciesCommand({ MaxRecords: 1 })),
  'autoscaling:DescribeScheduledActions': (s, r) =>
    s.ask('auto-scaling', r, (m) => new m.DescribeScheduledActionsCommand({ MaxRecords: 1 })),
  'elasticloadbalancing:DescribeLoadBalancers': (s, r) =>
    s.ask('elastic-load-balancing-v2', r, (m) => new m.DescribeLoadBalancersCommand({ PageSize: 1 })),
  'ecs:ListClusters': (s, r) => s.ask('ecs', r, (m) => new m.ListClustersCommand({ maxResults: 1 })),
  'ecs:DescribeClusters': (s, r) => s.ask('ecs', r, (m) => new m.DescribeClustersCommand({ clusters: [nothing] })),
  'ecs:ListServices': (s, r) => s.ask('ecs', r, (m) => new m.ListServicesCommand({ cluster: nothing })),
  'ecs:DescribeServices': (s, r) =>
    s.ask('ecs', r, (m) => new m.DescribeServicesCommand({ cluster: nothing, services: [nothing] })),
  'ecs:DescribeTaskDefinition': (s, r) =>
    s.ask('ecs', r, (m) => new m.DescribeTaskDefinitionCommand({ taskDefinition: nothing })),
  'eks:ListClusters': (s, r) => s.ask('eks', r, (m) => new m.ListClustersCommand({ maxResults: 1 })),
  'eks:DescribeCluster': (s, r) => s.ask('eks', r, (m) => new m.DescribeClusterCommand({ name: nothing })),
  'eks:ListNodegroups': (s, r) => s.ask('eks', r, (m) => new m.ListNodegroupsCommand({ clusterName: nothing })),
  'eks:DescribeNodegroup': (s, r) =>
    s.ask('eks', r, (m) => new m.DescribeNodegroupCommand({ clusterName: nothing, nodegroupName: nothing })),
  'rds:DescribeDBInstances': (s, r) => s.ask('rds', r, (m) => new m.DescribeDBInstancesCommand({ MaxRecords: 20 })),
  'rds:DescribeDBClusters': (s, r) => s.ask('rds', r, (m) => new m.DescribeDBClustersCommand({ MaxRecords: 20 })),
  'elasticache:DescribeCacheClusters': (s, r) =>
    s.ask('elasticache', r, (m) => new m.DescribeCacheClustersCommand({ MaxRecords: 20 })),
  'elasticache:DescribeReplicationGroups': (s, r) =>
    s.ask('elasticache', r, (m) => new m.DescribeReplicationGroupsCommand({ MaxRecords: 20 })),
  'dynamodb:ListTables': (s, r) => s.ask('dynamodb', r, (m) => new m.ListTablesCommand({ Limit: 1 })),
  'dynamodb:DescribeTable': (s, r) => s.ask('dynamodb', r, (m) => new m.DescribeTableCommand({ TableName: nothing })),
  'redshift:DescribeClusters': (s, r) => s.ask('redshift', r, (m) => new m.DescribeClustersCommand({ MaxRecords: 20 })),
  's3:ListAllMyBuckets': (s) => s.ask('s3', globalRegion, (m) => new m.ListBucketsCommand({ MaxBuckets: 1 })),
  'lambda:ListFunctions': (s, r) => s.ask('lambda', r, (m) => new m.ListFunctionsCommand({ MaxItems: 1 })),
  'logs:DescribeLogGroups': (s, r) => s.ask('cloudwatch-logs', r, (m) => new m.DescribeLogGroupsCommand({ limit: 1 })),
  'cloudwatch:ListMetrics': (s, r) => s.ask('cloudwatch', r, (m) => new m.ListMetricsCommand({ MetricName: nothing })),
  'cloudwatch:DescribeAlarms': (s, r) => s.ask('cloudwatch', r, (m) => new m.DescribeAlarmsCommand({ MaxRecords: 1 })),
  'application-autoscaling:DescribeScalableTargets': (s, r) =>
    s.ask('application-auto-scaling', r, (m) => new m.DescribeScalableTargetsCommand({ ServiceNamespace: 'ecs' })),
  'application-autoscaling:DescribeScalingPolicies': (s, r) =>
    s.ask('application-auto-scaling', r, (m) => new m.DescribeScalingPoliciesCommand({ ServiceNamespace: 'ecs' })),
  'ecr:DescribeRepositories': (s, r) => s.ask('ecr', r, (m) => new m.DescribeRepositoriesCommand({ maxResults: 1 })),
  'ec2:StartInstances': (s, r) => s.ask('ec2', r, (m) => new m.StartInstancesCommand({ ...dry, InstanceIds })),
  'ec2:StopInstances': (s, r) => s.ask('ec2', r, (m) => new m.StopInstancesCommand({ ...dry, InstanceIds })),
  'ec2:TerminateInstances': (s, r) => s.ask('ec2', r, (m) => new m.TerminateInstancesCommand({ ...dry, InstanceIds })),
  'ec2:ModifyInstanceAttribute': (s, r) =>
    s.ask('ec2', r, (m) => new m.ModifyInstanceAttributeCommand({ ...dry, InstanceId, EbsOptimized: { Value: true } })),
  'ec2:ModifyVolume': (s, r) => s.ask('ec2', r, (m) => new m.ModifyVolumeCommand({ ...dry, VolumeId, Size: 1 })),
  'ec2:DeleteVolume': (s, r) => s.ask('ec2', r, (m) => new m.DeleteVolumeCommand({ ...dry, VolumeId })),
  'ec2:CreateSnapshot': (s, r) => s.ask('ec2', r, (m) => new m.CreateSnapshotCommand({ ...dry, VolumeId })),
  'ec2:DeleteSnapshot': (s, r) =>
    s.ask('ec2', r, (m) => new m.DeleteSnapshotCommand({ ...dry, SnapshotId: 'snap-00000000000000000' })),
  'ec2:ReleaseAddress': (s, r) =>
    s.ask('ec2', r, (m) => new m.ReleaseAddressCommand({ ...dry, AllocationId: 'eipalloc-00000000000000000' })),
}

/** By name; what has no entry could not be tried. */
export async function tried(session: AwsSession, wanted: readonly Wanted[]): Promise<ReadonlyMap<string, State>> {
  const region = session.account.regions[0] ?? globalRegion
  const found = await mapped(wanted, atOnce, async ({ name }): Promise<[string, State] | undefined> => {
    if (name === 'sts:GetCallerIdentity') return [name, 'granted']
    const probe = probes[name]
    return probe && [name, await stateOf(probe(session, region))]
  })
  return new Map(found.filter((one) => one !== undefined))
}

/** Whoever is told that there is no such thing, or that it would have been done, is allowed to do it. */
async function stateOf(probe: Promise<unknown>): Promise<State> {
  try {
    await probe
    return 'granted'
  } catch (error) {
    if (!(error instanceof Fault) || isCredentialsRefused(error)) throw error
    if (permissionIn(error) !== undefined) return 'missing'
    return bucketOf(error) === 'user_action' ? 'granted' : 'unknown'
  }
}
