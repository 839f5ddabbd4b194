/** Machines of EC2. */
import type { Instance } from '@aws-sdk/client-ec2'
import { statusOf } from '#streams/cloud/resource/status.ts'
import {
  absent,
  ignoreNotFound,
  requireStopped,
  snapshotProgress,
  type ResourceKind,
  type ResourceState,
} from '#streams/cloud/resource/verb/kind.ts'
import { dropNullish, invalidSpec } from '#streams/cloud/resource/verb/spec.ts'
import type { At, Verbs } from '#streams/cloud/aws/act/kind.ts'

async function instanceOf({ session, region, name }: At): Promise<Instance | undefined> {
  const answer = await ignoreNotFound(
    session.ask('ec2', region, (m) => new m.DescribeInstancesCommand({ InstanceIds: [name] })),
  )
  return answer?.Reservations?.flatMap(({ Instances = [] }) => Instances)[0]
}

/** A terminated instance is listed for an hour after it has ceased to exist. */
async function look(at: At): Promise<ResourceState> {
  const instance = await instanceOf(at)
  const state = instance?.State?.Name
  if (!instance || state === 'terminated') return absent
  return {
    exists: true,
    ...dropNullish({ status: statusOf('aws-ec2', state), instanceType: instance.InstanceType as string | undefined }),
    specs: dropNullish({
      lifecycle: instance.InstanceLifecycle ?? 'on-demand',
      monitoring_detailed: hasDetailedMonitoring(instance),
      imds_v1_allowed: isOldAllowed(instance),
    }),
    isGoing: state === 'shutting-down',
  }
}

function hasDetailedMonitoring({ Monitoring }: Instance): boolean | undefined {
  const state = Monitoring?.State
  return state && (state === 'enabled' || state === 'pending')
}

/** The metadata service answers its version 1. */
function isOldAllowed({ MetadataOptions }: Instance): boolean | undefined {
  const tokens = MetadataOptions?.HttpTokens
  return tokens && tokens !== 'required'
}

const set: Verbs['set'] = async ({ session, region, name }, specs) => {
  const { monitoring_detailed: isDetailed, imds_v1_allowed: isOld } = specs
  for (const [key, value] of Object.entries(specs)) if (typeof value !== 'boolean') throw invalidSpec(key, value)
  const ids = { InstanceIds: [name] }
  if (isDetailed === true) await session.ask('ec2', region, (m) => new m.MonitorInstancesCommand(ids))
  if (isDetailed === false) await session.ask('ec2', region, (m) => new m.UnmonitorInstancesCommand(ids))
  if (isOld === undefined) return
  const HttpTokens = isOld ? 'optional' : 'required'
  const options = { InstanceId: name, HttpTokens } as const
  await session.ask('ec2', region, (m) => new m.ModifyInstanceMetadataOptionsCommand(options))
}

/** An image of all of its disks, taken while it runs. Its name is unique in the region, so it is created once. */
const snapshot: Verbs['snapshot'] = {
  find: async ({ session, region }, name) => {
    const filter = { Owners: ['self'], Filters: [{ Name: 'name', Values: [name] }] }
    const { Images = [] } = await session.ask('ec2', region, (m) => new m.DescribeImagesCommand(filter))
    return snapshotProgress(name, Images[0]?.State)
  },
  create: ({ session, region, name }, image) => {
    const TagSpecifications = [{ ResourceType: 'image' as const, Tags: [{ Key: 'tidemark:of', Value: name }] }]
    const order = { InstanceId: name, Name: image, NoReboot: true, Description: `Tidemark: ${name}`, TagSpecifications }
    return session.ask('ec2', region, (m) => new m.CreateImageCommand(order), { repeatable: false })
  },
}

export const instance: ResourceKind<At> = {
  look,
  sets: ['monitoring_detailed', 'imds_v1_allowed'],
  start: ({ session, region, name }) =>
    session.ask('ec2', region, (m) => new m.StartInstancesCommand({ InstanceIds: [name] })),
  stop: ({ session, region, name }) =>
    session.ask('ec2', region, (m) => new m.StopInstancesCommand({ InstanceIds: [name] })),
  resize: async (at, size, seen) => {
    requireStopped(at, seen)
    const change = { InstanceId: at.name, InstanceType: { Value: size } }
    await at.session.ask('ec2', at.region, (m) => new m.ModifyInstanceAttributeCommand(change))
  },
  set,
  snapshot,
  delete: ({ session, region, name }) =>
    session.ask('ec2', region, (m) => new m.TerminateInstancesCommand({ InstanceIds: [name] })),
}
