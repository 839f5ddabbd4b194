/** Actions on resources other than starting, by resource type. */
import { typeOf } from './resource-type.ts'

/** `set` sets specs, `resize` sets the size: both give the final state, never a difference. */
export const operationKinds = ['stop', 'pause', 'resize', 'set', 'snapshot', 'delete'] as const
export type OperationKind = (typeof operationKinds)[number]

/**
 * The effect of a repeat. `natural`: none. `token`: the cloud recognizes a repeat by the action's id. `look`: it may
 * act twice, so the state must be checked first.
 */
export const repeats = ['natural', 'token', 'look'] as const
export type Repeat = (typeof repeats)[number]

/** Machines that must be off while their size is changed. */
const machines: ReadonlySet<string> = new Set(['aws-ec2', 'gcp-vm', 'azure-vm'])

/** Types whose content can be restored from a snapshot. */
const snapshots: ReadonlySet<string> = new Set([
  'aws-ec2',
  'aws-ebs-volume',
  'aws-rds',
  'aws-aurora-cluster',
  'aws-documentdb',
  'aws-neptune',
  'aws-memorydb',
  'aws-opensearch',
  'aws-lightsail',
  'aws-redshift',
  'aws-fsx',
  'gcp-disk',
  'gcp-cloudsql',
  'gcp-vm',
  'gcp-filestore',
  'azure-disk',
  'azure-vm',
  'azure-sql-database',
  'azure-postgres',
  'azure-mysql',
])

/** Containers of other resources: no action applies to them as a whole. */
const wholes: ReadonlySet<string> = new Set([
  'aws-account',
  'gcp-project',
  'gcp-billing-account',
  'azure-subscription',
  'azure-resource-group',
])
/** Commitments for a term, which cannot be cancelled. */
const commitments: ReadonlySet<string> = new Set([
  'aws-savings-plan',
  'aws-reserved-instance',
  'gcp-commitment',
  'azure-reservation',
  'azure-savings-plan',
])

/**
 * Actions that connectors support for a type; none for unknown types. What a single cloud does not support yet, it
 * refuses with `unsupported_action`.
 */
export function operationsOf(type: string): ReadonlySet<OperationKind> {
  const known = typeOf(type)
  if (!known || wholes.has(type)) return new Set()
  return new Set([
    'set',
    ...(commitments.has(type) ? [] : (['delete'] as const)),
    ...(known.pauseApi ? (['pause'] as const) : []),
    ...(machines.has(type) ? (['resize', 'stop'] as const) : []),
    ...(snapshots.has(type) ? (['snapshot'] as const) : []),
  ])
}
