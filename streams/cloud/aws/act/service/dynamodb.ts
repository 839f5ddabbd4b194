/** Tables of DynamoDB: their capacity, and who keeps it. */
import type { UpdateTableInput } from '@aws-sdk/client-dynamodb'
import {
  absent,
  ignoreNotFound,
  unsupportedFault,
  type ResourceKind,
  type ResourceState,
  type Specs,
} from '#streams/cloud/resource/verb/kind.ts'
import { dropNullish, numberIn, textIn } from '#streams/cloud/resource/verb/spec.ts'
import type { At, Verbs } from '#streams/cloud/aws/act/kind.ts'

async function look(at: At): Promise<ResourceState> {
  const { session, region, name } = at
  const answer = await ignoreNotFound(
    session.ask('dynamodb', region, (m) => new m.DescribeTableCommand({ TableName: name })),
  )
  const table = answer?.Table
  if (!table) return absent
  const { ProvisionedThroughput: has = {}, BillingModeSummary, TableClassSummary, TableStatus } = table
  return {
    exists: true,
    status: TableStatus === 'DELETING' ? 'stopping' : TableStatus === 'CREATING' ? 'pending' : 'running',
    specs: dropNullish({
      billing_mode: BillingModeSummary?.BillingMode ?? 'PROVISIONED',
      read_capacity: has.ReadCapacityUnits,
      write_capacity: has.WriteCapacityUnits,
      table_class: TableClassSummary?.TableClass ?? 'STANDARD',
      autoscaling: await isAutoscaled(at),
    }),
    isGoing: TableStatus === 'DELETING',
  }
}

/** Undefined if only some of the targets and policies exist. */
async function isAutoscaled({ session, region, name }: At): Promise<boolean | undefined> {
  const ServiceNamespace = 'dynamodb'
  const ResourceId = `table/${name}`
  const { ScalableTargets: targets = [] } = await session.ask(
    'application-auto-scaling',
    region,
    (m) => new m.DescribeScalableTargetsCommand({ ServiceNamespace, ResourceIds: [ResourceId] }),
  )
  if (targets.length === 0) return false
  const { ScalingPolicies: policies = [] } = await session.ask(
    'application-auto-scaling',
    region,
    (m) => new m.DescribeScalingPoliciesCommand({ ServiceNamespace, ResourceId }),
  )
  const kept = new Set(policies.map(({ ScalableDimension }) => ScalableDimension))
  return dimensions.every(([dimension]) => kept.has(dimension)) || undefined
}

const set: Verbs['set'] = async (at, specs, { specs: now = {} }) => {
  const { session, region, name } = at
  const change = {
    ...dropNullish({
      BillingMode: textIn(specs, 'billing_mode') as 'PROVISIONED' | undefined,
      TableClass: textIn(specs, 'table_class') as 'STANDARD' | undefined,
    }),
    ...capacityOf(at, specs, now),
  }
  if (Object.keys(change).length > 0)
    await session.ask('dynamodb', region, (m) => new m.UpdateTableCommand({ TableName: name, ...change }))
  if (specs['autoscaling'] !== undefined) await setAutoscaling(at, specs['autoscaling'] === true)
}

/** Of a table that has or gets a capacity of its own, read and write together: AWS takes both. */
function capacityOf({ ref }: At, specs: Specs, now: Specs): Pick<UpdateTableInput, 'ProvisionedThroughput'> {
  const [read, write] = [numberIn(specs, 'read_capacity'), numberIn(specs, 'write_capacity')]
  const isSized = read !== undefined || write !== undefined
  const mode = textIn(specs, 'billing_mode') ?? textIn(now, 'billing_mode')
  if (isSized && mode !== 'PROVISIONED')
    throw unsupportedFault(ref, 'setting its capacity while it is billed by request')
  if (!isSized && specs['billing_mode'] !== 'PROVISIONED') return {}
  const units = (wanted: number | undefined, name: string) => Math.max(1, wanted ?? numberIn(now, name) ?? 0)
  return {
    ProvisionedThroughput: {
      ReadCapacityUnits: units(read, 'read_capacity'),
      WriteCapacityUnits: units(write, 'write_capacity'),
    },
  }
}

const dimensions = [
  ['dynamodb:table:ReadCapacityUnits', 'DynamoDBReadCapacityUtilization'],
  ['dynamodb:table:WriteCapacityUnits', 'DynamoDBWriteCapacityUtilization'],
] as const

/** Percent of its capacity that Application Auto Scaling keeps it at, and the most units it gives it. */
const usePercent = 70
const unitsMax = 40_000

async function setAutoscaling({ session, region, name }: At, isKept: boolean): Promise<void> {
  for (const [ScalableDimension, PredefinedMetricType] of dimensions) {
    const id = { ServiceNamespace: 'dynamodb' as const, ResourceId: `table/${name}`, ScalableDimension }
    if (!isKept) {
      await ignoreNotFound(
        session.ask('application-auto-scaling', region, (m) => new m.DeregisterScalableTargetCommand(id)),
      )
      continue
    }
    const bounds = { ...id, MinCapacity: 1, MaxCapacity: unitsMax }
    await session.ask('application-auto-scaling', region, (m) => new m.RegisterScalableTargetCommand(bounds))
    const policy = {
      ...id,
      PolicyName: 'tidemark',
      PolicyType: 'TargetTrackingScaling' as const,
      TargetTrackingScalingPolicyConfiguration: {
        TargetValue: usePercent,
        PredefinedMetricSpecification: { PredefinedMetricType },
      },
    }
    await session.ask('application-auto-scaling', region, (m) => new m.PutScalingPolicyCommand(policy))
  }
}

export const table: ResourceKind<At> = {
  look,
  sets: ['billing_mode', 'read_capacity', 'write_capacity', 'table_class', 'autoscaling'],
  set,
  delete: ({ session, region, name }) =>
    session.ask('dynamodb', region, (m) => new m.DeleteTableCommand({ TableName: name })),
}
