/**
 * Tests permissions by trying: reads that cost at most a thousandth of a cent, and writes to machines as dry runs.
 * Other permissions stay unknown.
 */
import { Fault } from '#engine/value/fault.ts'
import { roleOf } from '#streams/cloud/aws/session/credentials.ts'
import { permissionIn } from '#streams/cloud/scan/scan.ts'
import { globalRegion, type AwsSession } from '#streams/cloud/aws/session/session.ts'
import { bucketOf, isCredentialsRefused } from '#streams/cloud/connector.ts'
import { mapConcurrently } from '#streams/cloud/bill/merge.ts'
import type { State, RequiredPermission } from './required-permission.ts'

type Probe = (session: AwsSession, region: string) => Promise<unknown>

/** A name that no object has: with the permission, the answer is that it does not exist. */
const nothing = 'tidemark-check'
const atOnce = 4

/** ARN of an object that does not exist. */
function absent({ account }: AwsSession, region: string, service: string, rest: string): string {
  const [, partition = 'aws'] = roleOf(account).roleARN.split(':')
  return `arn:${partition}:${service}:${region}:${account.externalId}:${rest}`
}

/** Query of a metric that nobody sends. */
const noMetric = () => ({
  StartTime: new Date(Date.now() - 3_600_000),
  EndTime: new Date(),
  MetricDataQueries: [
    { Id: 'none', MetricStat: { Metric: { Namespace: nothing, MetricName: nothing }, Period: 3600, Stat: 'Average' } },
  ],
})

/** The number of machines that may run: a quota of every account. */
const machineQuota = { ServiceCode: 'ec2', QuotaCode: 'L-1216C47A' }

/** Also identifiers that no object has. */
const dry = { DryRun: true } as const
const InstanceIds = ['i-00000000000000000']
const InstanceId = InstanceIds[0]!
const VolumeId = 'vol-00000000000000000'

/**
 * Not tested: Cost Explorer, which charges a cent per call, and S3, which reports a missing bucket before a missing
 * permission.
 */
const probes: Readonly<Record<string, Probe>> = {
  'pricing:GetProducts': (s) =>
    s.ask('pricing', globalRegion, (m) => new m.GetProductsCommand({ ServiceCode: 'AmazonEC2', MaxResults: 1 })),
  'savingsplans:DescribeSavingsPlansOfferingRates': (s) =>
    s.ask('savingsplans', globalRegion, (m) => new m.DescribeSavingsPlansOfferingRatesCommand({ maxResults: 1 })),
  'ec2:DescribeRegions': (s) => s.ask('ec2', globalRegion, (m) => new m.DescribeRegionsCommand({})),
  'ec2:DescribeInstances': (s, r) => s.ask('ec2', r, (m) => new m.DescribeInstancesCommand({ MaxResults: 5 })),
  'ec2:DescribeVolumes': (s, r) => s.ask('ec2', r, (m) => new m.DescribeVolumesCommand({ MaxResults: 5 })),
  'cloudtrail:LookupEvents': (s, r) => s.ask('cloudtrail', r, (m) => new m.LookupEventsCommand({ MaxResults: 1 })),
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
  'dynamodb:DescribeContinuousBackups': (s, r) =>
    s.ask('dynamodb', r, (m) => new m.DescribeContinuousBackupsCommand({ TableName: nothing })),
  'ec2:DescribeInstanceCreditSpecifications': (s, r) =>
    s.ask('ec2', r, (m) => new m.DescribeInstanceCreditSpecificationsCommand({ MaxResults: 5 })),
  'eks:DescribeClusterVersions': (s, r) =>
    s.ask('eks', r, (m) => new m.DescribeClusterVersionsCommand({ maxResults: 1 })),
  'elasticloadbalancing:DescribeTargetHealth': (s, r) => {
    const TargetGroupArn = absent(s, r, 'elasticloadbalancing', `targetgroup/${nothing}/0000000000000000`)
    return s.ask('elastic-load-balancing-v2', r, (m) => new m.DescribeTargetHealthCommand({ TargetGroupArn }))
  },
  'lambda:GetPolicy': (s, r) => s.ask('lambda', r, (m) => new m.GetPolicyCommand({ FunctionName: nothing })),
  'lambda:ListFunctionUrlConfigs': (s, r) =>
    s.ask('lambda', r, (m) => new m.ListFunctionUrlConfigsCommand({ FunctionName: nothing })),
  'logs:DescribeLogStreams': (s, r) =>
    s.ask('cloudwatch-logs', r, (m) => new m.DescribeLogStreamsCommand({ logGroupName: nothing, limit: 1 })),
  'logs:DescribeSubscriptionFilters': (s, r) =>
    s.ask('cloudwatch-logs', r, (m) => new m.DescribeSubscriptionFiltersCommand({ logGroupName: nothing })),
  'rds:DescribeGlobalClusters': (s, r) =>
    s.ask('rds', r, (m) => new m.DescribeGlobalClustersCommand({ MaxRecords: 20 })),
  'redshift:DescribeScheduledActions': (s, r) =>
    s.ask('redshift', r, (m) => new m.DescribeScheduledActionsCommand({ MaxRecords: 20 })),
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
  'cloudwatch:GetMetricData': (s, r) => s.ask('cloudwatch', r, (m) => new m.GetMetricDataCommand(noMetric())),
  'servicequotas:GetServiceQuota': (s, r) =>
    s.ask('service-quotas', r, (m) => new m.GetServiceQuotaCommand(machineQuota)),
  'servicequotas:GetAWSDefaultServiceQuota': (s, r) =>
    s.ask('service-quotas', r, (m) => new m.GetAWSDefaultServiceQuotaCommand(machineQuota)),
  'elasticloadbalancing:DescribeTags': (s, r) => {
    const ResourceArns = [absent(s, r, 'elasticloadbalancing', `loadbalancer/app/${nothing}/0000000000000000`)]
    return s.ask('elastic-load-balancing-v2', r, (m) => new m.DescribeTagsCommand({ ResourceArns }))
  },
  'elasticloadbalancing:DescribeListeners': (s, r) => {
    const LoadBalancerArn = absent(s, r, 'elasticloadbalancing', `loadbalancer/app/${nothing}/0000000000000000`)
    return s.ask('elastic-load-balancing-v2', r, (m) => new m.DescribeListenersCommand({ LoadBalancerArn }))
  },
  'elasticloadbalancing:DescribeTargetGroups': (s, r) =>
    s.ask('elastic-load-balancing-v2', r, (m) => new m.DescribeTargetGroupsCommand({ PageSize: 1 })),
  'elasticache:ListTagsForResource': (s, r) => {
    const ResourceName = absent(s, r, 'elasticache', `cluster:${nothing}`)
    return s.ask('elasticache', r, (m) => new m.ListTagsForResourceCommand({ ResourceName }))
  },
  'elasticache:DescribeCacheSubnetGroups': (s, r) =>
    s.ask('elasticache', r, (m) => new m.DescribeCacheSubnetGroupsCommand({ MaxRecords: 20 })),
  'dynamodb:ListTagsOfResource': (s, r) => {
    const ResourceArn = absent(s, r, 'dynamodb', `table/${nothing}`)
    return s.ask('dynamodb', r, (m) => new m.ListTagsOfResourceCommand({ ResourceArn }))
  },
  'lambda:ListTags': (s, r) => {
    const Resource = absent(s, r, 'lambda', `function:${nothing}`)
    return s.ask('lambda', r, (m) => new m.ListTagsCommand({ Resource }))
  },
  'lambda:GetFunctionConfiguration': (s, r) =>
    s.ask('lambda', r, (m) => new m.GetFunctionConfigurationCommand({ FunctionName: nothing })),
  'lambda:ListProvisionedConcurrencyConfigs': (s, r) =>
    s.ask('lambda', r, (m) => new m.ListProvisionedConcurrencyConfigsCommand({ FunctionName: nothing })),
  'logs:ListTagsForResource': (s, r) => {
    const resourceArn = absent(s, r, 'logs', `log-group:${nothing}`)
    return s.ask('cloudwatch-logs', r, (m) => new m.ListTagsForResourceCommand({ resourceArn }))
  },
  'ec2:DescribeImages': (s, r) => s.ask('ec2', r, (m) => new m.DescribeImagesCommand({ Owners: ['self'] })),
  'ec2:DescribeVolumesModifications': (s, r) =>
    s.ask('ec2', r, (m) => new m.DescribeVolumesModificationsCommand({ MaxResults: 5 })),
  'ec2:DescribeFastSnapshotRestores': (s, r) =>
    s.ask('ec2', r, (m) => new m.DescribeFastSnapshotRestoresCommand({ MaxResults: 5 })),
  'ec2:DescribeVpcEndpoints': (s, r) => s.ask('ec2', r, (m) => new m.DescribeVpcEndpointsCommand({ MaxResults: 5 })),
  'ec2:DescribeInternetGateways': (s, r) =>
    s.ask('ec2', r, (m) => new m.DescribeInternetGatewaysCommand({ MaxResults: 5 })),
  'ec2:DescribeRouteTables': (s, r) => s.ask('ec2', r, (m) => new m.DescribeRouteTablesCommand({ MaxResults: 5 })),
  'ec2:DescribeInstanceTypes': (s, r) => s.ask('ec2', r, (m) => new m.DescribeInstanceTypesCommand({ MaxResults: 5 })),
  'ec2:DescribeLaunchTemplates': (s, r) =>
    s.ask('ec2', r, (m) => new m.DescribeLaunchTemplatesCommand({ MaxResults: 1 })),
  'ec2:DescribeLaunchTemplateVersions': (s, r) =>
    s.ask('ec2', r, (m) => new m.DescribeLaunchTemplateVersionsCommand({ Versions: ['$Latest'], MaxResults: 1 })),
  'rds:DescribeDBSnapshots': (s, r) => s.ask('rds', r, (m) => new m.DescribeDBSnapshotsCommand({ MaxRecords: 20 })),
  'rds:DescribeDBClusterSnapshots': (s, r) =>
    s.ask('rds', r, (m) => new m.DescribeDBClusterSnapshotsCommand({ MaxRecords: 20 })),
  'rds:DescribeDBSubnetGroups': (s, r) =>
    s.ask('rds', r, (m) => new m.DescribeDBSubnetGroupsCommand({ MaxRecords: 20 })),
  'redshift:DescribeClusterSnapshots': (s, r) =>
    s.ask('redshift', r, (m) => new m.DescribeClusterSnapshotsCommand({ MaxRecords: 20 })),
  'ecr:GetLifecyclePolicy': (s, r) =>
    s.ask('ecr', r, (m) => new m.GetLifecyclePolicyCommand({ repositoryName: nothing })),
  'ecr:ListTagsForResource': (s, r) => {
    const resourceArn = absent(s, r, 'ecr', `repository/${nothing}`)
    return s.ask('ecr', r, (m) => new m.ListTagsForResourceCommand({ resourceArn }))
  },
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

/** By name; permissions without an entry could not be tested. */
export async function probePermissions(
  session: AwsSession,
  wanted: readonly RequiredPermission[],
): Promise<ReadonlyMap<string, State>> {
  const region = session.account.regions[0] ?? globalRegion
  const found = await mapConcurrently(wanted, atOnce, async ({ name }): Promise<[string, State] | undefined> => {
    if (name === 'sts:GetCallerIdentity') return [name, 'granted']
    const probe = probes[name]
    return probe && [name, await stateOf(probe(session, region))]
  })
  return new Map(found.filter((one) => one !== undefined))
}

/**
 * An answer that the object does not exist, or that a dry run would have succeeded, means that the permission is
 * granted.
 */
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
