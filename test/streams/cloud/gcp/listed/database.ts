import { at, created_at, here, region, type Case } from './case.ts'
import { project } from '../world.ts'

export const databaseCases: readonly Case[] = [
  {
    type: 'gcp-memorystore',
    answers: {
      [`/v1/projects/${project}/locations/-/instances`]: {
        instances: [
          {
            name: `${here}/instances/cart`,
            state: 'READY',
            createTime: at,
            tier: 'STANDARD_HA',
            memorySizeGb: 5,
            redisVersion: 'REDIS_7_2',
            transitEncryptionMode: 'DISABLED',
            labels: { team: 'web' },
          },
        ],
      },
    },
    found: [
      {
        resourceUid: `//redis.googleapis.com/${here}/instances/cart`,
        name: 'cart',
        region,
        sizeGB: 5,
        tags: { team: 'web' },
        specs: {
          created_at,
          state: 'READY',
          engine: 'redis',
          engine_version: 'REDIS_7_2',
          tier: 'STANDARD_HA',
          memory_gb: 5,
          transit_encryption: false,
        },
      },
    ],
  },
  {
    type: 'gcp-spanner',
    answers: {
      [`/v1/projects/${project}/instances`]: {
        instances: [
          {
            name: `projects/${project}/instances/orders`,
            config: `projects/${project}/instanceConfigs/regional-us-central1`,
            displayName: 'Orders',
            processingUnits: 1000,
            state: 'READY',
            createTime: at,
          },
        ],
      },
    },
    found: [
      {
        resourceUid: `//spanner.googleapis.com/projects/${project}/instances/orders`,
        name: 'orders',
        region,
        specs: {
          created_at,
          state: 'READY',
          display_name: 'Orders',
          config: 'regional-us-central1',
          processing_units: 1000,
          autoscaling: false,
        },
      },
    ],
  },
  {
    type: 'gcp-bigtable',
    answers: {
      [`/v2/projects/${project}/instances/-/clusters`]: {
        clusters: [
          {
            name: `projects/${project}/instances/events/clusters/events-c1`,
            location: `projects/${project}/locations/us-central1-b`,
            state: 'READY',
            serveNodes: 3,
            defaultStorageType: 'SSD',
          },
        ],
      },
      [`/v2/projects/${project}/instances`]: {
        instances: [{ name: `projects/${project}/instances/events`, labels: { team: 'data' } }],
      },
    },
    found: [
      {
        resourceUid: `//bigtable.googleapis.com/projects/${project}/instances/events/clusters/events-c1`,
        name: 'events-c1',
        region,
        unitCount: 3,
        tags: { team: 'data' },
        specs: {
          state: 'READY',
          instance: 'events',
          node_count: 3,
          autoscaling: false,
          storage_type: 'SSD',
          zone: 'us-central1-b',
        },
      },
    ],
  },
  {
    type: 'gcp-alloydb',
    answers: {
      [`/v1/projects/${project}/locations/-/clusters/-/instances`]: {
        instances: [
          {
            name: `${here}/clusters/main/instances/primary`,
            state: 'READY',
            createTime: at,
            instanceType: 'PRIMARY',
            availabilityType: 'REGIONAL',
            machineConfig: { cpuCount: 4 },
          },
        ],
      },
    },
    found: [
      {
        resourceUid: `//alloydb.googleapis.com/${here}/clusters/main/instances/primary`,
        name: 'primary',
        region,
        specs: {
          created_at,
          state: 'READY',
          cluster: 'main',
          instance_type: 'PRIMARY',
          availability: 'REGIONAL',
          vcpus: 4,
        },
      },
    ],
  },
  {
    type: 'gcp-cloudsql-backup',
    answers: {
      [`/sql/v1beta4/projects/${project}/backups`]: {
        backups: [
          {
            name: `projects/${project}/backups/b-1`,
            instance: 'orders',
            type: 'FINAL',
            state: 'SUCCESSFUL',
            location: region,
            backupInterval: { startTime: at },
            instanceDeletionTime: '2026-01-02T00:00:00Z',
            maxChargeableBytes: '2500000000',
          },
          { name: `projects/${project}/backups/b-2`, state: 'FAILED' },
        ],
      },
    },
    found: [
      {
        resourceUid: `//cloudsql.googleapis.com/projects/${project}/backups/b-1`,
        name: 'b-1',
        region,
        parentUID: `//cloudsql.googleapis.com/projects/${project}/instances/orders`,
        specs: {
          created_at,
          state: 'SUCCESSFUL',
          backup_type: 'FINAL',
          source_instance: `//cloudsql.googleapis.com/projects/${project}/instances/orders`,
          expires_at: null,
          stored_gb: 2.5,
          source_exists: false,
        },
      },
    ],
  },
  {
    type: 'gcp-filestore',
    answers: {
      [`/v1/projects/${project}/locations/-/instances`]: {
        instances: [
          {
            name: `projects/${project}/locations/us-central1-c/instances/home`,
            state: 'READY',
            createTime: at,
            tier: 'BASIC_HDD',
            fileShares: [{ name: 'share', capacityGb: '2048' }],
          },
        ],
      },
    },
    found: [
      {
        resourceUid: `//file.googleapis.com/projects/${project}/locations/us-central1-c/instances/home`,
        name: 'home',
        region,
        sizeGB: 2048,
        specs: { created_at, state: 'READY', location: 'us-central1-c', tier: 'BASIC_HDD' },
      },
    ],
  },
]
