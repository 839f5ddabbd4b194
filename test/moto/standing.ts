/** What the owner of an account in moto has there. Each answers uids. */
import type { _InstanceType as InstanceType } from '@aws-sdk/client-ec2'
import type { Moto } from '#test/harness/moto.ts'
import { owning, region } from './account.ts'

export const image = 'ami-12c6146b'

export const machines = (
  moto: Moto,
  count: number,
  place = region,
  type: InstanceType = 't3.micro',
): Promise<string[]> =>
  owning(moto, async (s) => {
    const order = { ImageId: image, InstanceType: type, MinCount: count, MaxCount: count }
    const { Instances = [] } = await s.ask('ec2', place, (m) => new m.RunInstancesCommand(order))
    return Instances.map(({ InstanceId }) => InstanceId!)
  })

/** The state of every machine, by id; those of groups are left out. */
export const runs = (moto: Moto): Promise<Record<string, string>> =>
  owning(moto, async (s) => {
    const { Reservations = [] } = await s.ask('ec2', region, (m) => new m.DescribeInstancesCommand({}))
    const all = Reservations.flatMap(({ Instances = [] }) => Instances)
    const own = all.filter(({ Tags = [] }) => !Tags.some(({ Key }) => Key === 'aws:autoscaling:groupName'))
    return Object.fromEntries(own.map(({ InstanceId, State }) => [InstanceId!, State!.Name!]))
  })

/** Of 2 to 6 machines. */
export const group = (moto: Moto, name: string, desired: number): Promise<string> =>
  owning(moto, async (s) => {
    const launch = { LaunchConfigurationName: name, ImageId: image, InstanceType: 'm5.large' }
    await s.ask('auto-scaling', region, (m) => new m.CreateLaunchConfigurationCommand(launch))
    const bounds = { MinSize: 2, MaxSize: 6, DesiredCapacity: desired }
    const order = { AutoScalingGroupName: name, LaunchConfigurationName: name, AvailabilityZones: [`${region}a`] }
    await s.ask('auto-scaling', region, (m) => new m.CreateAutoScalingGroupCommand({ ...order, ...bounds }))
    const answer = await s.ask('auto-scaling', region, (m) => new m.DescribeAutoScalingGroupsCommand({}))
    return answer.AutoScalingGroups!.find((one) => one.AutoScalingGroupName === name)!.AutoScalingGroupARN!
  })

/** A service of that name in the cluster `shop`. */
export const containers = (moto: Moto, name: string, desiredCount: number): Promise<string> =>
  owning(moto, async (s) => {
    await s.ask('ecs', region, (m) => new m.CreateClusterCommand({ clusterName: 'shop' }))
    const containerDefinitions = [{ name, image: `${name}:1`, memory: 1024 }]
    const task = { family: name, cpu: '512', memory: '1024', containerDefinitions }
    await s.ask('ecs', region, (m) => new m.RegisterTaskDefinitionCommand(task))
    const order = { cluster: 'shop', serviceName: name, taskDefinition: name, desiredCount }
    const { service } = await s.ask('ecs', region, (m) => new m.CreateServiceCommand(order))
    return service!.serviceArn!
  })
