import type { Cluster } from '@aws-sdk/client-memorydb'
import { also, listType } from '#streams/cloud/aws/discover/listed.ts'
import { listOf, timeOf } from '#streams/cloud/aws/map/resource.ts'

const nodeCount = ({ Shards }: Cluster): number | undefined =>
  Shards?.reduce((sum, { NumberOfNodes = 0 }) => sum + NumberOfNodes, 0)

/** AWS does not say when a cluster was created: it is as old as its oldest node, or older. */
function oldestNode({ Shards }: Cluster): string | undefined {
  const times = listOf(Shards).flatMap(({ Nodes }) => listOf(Nodes).flatMap((node) => node.CreateTime ?? []))
  return timeOf(times.toSorted((one, other) => one.getTime() - other.getTime())[0])
}

export const memoryDbClusters = listType('memorydb', {
  type: 'aws-memorydb',
  permissions: ['memorydb:DescribeClusters', 'memorydb:ListTags'],
  list: (m, NextToken) =>
    new m.DescribeClustersCommand({ ShowShardDetails: true, MaxResults: 100, ...(NextToken && { NextToken }) }),
  next: ({ NextToken }) => NextToken,
  items: ({ Clusters }) => Clusters,
  detail: ({ ARN: ResourceArn }, place) =>
    also(place, 'tags', () => place.ask('memorydb', (m) => new m.ListTagsCommand({ ResourceArn }))),
  uid: ({ ARN }) => ARN,
  fields: (one, _, tags) => ({
    name: one.Name,
    state: one.Status,
    instanceType: one.NodeType,
    unitCount: nodeCount(one),
    tags: tags?.TagList,
  }),
  specs: {
    created_at: oldestNode,
    engine: ({ Engine }) => Engine,
    engine_version: ({ EngineVersion }) => EngineVersion,
    node_count: nodeCount,
  },
})
