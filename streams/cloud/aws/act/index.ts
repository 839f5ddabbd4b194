/** What can be asked of each type of resource of AWS. */
import { address, balancer, gateway } from './address.ts'
import { group } from '#streams/cloud/aws/act/service/asg.ts'
import { appstreamFleet, imageBuilder } from '#streams/cloud/aws/act/desktop/appstream.ts'
import { flinkApplication } from '#streams/cloud/aws/act/desktop/flink.ts'
import { lightsailInstance } from '#streams/cloud/aws/act/desktop/lightsail.ts'
import { notebook, studioApp } from '#streams/cloud/aws/act/desktop/sagemaker.ts'
import { workspace } from '#streams/cloud/aws/act/desktop/workspace.ts'
import { databaseCluster } from '#streams/cloud/aws/act/service/aurora.ts'
import { table } from '#streams/cloud/aws/act/service/dynamodb.ts'
import { volume, volumeSnapshot } from '#streams/cloud/aws/act/service/ebs.ts'
import { instance } from '#streams/cloud/aws/act/service/ec2.ts'
import { service } from '#streams/cloud/aws/act/service/ecs.ts'
import { cluster, nodeGroup } from '#streams/cloud/aws/act/service/eks.ts'
import { cache } from '#streams/cloud/aws/act/service/elasticache.ts'
import type { ResourceKinds } from '#streams/cloud/resource/verb/kind.ts'
import type { At } from './kind.ts'
import { lambda } from '#streams/cloud/aws/act/service/lambda.ts'
import { logGroup, repository } from '#streams/cloud/aws/act/service/logs.ts'
import { database, databaseSnapshot } from '#streams/cloud/aws/act/service/rds.ts'
import { warehouse } from '#streams/cloud/aws/act/service/redshift.ts'
import { bucket } from '#streams/cloud/aws/act/service/s3.ts'

/** By type; of what is not here nothing is asked. */
export const kinds: ResourceKinds<At> = {
  'aws-ec2': instance,
  'aws-asg': group,
  'aws-ebs-volume': volume,
  'aws-ebs-snapshot': volumeSnapshot,
  'aws-eip': address,
  'aws-nat-gateway': gateway,
  'aws-alb': balancer,
  'aws-nlb': balancer,
  'aws-gwlb': balancer,
  'aws-rds': database,
  'aws-rds-snapshot': databaseSnapshot,
  'aws-aurora-cluster': databaseCluster,
  'aws-documentdb': databaseCluster,
  'aws-neptune': databaseCluster,
  'aws-redshift': warehouse,
  'aws-elasticache': cache,
  'aws-dynamodb-table': table,
  'aws-ecs-service': service,
  'aws-eks': cluster,
  'aws-eks-nodegroup': nodeGroup,
  'aws-lambda': lambda,
  'aws-s3-bucket': bucket,
  'aws-log-group': logGroup,
  'aws-ecr-repository': repository,
  'aws-flink-app': flinkApplication,
  'aws-sagemaker-notebook': notebook,
  'aws-sagemaker-app': studioApp,
  'aws-workspace': workspace,
  'aws-appstream-fleet': appstreamFleet,
  'aws-appstream-image-builder': imageBuilder,
  'aws-lightsail': lightsailInstance,
}
