/** Maps AKS clusters and their node pools. */
import type { DiscoveredResource } from '#streams/cloud/connector.ts'
import { isTrueAt, listOf, memberOf, textAt, textsOf, type Json } from '#streams/cloud/kubernetes/api/json-access.ts'
import { rowsOf } from '#streams/cloud/reference/table.ts'
import type { Item } from '#streams/cloud/azure/session/session.ts'
import type { ResourceStatus } from '#streams/resource/messages.ts'
import { isAt, machineUsd, numberAt, propertiesOf, regionOf, resource, timesUsd } from './resource.ts'

/** For clusters and pools: pending while being provisioned, otherwise by power state. */
function powerStatus(properties: Json): ResourceStatus | undefined {
  const provisioning = textAt(properties, 'provisioningState')
  if (provisioning === 'Starting') return 'starting'
  if (provisioning === 'Stopping' || provisioning === 'Deleting') return 'stopping'
  const power = textAt(properties, 'powerState', 'code')
  if (power === undefined) return provisioning === undefined ? undefined : 'running'
  return power === 'Stopped' ? 'stopped' : 'running'
}

let clusterUsd: number | undefined

function tierUsd(tier: string | undefined): number | undefined {
  if (tier === undefined || tier === 'Free') return undefined
  return (clusterUsd ??= Number(rowsOf('unit-price').find(({ key }) => key === 'azure.aks.cluster_hour')?.['usd'] ?? 0))
}

export function cluster(item: Item): DiscoveredResource[] {
  const properties = propertiesOf(item)
  const access = memberOf(properties, 'apiServerAccessProfile')
  const tier = textAt(item, 'sku', 'tier')
  return resource('azure-aks', item, {
    status: powerStatus(properties),
    hourlyRateUSD: tierUsd(tier),
    specs: {
      version: textAt(properties, 'currentKubernetesVersion') ?? textAt(properties, 'kubernetesVersion'),
      sku_tier: tier,
      endpoint: textAt(properties, 'fqdn') ?? textAt(properties, 'privateFQDN'),
      node_resource_group: textAt(properties, 'nodeResourceGroup'),
      local_accounts: !isTrueAt(properties, 'disableLocalAccounts'),
      private_cluster: isTrueAt(access, 'enablePrivateCluster'),
      authorized_ranges: textsOf(memberOf(access, 'authorizedIPRanges')),
      auto_upgrade: textAt(properties, 'autoUpgradeProfile', 'upgradeChannel') ?? 'none',
      cost_analysis: isTrueAt(properties, 'metricsProfile', 'costAnalysis', 'enabled'),
      power_state: textAt(properties, 'powerState', 'code'),
      state: textAt(properties, 'provisioningState'),
    },
  })
}

/** A cluster's answer contains its pools; their ids are derived from the cluster's. */
export function pools(item: Item): DiscoveredResource[] {
  return listOf(propertiesOf(item)['agentPoolProfiles']).flatMap((profile) => {
    const name = textAt(profile, 'name')
    if (name === undefined) return []
    const of = { ...profile, id: `${item.id}/agentPools/${name}`, location: item['location'], tags: profile['tags'] }
    return pool({ ...of, properties: profile }, item.id, textAt(item, 'location'))
  })
}

export function pool(item: Item, clusterId: string, location: string | undefined): DiscoveredResource[] {
  const properties = propertiesOf(item)
  const size = textAt(properties, 'vmSize')
  const count = numberAt(properties, 'count')
  const priority = textAt(properties, 'scaleSetPriority') ?? 'Regular'
  const isPriced = priority === 'Regular' && textAt(properties, 'osType') !== 'Windows'
  return resource('azure-aks-nodepool', item, {
    status: powerStatus(properties),
    parentUID: clusterId,
    location,
    instanceType: size,
    unitCount: count,
    hourlyRateUSD: isPriced ? timesUsd(machineUsd(size, regionOf(location)), count) : undefined,
    specs: {
      mode: textAt(properties, 'mode'),
      count,
      min_count: numberAt(properties, 'minCount'),
      max_count: numberAt(properties, 'maxCount'),
      autoscaling: isAt(properties, 'enableAutoScaling') ?? false,
      priority,
      os_disk_type: textAt(properties, 'osDiskType'),
      version: textAt(properties, 'orchestratorVersion'),
      power_state: textAt(properties, 'powerState', 'code'),
      state: textAt(properties, 'provisioningState'),
    },
  })
}
