/** How far AWS fleets may grow within the quotas of their account. */
import { minuteMs } from '#engine/value/day.ts'
import { namedEc2, ec2Sizes } from '#streams/cloud/reference/aws/sizes.ts'
import type { Sizes } from '#streams/cloud/reference/size.ts'
import type { CloudAccount, Quotas, ResourceRef } from '#streams/cloud/connector.ts'
import { groupOf } from '#streams/cloud/aws/act/service/asg.ts'
import { kinds } from '#streams/cloud/aws/act/index.ts'
import { atOf, type At } from '#streams/cloud/aws/act/kind.ts'
import { isWord } from '#streams/cloud/aws/session/fault.ts'
import { openAws } from '#streams/cloud/aws/session/open.ts'
import type { AwsOptions } from '#streams/cloud/aws/session/session.ts'

/** `now`: milliseconds since 1970. */
export async function quotas(
  options: AwsOptions,
  account: CloudAccount,
  ref: ResourceRef,
  now: number = Date.now(),
): Promise<Quotas> {
  if (!byType[ref.type]) return {}
  const session = openAws(account, options)
  try {
    return await quotasOf(atOf(session, ref), now)
  } finally {
    session.close()
  }
}

export async function quotasOf(at: At, now: number): Promise<Quotas> {
  const max = await byType[at.ref.type]?.(at, now)
  return max === undefined ? {} : { max: Math.floor(max) }
}

/** For other types there are no quotas. */
const byType: Readonly<Record<string, (at: At, now: number) => Promise<number | undefined>>> = {
  'aws-asg': machinesMax,
  'aws-ecs-service': tasksMax,
  'aws-eks-nodegroup': (at) => quotaOf(at, 'eks', 'L-BD136A63'),
}

/** The account's quota, otherwise AWS's default; undefined if there is none. */
async function quotaOf({ session, region }: At, ServiceCode: string, QuotaCode: string): Promise<number | undefined> {
  const code = { ServiceCode, QuotaCode }
  try {
    const { Quota } = await session.ask('service-quotas', region, (m) => new m.GetServiceQuotaCommand(code))
    return Quota?.Value
  } catch (error) {
    if (!isWord(error, /^NoSuchResource/)) throw error
  }
  try {
    const { Quota } = await session.ask('service-quotas', region, (m) => new m.GetAWSDefaultServiceQuotaCommand(code))
    return Quota?.Value
  } catch (error) {
    if (!isWord(error, /^NoSuchResource|^AccessDenied/)) throw error
    return undefined
  }
}

/**
 * Quotas of on-demand virtual processors by first letters of the machine family, and the metric dimension of their use.
 */
const processorQuotas: readonly (readonly [letters: string, code: string, counted: string])[] = [
  ['a c d h i im is m r t z', 'L-1216C47A', 'Standard/OnDemand'],
  ['g gr vt', 'L-DB2E81BA', 'G/OnDemand'],
  ['p', 'L-417A185B', 'P/OnDemand'],
  ['x', 'L-7295265B', 'X/OnDemand'],
  ['f', 'L-74FC7D96', 'F/OnDemand'],
  ['inf', 'L-1945791B', 'Inf/OnDemand'],
  ['trn', 'L-2C3B7624', 'Trn/OnDemand'],
]

let sizes: Sizes | undefined

/**
 * Machines for which the quota has room, plus the existing ones. Undefined for an empty group, whose machine type is
 * unknown.
 */
async function machinesMax(at: At, now: number): Promise<number | undefined> {
  const { Instances = [] } = (await groupOf(at)) ?? {}
  const counted = processorsOf(Instances[0]?.InstanceType ?? '')
  if (!counted) return undefined
  const { vcpus, code, usage } = counted
  const [most, used] = await Promise.all([quotaOf(at, 'ec2', code), processorsUsed(at, usage, now)])
  if (most === undefined) return undefined
  const free = most - (used ?? Instances.length * vcpus)
  return Instances.length + Math.max(0, Math.floor(free / vcpus))
}

/** Virtual processors of a machine type, and the quota they count against. */
function processorsOf(type: string): { vcpus: number; code: string; usage: string } | undefined {
  const letter = namedEc2(type)?.letter
  const vcpus = (sizes ??= ec2Sizes()).get(type)?.vcpus
  const quota = processorQuotas.find(([letters]) => letter !== undefined && letters.split(' ').includes(letter))
  return quota && vcpus !== undefined ? { vcpus, code: quota[1], usage: quota[2] } : undefined
}

/** Virtual processors in use in the account, as AWS counts them every five minutes. */
async function processorsUsed({ session, region }: At, counted: string, now: number): Promise<number | undefined> {
  const dimensions = { Service: 'EC2', Type: 'Resource', Resource: 'vCPU', Class: counted }
  const metric = {
    Namespace: 'AWS/Usage',
    MetricName: 'ResourceCount',
    Dimensions: Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value })),
  }
  const order = {
    StartTime: new Date(now - 30 * minuteMs),
    EndTime: new Date(now),
    ScanBy: 'TimestampDescending' as const,
    MetricDataQueries: [{ Id: 'used', MetricStat: { Metric: metric, Period: 300, Stat: 'Maximum' } }],
  }
  const answer = await session.ask('cloudwatch', region, (m) => new m.GetMetricDataCommand(order))
  return answer.MetricDataResults?.[0]?.Values?.[0]
}

/** Maximum tasks of a service; for Fargate also limited by its virtual processors. */
async function tasksMax(at: At): Promise<number | undefined> {
  const { exists, specs = {} } = await kinds['aws-ecs-service']!.look(at)
  if (!exists) return undefined
  const units = Number(specs['task_cpu_units'] ?? 0)
  const isFargate = specs['spot_weight_percent'] !== undefined && units > 0
  const [tasks, processors] = await Promise.all([
    quotaOf(at, 'ecs', 'L-9EF96962'),
    isFargate ? quotaOf(at, 'fargate', 'L-3032A538') : undefined,
  ])
  const known = [tasks, processors && (processors * 1024) / units].filter((max) => max !== undefined)
  return known.length > 0 ? Math.min(...known) : undefined
}
