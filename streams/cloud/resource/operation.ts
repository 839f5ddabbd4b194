/** What a cloud can be asked to do to a resource beside starting and stopping it: one entry a kind, by type of resource. */
import { typeOf } from './resource-type.ts'

/** `set` makes specs what they are to be, `resize` the size: both say what shall be, never by how much it shall change. */
export const operationKinds = ['stop', 'pause', 'resize', 'set', 'snapshot', 'delete'] as const
export type OperationKind = (typeof operationKinds)[number]

/**
 * What asking twice does. `natural`: no more than asking once. `token`: the far side knows the second by the id of the action.
 * `look`: it may do it twice, so that a look has to tell first whether it was done.
 */
export const repeats = ['natural', 'token', 'look'] as const
export type Repeat = (typeof repeats)[number]

/** Machines that are off while their size is changed. */
const machines: ReadonlySet<string> = new Set(['aws-ec2', 'gcp-vm', 'azure-vm'])

/** What is lost with a resource of the type comes back from a snapshot of it. */
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

/** They stand for what they contain: nothing is done to them as a whole. */
const wholes: ReadonlySet<string> = new Set([
  'aws-account',
  'gcp-project',
  'gcp-billing-account',
  'azure-subscription',
  'azure-resource-group',
])
/** What was promised for a time cannot be taken back. */
const commitments: ReadonlySet<string> = new Set([
  'aws-savings-plan',
  'aws-reserved-instance',
  'gcp-commitment',
  'azure-reservation',
  'azure-savings-plan',
])

/**
 * What the product's connectors can do to resources of a type; of a type that is not known, nothing. What a single cloud does not
 * offer yet it refuses by `unsupported_action`.
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
