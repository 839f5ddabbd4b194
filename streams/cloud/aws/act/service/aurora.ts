/** Clusters of databases: Aurora, and what answers the same calls, DocumentDB and Neptune. */
import type { DBCluster } from '@aws-sdk/client-rds'
import { databaseStatus } from '#streams/cloud/aws/resource/status.ts'
import {
  absent,
  ignoreNotFound,
  snapshotProgress,
  type ResourceKind,
  type ResourceState,
} from '#streams/cloud/resource/verb/kind.ts'
import { dropNullish, flagIn, numberIn, textIn } from '#streams/cloud/resource/verb/spec.ts'
import type { At, Verbs } from '#streams/cloud/aws/act/kind.ts'
import { isWord } from '#streams/cloud/aws/session/fault.ts'

async function clusterOf({ session, region, name }: At): Promise<DBCluster | undefined> {
  const filter = { DBClusterIdentifier: name }
  const answer = await ignoreNotFound(session.ask('rds', region, (m) => new m.DescribeDBClustersCommand(filter)))
  return answer?.DBClusters?.[0]
}

async function look(at: At): Promise<ResourceState> {
  const found = await clusterOf(at)
  if (!found) return absent
  const scaling = found.ServerlessV2ScalingConfiguration
  return {
    exists: true,
    ...dropNullish({ status: databaseStatus(at.ref.type, found.Status) }),
    specs: dropNullish({
      storage_type: found.StorageType ?? 'aurora',
      serverless_min_acu: scaling?.MinCapacity,
      serverless_max_acu: scaling?.MaxCapacity,
      backup_retention_days: found.BackupRetentionPeriod,
      deletion_protection: found.DeletionProtection,
    }),
    coming: dropNullish({ backup_retention_days: found.PendingModifiedValues?.BackupRetentionPeriod }),
    isGoing: found.Status === 'deleting',
  }
}

const set: Verbs['set'] = ({ session, region, name }, specs, { specs: now = {} }) => {
  const MinCapacity = numberIn(specs, 'serverless_min_acu')
  const MaxCapacity = numberIn(specs, 'serverless_max_acu')
  const isScaled = MinCapacity !== undefined || MaxCapacity !== undefined
  const change = {
    DBClusterIdentifier: name,
    ApplyImmediately: true,
    ...dropNullish({
      StorageType: textIn(specs, 'storage_type'),
      BackupRetentionPeriod: numberIn(specs, 'backup_retention_days'),
      DeletionProtection: flagIn(specs, 'deletion_protection'),
    }),
    ...(isScaled && {
      ServerlessV2ScalingConfiguration: dropNullish({
        MinCapacity: MinCapacity ?? numberIn(now, 'serverless_min_acu'),
        MaxCapacity: MaxCapacity ?? numberIn(now, 'serverless_max_acu'),
      }),
    }),
  }
  return session.ask('rds', region, (m) => new m.ModifyDBClusterCommand(change))
}

const snapshot: Verbs['snapshot'] = {
  find: async ({ session, region }, name) => {
    const filter = { DBClusterSnapshotIdentifier: name }
    const answer = await ignoreNotFound(
      session.ask('rds', region, (m) => new m.DescribeDBClusterSnapshotsCommand(filter)),
    )
    return snapshotProgress(name, answer?.DBClusterSnapshots?.[0]?.Status)
  },
  create: ({ session, region, name }, id) => {
    const order = { DBClusterIdentifier: name, DBClusterSnapshotIdentifier: id }
    return session.ask('rds', region, (m) => new m.CreateDBClusterSnapshotCommand(order))
  },
}

/** AWS deletes no cluster before its members: they are asked to go first, those that are going already are not. */
async function deleteWhole(at: At): Promise<void> {
  const { session, region, name } = at
  const found = await clusterOf(at)
  for (const { DBInstanceIdentifier: id } of found?.DBClusterMembers ?? []) {
    if (id === undefined) continue
    const order = { DBInstanceIdentifier: id, SkipFinalSnapshot: true }
    await ignoreNotFound(session.ask('rds', region, (m) => new m.DeleteDBInstanceCommand(order))).catch(
      (error: unknown) => {
        if (!isWord(error, /^InvalidDBInstanceState/)) throw error
      },
    )
  }
  const order = { DBClusterIdentifier: name, SkipFinalSnapshot: true }
  await session.ask('rds', region, (m) => new m.DeleteDBClusterCommand(order))
}

export const databaseCluster: ResourceKind<At> = {
  look,
  sets: ['storage_type', 'serverless_min_acu', 'serverless_max_acu', 'backup_retention_days', 'deletion_protection'],
  start: ({ session, region, name }) =>
    session.ask('rds', region, (m) => new m.StartDBClusterCommand({ DBClusterIdentifier: name })),
  stop: ({ session, region, name }) =>
    session.ask('rds', region, (m) => new m.StopDBClusterCommand({ DBClusterIdentifier: name })),
  set,
  snapshot,
  delete: deleteWhole,
}
