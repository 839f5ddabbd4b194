/** Databases of RDS, and snapshots of them. */
import type { DBInstance, ModifyDBInstanceMessage } from '@aws-sdk/client-rds'
import { databaseStatus } from '#streams/cloud/aws/resource/status.ts'
import {
  absent,
  ignoreNotFound,
  snapshotProgress,
  unsupportedFault,
  type ResourceKind,
  type ResourceState,
} from '#streams/cloud/resource/verb/kind.ts'
import { dropNullish, flagIn, numberIn, textIn } from '#streams/cloud/resource/verb/spec.ts'
import type { At, Verbs } from '#streams/cloud/aws/act/kind.ts'

async function look({ session, region, name }: At): Promise<ResourceState> {
  const filter = { DBInstanceIdentifier: name }
  const answer = await ignoreNotFound(session.ask('rds', region, (m) => new m.DescribeDBInstancesCommand(filter)))
  const found = answer?.DBInstances?.[0]
  if (!found) return absent
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

const set: Verbs['set'] = ({ session, region, name }, specs) => {
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
}

const snapshot: Verbs['snapshot'] = {
  find: async ({ session, region }, name) => {
    const filter = { DBSnapshotIdentifier: name }
    const answer = await ignoreNotFound(session.ask('rds', region, (m) => new m.DescribeDBSnapshotsCommand(filter)))
    return snapshotProgress(name, answer?.DBSnapshots?.[0]?.Status)
  },
  create: ({ session, region, name }, id) => {
    const order = { DBInstanceIdentifier: name, DBSnapshotIdentifier: id }
    return session.ask('rds', region, (m) => new m.CreateDBSnapshotCommand(order))
  },
}

export const database: ResourceKind<At> = {
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
  // A member of a cluster is started and stopped with it.
  check: ({ ref }, verb) => {
    if ((verb === 'start' || verb === 'stop') && ref.specs?.['cluster_id'])
      throw unsupportedFault(ref, `its own ${verb}: it belongs to the cluster`)
  },
  start: ({ session, region, name }) =>
    session.ask('rds', region, (m) => new m.StartDBInstanceCommand({ DBInstanceIdentifier: name })),
  stop: ({ session, region, name }) =>
    session.ask('rds', region, (m) => new m.StopDBInstanceCommand({ DBInstanceIdentifier: name })),
  set,
  snapshot,
  // Whoever deletes takes a snapshot first; what AWS backed up by itself stays as long as it was to be kept.
  delete: ({ session, region, name }) =>
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
}

async function lookSnapshot({ session, region, name, ref }: At): Promise<ResourceState> {
  if (ref.resourceUid.includes(':cluster-snapshot:')) {
    const filter = { DBClusterSnapshotIdentifier: name }
    const answer = await ignoreNotFound(
      session.ask('rds', region, (m) => new m.DescribeDBClusterSnapshotsCommand(filter)),
    )
    return answer?.DBClusterSnapshots?.length ? { exists: true, status: 'running' } : absent
  }
  const filter = { DBSnapshotIdentifier: name }
  const answer = await ignoreNotFound(session.ask('rds', region, (m) => new m.DescribeDBSnapshotsCommand(filter)))
  return answer?.DBSnapshots?.length ? { exists: true, status: 'running' } : absent
}

export const databaseSnapshot: ResourceKind<At> = {
  look: lookSnapshot,
  delete: async ({ session, region, name, ref }) => {
    if (ref.resourceUid.includes(':cluster-snapshot:')) {
      const order = { DBClusterSnapshotIdentifier: name }
      await session.ask('rds', region, (m) => new m.DeleteDBClusterSnapshotCommand(order))
    } else {
      const order = { DBSnapshotIdentifier: name }
      await session.ask('rds', region, (m) => new m.DeleteDBSnapshotCommand(order))
    }
  },
}
