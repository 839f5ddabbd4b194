import { isProduction, type Attributes } from '#streams/cloud/simulated/world/group.ts'

/** By type: the attributes that rules use, with values that no rule reports. */
export const gcpAttributes: Readonly<Record<string, Attributes>> = {
  'gcp-vm': (of) => ({
    provisioning_model: of.purchase?.type === 'spot' ? 'SPOT' : 'STANDARD',
    gpu_count: 0,
    network_tier: isProduction(of) ? 'PREMIUM' : 'STANDARD',
    default_sa_full_scope: false,
    shielded_vm: true,
    serial_port_enabled: false,
    license: null,
  }),
  'gcp-mig': ({ units = 1 }) => ({ target_size: units, autoscaler: true, provisioning_model: 'STANDARD' }),
  'gcp-disk': ({ size }) => ({
    disk_type: size,
    provisioned_iops: null,
    user_count: 1,
    days_detached: null,
  }),
  'gcp-snapshot': () => ({ snapshot_type: 'STANDARD', scheduled: true, multi_region: false, source_exists: true }),
  'gcp-address': () => ({ state: 'IN_USE', address_type: 'EXTERNAL', instance_status: null }),
  'gcp-cloudsql': (of) => ({
    ...tierOf(of.size ?? ''),
    availability: isProduction(of) ? 'REGIONAL' : 'ZONAL',
    edition: 'ENTERPRISE',
    disk_type: 'PD_SSD',
    is_replica: false,
    public_ip: false,
    authorized_networks: [],
    ssl_mode: 'ENCRYPTED_ONLY',
    backups_enabled: true,
  }),
  'gcp-memorystore': ({ size = '' }) => ({
    engine: 'valkey',
    tier: 'STANDARD_HA',
    memory_gb: Number(/(\d+)gb$/.exec(size)?.[1] ?? 1),
  }),
  'gcp-gcs-bucket': ({ gb = 0 }) => ({
    storage_class: 'STANDARD',
    location_type: 'region',
    lifecycle_rule_count: 3,
    tiering_rule: true,
    noncurrent_rule: true,
    abort_multipart_rule: true,
    versioning: true,
    noncurrent_gb: Math.round(gb / 50),
    soft_delete_days: 7,
    soft_deleted_gb: Math.round(gb / 100),
    uniform_access: true,
    public: false,
  }),
  'gcp-bigquery-dataset': ({ gb = 0 }) => ({
    billing_model: 'PHYSICAL',
    logical_active_gb: Math.round(gb * 0.4),
    logical_longterm_gb: Math.round(gb * 0.6),
    physical_active_gb: Math.round(gb * 0.1),
    physical_longterm_gb: Math.round(gb * 0.12),
    public: false,
  }),
  'gcp-pubsub-subscription': () => ({ retention_days: 7, topic_exists: true }),
  'gcp-dataflow-job': ({ units = 1 }) => ({
    job_type: 'STREAMING',
    state: 'JOB_STATE_RUNNING',
    max_workers: 2 * units,
    streaming_engine: true,
    flexrs: false,
  }),
  'gcp-forwarding-rule': () => ({ scheme: 'EXTERNAL_MANAGED', backend_count: 3 }),
  'gcp-cloud-nat': () => ({ manual_ip_count: 0 }),
  'gcp-gke': ({ workloads }) => ({
    autopilot: false,
    control_plane_networks: true,
    cost_allocation: true,
    autoscaling_profile: 'OPTIMIZE_UTILIZATION',
    workload_pod_count: workloads === 'all' ? 16 : 8,
  }),
  'gcp-gke-nodepool': ({ units = 1, purchase }) => ({
    node_count: units,
    autoscaling: true,
    spot: purchase?.type === 'spot',
  }),
}

/** From `db-custom-<vCPUs>-<MiB>`. */
function tierOf(size: string): { vcpus: number | null; memory_gib: number | null } {
  const [, vcpus, mebibytes] = /^db-custom-(\d+)-(\d+)$/.exec(size) ?? []
  return { vcpus: vcpus ? Number(vcpus) : null, memory_gib: mebibytes ? Number(mebibytes) / 1024 : null }
}
