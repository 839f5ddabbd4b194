/** The same lists that discovery reads, by the paginators of the SDK alone: nothing is mapped, paced, counted or tried again. */
import * as autoScaling from '@aws-sdk/client-auto-scaling'
import * as logs from '@aws-sdk/client-cloudwatch-logs'
import * as dynamodb from '@aws-sdk/client-dynamodb'
import * as ec2 from '@aws-sdk/client-ec2'
import * as ecs from '@aws-sdk/client-ecs'
import * as eks from '@aws-sdk/client-eks'
import * as balancing from '@aws-sdk/client-elastic-load-balancing-v2'
import * as elasticache from '@aws-sdk/client-elasticache'
import * as lambda from '@aws-sdk/client-lambda'
import * as rds from '@aws-sdk/client-rds'
import * as redshift from '@aws-sdk/client-redshift'
import * as s3 from '@aws-sdk/client-s3'
import { mapConcurrently } from '#streams/cloud/bill/merge.ts'

interface Config {
  region: string
  endpoint: string
  credentials: { accessKeyId: string; secretAccessKey: string }
  maxAttempts: number
}

type List = (config: Config) => AsyncGenerator<number>

async function* counted<T>(pages: AsyncIterable<T>, count: (page: T) => number): AsyncGenerator<number> {
  for await (const page of pages) yield count(page)
}

const none = (): number => 0
const pageSize = 1000

/** One after the other within a list, as what later ones hang on. */
const chains: readonly (readonly List[])[] = [
  [
    (config) => counted(eks.paginateListClusters({ client: new eks.EKSClient(config) }, {}), none),
    (config) =>
      counted(
        autoScaling.paginateDescribeAutoScalingGroups({ client: new autoScaling.AutoScalingClient(config) }, {}),
        none,
      ),
    (config) =>
      counted(
        ec2.paginateDescribeInstances({ client: new ec2.EC2Client(config), pageSize }, {}),
        ({ Reservations = [] }) => Reservations.reduce((sum, { Instances = [] }) => sum + Instances.length, 0),
      ),
    (config) =>
      counted(
        ec2.paginateDescribeVolumes({ client: new ec2.EC2Client(config), pageSize }, {}),
        ({ Volumes = [] }) => Volumes.length,
      ),
    (config) =>
      counted(
        ec2.paginateDescribeSnapshots({ client: new ec2.EC2Client(config), pageSize }, { OwnerIds: ['self'] }),
        ({ Snapshots = [] }) => Snapshots.length,
      ),
    (config) =>
      counted(ec2.paginateDescribeImages({ client: new ec2.EC2Client(config), pageSize }, { Owners: ['self'] }), none),
    (config) =>
      counted(ec2.paginateDescribeFastSnapshotRestores({ client: new ec2.EC2Client(config), pageSize: 200 }, {}), none),
    (config) => counted(ec2.paginateDescribeNatGateways({ client: new ec2.EC2Client(config), pageSize }, {}), none),
    async function* addresses(config) {
      await new ec2.EC2Client(config).send(new ec2.DescribeAddressesCommand({}))
      yield 0
    },
  ],
  [
    (config) => counted(rds.paginateDescribeDBClusters({ client: new rds.RDSClient(config) }, {}), none),
    (config) => counted(rds.paginateDescribeDBInstances({ client: new rds.RDSClient(config) }, {}), none),
  ],
  [(config) => counted(ecs.paginateListClusters({ client: new ecs.ECSClient(config) }, {}), none)],
  [(config) => counted(lambda.paginateListFunctions({ client: new lambda.LambdaClient(config) }, {}), none)],
  [(config) => counted(logs.paginateDescribeLogGroups({ client: new logs.CloudWatchLogsClient(config) }, {}), none)],
  [
    (config) =>
      counted(
        balancing.paginateDescribeLoadBalancers({ client: new balancing.ElasticLoadBalancingV2Client(config) }, {}),
        none,
      ),
  ],
  [(config) => counted(dynamodb.paginateListTables({ client: new dynamodb.DynamoDBClient(config) }, {}), none)],
  [
    (config) =>
      counted(
        elasticache.paginateDescribeCacheClusters({ client: new elasticache.ElastiCacheClient(config) }, {}),
        none,
      ),
  ],
  [(config) => counted(redshift.paginateDescribeClusters({ client: new redshift.RedshiftClient(config) }, {}), none)],
]

const buckets: List = (config) =>
  counted(s3.paginateListBuckets({ client: new s3.S3Client({ ...config, forcePathStyle: true }) }, {}), none)

/** Resources counted; regions and services side by side as discovery asks them. */
export async function bareLists(
  endpoint: string,
  regions: readonly string[],
  atOnce: { regions: number; services: number },
): Promise<number> {
  const credentials = { accessKeyId: 'AKID', secretAccessKey: 'secret' }
  let count = 0
  const read = async (list: List, region: string) => {
    for await (const some of list({ region, endpoint, credentials, maxAttempts: 1 })) count += some
  }
  const inRegion = (region: string) =>
    mapConcurrently(chains, atOnce.services, async (lists) => {
      for (const list of lists) await read(list, region)
    })
  await mapConcurrently(['', ...regions], atOnce.regions, async (region) => {
    if (region === '') await read(buckets, regions[0]!)
    else await inRegion(region)
  })
  return count
}
