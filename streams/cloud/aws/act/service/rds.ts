/** Databases of RDS, and snapshots of them. */
import type { DBInstance, ModifyDBInstanceMessage } from '@aws-sdk/client-rds'
import type { ActionOutcome } from '#streams/cloud/connector.ts'
import { databaseStatus } from '#streams/cloud/aws/resource/status.ts'
import {
  deleting,
  invalid,
  isWord,
  ignoreNotFound,
  requireExisting,
  madeName,
  notThere,
  numberIn,
  setting,
  switching,
  textIn,
  dropNullish,
  unsupportedFault,
  type At,
  type ActionHandler,
  type ResourceKind,
  type ResourceState,
  type Specs,
} from '#streams/cloud/aws/act/kind.ts'

async function look({ session, region, name }: At): Promise<ResourceState> {
  const filter = { DBInstanceIdentifier: name }
  const answer = await ignoreNotFound(session.ask('rds', region, (m) => new m.DescribeDBInstancesCommand(filter)))
  const found = answer?.DBInstances?.[0]
  if (!found) return notThere
  const state = found.DBInstanceStatus
  return {
    exists: true,
    ...dropNullish({ status: databaseStatus('aws-rds', state), instanceType: found.DBInstanceClass }),
    specs: specsOf(found),
    coming: comingTo(found),
    isGoing: state === 'deleting',
  }
}

const specsOf = (found: DBInstance) =>
  dropNullish({
    cluster_id: found.DBClusterIdentifier ?? null,
    multi_az: found.MultiAZ,
    storage_type: found.StorageType,
    iops: found.Iops,
    size_gb: found.AllocatedStorage,
    backup_retention_days: found.BackupRetentionPeriod,
    deletion_protection: found.DeletionProtection,
    publicly_accessible: found.PubliclyAccessible,
  })

function comingTo({ PendingModifiedValues: pending = {} }: DBInstance) {
  return dropNullish({
    instance_type: pending.DBInstanceClass,
    multi_az: pending.MultiAZ,
    storage_type: pending.StorageType,
    iops: pending.Iops,
    size_gb: pending.AllocatedStorage,
    backup_retention_days: pending.BackupRetentionPeriod,
  })
}

/** What is of a cluster is started and stopped with it. */
const alone =
  (what: string, doing: ActionHandler): ActionHandler =>
  async (at, action) => {
    if (at.ref.specs?.['cluster_id']) throw unsupportedFault(at.ref, `its own ${what}: it belongs to the cluster`)
    return doing(at, action)
  }

const start = switching(look, 'running', ({ session, region, name }) =>
  session.ask('rds', region, (m) => new m.StartDBInstanceCommand({ DBInstanceIdentifier: name })),
)
const stop = switching(look, 'stopped', ({ session, region, name }) =>
  session.ask('rds', region, (m) => new m.StopDBInstanceCommand({ DBInstanceIdentifier: name })),
)

const set = setting(look, ({ session, region, name }, specs) => {
  const change: ModifyDBInstanceMessage = {
    DBInstanceIdentifier: name,
    ApplyImmediately: true,
    ...dropNullish({
      DBInstanceClass: textIn(specs, 'instance_type'),
      StorageType: textIn(specs, 'storage_type'),
      Iops: numberIn(specs, 'iops'),
      AllocatedStorage: numberIn(specs, 'size_gb'),
      BackupRetentionPeriod: numberIn(specs, 'backup_retention_days'),
      MultiAZ: flagIn(specs, 'multi_az'),
      DeletionProtection: flagIn(specs, 'deletion_protection'),
      PubliclyAccessible: flagIn(specs, 'publicly_accessible'),
    }),
  }
  return session.ask('rds', region, (m) => new m.ModifyDBInstanceCommand(change))
})

export function flagIn(specs: Specs, name: string): boolean | undefined {
  const value = specs[name]
  if (value === undefined || typeof value === 'boolean') return value
  throw invalid(name, value)
}

/** One of the name that follows from the action: AWS makes no second of a name. */
const snapshot: ActionHandler = async (at, action) => {
  const { session, region, name } = at
  const id = madeName(action)
  const found = await snapshotState(at, id)
  if (found) return found
  await requireExisting({ look }, at)
  const order = { DBInstanceIdentifier: name, DBSnapshotIdentifier: id }
  try {
    await session.ask('rds', region, (m) => new m.CreateDBSnapshotCommand(order))
  } catch (error) {
    if (!isWord(error, /^DBSnapshotAlreadyExists/)) throw error
  }
  return (await snapshotState(at, id)) ?? { status: 'running' }
}

async function snapshotState({ session, region }: At, id: string): Promise<ActionOutcome | undefined> {
  const filter = { DBSnapshotIdentifier: id }
  const answer = await ignoreNotFound(session.ask('rds', region, (m) => new m.DescribeDBSnapshotsCommand(filter)))
  const state = answer?.DBSnapshots?.[0]?.Status
  return state === undefined ? undefined : { status: state === 'available' ? 'succeeded' : 'running' }
}

export const database: ResourceKind = {
  look,
  sets: [
    'instance_type',
    'storage_type',
    'iops',
    'size_gb',
    'backup_retention_days',
    'multi_az',
    'deletion_protection',
    'publicly_accessible',
  ],
  acts: {
    start: alone('start', start),
    stop: alone('stop', stop),
    set,
    snapshot,
    // Whoever deletes takes a snapshot first; what AWS backed up by itself stays as long as it was to be kept.
    delete: deleting(look, ({ session, region, name }) =>
      session.ask(
        'rds',
        region,
        (m) =>
          new m.DeleteDBInstanceCommand({
            DBInstanceIdentifier: name,
            SkipFinalSnapshot: true,
            DeleteAutomatedBackups: false,
          }),
      ),
    ),
  },
}

async function lookSnapshot({ session, region, name, ref }: At): Promise<ResourceState> {
  if (ref.resourceUid.includes(':cluster-snapshot:')) {
    const filter = { DBClusterSnapshotIdentifier: name }
    const answer = await ignoreNotFound(
      session.ask('rds', region, (m) => new m.DescribeDBClusterSnapshotsCommand(filter)),
    )
    return answer?.DBClusterSnapshots?.length ? { exists: true, status: 'running' } : notThere
  }
  const filter = { DBSnapshotIdentifier: name }
  const answer = await ignoreNotFound(session.ask('rds', region, (m) => new m.DescribeDBSnapshotsCommand(filter)))
  return answer?.DBSnapshots?.length ? { exists: true, status: 'running' } : notThere
}

export const databaseSnapshot: ResourceKind = {
  look: lookSnapshot,
  acts: {
    delete: deleting(lookSnapshot, async ({ session, region, name, ref }) => {
      if (ref.resourceUid.includes(':cluster-snapshot:')) {
        const order = { DBClusterSnapshotIdentifier: name }
        await session.ask('rds', region, (m) => new m.DeleteDBClusterSnapshotCommand(order))
      } else {
        const order = { DBSnapshotIdentifier: name }
        await session.ask('rds', region, (m) => new m.DeleteDBSnapshotCommand(order))
      }
    }),
  },
}
