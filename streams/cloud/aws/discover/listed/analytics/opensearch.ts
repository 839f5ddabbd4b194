import { callsAtOnce } from '#streams/cloud/aws/discover/finder.ts'
import { also, listType } from '#streams/cloud/aws/discover/listed.ts'
import { listOf } from '#streams/cloud/aws/map/resource.ts'
import { mapConcurrently } from '#streams/cloud/bill/merge.ts'

/** Names that one call describes. */
const batchMax = 5

export const openSearchDomains = listType('opensearch', {
  type: 'aws-opensearch',
  permissions: ['es:ListDomainNames', 'es:DescribeDomains', 'es:ListTags'],
  list: (m) => new m.ListDomainNamesCommand({}),
  items: async ({ DomainNames }, place) => {
    const names = listOf(DomainNames).flatMap(({ DomainName }) => DomainName ?? [])
    const starts = Array.from({ length: Math.ceil(names.length / batchMax) }, (_, index) => index * batchMax)
    const answers = await mapConcurrently(starts, callsAtOnce, (start) =>
      place.ask(
        'opensearch',
        (m) => new m.DescribeDomainsCommand({ DomainNames: names.slice(start, start + batchMax) }),
      ),
    )
    return answers.flatMap(({ DomainStatusList }) => listOf(DomainStatusList))
  },
  // A deleted domain is described until its nodes are gone.
  isOwn: ({ Deleted }) => Deleted !== true,
  detail: ({ ARN }, place) => also(place, 'tags', () => place.ask('opensearch', (m) => new m.ListTagsCommand({ ARN }))),
  uid: ({ ARN }) => ARN,
  fields: ({ DomainName, ClusterConfig, EBSOptions }, _, tags) => ({
    name: DomainName,
    instanceType: ClusterConfig?.InstanceType,
    unitCount: ClusterConfig?.InstanceCount,
    sizeGB: EBSOptions?.VolumeSize && EBSOptions.VolumeSize * (ClusterConfig?.InstanceCount ?? 1),
    tags: tags?.TagList,
  }),
  specs: {
    engine_version: ({ EngineVersion }) => EngineVersion,
    data_node_count: ({ ClusterConfig }) => ClusterConfig?.InstanceCount,
    dedicated_master: ({ ClusterConfig }) => ClusterConfig?.DedicatedMasterEnabled,
    warm_count: ({ ClusterConfig }) => ClusterConfig && (ClusterConfig.WarmCount ?? 0),
    ebs_volume_type: ({ EBSOptions }) => EBSOptions && (EBSOptions.VolumeType ?? null),
    enforce_https: ({ DomainEndpointOptions }) => DomainEndpointOptions?.EnforceHTTPS,
    in_vpc: ({ VPCOptions }) => Boolean(VPCOptions?.VPCId),
  },
})
