/** The types of resources that are described by one value each. */
import type { ListedFinder } from '#streams/cloud/aws/discover/listed.ts'
import { emrClusters } from './analytics/emr.ts'
import { flinkApplications } from './analytics/flink.ts'
import { glueJobs, glueSessions } from './analytics/glue.ts'
import { kinesisStreams } from './analytics/kinesis.ts'
import { openSearchDomains } from './analytics/opensearch.ts'
import { redshiftSnapshots } from './analytics/redshift-snapshot.ts'
import { images } from './compute/ami.ts'
import { appstreamFleets, appstreamImageBuilders } from './compute/appstream.ts'
import { batchEnvironments } from './compute/batch.ts'
import { ecrRepositories } from './compute/ecr.ts'
import { lightsailInstances } from './compute/lightsail.ts'
import { capacityReservations, dedicatedHosts } from './compute/reserved-capacity.ts'
import { workspaces } from './compute/workspaces.ts'
import { daxClusters } from './database/dax.ts'
import { replicationInstances } from './database/dms.ts'
import { dynamoDbIndexes } from './database/dynamodb-index.ts'
import { memoryDbClusters } from './database/memorydb.ts'
import { rdsSnapshots } from './database/rds-snapshot.ts'
import { bedrockThroughputs } from './learning/bedrock.ts'
import { comprehendEndpoints } from './learning/comprehend.ts'
import { sageMakerApps } from './learning/sagemaker-app.ts'
import { sageMakerEndpoints } from './learning/sagemaker-endpoint.ts'
import { sageMakerNotebooks } from './learning/sagemaker-notebook.ts'
import { sageMakerTrainingJobs } from './learning/sagemaker-training.ts'
import { accountItself } from './management/account.ts'
import { stacks } from './management/cloudformation.ts'
import { trails } from './management/cloudtrail.ts'
import { alarms } from './management/cloudwatch.ts'
import { configRecorders } from './management/config.ts'
import { reservedInstances } from './management/reservations.ts'
import { savingsPlans } from './management/savings-plans.ts'
import { kafkaClusters } from './messaging/kafka.ts'
import { mqBrokers } from './messaging/mq.ts'
import { snsTopics } from './messaging/sns.ts'
import { sqsQueues } from './messaging/sqs.ts'
import { restStages } from './network/api-gateway.ts'
import { classicLoadBalancers } from './network/classic-load-balancer.ts'
import { distributions } from './network/cloudfront.ts'
import { directConnections } from './network/direct-connect.ts'
import { globalAccelerators } from './network/global-accelerator.ts'
import { networkFirewalls } from './network/network-firewall.ts'
import { healthChecks, hostedZones } from './network/route53.ts'
import { transitGatewayAttachments } from './network/transit-gateway.ts'
import { vpcEndpoints, vpcs } from './network/vpc.ts'
import { clientVpns, vpnConnections } from './network/vpn.ts'
import { certificates } from './security/certificate-manager.ts'
import { iamUsers } from './security/iam.ts'
import { kmsKeys } from './security/kms.ts'
import { secrets } from './security/secrets-manager.ts'
import { securityGroups } from './security/security-group.ts'
import { webAcls } from './security/waf.ts'
import { recoveryPoints } from './storage/backup.ts'
import { efsFileSystems } from './storage/efs.ts'
import { fsxFileSystems } from './storage/fsx.ts'
import { transferServers } from './storage/transfer.ts'

export const listedTypes: readonly ListedFinder[] = [
  emrClusters,
  flinkApplications,
  glueJobs,
  glueSessions,
  kinesisStreams,
  openSearchDomains,
  redshiftSnapshots,
  images,
  appstreamFleets,
  appstreamImageBuilders,
  batchEnvironments,
  ecrRepositories,
  lightsailInstances,
  capacityReservations,
  dedicatedHosts,
  workspaces,
  daxClusters,
  replicationInstances,
  dynamoDbIndexes,
  memoryDbClusters,
  rdsSnapshots,
  bedrockThroughputs,
  comprehendEndpoints,
  sageMakerApps,
  sageMakerEndpoints,
  sageMakerNotebooks,
  sageMakerTrainingJobs,
  accountItself,
  stacks,
  trails,
  alarms,
  configRecorders,
  reservedInstances,
  savingsPlans,
  kafkaClusters,
  mqBrokers,
  snsTopics,
  sqsQueues,
  restStages,
  classicLoadBalancers,
  distributions,
  directConnections,
  globalAccelerators,
  networkFirewalls,
  healthChecks,
  hostedZones,
  transitGatewayAttachments,
  vpcEndpoints,
  vpcs,
  clientVpns,
  vpnConnections,
  certificates,
  iamUsers,
  kmsKeys,
  secrets,
  securityGroups,
  webAcls,
  recoveryPoints,
  efsFileSystems,
  fsxFileSystems,
  transferServers,
]

export const regionalTypes = listedTypes.filter(({ scope }) => scope === 'region')
export const globalTypes = listedTypes.filter(({ scope }) => scope === 'global')
