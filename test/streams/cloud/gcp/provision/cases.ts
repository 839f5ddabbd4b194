/** One job of each kind, and by hand what Google is asked to create, what the job tells, and what leaves the inventory. */
import { description, labels, region, type ProvisionCase } from './case.ts'
import { ownName } from './job.ts'
import { machineCases } from './machine-cases.ts'

/** `Private_B` in Google's letters, with the beginning of its SHA-256, because `private-b` is another name. */
const privateSubnet = `${ownName}-private-b-91ba1f`

const server = `//cloudsql.googleapis.com/projects/shop-prod/instances/${ownName}`
const redis = `//redis.googleapis.com/projects/shop-prod/locations/us-central1/instances/${ownName}`
const cluster = `//container.googleapis.com/projects/shop-prod/locations/us-central1/clusters/${ownName}`
const oauthScopes = ['https://www.googleapis.com/auth/cloud-platform']
const repository = `//artifactregistry.googleapis.com/projects/shop-prod/locations/us-central1/repositories/${ownName}`

export const cases: readonly ProvisionCase[] = [
  {
    title: 'a registry',
    kind: 'registry',
    config: { name: 'shop/images', immutableTags: true },
    created: [`repositories/${ownName}`],
    bodies: {
      [`repositories/${ownName}`]: { format: 'DOCKER', dockerConfig: { immutableTags: true }, labels },
    },
    outputs: {
      create: { registryUid: repository, uri: `us-central1-docker.pkg.dev/shop-prod/${ownName}/shop/images` },
    },
    gone: [repository],
  },
  {
    title: 'a network',
    kind: 'network',
    config: {
      name: 'shop',
      cidr: '10.20.0.0/16',
      subnets: [
        { name: 'public-a', cidr: '10.20.0.0/20', zone: 'us-central1-a', public: true },
        { name: 'Private_B', cidr: '10.20.128.0/20', public: false },
      ],
    },
    created: [`networks/${ownName}`, `subnetworks/${ownName}-public-a`, `subnetworks/${privateSubnet}`],
    bodies: {
      [`networks/${ownName}`]: {
        name: ownName,
        description,
        autoCreateSubnetworks: false,
        routingConfig: { routingMode: 'REGIONAL' },
      },
      [`subnetworks/${ownName}-public-a`]: {
        name: `${ownName}-public-a`,
        description,
        network: `projects/shop-prod/global/networks/${ownName}`,
        ipCidrRange: '10.20.0.0/20',
        privateIpGoogleAccess: true,
      },
    },
    outputs: {
      create: {
        networkUid: `projects/shop-prod/global/networks/${ownName}`,
        name: ownName,
        subnets: [
          { name: 'public-a', uid: `${region}/subnetworks/${ownName}-public-a` },
          { name: 'Private_B', uid: `${region}/subnetworks/${privateSubnet}` },
        ],
      },
    },
    gone: [
      `projects/shop-prod/global/networks/${ownName}`,
      `${region}/subnetworks/${ownName}-public-a`,
      `${region}/subnetworks/${privateSubnet}`,
    ],
  },
  {
    title: 'a server of Postgres',
    kind: 'datastore',
    config: {
      engine: 'postgres',
      version: '16.3',
      instanceClass: 'db-custom-2-7680',
      allocatedStorageGB: 100,
      multiAZ: true,
      backupRetentionDays: 14,
    },
    created: [`instances/${ownName}`],
    bodies: {
      [`instances/${ownName}`]: {
        name: ownName,
        region: 'us-central1',
        databaseVersion: 'POSTGRES_16',
        rootPassword: '(secret)',
        settings: {
          tier: 'db-custom-2-7680',
          edition: 'ENTERPRISE',
          availabilityType: 'REGIONAL',
          dataDiskType: 'PD_SSD',
          dataDiskSizeGb: '100',
          backupConfiguration: {
            enabled: true,
            pointInTimeRecoveryEnabled: true,
            transactionLogRetentionDays: 7,
            backupRetentionSettings: { retentionUnit: 'COUNT', retainedBackups: 14 },
          },
          ipConfiguration: { ipv4Enabled: true, authorizedNetworks: [], sslMode: 'ENCRYPTED_ONLY' },
          deletionProtectionEnabled: false,
          userLabels: labels,
        },
      },
      'users/postgres': { name: 'postgres', password: '(secret)' },
    },
    outputs: {
      instance: { serverUid: server, name: ownName },
      wait_available: { host: '34.1.2.3', port: 5432 },
      secret: { user: 'postgres', host: '34.1.2.3', port: 5432, passwordOperation: 'operation-2' },
    },
    gone: [server],
    secrets: ['admin'],
    isFinal: true,
  },
  {
    title: 'a server of MySQL',
    kind: 'datastore',
    config: {
      engine: 'mysql',
      version: '8.0.37',
      instanceClass: 'db-perf-optimized-N-2',
      allocatedStorageGB: 10,
      multiAZ: false,
      backupRetentionDays: 0,
    },
    created: [`instances/${ownName}`],
    bodies: {
      [`instances/${ownName}`]: {
        name: ownName,
        region: 'us-central1',
        databaseVersion: 'MYSQL_8_0',
        rootPassword: '(secret)',
        settings: {
          tier: 'db-perf-optimized-N-2',
          edition: 'ENTERPRISE_PLUS',
          availabilityType: 'ZONAL',
          dataDiskType: 'PD_SSD',
          dataDiskSizeGb: '10',
          backupConfiguration: { enabled: false },
          ipConfiguration: { ipv4Enabled: true, authorizedNetworks: [], sslMode: 'ENCRYPTED_ONLY' },
          deletionProtectionEnabled: false,
          userLabels: labels,
        },
      },
      'users/root': { name: 'root', host: '%', password: '(secret)' },
    },
    outputs: {
      wait_available: { host: '34.1.2.3', port: 3306 },
      secret: { user: 'root', host: '34.1.2.3', port: 3306, passwordOperation: 'operation-2' },
    },
    gone: [server],
    secrets: ['admin'],
    isFinal: true,
  },
  {
    title: 'a server of Redis',
    kind: 'datastore',
    config: {
      engine: 'redis',
      version: '7.2',
      instanceClass: 'M2',
      allocatedStorageGB: 0,
      multiAZ: true,
      backupRetentionDays: 1,
    },
    created: [`instances/${ownName}`],
    bodies: {
      [`instances/${ownName}`]: {
        tier: 'STANDARD_HA',
        memorySizeGb: 5,
        redisVersion: 'REDIS_7_2',
        authEnabled: true,
        persistenceConfig: { persistenceMode: 'RDB', rdbSnapshotPeriod: 'TWENTY_FOUR_HOURS' },
        labels,
      },
    },
    outputs: {
      instance: { serverUid: redis, name: ownName },
      secret: { user: 'default', host: '10.0.0.3', port: 6379 },
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
        { name: 'general', instanceType: 'e2-standard-4', min: 2, max: 6 },
        { name: 'batch', instanceType: 'c3-standard-8', min: 0, max: 10 },
      ],
      vpcID: 'default',
      subnetIDs: ['projects/shop-prod/regions/us-central1/subnetworks/shop'],
    },
    created: [`clusters/${ownName}`],
    bodies: {
      [`clusters/${ownName}`]: {
        name: ownName,
        initialClusterVersion: '1.31',
        network: 'projects/shop-prod/global/networks/default',
        subnetwork: 'projects/shop-prod/regions/us-central1/subnetworks/shop',
        ipAllocationPolicy: { useIpAliases: true },
        workloadIdentityConfig: { workloadPool: 'shop-prod.svc.id.goog' },
        resourceLabels: labels,
        nodePools: [
          {
            name: 'general',
            // In each of three zones.
            initialNodeCount: 1,
            autoscaling: { enabled: true, totalMinNodeCount: 2, totalMaxNodeCount: 6, locationPolicy: 'BALANCED' },
            config: { machineType: 'e2-standard-4', oauthScopes, resourceLabels: labels },
          },
          {
            name: 'batch',
            initialNodeCount: 0,
            autoscaling: { enabled: true, totalMinNodeCount: 0, totalMaxNodeCount: 10, locationPolicy: 'BALANCED' },
            config: { machineType: 'c3-standard-8', oauthScopes, resourceLabels: labels },
          },
        ],
      },
    },
    outputs: {
      control_plane: { clusterUid: cluster, name: ownName, version: '1.31.4-gke.1000', endpoint: 'https://35.1.2.3' },
      node_groups: {
        nodeGroups: [
          { name: 'general', uid: `${cluster}/nodePools/general` },
          { name: 'batch', uid: `${cluster}/nodePools/batch` },
        ],
      },
      verify: { clusterUid: cluster, name: ownName, version: '1.31.4-gke.1000', endpoint: 'https://35.1.2.3' },
    },
    gone: [cluster, `${cluster}/nodePools/general`, `${cluster}/nodePools/batch`],
  },
  ...machineCases,
]
