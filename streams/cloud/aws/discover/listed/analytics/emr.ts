import type { ClusterSummary } from '@aws-sdk/client-emr'
import type { RegionScan } from '#streams/cloud/aws/discover/finder.ts'
import { also, listType } from '#streams/cloud/aws/discover/listed.ts'
import { listOf, timeOf } from '#streams/cloud/aws/map/resource.ts'

export const emrClusters = listType('emr', {
  type: 'aws-emr',
  permissions: [
    'elasticmapreduce:ListClusters',
    'elasticmapreduce:DescribeCluster',
    'elasticmapreduce:GetAutoTerminationPolicy',
    'elasticmapreduce:GetManagedScalingPolicy',
    'elasticmapreduce:ListInstanceGroups',
    'elasticmapreduce:ListInstances',
  ],
  // Terminated clusters stay in the list for two months.
  list: (m, Marker) =>
    new m.ListClustersCommand({
      ClusterStates: ['STARTING', 'BOOTSTRAPPING', 'RUNNING', 'WAITING'],
      ...(Marker && { Marker }),
    }),
  next: ({ Marker }) => Marker,
  items: ({ Clusters }) => Clusters,
  detail: describeCluster,
  uid: ({ ClusterArn }) => ClusterArn,
  fields: ({ Name, Status }, _, detail) => ({
    name: Name,
    state: Status?.State,
    zone: detail?.cluster?.Ec2InstanceAttributes?.Ec2AvailabilityZone,
    instanceType: detail?.nodes?.instanceType,
    tags: detail?.cluster?.Tags,
  }),
  specs: {
    created_at: ({ Status }) => timeOf(Status?.Timeline?.CreationDateTime),
    state: ({ Status }) => Status?.State,
    auto_termination: (_, detail) =>
      detail?.cluster?.AutoTerminate === true || (detail?.idle && detail.idle.AutoTerminationPolicy !== undefined),
    managed_scaling: (_, detail) => detail?.scaling && detail.scaling.ManagedScalingPolicy !== undefined,
    task_on_demand_count: (_, detail) => detail?.nodes?.onDemandTasks,
    release_label: (_, detail) => detail?.cluster?.ReleaseLabel,
  },
})

async function describeCluster({ Id: ClusterId }: ClusterSummary, place: RegionScan) {
  const ask = { ClusterId }
  const [described, idle, scaling] = await Promise.all([
    also(place, 'cluster', () => place.ask('emr', (m) => new m.DescribeClusterCommand(ask))),
    also(place, 'idle', () => place.ask('emr', (m) => new m.GetAutoTerminationPolicyCommand(ask))),
    also(place, 'scaling', () => place.ask('emr', (m) => new m.GetManagedScalingPolicyCommand(ask))),
  ])
  const cluster = described?.Cluster
  const inFleets = cluster?.InstanceCollectionType === 'INSTANCE_FLEET'
  const nodes = cluster && (inFleets ? await fleetNodes(place, ClusterId) : await groupNodes(place, ClusterId))
  return { cluster, idle, scaling, nodes }
}

const groupNodes = (place: RegionScan, ClusterId: string | undefined) =>
  also(place, 'groups', async () => {
    const { InstanceGroups } = await place.ask('emr', (m) => new m.ListInstanceGroupsCommand({ ClusterId }))
    const groups = listOf(InstanceGroups)
    const tasks = groups.filter((one) => one.InstanceGroupType === 'TASK' && one.Market === 'ON_DEMAND')
    const core = groups.find((one) => one.InstanceGroupType === 'CORE') ?? groups[0]
    return {
      instanceType: core?.InstanceType,
      onDemandTasks: tasks.reduce((sum, one) => sum + (one.RunningInstanceCount ?? 0), 0),
    }
  })

/** Fleets count in units of capacity: their instances are counted instead. */
const fleetNodes = (place: RegionScan, ClusterId: string | undefined) =>
  also(place, 'instances', async () => {
    const answers = place.pages(
      'emr',
      (m, Marker) =>
        new m.ListInstancesCommand({ ClusterId, InstanceStates: ['RUNNING'], ...(Marker && { Marker }), ...taskFleet }),
      ({ Marker }) => Marker,
    )
    let onDemandTasks = 0
    for await (const { Instances } of answers)
      onDemandTasks += listOf(Instances).filter(({ Market }) => Market === 'ON_DEMAND').length
    return { instanceType: undefined, onDemandTasks }
  })

const taskFleet = { InstanceFleetType: 'TASK' } as const
