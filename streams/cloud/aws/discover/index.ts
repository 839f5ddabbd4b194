/** All finders, in chains: later finders of a chain depend on results of earlier ones. */
import { groupFinder } from '#streams/cloud/aws/discover/service/auto-scaling.ts'
import { tableFinder } from '#streams/cloud/aws/discover/service/dynamodb.ts'
import { ec2Finders } from '#streams/cloud/aws/discover/service/ec2.ts'
import { containerFinder } from '#streams/cloud/aws/discover/service/ecs.ts'
import { kubernetesFinder } from '#streams/cloud/aws/discover/service/eks.ts'
import { balancerFinder } from '#streams/cloud/aws/discover/service/elastic-load-balancing.ts'
import { cacheFinder } from '#streams/cloud/aws/discover/service/elasticache.ts'
import type { Finder } from './finder.ts'
import { globalTypes, regionalTypes } from './listed/index.ts'
import { functionFinder } from '#streams/cloud/aws/discover/service/lambda.ts'
import { logGroupFinder } from '#streams/cloud/aws/discover/service/logs.ts'
import { databaseFinders } from '#streams/cloud/aws/discover/service/rds.ts'
import { warehouseFinder } from '#streams/cloud/aws/discover/service/redshift.ts'
import { bucketFinder } from '#streams/cloud/aws/discover/service/s3.ts'

/** For each region; the longest chain first. */
export const chains: readonly (readonly Finder[])[] = [
  [kubernetesFinder, groupFinder, ...ec2Finders],
  databaseFinders,
  [containerFinder],
  [functionFinder],
  [logGroupFinder],
  [balancerFinder],
  [tableFinder],
  [cacheFinder],
  [warehouseFinder],
  ...regionalTypes.map((one) => [one]),
]

/** For the whole account, whatever its regions. */
export const globalFinders: readonly Finder[] = [bucketFinder, ...globalTypes]
