/** Maps RDS databases and clusters: those of Aurora, and those of DocumentDB and Neptune, which RDS calls list too. */
import type { DBCluster, DBInstance } from '@aws-sdk/client-rds'
import type { DiscoveredResource } from '#streams/cloud/connector.ts'
import { nodeUsd } from '#streams/cloud/aws/resource/price.ts'
import { listOf, orNull, resource, timesUsd, timeOf, type Where } from './resource.ts'

const engines: Readonly<Record<string, string>> = { docdb: 'aws-documentdb', neptune: 'aws-neptune' }

/** `isSecondary`: a copy of a cluster of another region; undefined if unknown. */
export const databaseCluster = (one: DBCluster, where: Where, isSecondary?: boolean): DiscoveredResource[] =>
  resource(engines[one.Engine ?? ''] ?? 'aws-aurora-cluster', one.DBClusterArn ?? one.DBClusterIdentifier, where, {
    name: one.DBClusterIdentifier,
    state: one.Status,
    tags: one.TagList,
    specs: {
      created_at: timeOf(one.ClusterCreateTime),
      engine: one.Engine,
      engine_version: one.EngineVersion,
      engine_mode: one.EngineMode,
      global_secondary: isSecondary,
      storage_type: one.StorageType || 'aurora',
      member_count: listOf(one.DBClusterMembers).length,
      serverless_min_acu: orNull(one.ServerlessV2ScalingConfiguration?.MinCapacity),
      serverless_max_acu: orNull(one.ServerlessV2ScalingConfiguration?.MaxCapacity),
      deletion_protection: one.DeletionProtection,
      storage_encrypted: one.StorageEncrypted,
      backup_retention_days: one.BackupRetentionPeriod,
      master_secret_arn: orNull(one.MasterUserSecret?.SecretArn),
    },
  })

/**
 * `clusterOf` returns the uid for a cluster's name. A member can only be started and stopped together with its cluster.
 */
export function database(
  one: DBInstance,
  where: Where,
  clusterOf: (name: string) => string | undefined,
): DiscoveredResource[] {
  const cluster = one.DBClusterIdentifier || null
  const usd = nodeUsd('rds', one.DBInstanceClass, { engine: one.Engine, region: where.region })
  return resource('aws-rds', one.DBInstanceArn ?? one.DBInstanceIdentifier, where, {
    name: one.DBInstanceIdentifier,
    state: one.DBInstanceStatus,
    zone: one.AvailabilityZone,
    parentUID: cluster === null ? undefined : clusterOf(cluster),
    instanceType: one.DBInstanceClass,
    sizeGB: one.AllocatedStorage,
    tags: one.TagList,
    schedulable: cluster === null ? undefined : false,
    hourlyRateUSD: timesUsd(usd, one.MultiAZ ? 2 : 1),
    specs: { ...specsOf(one), cluster_id: cluster },
  })
}

const specsOf = (one: DBInstance): Record<string, unknown> => ({
  created_at: timeOf(one.InstanceCreateTime),
  engine: one.Engine,
  engine_version: one.EngineVersion,
  multi_az: one.MultiAZ,
  storage_type: one.StorageType,
  iops: one.Iops,
  throughput_mibps: one.StorageThroughput,
  is_replica: Boolean(one.ReadReplicaSourceDBInstanceIdentifier ?? one.ReadReplicaSourceDBClusterIdentifier),
  replica_count: listOf(one.ReadReplicaDBInstanceIdentifiers).length,
  publicly_accessible: one.PubliclyAccessible,
  storage_encrypted: one.StorageEncrypted,
  backup_retention_days: one.BackupRetentionPeriod,
  deletion_protection: one.DeletionProtection,
  auto_minor_upgrade: one.AutoMinorVersionUpgrade,
  ca_expires_at: timeOf(one.CertificateDetails?.ValidTill),
  max_allocated_storage_gb: orNull(one.MaxAllocatedStorage),
  master_secret_arn: orNull(one.MasterUserSecret?.SecretArn),
})
