/** Groups of machines that EC2 Auto Scaling keeps at a number. */
import type { AutoScalingGroup } from '@aws-sdk/client-auto-scaling'
import type { Capacity } from '#streams/cloud/connector.ts'
import { fleetStatus } from '#streams/cloud/aws/status.ts'
import { counting, deleting, notThere, numberIn, setting, type At, type Kind, type Seen } from './kind.ts'

export async function groupOf({ session, region, name }: At): Promise<AutoScalingGroup | undefined> {
  const filter = { AutoScalingGroupNames: [name] }
  const answer = await session.ask('auto-scaling', region, (m) => new m.DescribeAutoScalingGroupsCommand(filter))
  return answer.AutoScalingGroups?.[0]
}

async function look(at: At): Promise<Seen> {
  const group = await groupOf(at)
  if (!group) return notThere
  const { MinSize: min = 0, MaxSize: max = 0, DesiredCapacity: desired = 0, Instances = [] } = group
  // What starts or ends is there, and does not work.
  const there = Instances.filter(({ LifecycleState: state = '' }) =>
    desired > 0 ? state === 'InService' : !state.startsWith('Terminated'),
  )
  return {
    exists: true,
    status: fleetStatus(desired, there.length),
    capacity: { min, max, desired },
    specs: { min_size: min, max_size: max, desired },
    isGoing: (group.Status ?? '').startsWith('Delete'),
  }
}

const resized = ({ session, region, name }: At, { min, max, desired }: Capacity) => {
  const order = { AutoScalingGroupName: name, MinSize: min, MaxSize: max, DesiredCapacity: desired }
  return session.ask('auto-scaling', region, (m) => new m.UpdateAutoScalingGroupCommand(order))
}

const set = setting(look, (at, specs, { capacity }) =>
  resized(at, {
    min: numberIn(specs, 'min_size') ?? capacity!.min,
    max: numberIn(specs, 'max_size') ?? capacity!.max,
    desired: numberIn(specs, 'desired') ?? capacity!.desired,
  }),
)

export const group: Kind = {
  look,
  sets: ['min_size', 'max_size', 'desired'],
  acts: {
    ...counting(look, resized),
    set,
    // With its machines: of an empty group it is the same.
    delete: deleting(look, ({ session, region, name }) =>
      session.ask(
        'auto-scaling',
        region,
        (m) => new m.DeleteAutoScalingGroupCommand({ AutoScalingGroupName: name, ForceDelete: true }),
      ),
    ),
  },
}
