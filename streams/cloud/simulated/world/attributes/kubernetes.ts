import type { Attributes } from '#streams/cloud/simulated/world/group.ts'

const workload = {
  privileged: false,
  mutable_image_tag: false,
  containers_without_requests: 0,
  cpu_request_millicores: 500,
  memory_request_mib: 1024,
}

const volumeAttributes = { ...workload, pvc_cost_30d: 0 }

/**
 * By kind: the attributes that rules use, with values that no rule reports. Volumes and load balancers of clusters are
 * not billed here.
 */
export const kubernetesAttributes: Readonly<Record<string, Attributes>> = {
  deployment: ({ units = 1 }) => ({ replicas: units, uses_volumes: false, tolerates_spot: false, ...volumeAttributes }),
  statefulset: ({ units = 1 }) => ({ replicas: units, ...volumeAttributes }),
  daemonset: () => workload,
  job: () => ({ finished: false, finished_days: null, ttl_seconds: null, owned_by_cronjob: true }),
  cronjob: () => ({ suspended: false, days_since_success: 0, failed_runs_7d: 0 }),
  service: () => ({ service_type: 'ClusterIP', endpoint_count: 2, load_balancer_cost_30d: 0 }),
  ingress: () => ({ tls: true }),
  configmap: () => ({ referenced_count: 1, owned: false }),
  secret: () => ({ referenced_count: 1, owned: false }),
  serviceaccount: () => ({ pod_count: 3 }),
  storageclass: () => ({ is_default: true }),
  persistentvolume: () => ({ phase: 'Bound', reclaim_policy: 'Delete', storage_class: 'fast' }),
  persistentvolumeclaim: () => ({ phase: 'Bound', storage_class: 'fast', pod_count: 1, unmounted_days: null }),
  horizontalpodautoscaler: () => ({ min_replicas: 2, target_cpu_percent: 70, target_cost_30d: 0 }),
  namespace: () => ({ system: false, resource_quota: true, limit_range: true, network_policy_count: 1, pod_count: 3 }),
  rolebinding: () => ({ subject_count: 1 }),
  clusterrolebinding: () => ({ role_name: 'node-reader', subject_count: 1, system: false }),
}

/** Provisioner and volume type of the default storage class in each cloud's clusters. */
export const storageClasses: Readonly<Record<string, { provisioner: string; volume_type: string }>> = {
  'aws-eks-storageclass': { provisioner: 'ebs.csi.aws.com', volume_type: 'gp3' },
  'gcp-gke-storageclass': { provisioner: 'pd.csi.storage.gke.io', volume_type: 'pd-balanced' },
  'azure-aks-storageclass': { provisioner: 'disk.csi.azure.com', volume_type: 'Premium_LRS' },
}
