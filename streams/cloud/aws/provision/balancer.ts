/**
 * Load balancers for a pool or a single machine: an application load balancer if all listeners use HTTP, otherwise a
 * network load balancer.
 */
import type { AutoScalingGroup } from '@aws-sdk/client-auto-scaling'
import type { LoadBalancer, TargetGroup } from '@aws-sdk/client-elastic-load-balancing-v2'
import type { ProvisionAnswer, ProvisionRequest, UnprovisionAnswer } from '#streams/cloud/provision.ts'
import type { AwsSession } from '#streams/cloud/aws/session/session.ts'
import { defaultPlace, subnetsIn, type DefaultNetwork } from './default-network.ts'
import {
  count,
  ignoreNotFound,
  removeIfPresent,
  isAbsent,
  list,
  goneFault,
  once,
  ownName,
  tryRemove,
  tagsOf,
  text,
  unsupportedFault,
  waiting,
  type ProvisionStep,
} from './step.ts'

interface Listener {
  port: number
  /** In capitals. */
  protocol: string
  targetPort: number
}

/** The requested listeners and target. */
interface BalancerSpec {
  listeners: readonly Listener[]
  scheme: 'internet-facing' | 'internal'
  /** Uid of an Auto Scaling group or of a machine. */
  target: string
}

const names = 32

function wantedBy(request: Pick<ProvisionRequest, 'kind' | 'config' | 'outputs'>): BalancerSpec {
  const { kind, config, outputs } = request
  if (kind === 'vm_pool') {
    const ports = Array.isArray(config['listenerPorts']) ? config['listenerPorts'] : []
    const listeners = ports.map((port) => ({ port: count(port), protocol: 'TCP', targetPort: count(port) }))
    return { listeners, scheme: 'internet-facing', target: text(outputs['group']?.['groupUid']) }
  }
  return {
    listeners: list(config['listeners']).map((one) => ({
      port: count(one['port']),
      protocol: text(one['protocol']).toUpperCase(),
      targetPort: count(one['targetPort']),
    })),
    scheme: config['scheme'] === 'internal' ? 'internal' : 'internet-facing',
    target: text(config['targetUID']),
  }
}

/** @throws Fault `unsupported_provisioning` for listeners that need a certificate, which the config cannot specify */
export function checkListeners(request: Pick<ProvisionRequest, 'kind' | 'config' | 'outputs'>): void {
  for (const { protocol } of wantedBy(request).listeners)
    if (protocol === 'HTTPS' || protocol === 'TLS')
      throw unsupportedFault(`A listener of ${protocol}, which needs a certificate,`)
}

const isOfApplication = ({ listeners }: BalancerSpec): boolean => listeners.every(({ protocol }) => protocol === 'HTTP')

async function balancerOf(
  session: AwsSession,
  request: Pick<ProvisionRequest, 'config' | 'jobId' | 'region'>,
): Promise<LoadBalancer | undefined> {
  const Names = [ownName(request, names, 'lb')]
  const answer = await ignoreNotFound(() =>
    session.ask('elastic-load-balancing-v2', request.region, (m) => new m.DescribeLoadBalancersCommand({ Names })),
  )
  return answer?.LoadBalancers?.[0]
}

const isGroup = (uid: string): boolean => /:autoScalingGroup(:|Name\/)/.test(uid)
/** The group's name is at the end of its ARN. */
const groupNameOf = (uid: string): string => uid.replace(/^.*autoScalingGroupName\//, '')

/** The target's network, with one subnet per zone. */
async function placeOf(session: AwsSession, region: string, target: string): Promise<DefaultNetwork> {
  const subnetId = isGroup(target)
    ? await subnetOfGroup(session, region, target)
    : await subnetOfMachine(session, region, target)
  if (subnetId === undefined) return defaultPlace(session, region)
  const { Subnets = [] } = await session.ask(
    'ec2',
    region,
    (m) => new m.DescribeSubnetsCommand({ SubnetIds: [subnetId] }),
  )
  const vpcId = Subnets[0]?.VpcId ?? ''
  return { vpcId, subnetIds: await subnetsIn(session, region, vpcId) }
}

async function groupAt(session: AwsSession, region: string, uid: string): Promise<AutoScalingGroup | undefined> {
  const AutoScalingGroupNames = [groupNameOf(uid)]
  const { AutoScalingGroups = [] } = await session.ask(
    'auto-scaling',
    region,
    (m) => new m.DescribeAutoScalingGroupsCommand({ AutoScalingGroupNames }),
  )
  return AutoScalingGroups[0]
}

async function subnetOfGroup(session: AwsSession, region: string, uid: string): Promise<string | undefined> {
  const group = await groupAt(session, region, uid)
  if (!group) throw goneFault(`The group ${groupNameOf(uid)}`)
  return group.VPCZoneIdentifier?.split(',')[0]
}

async function subnetOfMachine(session: AwsSession, region: string, uid: string): Promise<string | undefined> {
  const { Reservations = [] } = await session.ask(
    'ec2',
    region,
    (m) => new m.DescribeInstancesCommand({ InstanceIds: [uid] }),
  )
  const machine = Reservations[0]?.Instances?.[0]
  if (!machine) throw goneFault(`The machine ${uid}`)
  return machine.SubnetId
}

async function make(session: AwsSession, request: ProvisionRequest): Promise<ProvisionAnswer> {
  checkListeners(request)
  const wanted = wantedBy(request)
  const { region } = request
  const place = await placeOf(session, region, wanted.target)
  const balancer = (await balancerOf(session, request)) ?? (await makeBalancer(session, request, wanted, place))
  const arn = balancer.LoadBalancerArn ?? ''
  for (const listener of wanted.listeners) await makeListener(session, request, { arn, wanted, listener, place })
  return { status: 'done', output: { loadBalancerUid: arn, address: balancer.DNSName } }
}

async function makeBalancer(
  session: AwsSession,
  request: ProvisionRequest,
  wanted: BalancerSpec,
  place: DefaultNetwork,
): Promise<LoadBalancer> {
  const { LoadBalancers = [] } = await session.ask(
    'elastic-load-balancing-v2',
    request.region,
    (m) =>
      new m.CreateLoadBalancerCommand({
        Name: ownName(request, names, 'lb'),
        Type: isOfApplication(wanted) ? 'application' : 'network',
        Scheme: wanted.scheme,
        Subnets: [...place.subnetIds],
        Tags: tagsOf(request),
      }),
    once,
  )
  return LoadBalancers[0] ?? {}
}

interface Making {
  arn: string
  wanted: BalancerSpec
  listener: Listener
  place: DefaultNetwork
}

async function makeListener(session: AwsSession, request: ProvisionRequest, { arn, wanted, listener, place }: Making) {
  const { region } = request
  const group = await targetGroup(session, request, listener, place)
  const TargetGroupArn = group.TargetGroupArn ?? ''
  if (isGroup(wanted.target))
    await session.ask(
      'auto-scaling',
      region,
      (m) =>
        new m.AttachLoadBalancerTargetGroupsCommand({
          AutoScalingGroupName: groupNameOf(wanted.target),
          TargetGroupARNs: [TargetGroupArn],
        }),
    )
  else
    await session.ask(
      'elastic-load-balancing-v2',
      region,
      (m) => new m.RegisterTargetsCommand({ TargetGroupArn, Targets: [{ Id: wanted.target }] }),
    )
  const { Listeners = [] } = await session.ask(
    'elastic-load-balancing-v2',
    region,
    (m) => new m.DescribeListenersCommand({ LoadBalancerArn: arn }),
  )
  if (Listeners.some(({ Port, Protocol }) => Port === listener.port && Protocol === listener.protocol)) return
  await session.ask(
    'elastic-load-balancing-v2',
    region,
    (m) =>
      new m.CreateListenerCommand({
        LoadBalancerArn: arn,
        Port: listener.port,
        Protocol: listener.protocol as 'HTTP',
        DefaultActions: [{ Type: 'forward', TargetGroupArn }],
        Tags: tagsOf(request),
      }),
    once,
  )
}

const targetsName = (request: Pick<ProvisionRequest, 'config' | 'jobId'>, { protocol, port }: Listener): string =>
  ownName(request, names, `${protocol.toLowerCase()}${port}`)

async function targetsOf(
  session: AwsSession,
  request: Pick<ProvisionRequest, 'config' | 'jobId' | 'region'>,
  listener: Listener,
): Promise<TargetGroup | undefined> {
  const Names = [targetsName(request, listener)]
  const answer = await ignoreNotFound(() =>
    session.ask('elastic-load-balancing-v2', request.region, (m) => new m.DescribeTargetGroupsCommand({ Names })),
  )
  return answer?.TargetGroups?.[0]
}

async function targetGroup(
  session: AwsSession,
  request: ProvisionRequest,
  listener: Listener,
  place: DefaultNetwork,
): Promise<TargetGroup> {
  const known = await targetsOf(session, request, listener)
  if (known) return known
  const { TargetGroups = [] } = await session.ask(
    'elastic-load-balancing-v2',
    request.region,
    (m) =>
      new m.CreateTargetGroupCommand({
        Name: targetsName(request, listener),
        Protocol: listener.protocol as 'HTTP',
        Port: listener.targetPort,
        VpcId: place.vpcId,
        TargetType: 'instance',
        Tags: tagsOf(request),
      }),
    once,
  )
  return TargetGroups[0] ?? {}
}

/** Detaches the job's target groups from the group of machines; false while any of them is still attached. */
async function detach(session: AwsSession, request: ProvisionRequest, { target, listeners }: BalancerSpec) {
  const AutoScalingGroupName = groupNameOf(target)
  const own = new Set(listeners.map((listener) => targetsName(request, listener)))
  const attached = async () => {
    if (!(await groupAt(session, request.region, target))) return []
    const { LoadBalancerTargetGroups } = await session.ask(
      'auto-scaling',
      request.region,
      (m) => new m.DescribeLoadBalancerTargetGroupsCommand({ AutoScalingGroupName }),
    )
    return list(LoadBalancerTargetGroups)
      .map((one) => ({ arn: text(one['LoadBalancerTargetGroupARN']), state: text(one['State']) }))
      .filter(({ arn, state }) => own.has(arn.split('/')[1] ?? '') && state !== 'Removed')
  }
  const TargetGroupARNs = (await attached()).flatMap(({ arn, state }) => (state === 'Removing' ? [] : [arn]))
  if (TargetGroupARNs.length > 0)
    await removeIfPresent(/AutoScalingGroup name not found/i, () =>
      session.ask(
        'auto-scaling',
        request.region,
        (m) => new m.DetachLoadBalancerTargetGroupsCommand({ AutoScalingGroupName, TargetGroupARNs }),
      ),
    )
  return (await attached()).length === 0
}

/** The group of machines is detached first: it cannot be deleted later with target groups that do not exist any more. */
async function unmake(session: AwsSession, request: ProvisionRequest): Promise<UnprovisionAnswer> {
  const { region } = request
  const wanted = wantedBy(request)
  if (isGroup(wanted.target) && !(await detach(session, request, wanted))) return waiting
  const balancer = await balancerOf(session, request)
  const LoadBalancerArn = balancer?.LoadBalancerArn
  if (LoadBalancerArn !== undefined)
    await removeIfPresent(/^LoadBalancerNotFound/, () =>
      session.ask('elastic-load-balancing-v2', region, (m) => new m.DeleteLoadBalancerCommand({ LoadBalancerArn })),
    )
  for (const listener of wanted.listeners) {
    const { TargetGroupArn } = (await targetsOf(session, request, listener)) ?? {}
    if (TargetGroupArn === undefined) continue
    const isReleased = await tryRemove(/^TargetGroupNotFound/, () =>
      session.ask('elastic-load-balancing-v2', region, (m) => new m.DeleteTargetGroupCommand({ TargetGroupArn })),
    )
    if (!isReleased) return waiting
  }
  return { status: 'done', gone: LoadBalancerArn === undefined ? [] : [LoadBalancerArn] }
}

export const validate: ProvisionStep = {
  make: async (_, request) => {
    checkListeners(request)
    return { status: 'done' }
  },
}

export const create: ProvisionStep = { make, unmake }

/** For a pool only if the config requests one. */
export const ofPool: ProvisionStep = {
  make: (session, request) =>
    request.config['createLoadBalancer'] === true ? make(session, request) : Promise.resolve({ status: 'skipped' }),
  unmake: (session, request) =>
    request.config['createLoadBalancer'] === true ? unmake(session, request) : Promise.resolve({ status: 'done' }),
}

/** Whether the job's load balancer is already active. */
export async function isActive(session: AwsSession, request: ProvisionRequest): Promise<boolean> {
  const balancer = await balancerOf(session, request)
  if (!balancer) throw goneFault('The load balancer')
  return balancer.State?.Code !== 'provisioning'
}

export const verify: ProvisionStep = {
  make: async (session, request) => ((await isActive(session, request)) ? { status: 'done' } : waiting),
}

export async function describe(
  session: AwsSession,
  request: Pick<ProvisionRequest, 'kind' | 'config' | 'jobId' | 'region' | 'outputs'>,
): Promise<Record<string, unknown> | null> {
  const { region, config } = request
  const balancer = await balancerOf(session, request)
  if (!balancer) return null
  const wanted = list(config['listeners'])
  try {
    const { Listeners = [] } = await session.ask(
      'elastic-load-balancing-v2',
      region,
      (m) => new m.DescribeListenersCommand({ LoadBalancerArn: balancer.LoadBalancerArn }),
    )
    const listeners = Listeners.map(({ Port, Protocol = '' }) => {
      const asked = wanted.find((one) => one['port'] === Port && text(one['protocol']).toUpperCase() === Protocol)
      return asked ?? { port: Port, protocol: Protocol, targetPort: null }
    })
    return { ...config, scheme: balancer.Scheme === 'internal' ? 'internal' : 'public', listeners }
  } catch (error) {
    if (isAbsent(error)) return null
    throw error
  }
}
