import type { Cluster } from '@aws-sdk/client-kafka'
import { also, listType } from '#streams/cloud/aws/discover/listed.ts'
import { listOf, timeOf } from '#streams/cloud/aws/map/resource.ts'

/** Serverless clusters have no brokers; brokers of the Express kind have no volumes. */
const volumeGb = ({ Provisioned }: Cluster): number | null =>
  Provisioned?.BrokerNodeGroupInfo?.StorageInfo?.EbsStorageInfo?.VolumeSize ?? null

export const kafkaClusters = listType('kafka', {
  type: 'aws-msk',
  permissions: ['kafka:ListClustersV2', 'kafka:ListNodes'],
  list: (m, NextToken) => new m.ListClustersV2Command({ MaxResults: 100, ...(NextToken && { NextToken }) }),
  next: ({ NextToken }) => NextToken,
  items: ({ ClusterInfoList }) => ClusterInfoList,
  // Serverless clusters have no nodes that could be listed.
  detail: async ({ ClusterArn, ClusterType }, place) => {
    if (ClusterType !== 'PROVISIONED') return undefined
    const answers = place.pages(
      'kafka',
      (m, NextToken) => new m.ListNodesCommand({ ClusterArn, MaxResults: 100, ...(NextToken && { NextToken }) }),
      ({ NextToken }) => NextToken,
    )
    const pages = await also(place, 'nodes', () => Array.fromAsync(answers))
    const nodes = pages?.flatMap(({ NodeInfoList }) => listOf(NodeInfoList))
    return nodes && { brokers: nodes.flatMap(({ BrokerNodeInfo }) => BrokerNodeInfo?.BrokerId ?? []) }
  },
  uid: ({ ClusterArn }) => ClusterArn,
  fields: (one) => {
    const brokers = one.Provisioned?.NumberOfBrokerNodes
    const volume = volumeGb(one)
    return {
      name: one.ClusterName,
      state: one.State,
      instanceType: one.Provisioned?.BrokerNodeGroupInfo?.InstanceType,
      unitCount: brokers,
      sizeGB: brokers && volume && brokers * volume,
      tags: one.Tags,
    }
  },
  specs: {
    created_at: ({ CreationTime }) => timeOf(CreationTime),
    cluster_name: ({ ClusterName }) => ClusterName,
    broker_ids: (_, detail) => detail?.brokers.map((id) => String(id)),
    cluster_type: ({ ClusterType }) => ClusterType,
    broker_count: ({ Provisioned }) => Provisioned?.NumberOfBrokerNodes ?? null,
    volume_gb_per_broker: volumeGb,
    kafka_version: ({ Provisioned }) => Provisioned?.CurrentBrokerSoftwareInfo?.KafkaVersion ?? null,
  },
})
