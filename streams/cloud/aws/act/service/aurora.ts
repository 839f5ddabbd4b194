/** Clusters of databases: Aurora, and what answers the same calls, DocumentDB and Neptune. */
import type { DBCluster } from '@aws-sdk/client-rds'
import type { ActionOutcome } from '#streams/cloud/connector.ts'
import { databaseStatus } from '#streams/cloud/aws/resource/status.ts'
import {
  deleting,
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
  type At,
  type ActionHandler,
  type ResourceKind,
  type ResourceState,
} from '#streams/cloud/aws/act/kind.ts'
import { flagIn } from './rds.ts'

async function clusterOf({ session, region, name }: At): Promise<DBCluster | undefined> {
  const filter = { DBClusterIdentifier: name }
  const answer = await ignoreNotFound(session.ask('rds', region, (m) => new m.DescribeDBClustersCommand(filter)))
  return answer?.DBClusters?.[0]
}

async function look(at: At): Promise<ResourceState> {
  const found = await clusterOf(at)
  if (!found) return notThere
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

const start = switching(look, 'running', ({ session, region, name }) =>
  session.ask('rds', region, (m) => new m.StartDBClusterCommand({ DBClusterIdentifier: name })),
)
const stop = switching(look, 'stopped', ({ session, region, name }) =>
  session.ask('rds', region, (m) => new m.StopDBClusterCommand({ DBClusterIdentifier: name })),
)

const set = setting(look, ({ session, region, name }, specs, { specs: now = {} }) => {
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
})

const snapshot: ActionHandler = async (at, action) => {
  const { session, region, name } = at
  const id = madeName(action)
  const found = await snapshotState(at, id)
  if (found) return found
  await requireExisting({ look }, at)
  const order = { DBClusterIdentifier: name, DBClusterSnapshotIdentifier: id }
  try {
    await session.ask('rds', region, (m) => new m.CreateDBClusterSnapshotCommand(order))
  } catch (error) {
    if (!isWord(error, /^DBClusterSnapshotAlreadyExists/)) throw error
  }
  return (await snapshotState(at, id)) ?? { status: 'running' }
}

async function snapshotState({ session, region }: At, id: string): Promise<ActionOutcome | undefined> {
  const filter = { DBClusterSnapshotIdentifier: id }
  const answer = await ignoreNotFound(
    session.ask('rds', region, (m) => new m.DescribeDBClusterSnapshotsCommand(filter)),
  )
  const state = answer?.DBClusterSnapshots?.[0]?.Status
  return state === undefined ? undefined : { status: state === 'available' ? 'succeeded' : 'running' }
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

export const databaseCluster: ResourceKind = {
  look,
  sets: ['storage_type', 'serverless_min_acu', 'serverless_max_acu', 'backup_retention_days', 'deletion_protection'],
  acts: { start, stop, set, snapshot, delete: deleting(look, deleteWhole) },
}
