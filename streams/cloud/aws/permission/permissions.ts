/** Permissions that the account's role needs for each call: the AWS part of the table. */
import { listedTypes } from '#streams/cloud/aws/discover/listed/index.ts'
import { row, type Permission } from '#streams/cloud/permission/permission-types.ts'

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
const registry = { types: ['aws-ecr-repository'] }
const balancer = { types: ['aws-alb', 'aws-nlb'] }

/** Objects we create have this name prefix, and we change no others. */
const ownName = 'tidemark'
const ownRoles = { resources: [`arn:aws:iam::*:role/${ownName}*`] }
const ownFunctions = { resources: [`arn:aws:lambda:*:*:function:${ownName}*`] }
const ownRules = { resources: [`arn:aws:events:*:*:rule/${ownName}*`] }
const serviceRoles = { resources: ['arn:aws:iam::*:role/aws-service-role/*'] }

/** Placeholder for the bill's bucket. */
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
  // Target tracking creates alarms, and uses a service-linked role.
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
  finds('discover', ['ec2:DescribeInstances', 'ec2:DescribeInstanceCreditSpecifications'], machine),
  finds('discover', ['ec2:DescribeVolumes', 'cloudtrail:LookupEvents'], volume),
  finds('discover', ['ec2:DescribeSnapshots', 'ec2:DescribeImages', 'ec2:DescribeFastSnapshotRestores'], snapshot),
  finds('discover', ['ec2:DescribeNatGateways', 'ec2:DescribeRouteTables', 'ec2:DescribeVpcEndpoints'], {
    types: ['aws-nat-gateway'],
  }),
  finds('discover', ['ec2:DescribeAddresses', 'cloudtrail:LookupEvents'], { types: ['aws-eip'] }),
  finds(
    'discover',
    ['autoscaling:DescribeAutoScalingGroups', 'autoscaling:DescribePolicies', 'autoscaling:DescribeScheduledActions'],
    group,
  ),
  finds(
    'discover',
    [
      'elasticloadbalancing:DescribeLoadBalancers',
      'elasticloadbalancing:DescribeTags',
      'elasticloadbalancing:DescribeTargetGroups',
      'elasticloadbalancing:DescribeTargetHealth',
      'elasticloadbalancing:DescribeListeners',
    ],
    balancer,
  ),
  finds('discover', ['ecs:ListClusters', 'ecs:DescribeClusters'], { types: ['aws-ecs-cluster'] }),
  finds('discover', ['ecs:ListServices', 'ecs:DescribeServices', 'ecs:DescribeTaskDefinition'], service),
  finds('discover', ['eks:ListClusters', 'eks:DescribeCluster', 'eks:DescribeClusterVersions'], { types: ['aws-eks'] }),
  finds('usage', ['ec2:DescribeRegions', 'eks:ListClusters', 'eks:DescribeCluster'], { types: ['aws-eks'] }),
  finds('usage', ['elasticloadbalancing:DescribeLoadBalancers'], balancer),
  finds('discover', ['eks:ListNodegroups', 'eks:DescribeNodegroup'], nodes),
  finds('discover', ['rds:DescribeDBClusters', 'rds:DescribeGlobalClusters'], cluster),
  finds('discover', ['rds:DescribeDBInstances'], database),
  finds(
    'discover',
    ['elasticache:DescribeCacheClusters', 'elasticache:DescribeReplicationGroups', 'elasticache:ListTagsForResource'],
    cache,
  ),
  finds(
    'discover',
    [
      'dynamodb:ListTables',
      'dynamodb:DescribeTable',
      'dynamodb:ListTagsOfResource',
      'dynamodb:DescribeContinuousBackups',
      'application-autoscaling:DescribeScalableTargets',
    ],
    table,
  ),
  finds('discover', ['redshift:DescribeClusters', 'redshift:DescribeScheduledActions'], warehouse),
  finds(
    'discover',
    [
      's3:ListAllMyBuckets',
      's3:GetBucketLocation',
      's3:GetBucketTagging',
      's3:GetBucketVersioning',
      's3:GetLifecycleConfiguration',
      's3:GetEncryptionConfiguration',
      's3:GetBucketPolicy',
      's3:GetBucketPolicyStatus',
    ],
    bucket,
  ),
  finds(
    'discover',
    [
      'lambda:ListFunctions',
      'lambda:ListTags',
      'lambda:ListProvisionedConcurrencyConfigs',
      'lambda:ListFunctionUrlConfigs',
      'lambda:GetPolicy',
      'application-autoscaling:DescribeScalableTargets',
    ],
    lambda,
  ),
  finds(
    'discover',
    [
      'logs:DescribeLogGroups',
      'logs:ListTagsForResource',
      'logs:DescribeLogStreams',
      'logs:DescribeSubscriptionFilters',
    ],
    logs,
  ),
  ...listedTypes.map(({ types, permissions }) => finds('discover', permissions, { types })),
]

const costs: readonly Permission[] = [
  measures('measure', ['cloudwatch:GetMetricData', 'cloudwatch:ListMetrics']),
  bills('prices', ['pricing:GetProducts', 'savingsplans:DescribeSavingsPlansOfferingRates']),
  bills('bill', ['ce:GetCostAndUsage']),
  bills('bill', ['s3:ListBucket', 's3:GetObject'], ofBills),
]

/** Types that are only started and stopped. */
const switchable = [
  ['aws-flink-app', 'kinesisanalytics:StartApplication', 'kinesisanalytics:StopApplication'],
  ['aws-sagemaker-notebook', 'sagemaker:StartNotebookInstance', 'sagemaker:StopNotebookInstance'],
  ['aws-sagemaker-app', 'sagemaker:CreateApp', 'sagemaker:DeleteApp'],
  ['aws-workspace', 'workspaces:StartWorkspaces', 'workspaces:StopWorkspaces'],
  ['aws-appstream-fleet', 'appstream:StartFleet', 'appstream:StopFleet'],
  ['aws-appstream-image-builder', 'appstream:StartImageBuilder', 'appstream:StopImageBuilder'],
  ['aws-lightsail', 'lightsail:StartInstance', 'lightsail:StopInstance'],
] as const

const actions: readonly Permission[] = [
  sees('look', ['ec2:DescribeImages'], machine),
  sees('look', ['ec2:DescribeVolumesModifications'], volume),
  sees('look', ['ec2:DescribeFastSnapshotRestores'], snapshot),
  sees('look', ['ec2:DescribeVpcEndpoints'], { types: ['aws-nat-gateway'] }),
  sees('look', ['rds:DescribeDBSnapshots', 'rds:DescribeDBClusterSnapshots'], database),
  sees('look', ['redshift:DescribeClusterSnapshots'], warehouse),
  sees('look', ['lambda:GetFunctionConfiguration', 'lambda:ListProvisionedConcurrencyConfigs'], lambda),
  sees('look', ['ecr:GetLifecyclePolicy'], registry),
  acts('start', ['ec2:StartInstances'], machine),
  acts('stop', ['ec2:StopInstances'], machine),
  acts('start', ['rds:StartDBInstance'], database),
  acts('stop', ['rds:StopDBInstance'], database),
  acts('start', ['rds:StartDBCluster'], cluster),
  acts('stop', ['rds:StopDBCluster'], cluster),
  acts('start', ['redshift:ResumeCluster'], warehouse),
  acts('stop', ['redshift:PauseCluster'], warehouse),
  ...switchable.flatMap(([type, start, stop]) => [
    acts('start', [start], { types: [type] }),
    acts('stop', [stop], { types: [type] }),
  ]),
  acts('resize', ['ec2:ModifyInstanceAttribute'], machine),
  acts('resize', ['rds:ModifyDBInstance'], database),
  acts('resize', ['redshift:ResizeCluster'], warehouse),
  acts('resize', ['elasticache:ModifyCacheCluster', 'elasticache:ModifyReplicationGroup'], cache),
  acts('set', ['ec2:ModifyInstanceMetadataOptions', 'ec2:MonitorInstances', 'ec2:UnmonitorInstances'], machine),
  acts('set', ['ec2:ModifyVolume'], volume),
  acts('set', ['ec2:ModifySnapshotTier', 'ec2:DisableFastSnapshotRestores'], snapshot),
  acts('set', ['rds:ModifyDBCluster'], cluster),
  acts('set', ['elasticache:DecreaseReplicaCount'], cache),
  acts('set', ['dynamodb:UpdateTable'], table),
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
  acts('delete', ['rds:DeleteDBInstance'], database),
  acts('delete', ['logs:DeleteLogGroup'], logs),
  acts('delete', ['rds:DeleteDBCluster'], cluster),
  acts('delete', ['rds:DeleteDBSnapshot', 'rds:DeleteDBClusterSnapshot'], database),
  acts('delete', ['dynamodb:DeleteTable'], table),
  acts('delete', ['ecs:DeleteService'], service),
  acts('delete', ['elasticache:DeleteCacheCluster', 'elasticache:DeleteReplicationGroup'], cache),
  acts('delete', ['lambda:DeleteFunction'], lambda),
  acts('delete', ['redshift:DeleteCluster'], warehouse),
  acts('delete', ['s3:DeleteBucket'], bucket),
  acts('set', ['ec2:CreateVpcEndpoint'], { types: ['aws-nat-gateway'] }),
  acts('set', ['application-autoscaling:DeregisterScalableTarget'], table),
  acts('set', ['ecr:PutLifecyclePolicy'], registry),
]

/** Created objects are tagged with their job, and only objects with this tag are deleted. */
const provisioning: readonly Permission[] = [
  checks('describe', [
    'ec2:DescribeVpcs',
    'ec2:DescribeSubnets',
    'ec2:DescribeSecurityGroups',
    'ec2:DescribeInternetGateways',
    'ec2:DescribeRouteTables',
    'ec2:DescribeInstanceTypes',
    'ec2:DescribeLaunchTemplates',
    'ec2:DescribeLaunchTemplateVersions',
    'ecr:DescribeRepositories',
    'ecr:ListTagsForResource',
    'elasticache:DescribeCacheSubnetGroups',
    'elasticloadbalancing:DescribeListeners',
    'elasticloadbalancing:DescribeTargetGroups',
    'rds:DescribeDBSubnetGroups',
  ]),
  makes('provision', [
    'ec2:CreateVpc',
    'ec2:CreateSubnet',
    'ec2:ModifySubnetAttribute',
    'ec2:CreateInternetGateway',
    'ec2:AttachInternetGateway',
    'ec2:CreateRouteTable',
    'ec2:CreateRoute',
    'ec2:AssociateRouteTable',
    'ec2:CreateSecurityGroup',
    'ec2:CreateLaunchTemplate',
    'ec2:CreateTags',
    // Called by the Auto Scaling group on our behalf, because of its launch template.
    'ec2:RunInstances',
    'ssm:GetParameters',
    'autoscaling:CreateAutoScalingGroup',
    'autoscaling:CreateOrUpdateTags',
    'autoscaling:AttachLoadBalancerTargetGroups',
    'rds:CreateDBSubnetGroup',
    'rds:CreateDBInstance',
    'rds:AddTagsToResource',
    'elasticache:CreateCacheSubnetGroup',
    'elasticache:CreateReplicationGroup',
    'elasticache:AddTagsToResource',
    'ecr:CreateRepository',
    'ecr:TagResource',
    'elasticloadbalancing:AddTags',
    'elasticloadbalancing:CreateLoadBalancer',
    'elasticloadbalancing:CreateTargetGroup',
    'elasticloadbalancing:CreateListener',
    'elasticloadbalancing:RegisterTargets',
    'eks:CreateCluster',
    'eks:CreateNodegroup',
    'eks:TagResource',
  ]),
  makes('provision', ['iam:CreateRole', 'iam:TagRole', 'iam:AttachRolePolicy', 'iam:PassRole'], ownRoles),
  makes('unprovision', [
    'ec2:DeleteVpc',
    'ec2:DeleteSubnet',
    'ec2:DetachInternetGateway',
    'ec2:DeleteInternetGateway',
    'ec2:DisassociateRouteTable',
    'ec2:DeleteRouteTable',
    'ec2:DeleteSecurityGroup',
    'ec2:DeleteLaunchTemplate',
    'autoscaling:DescribeLoadBalancerTargetGroups',
    'autoscaling:DetachLoadBalancerTargetGroups',
    'autoscaling:DeleteAutoScalingGroup',
    'rds:DeleteDBSubnetGroup',
    'elasticache:DeleteCacheSubnetGroup',
    'elasticache:DeleteReplicationGroup',
    'ecr:DeleteRepository',
    'elasticloadbalancing:DeleteTargetGroup',
    'eks:DeleteCluster',
    'eks:DeleteNodegroup',
  ]),
  makes('unprovision', ['iam:DetachRolePolicy', 'iam:DeleteRole'], ownRoles),
]

/** In the order shown to people. */
export const awsPermissions: readonly Permission[] = [
  ...autoscaling,
  ...discovery,
  ...costs,
  ...actions,
  ...provisioning,
]
