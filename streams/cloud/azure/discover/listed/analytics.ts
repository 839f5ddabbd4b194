import { listOf, memberOf, textAt } from '#streams/cloud/kubernetes/api/json-access.ts'
import { findInLists, listedBelow, listedType } from '#streams/cloud/azure/discover/listed.ts'
import { isAt, numberAt, timeAt } from '#streams/cloud/azure/map/resource.ts'

const workersOf = (properties: unknown) =>
  listOf(memberOf(properties, 'computeProfile', 'roles')).find(
    (one) => textAt(one, 'name')?.toLowerCase() === 'workernode',
  )

export const hadoopClusters = findInLists(
  listedType({
    type: 'azure-hdinsight',
    permissions: ['Microsoft.HDInsight/clusters/read'],
    fields: ({ of }) => ({ instanceType: textAt(workersOf(of), 'hardwareProfile', 'vmSize') }),
    specs: {
      worker_count: ({ of }) => numberAt(workersOf(of), 'targetInstanceCount'),
      autoscale: ({ of }) => workersOf(of) && memberOf(workersOf(of), 'autoscale') !== undefined,
    },
  }),
  ['Microsoft.HDInsight/clusters', '2021-06-01'],
)

export const sparkPools = listedBelow({
  list: ['Microsoft.Synapse/workspaces', '2021-06-01'],
  children: [
    [
      listedType({
        type: 'azure-synapse-spark-pool',
        permissions: ['Microsoft.Synapse/workspaces/read', 'Microsoft.Synapse/workspaces/bigDataPools/read'],
        fields: ({ of }) => ({ instanceType: textAt(of, 'nodeSize'), unitCount: numberAt(of, 'nodeCount') }),
        specs: {
          created_at: ({ of }) => timeAt(of, 'creationDate'),
          auto_pause: ({ of }) => isAt(of, 'autoPause', 'enabled') ?? false,
          autoscale: ({ of }) => isAt(of, 'autoScale', 'enabled') ?? false,
          node_count: ({ of }) => numberAt(of, 'nodeCount'),
        },
      }),
      'bigDataPools',
    ],
  ],
})
