/** Tables of DynamoDB: their capacity, and who keeps it. */
import type { UpdateTableInput } from '@aws-sdk/client-dynamodb'
import {
  deleting,
  known,
  notThere,
  numberIn,
  setting,
  textIn,
  told,
  unsupported,
  type At,
  type Kind,
  type Seen,
} from './kind.ts'

async function look(at: At): Promise<Seen> {
  const { session, region, name } = at
  const answer = await known(session.ask('dynamodb', region, (m) => new m.DescribeTableCommand({ TableName: name })))
  const table = answer?.Table
  if (!table) return notThere
  const { ProvisionedThroughput: has = {}, BillingModeSummary, TableClassSummary, TableStatus } = table
  return {
    exists: true,
    status: TableStatus === 'DELETING' ? 'stopping' : TableStatus === 'CREATING' ? 'pending' : 'running',
    specs: told({
      billing_mode: BillingModeSummary?.BillingMode ?? 'PROVISIONED',
      read_capacity: has.ReadCapacityUnits,
      write_capacity: has.WriteCapacityUnits,
      table_class: TableClassSummary?.TableClass ?? 'STANDARD',
      autoscaling: (await targets(at)).length > 0,
    }),
    isGoing: TableStatus === 'DELETING',
  }
}

async function targets({ session, region, name }: At) {
  const filter = { ServiceNamespace: 'dynamodb' as const, ResourceIds: [`table/${name}`] }
  const answer = await session.ask(
    'application-auto-scaling',
    region,
    (m) => new m.DescribeScalableTargetsCommand(filter),
  )
  return answer.ScalableTargets ?? []
}

const set = setting(look, async (at, specs, { specs: now = {} }) => {
  const { session, region, name } = at
  const mode = textIn(specs, 'billing_mode') ?? textIn(now, 'billing_mode')
  const [read, write] = [numberIn(specs, 'read_capacity'), numberIn(specs, 'write_capacity')]
  const isSized = read !== undefined || write !== undefined
  if (isSized && mode !== 'PROVISIONED') throw unsupported(at.ref, 'capacity of its own: it is paid by request')
  const change: Omit<UpdateTableInput, 'TableName'> = {
    ...told({
      BillingMode: textIn(specs, 'billing_mode') as 'PROVISIONED' | undefined,
      TableClass: textIn(specs, 'table_class') as 'STANDARD' | undefined,
    }),
    ...((isSized || specs['billing_mode'] === 'PROVISIONED') && {
      ProvisionedThroughput: {
        ReadCapacityUnits: Math.max(1, read ?? Number(now['read_capacity'] ?? 0)),
        WriteCapacityUnits: Math.max(1, write ?? Number(now['write_capacity'] ?? 0)),
      },
    }),
  }
  if (Object.keys(change).length > 0)
    await session.ask('dynamodb', region, (m) => new m.UpdateTableCommand({ TableName: name, ...change }))
  if (specs['autoscaling'] !== undefined) await kept(at, specs['autoscaling'] === true)
})

const dimensions = [
  ['dynamodb:table:ReadCapacityUnits', 'DynamoDBReadCapacityUtilization'],
  ['dynamodb:table:WriteCapacityUnits', 'DynamoDBWriteCapacityUtilization'],
] as const

/** Percent of its capacity that Application Auto Scaling keeps it at, and the most units it gives it. */
const usePercent = 70
const unitsMax = 40_000

async function kept({ session, region, name }: At, isKept: boolean): Promise<void> {
  for (const [ScalableDimension, PredefinedMetricType] of dimensions) {
    const id = { ServiceNamespace: 'dynamodb' as const, ResourceId: `table/${name}`, ScalableDimension }
    if (!isKept) {
      await known(session.ask('application-auto-scaling', region, (m) => new m.DeregisterScalableTargetCommand(id)))
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

export const table: Kind = {
  look,
  sets: ['billing_mode', 'read_capacity', 'write_capacity', 'table_class', 'autoscaling'],
  acts: {
    set,
    delete: deleting(look, ({ session, region, name }) =>
      session.ask('dynamodb', region, (m) => new m.DeleteTableCommand({ TableName: name })),
    ),
  },
}
