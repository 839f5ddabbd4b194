/** Kinds that are provisioned in moto, and what there is of everything that they consist of. */
import type { AwsSession } from '#streams/cloud/aws/session/session.ts'
import type { ProvisioningKind } from '#streams/cloud/provision.ts'
import { region } from './account.ts'

export const network = {
  name: 'shop',
  cidr: '10.20.0.0/16',
  subnets: [
    { name: 'public-a', cidr: '10.20.0.0/20', zone: 'us-east-1a', public: true },
    { name: 'private-b', cidr: '10.20.128.0/20', zone: 'us-east-1b', public: false },
  ],
}
export const pool = {
  name: 'workers',
  instanceType: 'm5.large',
  min: 2,
  max: 8,
  createLoadBalancer: true,
  listenerPorts: [80, 443],
}
export const store = {
  engine: 'postgres',
  version: '16.3',
  instanceClass: 'db.m5.large',
  allocatedStorageGB: 100,
  multiAZ: true,
  backupRetentionDays: 7,
}

/** How many of everything the region has; of firewalls only ours, because stand-ins give clusters and balancers some of their own. */
export async function standing(session: AwsSession) {
  const vpcs = await session.ask('ec2', region, (m) => new m.DescribeVpcsCommand({}))
  const subnets = await session.ask('ec2', region, (m) => new m.DescribeSubnetsCommand({}))
  const gateways = await session.ask('ec2', region, (m) => new m.DescribeInternetGatewaysCommand({}))
  const templates = await session.ask('ec2', region, (m) => new m.DescribeLaunchTemplatesCommand({}))
  const firewalls = await session.ask(
    'ec2',
    region,
    (m) => new m.DescribeSecurityGroupsCommand({ Filters: [{ Name: 'tag-key', Values: ['tidemark:job'] }] }),
  )
  const groups = await session.ask('auto-scaling', region, (m) => new m.DescribeAutoScalingGroupsCommand({}))
  const balancers = await session.ask(
    'elastic-load-balancing-v2',
    region,
    (m) => new m.DescribeLoadBalancersCommand({}),
  )
  const targets = await session.ask('elastic-load-balancing-v2', region, (m) => new m.DescribeTargetGroupsCommand({}))
  const servers = await session.ask('rds', region, (m) => new m.DescribeDBInstancesCommand({}))
  const serverSubnets = await session.ask('rds', region, (m) => new m.DescribeDBSubnetGroupsCommand({}))
  const caches = await session.ask('elasticache', region, (m) => new m.DescribeReplicationGroupsCommand({}))
  const registries = await session.ask('ecr', region, (m) => new m.DescribeRepositoriesCommand({}))
  const clusters = await session.ask('eks', region, (m) => new m.ListClustersCommand({}))
  const roles = await session.ask('iam', region, (m) => new m.ListRolesCommand({}))
  return {
    vpcs: vpcs.Vpcs!.length,
    subnets: subnets.Subnets!.length,
    gateways: gateways.InternetGateways!.length,
    templates: templates.LaunchTemplates!.length,
    firewalls: firewalls.SecurityGroups!.length,
    groups: groups.AutoScalingGroups!.length,
    balancers: balancers.LoadBalancers!.length,
    targets: targets.TargetGroups!.length,
    servers: servers.DBInstances!.length,
    serverSubnets: serverSubnets.DBSubnetGroups!.length,
    caches: caches.ReplicationGroups!.length,
    registries: registries.repositories!.length,
    clusters: clusters.clusters!.length,
    roles: roles.Roles!.length,
  }
}
export type Standing = Awaited<ReturnType<typeof standing>>

async function clusterConfig(session: AwsSession) {
  const { Subnets = [] } = await session.ask('ec2', region, (m) => new m.DescribeSubnetsCommand({}))
  return {
    name: 'shop',
    version: '1.31',
    nodeGroups: [{ name: 'general', instanceType: 'm5.large', min: 2, max: 6 }],
    vpcID: Subnets[0]!.VpcId!,
    subnetIDs: Subnets.slice(0, 2).map(({ SubnetId }) => SubnetId!),
  }
}
/** A kind as its test needs it: its config, and how many more of each there are while it is there. */
export interface ProvisionedKind {
  what: string
  kind: ProvisioningKind
  configOf: (session: AwsSession) => Promise<Record<string, unknown>>
  more: Partial<Standing>
}

export const provisionedKinds: readonly ProvisionedKind[] = [
  {
    what: 'a network with its subnets and a way out',
    kind: 'network',
    configOf: async () => network,
    more: { vpcs: 1, subnets: 2, gateways: 1 },
  },
  {
    what: 'a pool of machines behind a load balancer',
    kind: 'vm_pool',
    configOf: async () => pool,
    more: { templates: 1, groups: 1, balancers: 1, targets: 2 },
  },
  {
    what: 'a server of PostgreSQL',
    kind: 'datastore',
    configOf: async () => store,
    more: { servers: 1, serverSubnets: 1 },
  },
  {
    what: 'a registry',
    kind: 'registry',
    configOf: async () => ({ name: 'team/images', immutableTags: true }),
    more: { registries: 1 },
  },
  {
    what: 'a cluster of Kubernetes with its machines',
    kind: 'kubernetes',
    configOf: clusterConfig,
    more: { clusters: 1, roles: 2, firewalls: 1 },
  },
]

/** What there is with a kind. */
export const withKind = (before: Standing, { more }: ProvisionedKind): Standing => {
  const all = Object.entries(before).map(
    ([name, count]) => [name, count + (more[name as keyof Standing] ?? 0)] as const,
  )
  return Object.fromEntries(all) as unknown as Standing
}
