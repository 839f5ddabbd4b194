/** Maps EC2 Auto Scaling groups. */
import type { AutoScalingGroup } from '@aws-sdk/client-auto-scaling'
import type { DiscoveredResource } from '#streams/cloud/connector.ts'
import { machineUsd } from '#streams/cloud/aws/resource/price.ts'
import type { ResourceStatus } from '#streams/resource/messages.ts'
import { listOf, resource, timesUsd, timeOf, type Where } from './resource.ts'

/** Data from separate calls; undefined if the call is not permitted. */
export interface GroupPlans {
  policies: number | undefined
  schedules: number | undefined
}

export function autoScalingGroup(one: AutoScalingGroup, where: Where, plans: GroupPlans): DiscoveredResource[] {
  const size = sizeOf(one)
  const mixed = one.MixedInstancesPolicy
  return resource('aws-asg', one.AutoScalingGroupARN, where, {
    name: one.AutoScalingGroupName,
    status: statusOf(one),
    instanceType: size,
    unitCount: one.DesiredCapacity,
    tags: one.Tags,
    hourlyRateUSD: mixed ? undefined : timesUsd(machineUsd(size, where.region), one.DesiredCapacity),
    specs: {
      created_at: timeOf(one.CreatedTime),
      min_size: one.MinSize,
      max_size: one.MaxSize,
      desired: one.DesiredCapacity,
      instance_count: listOf(one.Instances).length,
      scaling_policy_count: plans.policies,
      scheduled_action_count: plans.schedules,
      mixed_instances: Boolean(mixed),
      on_demand_percent: mixed?.InstancesDistribution?.OnDemandPercentageAboveBaseCapacity,
      uses_launch_configuration: Boolean(one.LaunchConfigurationName),
      az_count: listOf(one.AvailabilityZones).length,
    },
  })
}

/** `desired>0=running; desired=0 and no instance=stopped; instances launching=starting; terminating=stopping`. */
function statusOf({ DesiredCapacity = 0, Instances }: AutoScalingGroup): ResourceStatus {
  const states = listOf(Instances).map(({ LifecycleState }) => LifecycleState ?? '')
  if (DesiredCapacity > 0)
    return states.length > 0 && states.every((state) => state.startsWith('Pending')) ? 'starting' : 'running'
  return states.length === 0 ? 'stopped' : 'stopping'
}

/** The most frequent instance type of its machines, otherwise the first permitted one. */
function sizeOf({ Instances, MixedInstancesPolicy }: AutoScalingGroup): string | undefined {
  const sizes = Map.groupBy(
    listOf(Instances).flatMap(({ InstanceType }) => InstanceType ?? []),
    (size) => size,
  )
  const [most] = [...sizes].toSorted(([, some], [, others]) => others.length - some.length)
  return most?.[0] ?? listOf(MixedInstancesPolicy?.LaunchTemplate?.Overrides)[0]?.InstanceType ?? undefined
}
