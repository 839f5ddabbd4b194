/** One job of each kind, and by hand what Azure is asked to create, what the job tells, and what leaves the inventory. */
import { jobId } from '#test/streams/cloud/provisioning-job.ts'
import { group, groupUid, ownName, tags, type ProvisionCase } from './case.ts'
import { machineCases } from './machine-cases.ts'

const location = 'westeurope'

const registry = `tidemark${jobId.replaceAll('-', '')}`
const registryUid = `${groupUid}/providers/microsoft.containerregistry/registries/${registry}`

const firewall = `${group}/providers/Microsoft.Network/networkSecurityGroups/${ownName}`
const networkUid = `${groupUid}/providers/microsoft.network/virtualnetworks/${ownName}`
/** In Azure's letters, with the beginning of its SHA-256, because `private-b` is another name. */
const privateSubnet = 'private-b-91ba1f'

const postgres = `${groupUid}/providers/microsoft.dbforpostgresql/flexibleservers/${ownName}`
const mysql = `${groupUid}/providers/microsoft.dbformysql/flexibleservers/${ownName}`
const redis = `${groupUid}/providers/microsoft.cache/redis/${ownName}`

const cluster = `${groupUid}/providers/microsoft.containerservice/managedclusters/${ownName}`
const shopNetwork =
  '/subscriptions/11111111-2222-3333-4444-555555555555/resourceGroups/Shop/providers/Microsoft.Network/virtualNetworks/shop'
const poolOf = (mode: string, vmSize: string, minCount: number, maxCount: number) => ({
  mode,
  type: 'VirtualMachineScaleSets',
  osType: 'Linux',
  vmSize,
  count: minCount,
  enableAutoScaling: true,
  minCount,
  maxCount,
  vnetSubnetID: `${shopNetwork}/subnets/nodes`,
  tags,
})

export const cases: readonly ProvisionCase[] = [
  {
    title: 'a registry',
    kind: 'registry',
    config: { name: 'shop/images', immutableTags: false },
    created: [`registries/${registry}`],
    bodies: {
      [`registries/${registry}`]: {
        location,
        tags,
        sku: { name: 'Basic' },
        properties: { adminUserEnabled: false },
      },
    },
    outputs: { create: { registryUid, uri: `${registry}.azurecr.io/shop/images` } },
    gone: [registryUid],
  },
  {
    title: 'a network',
    kind: 'network',
    config: {
      name: 'shop',
      cidr: '10.20.0.0/16',
      subnets: [
        { name: 'public-a', cidr: '10.20.0.0/20', zone: '1', public: true },
        { name: 'Private_B', cidr: '10.20.128.0/20', public: false },
      ],
    },
    created: [`networkSecurityGroups/${ownName}`, `virtualNetworks/${ownName}`],
    bodies: {
      [`networkSecurityGroups/${ownName}`]: { location, tags, properties: { securityRules: [] } },
      [`virtualNetworks/${ownName}`]: {
        location,
        tags,
        properties: {
          addressSpace: { addressPrefixes: ['10.20.0.0/16'] },
          subnets: [
            {
              name: 'public-a',
              properties: {
                addressPrefix: '10.20.0.0/20',
                defaultOutboundAccess: true,
                networkSecurityGroup: { id: firewall },
              },
            },
            {
              name: privateSubnet,
              properties: {
                addressPrefix: '10.20.128.0/20',
                defaultOutboundAccess: false,
                networkSecurityGroup: { id: firewall },
              },
            },
          ],
        },
      },
    },
    outputs: {
      create: {
        networkUid,
        name: ownName,
        subnets: [
          { name: 'public-a', uid: `${networkUid}/subnets/public-a` },
          { name: 'Private_B', uid: `${networkUid}/subnets/${privateSubnet}` },
        ],
      },
    },
    gone: [networkUid, `${networkUid}/subnets/public-a`, `${networkUid}/subnets/${privateSubnet}`],
  },
  {
    title: 'a server of Postgres',
    kind: 'datastore',
    config: {
      engine: 'postgres',
      version: '16.3',
      instanceClass: 'Standard_D2ds_v5',
      allocatedStorageGB: 128,
      multiAZ: true,
      backupRetentionDays: 14,
    },
    created: [`flexibleServers/${ownName}`],
    bodies: {
      [`flexibleServers/${ownName}`]: {
        location,
        tags,
        sku: { name: 'Standard_D2ds_v5', tier: 'GeneralPurpose' },
        properties: {
          version: '16',
          administratorLogin: 'tidemark',
          administratorLoginPassword: '(secret)',
          storage: { storageSizeGB: 128 },
          backup: { backupRetentionDays: 14, geoRedundantBackup: 'Disabled' },
          highAvailability: { mode: 'ZoneRedundant' },
          network: { publicNetworkAccess: 'Enabled' },
        },
      },
      [`patch flexibleServers/${ownName}`]: { properties: { administratorLoginPassword: '(secret)' } },
    },
    outputs: {
      instance: { serverUid: postgres, name: ownName },
      wait_available: { host: `${ownName}.generalpurpose.database.azure.com`, port: 5432 },
    },
    gone: [postgres],
    secrets: ['admin'],
  },
  {
    title: 'a server of MySQL',
    kind: 'datastore',
    config: {
      engine: 'mysql',
      version: '8.0.37',
      instanceClass: 'Standard_B1ms',
      allocatedStorageGB: 20,
      multiAZ: false,
      backupRetentionDays: 1,
    },
    created: [`flexibleServers/${ownName}`],
    bodies: {
      [`flexibleServers/${ownName}`]: {
        location,
        tags,
        sku: { name: 'Standard_B1ms', tier: 'Burstable' },
        properties: {
          version: '8.0.21',
          administratorLogin: 'tidemark',
          administratorLoginPassword: '(secret)',
          storage: { storageSizeGB: 20 },
          backup: { backupRetentionDays: 1, geoRedundantBackup: 'Disabled' },
          highAvailability: { mode: 'Disabled' },
          network: { publicNetworkAccess: 'Enabled' },
        },
      },
    },
    outputs: { wait_available: { host: `${ownName}.burstable.database.azure.com`, port: 3306 } },
    gone: [mysql],
    secrets: ['admin'],
  },
  {
    title: 'a server of Redis',
    kind: 'datastore',
    config: {
      engine: 'redis',
      version: '6.0',
      instanceClass: 'Standard_C1',
      allocatedStorageGB: 0,
      multiAZ: true,
      backupRetentionDays: 0,
    },
    created: [`redis/${ownName}`],
    bodies: {
      [`redis/${ownName}`]: {
        location,
        tags,
        properties: {
          sku: { name: 'Standard', family: 'C', capacity: 1 },
          redisVersion: '6',
          enableNonSslPort: false,
          minimumTlsVersion: '1.2',
          zonalAllocationPolicy: 'Automatic',
        },
      },
    },
    outputs: {
      instance: { serverUid: redis, name: ownName },
      secret: { user: 'default', host: `${ownName}.redis.cache.windows.net`, port: 6380 },
    },
    gone: [redis],
    secrets: ['admin'],
  },
  {
    title: 'a cluster',
    kind: 'kubernetes',
    config: {
      name: 'shop',
      version: '1.31',
      nodeGroups: [
        { name: 'batch', instanceType: 'Standard_F8s_v2', min: 0, max: 10 },
        { name: 'general', instanceType: 'Standard_D4s_v5', min: 2, max: 6 },
      ],
      vpcID: shopNetwork,
      subnetIDs: [`${shopNetwork}/subnets/nodes`],
    },
    before: { [shopNetwork]: { location, properties: { subnets: [{ name: 'nodes' }] } } },
    created: [`managedClusters/${ownName}`],
    bodies: {
      [`managedClusters/${ownName}`]: {
        location,
        tags,
        sku: { name: 'Base', tier: 'Standard' },
        identity: { type: 'SystemAssigned' },
        properties: {
          kubernetesVersion: '1.31',
          dnsPrefix: ownName,
          nodeResourceGroup: `${ownName}-nodes`,
          agentPoolProfiles: [
            { name: 'batch', ...poolOf('User', 'Standard_F8s_v2', 0, 10) },
            { name: 'general', ...poolOf('System', 'Standard_D4s_v5', 2, 6) },
          ],
          networkProfile: {
            networkPlugin: 'azure',
            networkPluginMode: 'overlay',
            serviceCidr: '172.30.0.0/16',
            dnsServiceIP: '172.30.0.10',
          },
          oidcIssuerProfile: { enabled: true },
          securityProfile: { workloadIdentity: { enabled: true } },
        },
      },
    },
    outputs: {
      control_plane: {
        clusterUid: cluster,
        name: ownName,
        version: '1.31.5',
        endpoint: 'https://shop.hcp.westeurope.azmk8s.io',
      },
      node_groups: {
        nodeGroups: [
          { name: 'batch', uid: `${cluster}/agentpools/batch` },
          { name: 'general', uid: `${cluster}/agentpools/general` },
        ],
      },
    },
    gone: [cluster, `${cluster}/agentpools/batch`, `${cluster}/agentpools/general`],
  },
  ...machineCases,
]
