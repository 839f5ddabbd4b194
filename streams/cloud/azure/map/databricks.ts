/** Maps Databricks workspaces and the objects in them. */
import type { DiscoveredResource } from '#streams/cloud/connector.ts'
import { memberOf, objectOf, textAt, type Json } from '#streams/cloud/kubernetes/api/json-access.ts'
import { statusOf } from '#streams/cloud/resource/status.ts'
import type { Item } from '#streams/cloud/azure/session/session.ts'
import { hostOf, type InsideType } from '#streams/cloud/azure/session/workspace.ts'
import type { ResourceStatus } from '#streams/resource/messages.ts'
import { isAt, isEnabled, numberAt, propertiesOf, resource } from './resource.ts'

export function workspace(item: Item): DiscoveredResource[] {
  const properties = propertiesOf(item)
  return resource('azure-databricks', item, {
    instanceType: textAt(item, 'sku', 'name'),
    specs: {
      sku: textAt(item, 'sku', 'name'),
      public_access: isEnabled(textAt(properties, 'publicNetworkAccess')),
      no_public_ip: isAt(properties, 'parameters', 'enableNoPublicIp', 'value'),
      workspace_url: urlOf(item),
    },
  })
}

const urlOf = (of: Item): string | undefined => {
  const host = hostOf(of)
  return host && `https://${host}`
}

interface ItemFields {
  name: string | undefined
  status: ResourceStatus | undefined
  size: string | undefined
  count: number | undefined
  specs: Record<string, unknown>
}

/** Existing and pending machines of a pool. */
function machinesOf(pool: Json): number {
  const stats = objectOf(pool['stats'])
  const counts = ['used_count', 'idle_count', 'pending_used_count', 'pending_idle_count']
  return counts.reduce((sum, name) => sum + (numberAt(stats, name) ?? 0), 0)
}

const tell: Readonly<Record<InsideType, (one: Json) => ItemFields>> = {
  'azure-databricks-cluster': (one) => ({
    name: textAt(one, 'cluster_name'),
    status: statusOf('azure-databricks-cluster', textAt(one, 'state')),
    size: textAt(one, 'node_type_id'),
    count: numberAt(one, 'num_workers') ?? numberAt(one, 'autoscale', 'max_workers'),
    specs: {
      state: textAt(one, 'state'),
      autoscale: memberOf(one, 'autoscale') !== undefined,
      num_workers: numberAt(one, 'num_workers'),
      min_workers: numberAt(one, 'autoscale', 'min_workers'),
      autotermination_minutes: numberAt(one, 'autotermination_minutes'),
      cluster_source: textAt(one, 'cluster_source'),
      runtime_version: textAt(one, 'spark_version'),
      photon: textAt(one, 'runtime_engine') === 'PHOTON',
      idle_hours: numberAt(one, 'idleHours'),
      job_run_count_30d: numberAt(one, 'runCount'),
      spot: (textAt(one, 'azure_attributes', 'availability') ?? '').startsWith('SPOT'),
    },
  }),
  'azure-databricks-instance-pool': (one) => ({
    name: textAt(one, 'instance_pool_name'),
    status: poolStatus(one),
    size: textAt(one, 'node_type_id'),
    count: machinesOf(one),
    specs: {
      min_idle: numberAt(one, 'min_idle_instances') ?? 0,
      max_capacity: numberAt(one, 'max_capacity'),
      idle_timeout_minutes: numberAt(one, 'idle_instance_autotermination_minutes'),
    },
  }),
  'azure-databricks-warehouse': (one) => ({
    name: textAt(one, 'name'),
    status: statusOf('azure-databricks-warehouse', textAt(one, 'state')),
    size: textAt(one, 'cluster_size'),
    count: numberAt(one, 'num_clusters'),
    specs: {
      state: textAt(one, 'state'),
      size: textAt(one, 'cluster_size'),
      auto_stop_minutes: numberAt(one, 'auto_stop_mins'),
      serverless: isAt(one, 'enable_serverless_compute') ?? false,
    },
  }),
}

/** A pool without idle machines is stopped once its last machine has ended. */
function poolStatus(one: Json): ResourceStatus {
  const wanted = numberAt(one, 'min_idle_instances') ?? 0
  const there = machinesOf(one)
  if (wanted > 0) return there > 0 ? 'running' : 'starting'
  return there > 0 ? 'running' : 'stopped'
}

export function inside(type: InsideType, item: Item, of: Item): DiscoveredResource[] {
  const { name, status, size, count, specs } = tell[type](item)
  const tagged = { ...item, tags: item['custom_tags'] }
  return resource(type, tagged, {
    name,
    status: status ?? null,
    parentUID: of.id,
    location: textAt(of, 'location'),
    instanceType: size,
    unitCount: count,
    specs: { ...specs, workspace_url: urlOf(of) },
  })
}
