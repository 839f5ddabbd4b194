/** Relations reported by clouds: specs with the last part of the path as their name. */
import type { GatherResource } from './context.ts'

/** Last parts of paths under `rel` that clouds report, with other names for some of them. */
const toldNames = [
  'ami_count',
  'arm_ready',
  'association_count',
  'attached',
  'attached_storage_cost_30d',
  'backend_count',
  'backend_exists',
  'backup_protected',
  'child_cost_30d',
  'connection_count',
  'database_count',
  'detached_days',
  'endpoint_count',
  'flow_log_cost_30d',
  'host_cost_30d',
  'host_count',
  'hpa_count',
  'in_use_count',
  'instance_cost_30d',
  'instance_count',
  'instance_status',
  'interface_count',
  'job_run_count_30d',
  'load_balancer_cost_30d',
  'load_balancer_count',
  'network_policy_count',
  'newer_snapshot_count',
  'node_count',
  'other_management_trail_count',
  'owner_exists',
  'pod_count',
  'profile_count_subscription',
  'public_ip_count',
  'pvc_cost_30d',
  'record_count',
  'referenced_count',
  'resource_cost_30d',
  'resource_count',
  'route_count',
  'running_site_count',
  'running_task_count',
  'snapshot_age_days',
  'snapshot_cost_30d',
  'source_exists',
  'subnet_count',
  'target_cost_30d',
  'target_count',
  'topic_exists',
  'unmounted_days',
  'user_count',
  'virtual_interface_count',
  'vm_count',
  'vm_status',
  'vnet_count',
  'volume_quota_gb',
  'vpc_has_s3_endpoint',
  'vpc_nat_gateway_count',
  'workload_pod_count',
]
const otherNames: Readonly<Record<string, string>> = { detached_days: 'days_detached', attached: 'associated' }

/** Whether a relation is known of resources with such attributes, by its path. */
export const isToldBy = (attributes: ReadonlySet<string>, path: string): boolean => {
  const name = path.replace('rel.', '')
  return toldNames.includes(name) && [name, otherNames[name] ?? name].some((one) => attributes.has(one))
}

/** Relations in the resource's own specs, by path. */
export function specFacts({ specs }: GatherResource): Record<string, unknown> {
  return Object.fromEntries(
    toldNames.flatMap((name) => {
      const value = specs[name] ?? specs[otherNames[name] ?? name]
      return value === undefined ? [] : [[`rel.${name}`, value]]
    }),
  )
}
