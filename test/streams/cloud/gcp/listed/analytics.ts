import { at, created_at, daysAgo, here, region, regions, type Case } from './case.ts'
import { project } from '../world.ts'

const mart = `/bigquery/v2/projects/${project}/datasets/mart`
const tableReference = { projectId: project, datasetId: 'mart', tableId: 'orders' }

export const analyticsCases: readonly Case[] = [
  {
    type: 'gcp-bigquery-table',
    answers: {
      [`/bigquery/v2/projects/${project}/datasets`]: {
        datasets: [{ datasetReference: { datasetId: 'mart', projectId: project }, location: 'EU' }],
      },
      [`${mart}/tables`]: {
        tables: [
          { tableReference, type: 'TABLE' },
          { tableReference: { ...tableReference, tableId: 'latest' }, type: 'VIEW' },
        ],
      },
      [`${mart}/tables/orders`]: {
        tableReference,
        location: 'EU',
        creationTime: String(Date.parse(at)),
        lastModifiedTime: String(Date.parse(daysAgo(100))),
        clustering: { fields: ['day'] },
        numBytes: '250000000000',
      },
      [`/bigquery/v2/projects/${project}/jobs`]: {
        jobs: [
          { statistics: { query: { totalBytesBilled: '1500000000000', referencedTables: [tableReference] } } },
          { statistics: { query: { totalBytesBilled: '500000000000', referencedTables: [tableReference] } } },
          { statistics: {} },
        ],
      },
    },
    found: [
      {
        resourceUid: `//bigquery.googleapis.com/projects/${project}/datasets/mart/tables/orders`,
        name: 'mart.orders',
        region: 'eu',
        sizeGB: 250,
        specs: { created_at, partitioned: true, expiration: false, days_since_change: 100, scanned_tb_30d: 2 },
      },
    ],
  },
  {
    type: 'gcp-dataflow-job',
    answers: {
      [`/v1b3/projects/${project}/jobs:aggregated`]: {
        jobs: [
          {
            id: '2026-01-01_1',
            name: 'ingest',
            type: 'JOB_TYPE_STREAMING',
            location: region,
            currentState: 'JOB_STATE_RUNNING',
            createTime: at,
          },
        ],
      },
      [`/v1b3/${here}/jobs/2026-01-01_1`]: {
        id: '2026-01-01_1',
        location: region,
        environment: {
          experiments: ['enable_streaming_engine'],
          workerPools: [{ autoscalingSettings: { maxNumWorkers: 10 } }],
        },
      },
    },
    found: [
      {
        resourceUid: `//dataflow.googleapis.com/${here}/jobs/2026-01-01_1`,
        name: 'ingest',
        region,
        specs: {
          created_at,
          job_type: 'STREAMING',
          state: 'JOB_STATE_RUNNING',
          max_workers: 10,
          streaming_engine: true,
          flexrs: false,
        },
      },
    ],
  },
  {
    type: 'gcp-composer',
    answers: {
      ...regions,
      [`/v1/${here}/environments`]: {
        environments: [
          {
            name: `${here}/environments/etl`,
            state: 'RUNNING',
            createTime: at,
            config: {
              environmentSize: 'ENVIRONMENT_SIZE_SMALL',
              softwareConfig: { imageVersion: 'composer-2.9.7-airflow-2.9.3' },
            },
          },
        ],
      },
    },
    found: [
      {
        resourceUid: `//composer.googleapis.com/${here}/environments/etl`,
        name: 'etl',
        region,
        specs: { created_at, state: 'RUNNING', size: 'SMALL', image_version: 'composer-2.9.7-airflow-2.9.3' },
      },
    ],
  },
  {
    type: 'gcp-data-fusion',
    answers: {
      [`/v1/projects/${project}/locations/-/instances`]: {
        instances: [
          { name: `${here}/instances/fuse`, state: 'RUNNING', createTime: at, type: 'BASIC', version: '6.10.1' },
        ],
      },
    },
    found: [
      {
        resourceUid: `//datafusion.googleapis.com/${here}/instances/fuse`,
        name: 'fuse',
        region,
        specs: { created_at, state: 'RUNNING', edition: 'BASIC', version: '6.10.1' },
      },
    ],
  },
  {
    type: 'gcp-vertex-endpoint',
    answers: {
      ...regions,
      [`/v1/${here}/endpoints`]: {
        endpoints: [
          {
            name: `projects/12/locations/${region}/endpoints/77`,
            displayName: 'ranker',
            createTime: at,
            deployedModels: [
              { dedicatedResources: { minReplicaCount: 2, machineSpec: { acceleratorCount: 1 } } },
              { automaticResources: { minReplicaCount: 1 } },
            ],
          },
        ],
      },
    },
    found: [
      {
        resourceUid: `//aiplatform.googleapis.com/${here}/endpoints/77`,
        name: 'ranker',
        region,
        specs: { created_at, deployed_models: 2, min_replicas: 3, gpu_count: 1 },
      },
    ],
  },
  {
    type: 'gcp-pubsub-subscription',
    answers: {
      [`/v1/projects/${project}/subscriptions`]: {
        subscriptions: [
          {
            name: `projects/${project}/subscriptions/lost`,
            topic: '_deleted-topic_',
            state: 'ACTIVE',
            messageRetentionDuration: '604800s',
          },
        ],
      },
    },
    found: [
      {
        resourceUid: `//pubsub.googleapis.com/projects/${project}/subscriptions/lost`,
        name: 'lost',
        region: 'global',
        specs: {
          state: 'ACTIVE',
          topic: '_deleted-topic_',
          topic_exists: false,
          retain_acked: false,
          retention_days: 7,
        },
      },
    ],
  },
]
