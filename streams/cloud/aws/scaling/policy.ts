/** Native scaling policies of AWS for Auto Scaling groups and ECS services. */
import type { ScalingPolicy as GroupPolicy } from '@aws-sdk/client-auto-scaling'
import type { CloudAccount, NativePolicy, Replacement, ResourceRef } from '#streams/cloud/connector.ts'
import { groupOf } from '#streams/cloud/aws/act/service/asg.ts'
import { boundsOf, scalableId } from '#streams/cloud/aws/act/service/ecs.ts'
import { kinds } from '#streams/cloud/aws/act/index.ts'
import { goneFault, ignoreNotFound, requireExisting, unsupportedFault } from '#streams/cloud/resource/verb/kind.ts'
import { atOf, type At } from '#streams/cloud/aws/act/kind.ts'
import { openAws } from '#streams/cloud/aws/session/open.ts'
import type { AwsOptions } from '#streams/cloud/aws/session/session.ts'

/** Name prefix of our policies; AWS stores no other mark. */
const mark = 'tidemark/'
const nameMax = 255

const nameAt = (policyName: string): string => `${mark}${policyName}`.slice(0, nameMax)

/** AWS names of our metrics. */
const groupMetrics = {
  cpu_percent: 'ASGAverageCPUUtilization',
  network_bytes_in: 'ASGAverageNetworkIn',
  network_bytes_out: 'ASGAverageNetworkOut',
} as const
const serviceMetrics = {
  cpu_percent: 'ECSServiceAverageCPUUtilization',
  memory_percent: 'ECSServiceAverageMemoryUtilization',
} as const

export async function policies(
  options: AwsOptions,
  account: CloudAccount,
  ref: ResourceRef,
): Promise<readonly NativePolicy[]> {
  const side = sides[ref.type]
  if (!side) return []
  const session = openAws(account, options)
  try {
    const found = (await side.list(atOf(session, ref))).map(({ name, metric, target }) => ({
      policyName: name.startsWith(mark) ? name.slice(mark.length) : name,
      metric,
      target,
      managedBy: name.startsWith(mark) ? ('tidemark' as const) : ('customer' as const),
    }))
    return found.toSorted((one, other) => (one.policyName < other.policyName ? -1 : 1))
  } finally {
    session.close()
  }
}

/**
 * Creates ours before removing others, so that the target always has one. It has a fixed name, so a repeat overwrites
 * it.
 */
export async function replacePolicies(
  options: AwsOptions,
  account: CloudAccount,
  ref: ResourceRef,
  { policyName, metric, target }: Replacement,
): Promise<void> {
  const side = sides[ref.type]
  if (!side) throw unsupportedFault(ref, 'scaling policies of its cloud')
  if (!Object.hasOwn(side.metrics, metric)) throw unsupportedFault(ref, `scaling policies of its cloud for ${metric}`)
  const session = openAws(account, options)
  try {
    const at = atOf(session, ref)
    const name = nameAt(policyName)
    await side.put(at, name, metric, target)
    for (const other of await side.list(at)) if (other.name !== name) await ignoreNotFound(side.remove(at, other.name))
  } finally {
    session.close()
  }
}

/** A policy by its AWS name. A step policy has no target value: 0. */
interface CurrentPolicy {
  name: string
  metric: string
  target: number
}

interface Side {
  metrics: Readonly<Record<string, string>>
  list: (at: At) => Promise<CurrentPolicy[]>
  /** @throws `resource_not_found` */
  put: (at: At, name: string, metric: string, target: number) => Promise<unknown>
  remove: (at: At, name: string) => Promise<unknown>
}

/** Our name for an AWS metric, or AWS's own name. */
const ourName = (metrics: Side['metrics'], theirs: string): string =>
  Object.entries(metrics).find(([, name]) => name === theirs)?.[0] ?? theirs

interface Tracking {
  TargetValue?: number | undefined
  PredefinedMetricSpecification?: { PredefinedMetricType?: string | undefined } | undefined
  CustomizedMetricSpecification?: { MetricName?: string | undefined } | undefined
}

function toCurrentPolicies(
  policy: { PolicyName?: string | undefined; PolicyType?: string | undefined },
  tracking: Tracking | undefined,
  metrics: Side['metrics'],
): CurrentPolicy[] {
  const { PolicyName: name, PolicyType } = policy
  if (name === undefined) return []
  const theirs =
    tracking?.PredefinedMetricSpecification?.PredefinedMetricType ?? tracking?.CustomizedMetricSpecification?.MetricName
  return [{ name, metric: ourName(metrics, theirs ?? PolicyType ?? ''), target: tracking?.TargetValue ?? 0 }]
}

async function groupPolicies(at: At): Promise<CurrentPolicy[]> {
  const { session, region, name } = at
  const found: CurrentPolicy[] = []
  const pages = session.pages(
    'auto-scaling',
    region,
    (m, NextToken) => new m.DescribePoliciesCommand({ AutoScalingGroupName: name, ...(NextToken && { NextToken }) }),
    ({ NextToken }) => NextToken,
  )
  for await (const { ScalingPolicies = [] } of pages)
    found.push(...ScalingPolicies.flatMap((one) => toCurrentPolicies(one, trackingOf(one), groupMetrics)))
  return found
}

/** A predictive policy has its target in another member. */
function trackingOf({
  TargetTrackingConfiguration,
  PredictiveScalingConfiguration,
}: GroupPolicy): Tracking | undefined {
  const [predicted] = PredictiveScalingConfiguration?.MetricSpecifications ?? []
  return TargetTrackingConfiguration ?? (predicted && { TargetValue: predicted.TargetValue })
}

const group: Side = {
  metrics: groupMetrics,
  list: async (at) => ((await groupOf(at)) ? groupPolicies(at) : []),
  put: async (at, name, metric, TargetValue) => {
    if (!(await groupOf(at))) throw goneFault(at)
    const order = {
      AutoScalingGroupName: at.name,
      PolicyName: name,
      PolicyType: 'TargetTrackingScaling',
      TargetTrackingConfiguration: {
        TargetValue,
        PredefinedMetricSpecification: { PredefinedMetricType: groupMetrics[metric as keyof typeof groupMetrics] },
      },
    }
    await at.session.ask('auto-scaling', at.region, (m) => new m.PutScalingPolicyCommand(order))
  },
  remove: ({ session, region, name: AutoScalingGroupName }, PolicyName) =>
    session.ask('auto-scaling', region, (m) => new m.DeletePolicyCommand({ AutoScalingGroupName, PolicyName })),
}

async function servicePolicies(at: At): Promise<CurrentPolicy[]> {
  const found: CurrentPolicy[] = []
  const pages = at.session.pages(
    'application-auto-scaling',
    at.region,
    (m, NextToken) => new m.DescribeScalingPoliciesCommand({ ...scalableId(at), ...(NextToken && { NextToken }) }),
    ({ NextToken }) => NextToken,
  )
  for await (const { ScalingPolicies = [] } of pages)
    found.push(
      ...ScalingPolicies.flatMap((one) =>
        toCurrentPolicies(one, one.TargetTrackingScalingPolicyConfiguration, serviceMetrics),
      ),
    )
  return found
}

const containers: Side = {
  metrics: serviceMetrics,
  list: servicePolicies,
  put: async (at, PolicyName, metric, TargetValue) => {
    const { capacity } = await requireExisting(kinds[at.ref.type]!, at)
    const { desired } = capacity!
    const id = scalableId(at)
    if (!(await boundsOf(at))) {
      const bounds = { ...id, MinCapacity: Math.min(1, desired), MaxCapacity: Math.max(1, desired) }
      await at.session.ask('application-auto-scaling', at.region, (m) => new m.RegisterScalableTargetCommand(bounds))
    }
    const order = {
      ...id,
      PolicyName,
      PolicyType: 'TargetTrackingScaling' as const,
      TargetTrackingScalingPolicyConfiguration: {
        TargetValue,
        PredefinedMetricSpecification: { PredefinedMetricType: serviceMetrics[metric as keyof typeof serviceMetrics] },
      },
    }
    await at.session.ask('application-auto-scaling', at.region, (m) => new m.PutScalingPolicyCommand(order))
  },
  remove: (at, PolicyName) =>
    at.session.ask(
      'application-auto-scaling',
      at.region,
      (m) => new m.DeleteScalingPolicyCommand({ ...scalableId(at), PolicyName }),
    ),
}

const sides: Readonly<Record<string, Side>> = { 'aws-asg': group, 'aws-ecs-service': containers }
