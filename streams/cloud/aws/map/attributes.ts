/** The attributes that the hand-written mappings of AWS fill; those of listed types are in their own declarations. */
import { once } from '#engine/value/once.ts'
import { writtenBy, type AttributesByType } from '#streams/cloud/resource/written.ts'
import { autoScalingGroup } from './auto-scaling.ts'
import { table } from './dynamodb.ts'
import { address, instance, natGateway, snapshot, volume } from './ec2.ts'
import { containerCluster, containerService } from './ecs.ts'
import { kubernetesCluster, nodeGroup } from './eks.ts'
import { loadBalancer } from './elastic-load-balancing.ts'
import { cache } from './elasticache.ts'
import { lambdaFunction } from './lambda.ts'
import { logGroup } from './logs.ts'
import { database, databaseCluster } from './rds.ts'
import { warehouse } from './redshift.ts'
import { bucket } from './s3.ts'

const where = { region: '', account: '' }
const none = (): undefined => undefined
const group = {
  AutoScalingGroupName: undefined,
  MinSize: 0,
  MaxSize: 0,
  DesiredCapacity: 0,
  DefaultCooldown: 0,
  AvailabilityZones: [],
  HealthCheckType: undefined,
  CreatedTime: undefined,
}

export const mappedAttributes: () => AttributesByType = once(() =>
  writtenBy(() => {
    autoScalingGroup(group, where, { policies: undefined, schedules: undefined })
    table({}, where, {})
    instance({}, where, none)
    volume({}, where, none)
    snapshot({}, where, { images: undefined, newer: undefined, fastZones: undefined, isPublic: undefined })
    address({}, where, none)
    natGateway({}, where, { inNetwork: 0, routes: undefined, hasS3Endpoint: undefined })
    containerCluster({}, where)
    containerService({}, where, {})
    kubernetesCluster({}, where)
    nodeGroup({}, where, undefined)
    for (const Type of ['application', 'network', 'gateway'] as const) loadBalancer({ Type }, where, {})
    cache({}, where, undefined, undefined)
    lambdaFunction({}, where, {})
    logGroup({}, where, {}, 0)
    database({}, where, none)
    for (const Engine of ['aurora', 'docdb', 'neptune']) databaseCluster({ Engine }, where)
    warehouse({}, where)
    bucket({}, where, { lifecycle: [], encryption: [{}] })
  }),
)
