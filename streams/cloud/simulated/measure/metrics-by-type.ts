import type { Metric } from '#streams/metric/messages.ts'
import { kubernetesKind } from '#streams/cloud/resource/resource-type.ts'
import type { SimResource } from '#streams/cloud/simulated/world/resource.ts'

const traffic: readonly Metric[] = ['network_in_bytes', 'network_out_bytes']
const machine: readonly Metric[] = ['cpu_percent', 'memory_percent', 'disk_percent', ...traffic]
const fleet: readonly Metric[] = ['cpu_percent', 'memory_percent', ...traffic, 'instance_count']
const scaledMetrics: readonly Metric[] = [...fleet, 'scale_events', 'scale_reversals']
const nodes: readonly Metric[] = [...fleet, 'cpu_reserved_percent', 'memory_reserved_percent']
const front: readonly Metric[] = ['request_count', ...traffic]
const disk: readonly Metric[] = ['io_ops', 'iops', 'storage_used_percent']

/** Metrics of each type, under producers' names if there are any, otherwise under the names for rules. */
const byType: Readonly<Record<string, readonly Metric[]>> = {
  'aws-ec2': machine,
  'aws-asg': scaledMetrics,
  'aws-ebs-volume': disk,
  'aws-rds': [...machine, 'connections', 'iops'],
  'aws-dynamodb-table': ['consumed_rcu', 'consumed_wcu'],
  'aws-elasticache': [...machine, 'cache_hits', 'cache_misses'],
  'aws-redshift': [...fleet, 'connections', 'storage_used_percent'],
  'aws-lambda': ['request_count', 'memory_percent', 'errors', 'duration_ms'],
  'aws-s3-bucket': ['request_count', 'bucket_standard_gb'],
  'aws-alb': front,
  'aws-nat-gateway': ['network_out_bytes'],
  'aws-cloudfront': front,
  'aws-sqs-queue': ['request_count', 'messages_received', 'empty_receives'],
  'aws-log-group': ['log_ingest_gb'],
  'aws-eks-nodegroup': nodes,
  'gcp-vm': machine,
  'gcp-mig': scaledMetrics,
  'gcp-disk': disk,
  'gcp-cloudsql': [...machine, 'connections'],
  'gcp-memorystore': [...machine, 'connections'],
  'gcp-gcs-bucket': ['request_count', 'read_requests', 'bucket_standard_gb'],
  'gcp-pubsub-subscription': ['request_count', 'messages_received', 'oldest_unacked_hours'],
  'gcp-dataflow-job': [...fleet, 'records_in'],
  'gcp-forwarding-rule': [...front, 'network_bytes'],
  'gcp-cloud-nat': ['network_out_bytes'],
  'gcp-gke-nodepool': nodes,
  'azure-vm': machine,
  'azure-vmss': scaledMetrics,
  'azure-disk': ['iops'],
  'azure-sql-database': ['cpu_percent', 'disk_percent', 'connections'],
  'azure-postgres': [...machine, 'connections'],
  'azure-mysql': [...machine, 'connections', 'io_percent'],
  'azure-redis': [...machine, 'connections'],
  'azure-aks-nodepool': nodes,
  'azure-app-service-plan': ['cpu_percent', 'memory_percent'],
  'azure-web-app': front,
  'azure-load-balancer': front,
  'azure-storage-account': ['request_count', 'read_requests', 'blob_hot_gb'],
  'azure-log-analytics': ['log_ingest_gb'],
  'azure-databricks-cluster': [...fleet, 'cluster_cpu_percent'],
  'azure-databricks-instance-pool': ['cpu_percent', 'instance_count', 'pool_idle', 'scale_events', 'scale_reversals'],
  'azure-databricks-warehouse': ['cpu_percent', 'queries', 'running_clusters'],
}

const requestMetrics: readonly Metric[] = ['cpu_request_percent', 'memory_request_percent']
const workload: readonly Metric[] = ['cpu_cores_used', 'cpu_throttled_percent', 'oom_kills', ...traffic]
const replicaMetrics: readonly Metric[] = ['cpu_percent', 'memory_percent', 'instance_count', ...workload]

const byKind: Readonly<Record<string, readonly Metric[]>> = {
  deployment: [...replicaMetrics, ...requestMetrics],
  statefulset: [...replicaMetrics, ...requestMetrics],
  daemonset: requestMetrics,
  persistentvolumeclaim: ['storage_used_percent'],
  horizontalpodautoscaler: ['hpa_cpu_percent', 'replicas'],
  node: ['cpu_percent', 'memory_percent', 'disk_percent'],
  pod: ['cpu_percent', 'memory_percent'],
}

/** Metrics of a resource; none for types without utilization. Shares of a missing request are left out. */
export function metricsOf({ type, size, specs, parentUid }: SimResource): readonly Metric[] {
  const kind = kubernetesKind(type)
  const metrics = (kind === undefined ? byType[type] : byKind[kind]) ?? []
  if (type === 'aws-ec2' && size?.startsWith('t')) return [...metrics, 'surplus_credits_charged']
  if (diskTypes.includes(type) && parentUid === undefined) return []
  if (specs['cpu_request_millicores'] === null) return metrics.filter((metric) => !requestMetrics.includes(metric))
  return metrics
}

/** An unattached disk has no activity, and its cloud sends no samples. */
const diskTypes: readonly string[] = ['aws-ebs-volume', 'gcp-disk', 'azure-disk']

/** Metrics that are also sent for stopped resources. */
export const toldWhenOff: readonly Metric[] = ['instance_count']
