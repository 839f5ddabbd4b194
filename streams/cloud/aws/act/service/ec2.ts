/** Machines of EC2. */
import type { Instance } from '@aws-sdk/client-ec2'
import { cloudFault, type ActionOutcome } from '#streams/cloud/connector.ts'
import { statusOf } from '#streams/cloud/resource/status.ts'
import {
  deleting,
  invalid,
  isWord,
  ignoreNotFound,
  requireExisting,
  madeName,
  notThere,
  setting,
  switching,
  dropNullish,
  type At,
  type ActionHandler,
  type ResourceKind,
  type ResourceState,
} from '#streams/cloud/aws/act/kind.ts'

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
  if (!instance || state === 'terminated') return notThere
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

const start = switching(look, 'running', ({ session, region, name }) =>
  session.ask('ec2', region, (m) => new m.StartInstancesCommand({ InstanceIds: [name] })),
)

const stop = switching(look, 'stopped', ({ session, region, name }) =>
  session.ask('ec2', region, (m) => new m.StopInstancesCommand({ InstanceIds: [name] })),
)

const resize: ActionHandler = async (at, { size }) => {
  const { session, region, name, ref } = at
  if (size === undefined)
    throw cloudFault('user_action', 'invalid_size', `The new size of ${ref.resourceUid} is missing.`)
  const { status, instanceType } = await requireExisting({ look }, at)
  if (instanceType === size) return { status: 'succeeded' }
  if (status !== 'stopped')
    throw cloudFault('user_action', 'invalid_state', `${ref.resourceUid} is ${status}: stop it before you resize it.`)
  const change = { InstanceId: name, InstanceType: { Value: size } }
  await session.ask('ec2', region, (m) => new m.ModifyInstanceAttributeCommand(change))
  return { status: 'succeeded' }
}

const set = setting(look, async ({ session, region, name }, specs) => {
  const { monitoring_detailed: isDetailed, imds_v1_allowed: isOld } = specs
  for (const [key, value] of Object.entries(specs)) if (typeof value !== 'boolean') throw invalid(key, value)
  const ids = { InstanceIds: [name] }
  if (isDetailed === true) await session.ask('ec2', region, (m) => new m.MonitorInstancesCommand(ids))
  if (isDetailed === false) await session.ask('ec2', region, (m) => new m.UnmonitorInstancesCommand(ids))
  if (isOld === undefined) return
  const HttpTokens = isOld ? 'optional' : 'required'
  const options = { InstanceId: name, HttpTokens } as const
  await session.ask('ec2', region, (m) => new m.ModifyInstanceMetadataOptionsCommand(options))
})

/** An image of all of its disks, taken while it runs: the name is unique in its region, so that it is made once. */
const snapshot: ActionHandler = async (at, action) => {
  const { session, region, name } = at
  const image = madeName(action)
  const found = await imageState(at, image)
  if (found) return found
  await requireExisting({ look }, at)
  const TagSpecifications = [{ ResourceType: 'image' as const, Tags: [{ Key: 'tidemark:of', Value: name }] }]
  const order = { InstanceId: name, Name: image, NoReboot: true, Description: `Tidemark: ${name}`, TagSpecifications }
  try {
    await session.ask('ec2', region, (m) => new m.CreateImageCommand(order), { repeatable: false })
  } catch (error) {
    if (!isWord(error, /^InvalidAMIName\.Duplicate$/)) throw error
  }
  return (await imageState(at, image)) ?? { status: 'running' }
}

async function imageState({ session, region }: At, name: string): Promise<ActionOutcome | undefined> {
  const filter = { Owners: ['self'], Filters: [{ Name: 'name', Values: [name] }] }
  const { Images = [] } = await session.ask('ec2', region, (m) => new m.DescribeImagesCommand(filter))
  const state = Images[0]?.State
  if (state === undefined) return undefined
  if (state === 'failed' || state === 'error' || state === 'invalid')
    throw cloudFault('user_action', 'snapshot_failed', `AWS could not create the image ${name}: its state is ${state}.`)
  return { status: state === 'available' ? 'succeeded' : 'running' }
}

export const instance: ResourceKind = {
  look,
  sets: ['monitoring_detailed', 'imds_v1_allowed'],
  acts: {
    start,
    stop,
    resize,
    set,
    snapshot,
    delete: deleting(look, ({ session, region, name }) =>
      session.ask('ec2', region, (m) => new m.TerminateInstancesCommand({ InstanceIds: [name] })),
    ),
  },
}
