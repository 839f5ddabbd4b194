import type { Story } from './story.ts'

/** The clusters in which all workloads run, with the first digit of their cloud's rule ids. */
const clusters = [
  { cloud: 'aws', digit: 1, account: 'sim-aws-production' },
  { cloud: 'gcp', digit: 2, account: 'sim-gcp-data' },
  { cloud: 'azure', digit: 3, account: 'sim-azure-corp' },
] as const

/** What is wrong in each of them. */
const inside = ({ cloud, digit, account }: (typeof clusters)[number]): Story[] => [
  {
    id: `unguarded-namespace-${cloud}`,
    title: 'A namespace without network isolation',
    find: `Compliance recommendation RC-${digit}491, and RC-${digit}691 because it has no resource quota.`,
    rules: [`RC-${digit}491`, `RC-${digit}691`],
    account,
    names: ['monitoring'],
    change: { specs: { network_policy_count: 0, resource_quota: false } },
  },
  {
    id: `unrequested-dashboard-${cloud}`,
    title: 'A dashboard without resource requests',
    find: `Governance recommendation RC-${digit}690: a container without requests.`,
    rules: [`RC-${digit}690`],
    account,
    names: ['dashboard'],
    change: { specs: { containers_without_requests: 1, cpu_request_millicores: null, memory_request_mib: null } },
  },
  {
    id: `failing-cleanup-${cloud}`,
    title: 'A clean-up job that has failed for a week',
    find: `Governance recommendation RC-${digit}694: no successful run for nine days.`,
    rules: [`RC-${digit}694`],
    account,
    names: ['cleanup'],
    change: { specs: { failed_runs_7d: 7 }, since: { days_since_success: 9 } },
  },
  {
    id: `finished-job-${cloud}`,
    title: 'A finished job that was never removed',
    find: `Governance recommendation RC-${digit}695: nothing removes it.`,
    rules: [`RC-${digit}695`],
    account,
    names: ['migrate-schema'],
    change: { specs: { finished: true, owned_by_cronjob: false }, since: { finished_days: 12 } },
  },
]

/** Stories for compliance and governance recommendations. */
export const riskStories: readonly Story[] = [
  {
    id: 'open-admin-port',
    title: 'SSH open to the internet',
    find: 'Compliance recommendation RC-1415: port 22 is open to every address.',
    rules: ['RC-1415'],
    account: 'sim-aws-production',
    names: ['bastion-access'],
    change: { specs: { open_admin_ports: [22], interface_count: 1 } },
  },
  {
    id: 'unencrypted-volume',
    title: 'An unencrypted disk',
    find: 'Compliance recommendation RC-1404: the only disk of the shop that is not encrypted.',
    rules: ['RC-1404'],
    account: 'sim-aws-production',
    names: ['shop-web-eu-3-disk'],
    change: { specs: { encrypted: false } },
  },
  {
    id: 'old-metadata-service',
    title: 'Machines that accept metadata service version 1',
    find: 'Compliance recommendations RC-1417 on four shop machines in Europe.',
    rules: ['RC-1417'],
    account: 'sim-aws-production',
    names: [1, 2, 3, 4].map((n) => `shop-web-eu-${n}`),
    change: { specs: { imds_v1_allowed: true } },
  },
  {
    id: 'open-cluster',
    title: 'A cluster with a public API server',
    find: 'Compliance recommendation RC-1426.',
    rules: ['RC-1426'],
    account: 'sim-aws-analytics',
    names: ['analytics'],
    change: { specs: { public_endpoint: true, public_access_cidrs: ['0.0.0.0/0'] } },
  },
  {
    id: 'open-database',
    title: 'A sandbox database open to every address, without TLS',
    find: 'Compliance recommendations RC-2403, RC-2404 and RC-2405.',
    rules: ['RC-2403', 'RC-2404', 'RC-2405'],
    account: 'sim-gcp-data',
    names: ['sandbox-db'],
    change: {
      specs: {
        public_ip: true,
        authorized_networks: ['0.0.0.0/0'],
        ssl_mode: 'ALLOW_UNENCRYPTED_AND_ENCRYPTED',
      },
    },
  },
  {
    id: 'public-export',
    title: 'A public bucket',
    find: 'Compliance recommendation RC-2401.',
    rules: ['RC-2401'],
    account: 'sim-gcp-data',
    names: ['sim-exports-eu'],
    change: { specs: { public: true } },
  },
  {
    id: 'unaudited-ledger',
    title: 'A ledger without an audit trail',
    find: 'Compliance recommendations RC-3407 and RC-3409: no auditing, no administrator from the directory.',
    rules: ['RC-3407', 'RC-3409'],
    account: 'sim-azure-corp',
    names: ['ledger-server'],
    change: { specs: { auditing: false, entra_admin: false } },
  },
  {
    id: 'public-workspace',
    title: 'A publicly reachable workspace',
    find: 'Compliance recommendation RC-3429.',
    rules: ['RC-3429'],
    account: 'sim-azure-corp',
    names: ['insights'],
    change: { specs: { public_access: true } },
  },
  {
    id: 'expiring-certificates',
    title: 'Certificates about to expire',
    find: 'Compliance recommendation RC-3417: two of the vault end within 30 days.',
    rules: ['RC-3417'],
    account: 'sim-azure-corp',
    names: ['corp-vault'],
    change: { specs: { expiring_items: ['erp-front-tls', 'intranet-tls'] } },
  },
  {
    id: 'fixed-node-pool',
    title: 'A node pool that always has four nodes',
    find: 'Governance recommendation RC-3615: no autoscaling.',
    rules: ['RC-3615'],
    account: 'sim-azure-dev',
    names: ['corp-dev-workers'],
    change: { specs: { autoscaling: false } },
  },
  ...clusters.flatMap(inside),
]
