/** One config of each kind, as the interface has them. */
import type { ProvisioningKind } from '#streams/cloud/provision.ts'

export const configs: Readonly<Record<ProvisioningKind, Record<string, unknown>>> = {
  kubernetes: {
    name: 'shop',
    version: '1.31',
    nodeGroups: [{ name: 'workers', instanceType: 'm5.large', min: 2, max: 4 }],
    vpcID: 'vpc-1',
    subnetIDs: ['subnet-1', 'subnet-2'],
  },
  datastore: {
    engine: 'postgres',
    version: '16',
    instanceClass: 'db.t3.medium',
    allocatedStorageGB: 100,
    multiAZ: false,
    backupRetentionDays: 7,
  },
  vm_pool: {
    name: 'web',
    instanceType: 'm5.large',
    min: 2,
    max: 6,
    createLoadBalancer: true,
    listenerPorts: [80, 443],
  },
  network: { name: 'net', cidr: '10.0.0.0/16', subnets: [{ name: 'a', cidr: '10.0.1.0/24', public: false }] },
  registry: { name: 'images', immutableTags: true },
  load_balancer: {
    name: 'front',
    scheme: 'public',
    listeners: [{ port: 443, protocol: 'https', targetPort: 8080 }],
    targetUID: 'asg-web',
  },
  component: { componentID: 'metrics-server', values: {} },
  existing_datastore: { serverUID: 'arn:aws:rds:us-east-1:123456789012:db:orders' },
}
