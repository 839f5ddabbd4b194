import { at, compute, created_at, here, inDays, link, nothing, region, type Case } from './case.ts'
import { project } from '../world.ts'

const endsAt = inDays(20)

export const computeCases: readonly Case[] = [
  {
    type: 'gcp-reservation',
    answers: {
      [`${compute}/aggregated/reservations`]: {
        items: {
          'zones/us-central1-a': {
            reservations: [
              {
                name: 'peak',
                selfLink: link('zones/us-central1-a/reservations/peak'),
                creationTimestamp: at,
                status: 'READY',
                specificReservation: {
                  count: '4',
                  inUseCount: '1',
                  instanceProperties: { machineType: 'n2-standard-4' },
                },
              },
            ],
          },
        },
      },
    },
    found: [
      {
        resourceUid: `projects/${project}/zones/us-central1-a/reservations/peak`,
        name: 'peak',
        region,
        instanceType: 'n2-standard-4',
        unitCount: 4,
        specs: { created_at, state: 'READY', count: 4, in_use_count: 1, zone: 'us-central1-a' },
      },
    ],
  },
  {
    type: 'gcp-commitment',
    answers: {
      [`${compute}/aggregated/commitments`]: {
        items: {
          'regions/us-central1': {
            commitments: [
              {
                name: 'n2',
                creationTimestamp: at,
                status: 'ACTIVE',
                type: 'GENERAL_PURPOSE_N2',
                plan: 'TWELVE_MONTH',
                endTimestamp: endsAt,
                resources: [
                  { type: 'VCPU', amount: '8' },
                  { type: 'MEMORY', amount: '32768' },
                ],
              },
            ],
          },
        },
      },
    },
    found: [
      {
        resourceUid: `projects/${project}/regions/us-central1/commitments/n2`,
        name: 'n2',
        region,
        specs: {
          created_at,
          state: 'ACTIVE',
          commitment_type: 'GENERAL_PURPOSE_N2',
          plan: 'TWELVE_MONTH',
          reserved_type: 'GENERAL_PURPOSE_N2',
          reserved_count: 8,
          memory_gib: 32,
          end: endsAt,
          days_to_end: 20,
          auto_renew: false,
        },
      },
    ],
  },
  {
    type: 'gcp-image',
    answers: {
      ...nothing,
      [`${compute}/aggregated/disks`]: {
        items: {
          'zones/us-central1-a': { disks: [{ name: 'boot', sourceImage: link('global/images/base-1') }] },
        },
      },
      [`${compute}/aggregated/instanceTemplates`]: {
        items: {
          global: {
            instanceTemplates: [
              {
                name: 'web',
                properties: { disks: [{ initializeParams: { sourceImage: link('global/images/family/base') } }] },
              },
            ],
          },
        },
      },
      [`${compute}/global/images`]: {
        items: [
          { name: 'base-1', family: 'base', creationTimestamp: at, status: 'READY', diskSizeGb: '10' },
          { name: 'old', creationTimestamp: at, status: 'READY', diskSizeGb: '20', labels: { team: 'web' } },
        ],
      },
    },
    found: [
      {
        resourceUid: `projects/${project}/global/images/base-1`,
        name: 'base-1',
        region: 'global',
        sizeGB: 10,
        specs: { created_at, state: 'READY', family: 'base', in_use_count: 2 },
      },
      {
        resourceUid: `projects/${project}/global/images/old`,
        name: 'old',
        region: 'global',
        sizeGB: 20,
        tags: { team: 'web' },
        specs: { created_at, state: 'READY', family: null, in_use_count: 0 },
      },
    ],
  },
  {
    type: 'gcp-cloud-run',
    answers: {
      [`/v1/projects/${project}/locations/-/services`]: {
        items: [
          {
            metadata: {
              name: 'shop',
              creationTimestamp: at,
              labels: { 'cloud.googleapis.com/location': region, team: 'web' },
            },
            spec: {
              template: {
                metadata: {
                  annotations: {
                    'autoscaling.knative.dev/minScale': '2',
                    'run.googleapis.com/cpu-throttling': 'false',
                  },
                },
                spec: { containers: [{ resources: { limits: { cpu: '1000m', memory: '512Mi' } } }] },
              },
            },
          },
          { metadata: { name: 'fn', labels: { 'goog-managed-by': 'cloudfunctions' } } },
        ],
      },
      [`/v1/${here}/services/shop:getIamPolicy`]: { bindings: [{ role: 'roles/run.invoker', members: ['allUsers'] }] },
    },
    found: [
      {
        resourceUid: `//run.googleapis.com/${here}/services/shop`,
        name: 'shop',
        region,
        tags: { team: 'web' },
        specs: { created_at, min_instances: 2, cpu_always_allocated: true, memory_mib: 512, cpu: 1, public: true },
      },
    ],
  },
  {
    type: 'gcp-function',
    answers: {
      [`/v2/projects/${project}/locations/-/functions`]: {
        functions: [
          {
            name: `${here}/functions/resize`,
            environment: 'GEN_2',
            state: 'ACTIVE',
            createTime: at,
            buildConfig: { runtime: 'nodejs16' },
            serviceConfig: { service: `${here}/services/resize`, availableMemory: '1Gi', minInstanceCount: 1 },
          },
          {
            name: `${here}/functions/old`,
            environment: 'GEN_1',
            state: 'ACTIVE',
            buildConfig: { runtime: 'python37' },
            serviceConfig: { availableMemory: '256M', minInstanceCount: 1 },
          },
        ],
      },
    },
    found: [
      {
        resourceUid: `//cloudfunctions.googleapis.com/${here}/functions/resize`,
        name: 'resize',
        region,
        specs: {
          created_at,
          state: 'ACTIVE',
          generation: 2,
          runtime: 'nodejs16',
          service_name: 'resize',
          memory_mib: 1024,
          min_instances: 1,
        },
      },
      {
        resourceUid: `//cloudfunctions.googleapis.com/${here}/functions/old`,
        name: 'old',
        region,
        specs: { state: 'ACTIVE', generation: 1, runtime: 'python37' },
      },
    ],
  },
  {
    type: 'gcp-appengine-version',
    answers: {
      [`/v1/apps/${project}`]: { locationId: 'us-central' },
      [`/v1/apps/${project}/services`]: { services: [{ id: 'default', split: { allocations: { v2: 1 } } }] },
      [`/v1/apps/${project}/services/default/versions`]: {
        versions: [
          {
            id: 'v1',
            name: `apps/${project}/services/default/versions/v1`,
            createTime: at,
            servingStatus: 'SERVING',
            env: 'flexible',
            manualScaling: { instances: 2 },
          },
        ],
      },
    },
    found: [
      {
        resourceUid: `//appengine.googleapis.com/apps/${project}/services/default/versions/v1`,
        name: 'v1',
        region,
        specs: {
          created_at,
          state: 'SERVING',
          service: 'default',
          environment: 'flexible',
          scaling: 'manual',
          traffic_percent: 0,
        },
      },
    ],
  },
  {
    type: 'gcp-workstation',
    answers: {
      [`/v1/projects/${project}/locations/-/workstationClusters/-/workstationConfigs/-/workstations`]: {
        workstations: [
          {
            name: `${here}/workstationClusters/c/workstationConfigs/dev/workstations/ann`,
            state: 'STATE_RUNNING',
            createTime: at,
          },
        ],
      },
      [`/v1/projects/${project}/locations/-/workstationClusters/-/workstationConfigs`]: {
        workstationConfigs: [{ name: `${here}/workstationClusters/c/workstationConfigs/dev`, idleTimeout: '7200s' }],
      },
    },
    found: [
      {
        resourceUid: `//workstations.googleapis.com/${here}/workstationClusters/c/workstationConfigs/dev/workstations/ann`,
        name: 'ann',
        region,
        specs: { created_at, state: 'STATE_RUNNING', idle_timeout_minutes: 120 },
      },
    ],
  },
]
