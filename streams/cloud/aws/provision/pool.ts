/** Pools of machines: a launch template, an Auto Scaling group, and a load balancer if requested. */
import type { AutoScalingGroup } from '@aws-sdk/client-auto-scaling'
import type { ProvisionRequest, UnprovisionAnswer } from '#streams/cloud/provision.ts'
import type { AwsSession } from '#streams/cloud/aws/session/session.ts'
import { checkListeners, isActive } from './balancer.ts'
import { defaultPlace } from './default-network.ts'
import {
  count,
  removeIfPresent,
  goneFault,
  once,
  ownName,
  tagsOf,
  text,
  readOutput,
  waiting,
  type ProvisionStep,
} from './step.ts'

/** The newest Amazon Linux, from the parameter that AWS maintains. */
const imageOf = (architecture: string): string =>
  `resolve:ssm:/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-${architecture}`

const templateName = (request: Pick<ProvisionRequest, 'config' | 'jobId'>): string => ownName(request, 100, 'template')
const groupName = (request: Pick<ProvisionRequest, 'config' | 'jobId'>): string => ownName(request, 100)

async function architectureOf(session: AwsSession, { region, config }: ProvisionRequest): Promise<string> {
  const type = text(config['instanceType'])
  const { InstanceTypes = [] } = await session.ask(
    'ec2',
    region,
    (m) => new m.DescribeInstanceTypesCommand({ InstanceTypes: [type as 'm5.large'] }),
  )
  if (!InstanceTypes[0]) throw goneFault(`The size ${type}`)
  return InstanceTypes[0].ProcessorInfo?.SupportedArchitectures?.includes('arm64') ? 'arm64' : 'x86_64'
}

export const validate: ProvisionStep = {
  make: async (session, request) => {
    checkListeners({ ...request, outputs: {} })
    await architectureOf(session, request)
    await defaultPlace(session, request.region)
    return { status: 'done' }
  },
}

async function templateOf(session: AwsSession, request: ProvisionRequest): Promise<string | undefined> {
  const Filters = [{ Name: 'launch-template-name', Values: [templateName(request)] }]
  const { LaunchTemplates = [] } = await session.ask(
    'ec2',
    request.region,
    (m) => new m.DescribeLaunchTemplatesCommand({ Filters }),
  )
  return LaunchTemplates[0]?.LaunchTemplateId
}

export const template: ProvisionStep = {
  make: async (session, request) => {
    const LaunchTemplateName = templateName(request)
    const output = { name: LaunchTemplateName }
    if ((await templateOf(session, request)) !== undefined) return { status: 'done', output }
    const Tags = tagsOf(request)
    const ImageId = imageOf(await architectureOf(session, request))
    await session.ask(
      'ec2',
      request.region,
      (m) =>
        new m.CreateLaunchTemplateCommand({
          LaunchTemplateName,
          ClientToken: request.token,
          LaunchTemplateData: {
            ImageId,
            InstanceType: text(request.config['instanceType']) as 'm5.large',
            MetadataOptions: { HttpTokens: 'required' },
            TagSpecifications: [
              { ResourceType: 'instance', Tags },
              { ResourceType: 'volume', Tags },
            ],
          },
          TagSpecifications: [{ ResourceType: 'launch-template', Tags }],
        }),
      once,
    )
    return { status: 'done', output }
  },
  unmake: async (session, request) => {
    const LaunchTemplateId = await templateOf(session, request)
    if (LaunchTemplateId !== undefined)
      await removeIfPresent(/^InvalidLaunchTemplate/, () =>
        session.ask('ec2', request.region, (m) => new m.DeleteLaunchTemplateCommand({ LaunchTemplateId })),
      )
    return { status: 'done', gone: [] }
  },
}

async function groupOf(
  session: AwsSession,
  request: Pick<ProvisionRequest, 'config' | 'jobId' | 'region'>,
): Promise<AutoScalingGroup | undefined> {
  const { AutoScalingGroups = [] } = await session.ask(
    'auto-scaling',
    request.region,
    (m) => new m.DescribeAutoScalingGroupsCommand({ AutoScalingGroupNames: [groupName(request)] }),
  )
  return AutoScalingGroups[0]
}

const toldOf = ({ AutoScalingGroupARN, AutoScalingGroupName }: AutoScalingGroup) => ({
  groupUid: AutoScalingGroupARN,
  name: AutoScalingGroupName,
})

async function makeGroup(session: AwsSession, request: ProvisionRequest): Promise<void> {
  const { region, config } = request
  const { subnetIds } = await defaultPlace(session, region)
  const AutoScalingGroupName = groupName(request)
  const tag = { ResourceId: AutoScalingGroupName, ResourceType: 'auto-scaling-group', PropagateAtLaunch: true }
  await session.ask(
    'auto-scaling',
    region,
    (m) =>
      new m.CreateAutoScalingGroupCommand({
        AutoScalingGroupName,
        MinSize: count(config['min']),
        MaxSize: count(config['max'], 1),
        DesiredCapacity: count(config['min']),
        LaunchTemplate: { LaunchTemplateName: readOutput(request, 'template', 'name'), Version: '$Latest' },
        VPCZoneIdentifier: subnetIds.join(','),
        Tags: tagsOf(request).map((one) => ({ ...one, ...tag })),
      }),
    // The name must be unique: a second request is refused, and the next look finds the object.
    once,
  )
}

export const group: ProvisionStep = {
  make: async (session, request) => {
    if (!(await groupOf(session, request))) await makeGroup(session, request)
    const made = await groupOf(session, request)
    if (!made) return waiting
    return { status: 'done', output: toldOf(made) }
  },
  unmake: async (session, request): Promise<UnprovisionAnswer> => {
    const known = await groupOf(session, request)
    if (!known) return { status: 'done', gone: [] }
    const AutoScalingGroupName = groupName(request)
    if (known.Status === undefined)
      await removeIfPresent(/AutoScalingGroup name not found/i, () =>
        session.ask(
          'auto-scaling',
          request.region,
          (m) => new m.DeleteAutoScalingGroupCommand({ AutoScalingGroupName, ForceDelete: true }),
        ),
      )
    return (await groupOf(session, request)) ? waiting : { status: 'done', gone: [known.AutoScalingGroupARN ?? ''] }
  },
}

/**
 * Done when the group has its requested number of machines in service, and the load balancer, if requested, is active.
 */
export const verify: ProvisionStep = {
  make: async (session, request) => {
    const known = await groupOf(session, request)
    if (!known) throw goneFault(`The group ${groupName(request)}`)
    const running = (known.Instances ?? []).filter(({ LifecycleState }) => LifecycleState === 'InService')
    if (running.length < (known.DesiredCapacity ?? 0)) return waiting
    if (request.config['createLoadBalancer'] === true && !(await isActive(session, request))) return waiting
    return { status: 'done' }
  },
}

export async function describe(
  session: AwsSession,
  request: Pick<ProvisionRequest, 'config' | 'jobId' | 'region'>,
): Promise<Record<string, unknown> | null> {
  const known = await groupOf(session, request)
  if (!known || known.Status !== undefined) return null
  const { LaunchTemplateName } = known.LaunchTemplate ?? {}
  const { LaunchTemplateVersions = [] } = await session.ask(
    'ec2',
    request.region,
    (m) => new m.DescribeLaunchTemplateVersionsCommand({ LaunchTemplateName, Versions: ['$Latest'] }),
  )
  return {
    ...request.config,
    min: known.MinSize,
    max: known.MaxSize,
    instanceType: LaunchTemplateVersions[0]?.LaunchTemplateData?.InstanceType ?? request.config['instanceType'],
  }
}
