import { also, listType } from '#streams/cloud/aws/discover/listed.ts'
import { listOf, timeOf } from '#streams/cloud/aws/map/resource.ts'

export const daxClusters = listType('dax', {
  type: 'aws-dax',
  permissions: ['dax:DescribeClusters', 'dax:ListTags'],
  list: (m, NextToken) => new m.DescribeClustersCommand({ MaxResults: 100, ...(NextToken && { NextToken }) }),
  next: ({ NextToken }) => NextToken,
  items: ({ Clusters }) => Clusters,
  // DAX refuses to tell the tags of a cluster that changes.
  detail: async ({ ClusterArn: ResourceName, Status }, place) =>
    Status === 'available'
      ? also(place, 'tags', () => place.ask('dax', (m) => new m.ListTagsCommand({ ResourceName })))
      : undefined,
  uid: ({ ClusterArn }) => ClusterArn,
  fields: (one, _, tags) => ({
    name: one.ClusterName,
    state: one.Status,
    instanceType: one.NodeType,
    unitCount: one.TotalNodes,
    tags: tags?.Tags,
  }),
  specs: {
    // AWS does not say when a cluster was created: it is as old as its oldest node, or older.
    created_at: ({ Nodes }) => {
      const times = listOf(Nodes).flatMap(({ NodeCreateTime }) => NodeCreateTime ?? [])
      return timeOf(times.toSorted((one, other) => one.getTime() - other.getTime())[0])
    },
    total_nodes: ({ TotalNodes }) => TotalNodes,
  },
})
