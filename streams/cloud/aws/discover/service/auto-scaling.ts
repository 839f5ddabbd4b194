import { autoScalingGroup } from '#streams/cloud/aws/map/auto-scaling.ts'
import { listOf } from '#streams/cloud/aws/map/resource.ts'
import type { Finder, RegionScan } from '#streams/cloud/aws/discover/finder.ts'

export const groupFinder: Finder = {
  types: ['aws-asg'],
  service: 'auto-scaling',
  scope: 'region',
  async *find(place) {
    let plans: Awaited<ReturnType<typeof plansIn>> | undefined
    const answers = place.pages(
      'auto-scaling',
      (m, NextToken) => new m.DescribeAutoScalingGroupsCommand({ MaxRecords: 100, ...(NextToken && { NextToken }) }),
      ({ NextToken }) => NextToken,
    )
    for await (const { AutoScalingGroups } of answers) {
      const groups = listOf(AutoScalingGroups)
      if (groups.length > 0) plans ??= await plansIn(place)
      const { groups: known } = place.known
      // If a managed node group owns the group, the machines belong to the node group.
      for (const { AutoScalingGroupName: name, AutoScalingGroupARN: arn } of groups)
        if (name && arn && !known.has(name)) known.set(name, arn)
      yield groups.flatMap((one) => {
        const name = one.AutoScalingGroupName ?? ''
        return autoScalingGroup(one, place, { policies: plans?.policies?.(name), schedules: plans?.schedules?.(name) })
      })
    }
  },
}

type GroupItem = { AutoScalingGroupName?: string | undefined }

/** Numbers of policies and scheduled actions of each group, from one list each. */
async function plansIn(place: RegionScan) {
  const policies = await place.more('policies', () =>
    countByGroup(
      place.pages(
        'auto-scaling',
        (m, NextToken) => new m.DescribePoliciesCommand({ MaxRecords: 100, ...(NextToken && { NextToken }) }),
        ({ NextToken }) => NextToken,
      ),
      ({ ScalingPolicies }) => listOf(ScalingPolicies),
    ),
  )
  const schedules = await place.more('schedules', () =>
    countByGroup(
      place.pages(
        'auto-scaling',
        (m, NextToken) => new m.DescribeScheduledActionsCommand({ MaxRecords: 100, ...(NextToken && { NextToken }) }),
        ({ NextToken }) => NextToken,
      ),
      ({ ScheduledUpdateGroupActions }) => listOf(ScheduledUpdateGroupActions),
    ),
  )
  return { policies, schedules }
}

async function countByGroup<O>(
  answers: AsyncIterable<O>,
  listIn: (answer: O) => readonly GroupItem[],
): Promise<(group: string) => number> {
  const counts = new Map<string, number>()
  for await (const answer of answers)
    for (const { AutoScalingGroupName: name = '' } of listIn(answer)) counts.set(name, (counts.get(name) ?? 0) + 1)
  return (group) => counts.get(group) ?? 0
}
