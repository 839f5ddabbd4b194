/** Maps Redshift clusters. */
import type { Cluster } from '@aws-sdk/client-redshift'
import type { DiscoveredResource } from '#streams/cloud/connector.ts'
import { arnOf, resource, timeOf, type Where } from './resource.ts'

/** `isPaused`: at times, by its own schedule; undefined if unknown. */
export const warehouse = (one: Cluster, where: Where, isPaused?: boolean): DiscoveredResource[] =>
  resource(
    'aws-redshift',
    one.ClusterIdentifier && arnOf('redshift', where, `cluster:${one.ClusterIdentifier}`),
    where,
    {
      name: one.ClusterIdentifier,
      state: one.ClusterStatus,
      zone: one.AvailabilityZone,
      instanceType: one.NodeType,
      unitCount: one.NumberOfNodes,
      tags: one.Tags,
      specs: {
        created_at: timeOf(one.ClusterCreateTime),
        node_type: one.NodeType,
        node_count: one.NumberOfNodes,
        publicly_accessible: one.PubliclyAccessible,
        encrypted: one.Encrypted,
        vpc_id: one.VpcId,
        pause_schedule: isPaused,
      },
    },
  )
