/** Groups of machines that EC2 Auto Scaling keeps at a number. */
import type { AutoScalingGroup } from '@aws-sdk/client-auto-scaling'
import type { Capacity } from '#streams/cloud/connector.ts'
import { fleetStatus } from '#streams/cloud/aws/resource/status.ts'
import {
  absent,
  unsupportedFault,
  type ResourceKind,
  type ResourceState,
  type Specs,
} from '#streams/cloud/resource/verb/kind.ts'
import { dropNullish, numberIn } from '#streams/cloud/resource/verb/spec.ts'
import { wholeCounts } from '#streams/cloud/resource/verb/units.ts'
import type { At, Verbs } from '#streams/cloud/aws/act/kind.ts'

export async function groupOf({ session, region, name }: At): Promise<AutoScalingGroup | undefined> {
  const filter = { AutoScalingGroupNames: [name] }
  const answer = await session.ask('auto-scaling', region, (m) => new m.DescribeAutoScalingGroupsCommand(filter))
  return answer.AutoScalingGroups?.[0]
}

async function look(at: At): Promise<ResourceState> {
  const group = await groupOf(at)
  if (!group) return absent
  const { MinSize: min = 0, MaxSize: max = 0, DesiredCapacity: desired = 0, Instances = [] } = group
  // What starts or ends is there, and does not work.
  const there = Instances.filter(({ LifecycleState: state = '' }) =>
    desired > 0 ? state === 'InService' : !state.startsWith('Terminated'),
  )
  return {
    exists: true,
    status: fleetStatus(desired, there.length),
    capacity: { min, max, desired },
    specs: dropNullish({
      min_size: min,
      max_size: max,
      desired,
      mixed_instances: group.MixedInstancesPolicy !== undefined,
      on_demand_percent: group.MixedInstancesPolicy?.InstancesDistribution?.OnDemandPercentageAboveBaseCapacity,
    }),
    isGoing: (group.Status ?? '').startsWith('Delete'),
  }
}

const resizeGroup = ({ session, region, name }: At, { min, max, desired }: Capacity) => {
  const order = { AutoScalingGroupName: name, MinSize: min, MaxSize: max, DesiredCapacity: desired }
  return session.ask('auto-scaling', region, (m) => new m.UpdateAutoScalingGroupCommand(order))
}

const counts = ['min_size', 'max_size', 'desired'] as const

const set: Verbs['set'] = async (at, specs, { capacity }) => {
  if (specs['mixed_instances'] !== undefined || specs['on_demand_percent'] !== undefined)
    await setInstanceMix(at, specs)
  if (counts.every((name) => specs[name] === undefined)) return
  await resizeGroup(at, {
    min: numberIn(specs, 'min_size') ?? capacity!.min,
    max: numberIn(specs, 'max_size') ?? capacity!.max,
    desired: numberIn(specs, 'desired') ?? capacity!.desired,
  })
}

/** Only of a group that is mixed already: of what else it should be nobody says. */
async function setInstanceMix(at: At, specs: Specs): Promise<void> {
  const policy = (await groupOf(at))?.MixedInstancesPolicy
  const percent = numberIn(specs, 'on_demand_percent')
  if (!policy || specs['mixed_instances'] === false)
    throw unsupportedFault(at.ref, 'changing between one and several instance types')
  if (percent === undefined) return
  // AWS tells an empty price, and takes none.
  const { SpotMaxPrice, ...distribution } = policy.InstancesDistribution ?? {}
  const InstancesDistribution = {
    ...distribution,
    ...(SpotMaxPrice && { SpotMaxPrice }),
    OnDemandPercentageAboveBaseCapacity: percent,
  }
  const order = { AutoScalingGroupName: at.name, MixedInstancesPolicy: { InstancesDistribution } }
  await at.session.ask('auto-scaling', at.region, (m) => new m.UpdateAutoScalingGroupCommand(order))
}

export const group: ResourceKind<At> = {
  look,
  sets: [...counts, 'mixed_instances', 'on_demand_percent'],
  scale: wholeCounts(resizeGroup),
  set,
  // With its machines: of an empty group it is the same.
  delete: ({ session, region, name }) =>
    session.ask(
      'auto-scaling',
      region,
      (m) => new m.DeleteAutoScalingGroupCommand({ AutoScalingGroupName: name, ForceDelete: true }),
    ),
}
