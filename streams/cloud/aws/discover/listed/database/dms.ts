import type { RegionScan } from '#streams/cloud/aws/discover/finder.ts'
import { also, listType } from '#streams/cloud/aws/discover/listed.ts'
import { listOf, timeOf } from '#streams/cloud/aws/map/resource.ts'

export const replicationInstances = listType('database-migration-service', {
  type: 'aws-dms-instance',
  permissions: ['dms:DescribeReplicationInstances', 'dms:DescribeReplicationTasks', 'dms:ListTagsForResource'],
  list: (m, Marker) => new m.DescribeReplicationInstancesCommand({ MaxRecords: 100, ...(Marker && { Marker }) }),
  next: ({ Marker }) => Marker,
  items: async ({ ReplicationInstances }, place) => {
    const instances = listOf(ReplicationInstances)
    if (instances.length === 0) return []
    const arns = instances.flatMap(({ ReplicationInstanceArn }) => ReplicationInstanceArn ?? [])
    const [running, tags] = await Promise.all([runningTasks(place), tagsOf(place, arns)])
    return instances.map((one) => ({
      ...one,
      runningTasks: running?.filter((arn) => arn === one.ReplicationInstanceArn).length,
      tags: tags?.filter(({ ResourceArn }) => ResourceArn === one.ReplicationInstanceArn),
    }))
  },
  uid: ({ ReplicationInstanceArn }) => ReplicationInstanceArn,
  fields: (one) => ({
    name: one.ReplicationInstanceIdentifier,
    state: one.ReplicationInstanceStatus,
    zone: one.AvailabilityZone,
    instanceType: one.ReplicationInstanceClass,
    sizeGB: one.AllocatedStorage,
    tags: one.tags,
  }),
  specs: {
    created_at: ({ InstanceCreateTime }) => timeOf(InstanceCreateTime),
    // CloudWatch has it by this name, which the ARN does not tell.
    identifier: ({ ReplicationInstanceIdentifier }) => ReplicationInstanceIdentifier,
    multi_az: ({ MultiAZ }) => MultiAZ,
    publicly_accessible: ({ PubliclyAccessible }) => PubliclyAccessible,
    running_task_count: ({ runningTasks }) => runningTasks,
  },
})

/** Of each task that runs or starts, the instance it runs on. */
const runningTasks = (place: RegionScan) =>
  also(place, 'tasks', async () => {
    const answers = place.pages(
      'database-migration-service',
      (m, Marker) =>
        new m.DescribeReplicationTasksCommand({ MaxRecords: 100, WithoutSettings: true, ...(Marker && { Marker }) }),
      ({ Marker }) => Marker,
    )
    const found: string[] = []
    for await (const { ReplicationTasks } of answers)
      for (const { Status, ReplicationInstanceArn } of listOf(ReplicationTasks))
        if (ReplicationInstanceArn && (Status === 'running' || Status === 'starting'))
          found.push(ReplicationInstanceArn)
    return found
  })

const tagsOf = (place: RegionScan, ResourceArnList: string[]) =>
  also(place, 'tags', async () => {
    const answer = await place.ask(
      'database-migration-service',
      (m) => new m.ListTagsForResourceCommand({ ResourceArnList }),
    )
    return listOf(answer.TagList)
  })
