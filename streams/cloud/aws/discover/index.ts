/** All finders, in chains: what is found later in a chain hangs on what was found before. */
import { groupFinder } from './auto-scaling.ts'
import { tableFinder } from './dynamodb.ts'
import { ec2Finders } from './ec2.ts'
import { containerFinder } from './ecs.ts'
import { kubernetesFinder } from './eks.ts'
import { balancerFinder } from './elastic-load-balancing.ts'
import { cacheFinder } from './elasticache.ts'
import type { Finder } from './finder.ts'
import { functionFinder } from './lambda.ts'
import { logGroupFinder } from './logs.ts'
import { databaseFinders } from './rds.ts'
import { warehouseFinder } from './redshift.ts'
import { bucketFinder } from './s3.ts'

/** Of each region; the longest first. */
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
]

/** Of the account, whatever its regions. */
export const globalFinders: readonly Finder[] = [bucketFinder]
