/** The AWS services in use, each with its SDK package. */
import { sdk } from '#streams/cloud/call/sdk.ts'
import { boundAnswers, type MiddlewareClient } from './answer-limit.ts'
import type { AwsClient, ClientConfig } from './client.ts'

type Construct = new (config: never) => unknown

/** Loads the package when its first client is created. */
function module<M extends object>(name: string, load: () => Promise<M>, client: (module: M) => Construct) {
  const loaded = () => sdk(`@aws-sdk/client-${name}`, load)
  return {
    load: loaded,
    client: async (config: ClientConfig) => {
      const made = new (client(await loaded()) as new (config: ClientConfig) => unknown)(config) as AwsClient &
        MiddlewareClient
      boundAnswers(made)
      return made
    },
  }
}

export const modules = {
  'application-auto-scaling': module(
    'application-auto-scaling',
    () => import('@aws-sdk/client-application-auto-scaling'),
    (m) => m.ApplicationAutoScalingClient,
  ),
  'auto-scaling': module(
    'auto-scaling',
    () => import('@aws-sdk/client-auto-scaling'),
    (m) => m.AutoScalingClient,
  ),
  cloudwatch: module(
    'cloudwatch',
    () => import('@aws-sdk/client-cloudwatch'),
    (m) => m.CloudWatchClient,
  ),
  'cloudwatch-logs': module(
    'cloudwatch-logs',
    () => import('@aws-sdk/client-cloudwatch-logs'),
    (m) => m.CloudWatchLogsClient,
  ),
  'cost-explorer': module(
    'cost-explorer',
    () => import('@aws-sdk/client-cost-explorer'),
    (m) => m.CostExplorerClient,
  ),
  dynamodb: module(
    'dynamodb',
    () => import('@aws-sdk/client-dynamodb'),
    (m) => m.DynamoDBClient,
  ),
  ec2: module(
    'ec2',
    () => import('@aws-sdk/client-ec2'),
    (m) => m.EC2Client,
  ),
  ecr: module(
    'ecr',
    () => import('@aws-sdk/client-ecr'),
    (m) => m.ECRClient,
  ),
  ecs: module(
    'ecs',
    () => import('@aws-sdk/client-ecs'),
    (m) => m.ECSClient,
  ),
  eks: module(
    'eks',
    () => import('@aws-sdk/client-eks'),
    (m) => m.EKSClient,
  ),
  'elastic-load-balancing-v2': module(
    'elastic-load-balancing-v2',
    () => import('@aws-sdk/client-elastic-load-balancing-v2'),
    (m) => m.ElasticLoadBalancingV2Client,
  ),
  elasticache: module(
    'elasticache',
    () => import('@aws-sdk/client-elasticache'),
    (m) => m.ElastiCacheClient,
  ),
  eventbridge: module(
    'eventbridge',
    () => import('@aws-sdk/client-eventbridge'),
    (m) => m.EventBridgeClient,
  ),
  iam: module(
    'iam',
    () => import('@aws-sdk/client-iam'),
    (m) => m.IAMClient,
  ),
  lambda: module(
    'lambda',
    () => import('@aws-sdk/client-lambda'),
    (m) => m.LambdaClient,
  ),
  organizations: {
    load: () => import('./organizations-client.ts'),
    client: async (config: ClientConfig) => {
      const { OrganizationsClient } = await import('./organizations-client.ts')
      return new OrganizationsClient(config)
    },
  },
  rds: module(
    'rds',
    () => import('@aws-sdk/client-rds'),
    (m) => m.RDSClient,
  ),
  redshift: module(
    'redshift',
    () => import('@aws-sdk/client-redshift'),
    (m) => m.RedshiftClient,
  ),
  s3: module(
    's3',
    () => import('@aws-sdk/client-s3'),
    (m) => m.S3Client,
  ),
  'service-quotas': module(
    'service-quotas',
    () => import('@aws-sdk/client-service-quotas'),
    (m) => m.ServiceQuotasClient,
  ),
  sts: module(
    'sts',
    () => import('@aws-sdk/client-sts'),
    (m) => m.STSClient,
  ),
}

/** Named like their packages. */
export type Service = keyof typeof modules
export type Modules = { [S in Service]: Awaited<ReturnType<(typeof modules)[S]['load']>> }
