/** The services of AWS that are called, each by its package; named as their packages are. */
import { sdk } from '#streams/cloud/call/sdk.ts'
import { boundAnswers, type MiddlewareClient } from './answer-limit.ts'
import type { AwsClient, ClientConfig } from './client.ts'
import { SignedClient } from './signed-client.ts'

/** Each is loaded when its first client is made. The last ones have no package: their few calls are made by hand. */
const packages = {
  acm: () => import('@aws-sdk/client-acm'),
  'api-gateway': () => import('@aws-sdk/client-api-gateway'),
  'application-auto-scaling': () => import('@aws-sdk/client-application-auto-scaling'),
  appstream: () => import('@aws-sdk/client-appstream'),
  'auto-scaling': () => import('@aws-sdk/client-auto-scaling'),
  backup: () => import('@aws-sdk/client-backup'),
  batch: () => import('@aws-sdk/client-batch'),
  bedrock: () => import('@aws-sdk/client-bedrock'),
  budgets: () => import('@aws-sdk/client-budgets'),
  cloudformation: () => import('@aws-sdk/client-cloudformation'),
  cloudfront: () => import('@aws-sdk/client-cloudfront'),
  cloudtrail: () => import('@aws-sdk/client-cloudtrail'),
  cloudwatch: () => import('@aws-sdk/client-cloudwatch'),
  'cloudwatch-logs': () => import('@aws-sdk/client-cloudwatch-logs'),
  comprehend: () => import('@aws-sdk/client-comprehend'),
  'compute-optimizer': () => import('@aws-sdk/client-compute-optimizer'),
  'config-service': () => import('@aws-sdk/client-config-service'),
  'cost-explorer': () => import('@aws-sdk/client-cost-explorer'),
  'database-migration-service': () => import('@aws-sdk/client-database-migration-service'),
  dax: () => import('@aws-sdk/client-dax'),
  'direct-connect': () => import('@aws-sdk/client-direct-connect'),
  dynamodb: () => import('@aws-sdk/client-dynamodb'),
  ec2: () => import('@aws-sdk/client-ec2'),
  ecr: () => import('@aws-sdk/client-ecr'),
  ecs: () => import('@aws-sdk/client-ecs'),
  efs: () => import('@aws-sdk/client-efs'),
  eks: () => import('@aws-sdk/client-eks'),
  'elastic-load-balancing': () => import('@aws-sdk/client-elastic-load-balancing'),
  'elastic-load-balancing-v2': () => import('@aws-sdk/client-elastic-load-balancing-v2'),
  elasticache: () => import('@aws-sdk/client-elasticache'),
  emr: () => import('@aws-sdk/client-emr'),
  eventbridge: () => import('@aws-sdk/client-eventbridge'),
  fsx: () => import('@aws-sdk/client-fsx'),
  'global-accelerator': () => import('@aws-sdk/client-global-accelerator'),
  glue: () => import('@aws-sdk/client-glue'),
  iam: () => import('@aws-sdk/client-iam'),
  kafka: () => import('@aws-sdk/client-kafka'),
  kinesis: () => import('@aws-sdk/client-kinesis'),
  'kinesis-analytics-v2': () => import('@aws-sdk/client-kinesis-analytics-v2'),
  kms: () => import('@aws-sdk/client-kms'),
  lambda: () => import('@aws-sdk/client-lambda'),
  lightsail: () => import('@aws-sdk/client-lightsail'),
  memorydb: () => import('@aws-sdk/client-memorydb'),
  mq: () => import('@aws-sdk/client-mq'),
  'network-firewall': () => import('@aws-sdk/client-network-firewall'),
  opensearch: () => import('@aws-sdk/client-opensearch'),
  pricing: () => import('@aws-sdk/client-pricing'),
  rds: () => import('@aws-sdk/client-rds'),
  redshift: () => import('@aws-sdk/client-redshift'),
  'route-53': () => import('@aws-sdk/client-route-53'),
  s3: () => import('@aws-sdk/client-s3'),
  's3-control': () => import('@aws-sdk/client-s3-control'),
  sagemaker: () => import('@aws-sdk/client-sagemaker'),
  savingsplans: () => import('@aws-sdk/client-savingsplans'),
  'secrets-manager': () => import('@aws-sdk/client-secrets-manager'),
  'service-quotas': () => import('@aws-sdk/client-service-quotas'),
  sns: () => import('@aws-sdk/client-sns'),
  sqs: () => import('@aws-sdk/client-sqs'),
  sts: () => import('@aws-sdk/client-sts'),
  transfer: () => import('@aws-sdk/client-transfer'),
  wafv2: () => import('@aws-sdk/client-wafv2'),
  workspaces: () => import('@aws-sdk/client-workspaces'),
  account: () => import('./account-client.ts'),
  'bcm-data-exports': () => import('./data-exports-client.ts'),
  cur: () => import('./usage-report-client.ts'),
  guardduty: () => import('./guardduty-client.ts'),
  organizations: () => import('./organizations-client.ts'),
}

export type Service = keyof typeof packages
export const services = Object.keys(packages) as readonly Service[]
export type Modules = { [S in Service]: Awaited<ReturnType<(typeof packages)[S]>> }

type Client = new (config: ClientConfig) => AwsClient & MiddlewareClient

/** Without its types: those of all packages together are more than a type check can compare. */
const loaders: Readonly<Record<string, () => Promise<object>>> = packages
const load = (service: Service): Promise<object> => sdk(`@aws-sdk/client-${service}`, loaders[service]!)

export const loadModule = async <S extends Service>(service: S): Promise<Modules[S]> =>
  (await load(service)) as Modules[S]

async function clientClass(service: Service): Promise<Client> {
  const exported = Object.entries(await load(service))
  const [, Client] = exported.find(([name]) => /^[A-Z]\w*Client$/.test(name)) as [string, Client]
  return Client
}

/** Its client would speak HTTP/2, which proxies and stand-ins do not: the handler of another one speaks as all others do. */
async function overHttp1(config: ClientConfig): Promise<ClientConfig> {
  const { requestHandler } =
    (new (await clientClass('sts'))(config) as { config?: { requestHandler?: object } }).config ?? {}
  return { ...config, ...(requestHandler && { requestHandler }) }
}

/** A client whose answers are bounded; the class is the one export of a package that is named `<Service>Client`. */
export async function makeClient(service: Service, config: ClientConfig): Promise<AwsClient> {
  const client = new (await clientClass(service))(service === 'kinesis' ? await overHttp1(config) : config)
  // Those made by hand bound their answers themselves.
  if (!(client instanceof SignedClient)) boundAnswers(client)
  return client
}
