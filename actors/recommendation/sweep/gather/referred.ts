/** What resources refer to in their attributes and names: the sources of copies, the owners of log groups. */
import type { GatherResource } from './context.ts'

/** Specs in which snapshots, backups and other copies name their source. */
const sourceSpecs = [
  'source_uid',
  'source_id',
  'source_resource_id',
  'source_volume_id',
  'volume_id',
  'source_disk',
  'source_instance',
  'source_instance_id',
  'source_cluster',
  'resource_id',
  'resource_arn',
]
export const isCopy = (type: string): boolean =>
  /-(snapshot|backup|backup-item|recovery-point|[a-z]+-snapshot|[a-z]+-backup)$/.test(type)

/** Types of the sources of a type of copy. */
const sourceTypes: Readonly<Record<string, RegExp>> = {
  'aws-ebs-snapshot': /^aws-ebs-volume$/,
  'aws-rds-snapshot': /^aws-(rds|aurora-cluster)$/,
  'aws-redshift-snapshot': /^aws-redshift$/,
  'gcp-snapshot': /^gcp-disk$/,
  'gcp-cloudsql-backup': /^gcp-cloudsql$/,
  'azure-snapshot': /^azure-disk$/,
  'azure-backup-item': /^azure-vm$/,
}

/** Types of the sources of a recovery point, by the kind of resource that AWS Backup names. */
const backedUp: Readonly<Record<string, RegExp>> = {
  Aurora: /^aws-aurora-cluster$/,
  DocumentDB: /^aws-documentdb$/,
  DynamoDB: /^aws-dynamodb-table$/,
  EBS: /^aws-ebs-volume$/,
  EC2: /^aws-ec2$/,
  EFS: /^aws-efs$/,
  FSx: /^aws-fsx$/,
  Neptune: /^aws-neptune$/,
  RDS: /^aws-rds$/,
  Redshift: /^aws-redshift$/,
  S3: /^aws-s3-bucket$/,
}

/** Undefined if the type of its source is not known. */
export const sourceTypesOf = ({ type, specs }: GatherResource): RegExp | undefined =>
  type === 'aws-recovery-point' ? backedUp[String(specs['resource_type'])] : sourceTypes[type]

/** Whether it can be told of copies of a type that their source is gone. */
export const hasKnownSources = (type: string): boolean =>
  type === 'aws-recovery-point' || sourceTypes[type] !== undefined

/** Stands for a volume in another region or account. */
export const elsewhere = /^vol-f+$/

/** `i-1` from an ARN, a link or a path. */
export const lastPart = (uid: string): string =>
  uid.slice(Math.max(uid.lastIndexOf('/'), uid.lastIndexOf(':')) + 1).toLowerCase()

/** Possible names of the source of a copy; one match is enough. */
export function sourcesOf({ type, parentUid, specs }: GatherResource): string[] {
  if (!isCopy(type)) return []
  const named = sourceSpecs.map((name) => specs[name]).filter((value) => typeof value === 'string')
  return [parentUid, ...named].filter(Boolean)
}

const logGroupShape =
  /^(arn:[\w-]+):logs:([\w-]+:\d+):log-group:\/aws\/(lambda|eks|rds\/instance|rds\/cluster)\/([^/]+)/
/** What names of log groups begin with: the service in the uid of the owner, what stands before its name there, its type. */
const logOwners: Readonly<Record<string, readonly [service: string, before: string, type: RegExp]>> = {
  lambda: ['lambda', 'function:', /^aws-lambda$/],
  eks: ['eks', 'cluster/', /^aws-eks$/],
  'rds/instance': ['rds', 'db:', /^aws-rds$/],
  'rds/cluster': ['rds', 'cluster:', /^aws-(aurora-cluster|documentdb|neptune)$/],
}

interface LogOwner {
  uid: string
  kind: RegExp
}

/** The function, cluster or database that a log group is named after. */
export function logOwnerOf({ type, uid }: GatherResource): LogOwner | undefined {
  const [, arn = '', place = '', group = '', name = ''] = (type === 'aws-log-group' && logGroupShape.exec(uid)) || []
  const owner = logOwners[group]
  return owner && { uid: `${arn}:${owner[0]}:${place}:${owner[1]}${name}`, kind: owner[2] }
}
