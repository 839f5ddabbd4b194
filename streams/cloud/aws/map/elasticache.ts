/**
 * Maps ElastiCache clusters. Each cluster is a resource, as in bills and metrics, and includes data of its replication
 * group.
 */
import type { CacheCluster, ReplicationGroup } from '@aws-sdk/client-elasticache'
import type { DiscoveredResource } from '#streams/cloud/connector.ts'
import { nodeUsd } from '#streams/cloud/aws/resource/price.ts'
import { arnOf, listOf, resource, timesUsd, timeOf, type AwsTags, type Where } from './resource.ts'

export function cache(
  one: CacheCluster,
  where: Where,
  group: ReplicationGroup | undefined,
  tags: AwsTags,
): DiscoveredResource[] {
  const usd = nodeUsd('elasticache', one.CacheNodeType, { region: where.region })
  return resource('aws-elasticache', cacheArn(one, where), where, {
    name: one.CacheClusterId,
    zone: isZone(one.PreferredAvailabilityZone) ? one.PreferredAvailabilityZone : undefined,
    instanceType: one.CacheNodeType,
    unitCount: one.NumCacheNodes,
    tags,
    hourlyRateUSD: timesUsd(usd, one.NumCacheNodes),
    specs: {
      created_at: timeOf(one.CacheClusterCreateTime),
      state: one.CacheClusterStatus,
      engine: one.Engine,
      engine_version: one.EngineVersion,
      node_count: one.NumCacheNodes,
      replication_group: one.ReplicationGroupId ?? null,
      replicas_per_shard: one.ReplicationGroupId ? group && replicasOf(group) : 0,
      multi_az: one.ReplicationGroupId ? group?.MultiAZ && group.MultiAZ === 'enabled' : false,
      transit_encryption: one.TransitEncryptionEnabled,
      at_rest_encryption: one.AtRestEncryptionEnabled,
      snapshot_retention_days: one.SnapshotRetentionLimit,
    },
  })
}

/** Older answers lack the ARN. */
export const cacheArn = (one: CacheCluster, where: Where): string | undefined =>
  one.ARN ?? (one.CacheClusterId && arnOf('elasticache', where, `cluster:${one.CacheClusterId}`))

/** A cluster with nodes in several zones has the zone `Multiple`. */
const isZone = (zone: string | undefined): boolean => zone !== undefined && zone !== 'Multiple'

const replicasOf = ({ NodeGroups }: ReplicationGroup): number =>
  Math.max(0, ...listOf(NodeGroups).map(({ NodeGroupMembers }) => listOf(NodeGroupMembers).length - 1))
