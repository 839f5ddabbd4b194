/** What can be asked of each type of resource of AWS. */
import { address, balancer, gateway } from './address.ts'
import { group } from './asg.ts'
import { databaseCluster } from './aurora.ts'
import { table } from './dynamodb.ts'
import { volume, volumeSnapshot } from './ebs.ts'
import { instance } from './ec2.ts'
import { service } from './ecs.ts'
import { cluster, nodeGroup } from './eks.ts'
import { cache } from './elasticache.ts'
import type { Kind } from './kind.ts'
import { lambda } from './lambda.ts'
import { logGroup, repository } from './logs.ts'
import { database, databaseSnapshot } from './rds.ts'
import { warehouse } from './redshift.ts'
import { bucket } from './s3.ts'

/** By type; of what is not here nothing is asked. */
export const kinds: Readonly<Record<string, Kind>> = {
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
}
