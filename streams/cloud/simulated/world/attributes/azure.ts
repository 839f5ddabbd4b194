import { isProduction, type Attributes } from '#streams/cloud/simulated/world/group.ts'

const database: Attributes = (of) => ({
  ha_mode: isProduction(of) ? 'ZoneRedundant' : 'Disabled',
  is_replica: false,
  public_access: false,
  require_tls: true,
  allow_all_ips: false,
})

/** By type: the attributes that rules use, with values that no rule reports. */
export const azureAttributes: Readonly<Record<string, Attributes>> = {
  'azure-vm': ({ purchase }) => ({
    os_type: 'Linux',
    license_type: null,
    image_offer: 'ubuntu-24_04-lts',
    priority: purchase?.type === 'spot' ? 'Spot' : 'Regular',
    os_disk_type: 'Premium_LRS',
    managed_disks: true,
    trusted_launch: true,
    gpu_count: 0,
    backup_protected: true,
  }),
  'azure-vmss': ({ units = 1 }) => ({ capacity: units, priority: 'Regular', autoscale: true, gpu_count: 0 }),
  'azure-disk': ({ size, gb = 0 }) => ({
    sku: size,
    ...tierOf(gb),
    state: 'Attached',
    iops: null,
    is_os_disk: true,
    days_detached: null,
  }),
  'azure-snapshot': () => ({ sku: 'Standard_LRS', incremental: true, managed_by_backup: true, source_exists: true }),
  'azure-public-ip': () => ({ associated: true, sku: 'Standard' }),
  'azure-sql-server': () => ({
    public_access: false,
    allow_all_ips: false,
    min_tls: '1.2',
    auditing: true,
    entra_admin: true,
  }),
  'azure-sql-database': () => ({
    serverless: false,
    elastic_pool: null,
    is_geo_replica: false,
    zone_redundant: false,
    license_type: 'BasePrice',
    backup_redundancy: 'Geo',
    tde_enabled: true,
  }),
  'azure-postgres': database,
  'azure-mysql': (of) => ({ ...database(of), iops: 400 }),
  'azure-redis': () => ({ tier: 'Standard', capacity: 'C1', non_ssl_port: false, min_tls: '1.2' }),
  'azure-aks': ({ workloads, specs }) => ({
    local_accounts: false,
    private_cluster: true,
    authorized_ranges: [],
    auto_upgrade: 'patch',
    cost_analysis: specs?.['sku_tier'] !== 'Free',
    workload_pod_count: workloads === 'all' ? 16 : 8,
  }),
  'azure-aks-nodepool': ({ units = 1 }) => ({
    count: units,
    autoscaling: true,
    priority: 'Regular',
    os_disk_type: 'Ephemeral',
    arch: 'amd64',
  }),
  'azure-app-service-plan': ({ size, units = 1 }) => ({
    tier: 'PremiumV3',
    sku: size,
    workers: units,
    autoscale: true,
    site_count: 2,
  }),
  'azure-web-app': () => ({
    state: 'Running',
    https_only: true,
    min_tls: '1.2',
    ftps_state: 'FtpsOnly',
    stack: 'NODE|24-lts',
  }),
  'azure-storage-account': () => ({
    kind: 'StorageV2',
    sku: 'Standard_LRS',
    access_tier: 'Hot',
    lifecycle_policy: true,
    versioning: true,
    versions_rule: true,
    soft_delete_days: 7,
    public_blob: false,
    https_only: true,
    min_tls: 'TLS1_2',
    default_action: 'Deny',
    shared_key: false,
    sftp_enabled: false,
    classic_log_gb: 0,
  }),
  'azure-load-balancer': () => ({ sku: 'Standard', rule_count: 2, backend_count: 4 }),
  'azure-log-analytics': () => ({
    sku: 'PerGB2018',
    retention_days: 90,
    daily_cap_gb: 50,
    restored_table_count: 0,
    basic_eligible_gb_30d: 0,
    sentinel: false,
  }),
  'azure-key-vault': () => ({ purge_protection: true, public_access: false, expiring_items: [] }),
  'azure-databricks': () => ({ sku: 'premium', public_access: false, no_public_ip: true }),
  'azure-databricks-cluster': ({ specs }) => ({
    autoscale: true,
    min_workers: 1,
    autotermination_minutes: 20,
    spot: false,
    idle_hours: 0,
    job_run_count_30d: specs?.['cluster_source'] === 'JOB' ? 60 : 2,
  }),
  'azure-databricks-instance-pool': () => ({ min_idle: 0, idle_timeout_minutes: 30 }),
  'azure-databricks-warehouse': ({ size }) => ({ size, auto_stop_minutes: 10, serverless: false }),
}

/** Maximum gigabytes of each billing tier of premium disks. */
const tiers = [
  ['P1', 4],
  ['P2', 8],
  ['P3', 16],
  ['P4', 32],
  ['P6', 64],
  ['P10', 128],
  ['P15', 256],
  ['P20', 512],
  ['P30', 1024],
] as const

/** The billing tier of a disk of `gb`; its floor is the size of the next smaller tier. */
function tierOf(gb: number): { tier: string; tier_floor_gb: number } {
  const at = Math.max(
    0,
    tiers.findIndex(([, max]) => gb <= max),
  )
  return { tier: tiers[at]?.[0] ?? '', tier_floor_gb: tiers[at - 1]?.[1] ?? 1 }
}
