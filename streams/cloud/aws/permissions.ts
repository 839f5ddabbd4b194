/** What the role of an account must allow us, call by call: the part of the table that is AWS. */
import type { Access, Permission, PermissionUse, PermittedCall } from '#streams/cloud/permitted.ts'

interface More {
  types?: readonly string[]
  resources?: readonly string[]
}

const row =
  (use: PermissionUse, access: Access) =>
  (call: PermittedCall, names: readonly string[], more: More = {}): Permission => ({
    use,
    call,
    access,
    names,
    ...more,
  })

const scales = row('autoscaling', 'read')
const scalesBy = row('autoscaling', 'write')
const finds = row('discovery', 'read')
const measures = row('metrics', 'read')
const bills = row('bills', 'read')
const acts = row('actions', 'write')
const sees = row('actions', 'read')
const makes = row('provisioning', 'write')
const checks = row('provisioning', 'read')

const group = { types: ['aws-asg'] }
const service = { types: ['aws-ecs-service'] }
const nodes = { types: ['aws-eks-nodegroup'] }
const machine = { types: ['aws-ec2'] }
const volume = { types: ['aws-ebs-volume'] }
const snapshot = { types: ['aws-ebs-snapshot'] }
const database = { types: ['aws-rds'] }
const cluster = { types: ['aws-aurora-cluster', 'aws-documentdb', 'aws-neptune'] }
const cache = { types: ['aws-elasticache'] }
const table = { types: ['aws-dynamodb-table'] }
const warehouse = { types: ['aws-redshift'] }
const bucket = { types: ['aws-s3-bucket'] }
const lambda = { types: ['aws-lambda'] }
const logs = { types: ['aws-log-group'] }
const gateway = { types: ['aws-nat-gateway'] }
const repository = { types: ['aws-ecr-repository'] }
const balancer = { types: ['aws-alb', 'aws-nlb'] }

/** What we make bears our name, and no other is ours to touch. */
export const ownName = 'tidemark'
const ownRoles = { resources: [`arn:aws:iam::*:role/${ownName}*`] }
const ownFunctions = { resources: [`arn:aws:lambda:*:*:function:${ownName}*`] }
const ownRules = { resources: [`arn:aws:events:*:*:rule/${ownName}*`] }
const serviceRoles = { resources: ['arn:aws:iam::*:role/aws-service-role/*'] }

/** Stands for the bucket of the bill until it is named. */
export const billBucket = 'YOUR-BILLING-BUCKET'
const ofBills = { resources: [`arn:aws:s3:::${billBucket}`, `arn:aws:s3:::${billBucket}/*`] }

const autoscaling: readonly Permission[] = [
  scales('look', ['autoscaling:DescribeAutoScalingGroups'], group),
  scales('look', ['ecs:DescribeServices', 'application-autoscaling:DescribeScalableTargets'], service),
  scales('look', ['eks:DescribeNodegroup'], nodes),
  scales('measure', ['cloudwatch:GetMetricData']),
  scales('policies', ['autoscaling:DescribePolicies'], group),
  scales('policies', ['application-autoscaling:DescribeScalingPolicies'], service),
  scales('quotas', ['servicequotas:GetServiceQuota', 'servicequotas:GetAWSDefaultServiceQuota']),
  scalesBy('scale', ['autoscaling:UpdateAutoScalingGroup'], group),
  scalesBy('scale', ['ecs:UpdateService', 'application-autoscaling:RegisterScalableTarget'], service),
  scalesBy('scale', ['eks:UpdateNodegroupConfig'], nodes),
  scalesBy('replacePolicies', ['autoscaling:PutScalingPolicy', 'autoscaling:DeletePolicy'], group),
  // Target tracking of services keeps alarms, and acts as a role of its own.
  scalesBy(
    'replacePolicies',
    [
      'application-autoscaling:PutScalingPolicy',
      'application-autoscaling:DeleteScalingPolicy',
      'cloudwatch:DescribeAlarms',
      'cloudwatch:PutMetricAlarm',
      'cloudwatch:DeleteAlarms',
    ],
    service,
  ),
  scalesBy('replacePolicies', ['iam:CreateServiceLinkedRole'], { ...service, ...serviceRoles }),
  scalesBy('createInfrastructure', ['iam:GetRole', 'iam:CreateRole', 'iam:PutRolePolicy', 'iam:PassRole'], ownRoles),
  scalesBy(
    'createInfrastructure',
    ['lambda:GetFunction', 'lambda:CreateFunction', 'lambda:AddPermission'],
    ownFunctions,
  ),
  scalesBy('createInfrastructure', ['events:PutRule', 'events:PutTargets'], ownRules),
]

const discovery: readonly Permission[] = [
  finds('verify', ['sts:GetCallerIdentity']),
  finds('verify', ['iam:SimulatePrincipalPolicy']),
  finds('discover', ['ec2:DescribeRegions']),
  finds('discover', ['ec2:DescribeInstances'], machine),
  finds('discover', ['ec2:DescribeVolumes'], volume),
  finds('discover', ['ec2:DescribeSnapshots'], snapshot),
  finds('discover', ['ec2:DescribeNatGateways'], { types: ['aws-nat-gateway'] }),
  finds('discover', ['ec2:DescribeAddresses'], { types: ['aws-eip'] }),
  finds(
    'discover',
    ['autoscaling:DescribeAutoScalingGroups', 'autoscaling:DescribePolicies', 'autoscaling:DescribeScheduledActions'],
    group,
  ),
  finds('discover', ['elasticloadbalancing:DescribeLoadBalancers', 'elasticloadbalancing:DescribeTags'], balancer),
  finds('discover', ['ecs:ListClusters', 'ecs:DescribeClusters'], { types: ['aws-ecs-cluster'] }),
  finds('discover', ['ecs:ListServices', 'ecs:DescribeServices', 'ecs:DescribeTaskDefinition'], service),
  finds('discover', ['eks:ListClusters', 'eks:DescribeCluster'], { types: ['aws-eks'] }),
  finds('discover', ['eks:ListNodegroups', 'eks:DescribeNodegroup'], nodes),
  finds('discover', ['rds:DescribeDBClusters'], cluster),
  finds('discover', ['rds:DescribeDBInstances'], database),
  finds(
    'discover',
    ['elasticache:DescribeCacheClusters', 'elasticache:DescribeReplicationGroups', 'elasticache:ListTagsForResource'],
    cache,
  ),
  finds('discover', ['dynamodb:ListTables', 'dynamodb:DescribeTable', 'dynamodb:ListTagsOfResource'], table),
  finds('discover', ['redshift:DescribeClusters'], warehouse),
  finds(
    'discover',
    [
      's3:ListAllMyBuckets',
      's3:GetBucketLocation',
      's3:GetBucketTagging',
      's3:GetBucketVersioning',
      's3:GetLifecycleConfiguration',
      's3:GetEncryptionConfiguration',
      's3:GetBucketPolicyStatus',
    ],
    bucket,
  ),
  finds('discover', ['lambda:ListFunctions', 'lambda:ListTags'], lambda),
  finds('discover', ['logs:DescribeLogGroups', 'logs:ListTagsForResource'], logs),
]

const costs: readonly Permission[] = [
  measures('measure', ['cloudwatch:GetMetricData', 'cloudwatch:ListMetrics']),
  bills('bill', ['ce:GetCostAndUsage']),
  bills('bill', ['s3:ListBucket', 's3:GetObject'], ofBills),
]

const actions: readonly Permission[] = [
  sees('look', ['elasticloadbalancing:DescribeTargetHealth'], balancer),
  sees('look', ['ec2:DescribeImages'], machine),
  sees('look', ['ec2:DescribeVolumesModifications'], volume),
  sees('look', ['ec2:DescribeFastSnapshotRestores'], snapshot),
  sees('look', ['ec2:DescribeVpcEndpoints', 'ec2:DescribeRouteTables'], gateway),
  sees('look', ['rds:DescribeDBSnapshots'], database),
  sees('look', ['rds:DescribeDBClusterSnapshots'], cluster),
  sees('look', ['redshift:DescribeClusterSnapshots'], warehouse),
  sees('look', ['application-autoscaling:DescribeScalableTargets'], table),
  sees('look', ['lambda:GetFunctionConfiguration', 'lambda:ListProvisionedConcurrencyConfigs'], lambda),
  sees('look', ['ecr:DescribeRepositories', 'ecr:GetLifecyclePolicy'], repository),
  acts('start', ['ec2:StartInstances'], machine),
  acts('stop', ['ec2:StopInstances'], machine),
  acts('start', ['rds:StartDBInstance'], database),
  acts('stop', ['rds:StopDBInstance'], database),
  acts('start', ['rds:StartDBCluster'], cluster),
  acts('stop', ['rds:StopDBCluster'], cluster),
  acts('start', ['redshift:ResumeCluster'], warehouse),
  acts('stop', ['redshift:PauseCluster'], warehouse),
  acts('resize', ['ec2:ModifyInstanceAttribute'], machine),
  acts('resize', ['rds:ModifyDBInstance'], database),
  acts('resize', ['redshift:ResizeCluster'], warehouse),
  acts('resize', ['elasticache:ModifyCacheCluster', 'elasticache:ModifyReplicationGroup'], cache),
  acts('set', ['ec2:ModifyInstanceMetadataOptions', 'ec2:MonitorInstances', 'ec2:UnmonitorInstances'], machine),
  acts('set', ['ec2:ModifyVolume'], volume),
  acts('set', ['ec2:ModifySnapshotTier', 'ec2:DisableFastSnapshotRestores'], snapshot),
  acts('set', ['rds:ModifyDBCluster'], cluster),
  acts('set', ['elasticache:DecreaseReplicaCount'], cache),
  acts('set', ['dynamodb:UpdateTable', 'application-autoscaling:DeregisterScalableTarget'], table),
  acts('set', ['application-autoscaling:RegisterScalableTarget', 'application-autoscaling:PutScalingPolicy'], table),
  acts('set', ['ec2:CreateVpcEndpoint'], gateway),
  acts('set', ['ecr:PutLifecyclePolicy'], repository),
  acts('set', ['lambda:UpdateFunctionConfiguration', 'lambda:PutProvisionedConcurrencyConfig'], lambda),
  acts('set', ['lambda:DeleteProvisionedConcurrencyConfig'], lambda),
  acts('set', ['logs:PutRetentionPolicy', 'logs:DeleteRetentionPolicy'], logs),
  acts('set', ['s3:PutLifecycleConfiguration', 's3:PutEncryptionConfiguration'], bucket),
  acts('set', ['ecs:RegisterTaskDefinition'], service),
  acts('snapshot', ['ec2:CreateSnapshot', 'ec2:CreateTags'], volume),
  acts('snapshot', ['ec2:CreateImage'], machine),
  acts('snapshot', ['rds:CreateDBSnapshot', 'rds:AddTagsToResource'], database),
  acts('snapshot', ['rds:CreateDBClusterSnapshot'], cluster),
  acts('snapshot', ['redshift:CreateClusterSnapshot'], warehouse),
  acts('delete', ['ec2:TerminateInstances'], machine),
  acts('delete', ['ec2:DeleteVolume'], volume),
  acts('delete', ['ec2:DeleteSnapshot'], snapshot),
  acts('delete', ['ec2:ReleaseAddress'], { types: ['aws-eip'] }),
  acts('delete', ['ec2:DeleteNatGateway'], { types: ['aws-nat-gateway'] }),
  acts('delete', ['elasticloadbalancing:DeleteLoadBalancer'], balancer),
  acts('delete', ['autoscaling:DeleteAutoScalingGroup'], group),
  acts('delete', ['ecs:DeleteService'], service),
  acts('delete', ['eks:DeleteNodegroup'], nodes),
  acts('delete', ['eks:DeleteCluster'], { types: ['aws-eks'] }),
  acts('delete', ['rds:DeleteDBInstance'], database),
  acts('delete', ['rds:DeleteDBCluster'], cluster),
  acts('delete', ['rds:DeleteDBSnapshot', 'rds:DeleteDBClusterSnapshot'], { types: ['aws-rds-snapshot'] }),
  acts('delete', ['redshift:DeleteCluster'], warehouse),
  acts('delete', ['elasticache:DeleteReplicationGroup', 'elasticache:DeleteCacheCluster'], cache),
  acts('delete', ['dynamodb:DeleteTable'], table),
  acts('delete', ['lambda:DeleteFunction'], lambda),
  acts('delete', ['s3:DeleteBucket'], bucket),
  acts('delete', ['ecr:DeleteRepository'], repository),
  acts('delete', ['logs:DeleteLogGroup'], logs),
]

/** What is made is tagged as a job's, and only what bears that is undone. */
const provisioning: readonly Permission[] = [
  checks('describe', [
    'ec2:DescribeVpcs',
    'ec2:DescribeSubnets',
    'ec2:DescribeSecurityGroups',
    'ecr:DescribeRepositories',
  ]),
  makes('provision', [
    'ec2:CreateVpc',
    'ec2:CreateSubnet',
    'ec2:CreateLaunchTemplate',
    'autoscaling:CreateAutoScalingGroup',
    'rds:CreateDBSubnetGroup',
    'rds:CreateDBInstance',
    'ecr:CreateRepository',
    'elasticloadbalancing:CreateLoadBalancer',
    'eks:CreateCluster',
    'eks:CreateNodegroup',
  ]),
  makes('unprovision', [
    'ec2:DeleteVpc',
    'ec2:DeleteSubnet',
    'ec2:DeleteLaunchTemplate',
    'autoscaling:DeleteAutoScalingGroup',
    'rds:DeleteDBSubnetGroup',
    'ecr:DeleteRepository',
    'eks:DeleteCluster',
    'eks:DeleteNodegroup',
  ]),
]

/** In the order in which people read it. */
export const awsPermissions: readonly Permission[] = [
  ...autoscaling,
  ...discovery,
  ...costs,
  ...actions,
  ...provisioning,
]
