import { at, compute, created_at, daysAgo, region, type Case } from './case.ts'
import { project } from '../world.ts'

const ring = `projects/${project}/locations/${region}/keyRings/main`
const email = `job@${project}.iam.gserviceaccount.com`
const sinks = {
  [`/v2/projects/${project}/sinks`]: {
    sinks: [
      {
        name: '_Default',
        destination: `logging.googleapis.com/projects/${project}/locations/global/buckets/_Default`,
        exclusions: [{ name: 'noise' }, { name: 'off', disabled: true }],
      },
      {
        name: 'audit',
        destination: 'storage.googleapis.com/audit',
        filter: 'log_id("cloudaudit.googleapis.com/activity")',
      },
    ],
  },
}

export const managementCases: readonly Case[] = [
  {
    type: 'gcp-secret',
    answers: {
      [`/v1/projects/${project}/secrets`]: {
        secrets: [{ name: 'projects/12/secrets/token', createTime: at, rotation: { rotationPeriod: '86400s' } }],
      },
      [`/v1/projects/${project}/secrets/token/versions`]: { versions: [{ name: '2' }, { name: '1' }] },
    },
    found: [
      {
        resourceUid: `//secretmanager.googleapis.com/projects/${project}/secrets/token`,
        name: 'token',
        region: 'global',
        specs: { created_at, enabled_versions: 2, rotation: true },
      },
    ],
  },
  {
    type: 'gcp-kms-key',
    answers: {
      [`/v1/projects/${project}/locations`]: { locations: [{ locationId: region }, { locationId: 'us-east1' }] },
      [`/v1/projects/${project}/locations/${region}/keyRings`]: { keyRings: [{ name: ring }] },
      [`/v1/${ring}/cryptoKeys`]: {
        cryptoKeys: [
          {
            name: `${ring}/cryptoKeys/data`,
            createTime: at,
            purpose: 'ENCRYPT_DECRYPT',
            rotationPeriod: '7776000s',
            primary: { state: 'ENABLED' },
          },
          { name: `${ring}/cryptoKeys/gone`, purpose: 'ENCRYPT_DECRYPT', primary: { state: 'DESTROYED' } },
        ],
      },
    },
    found: [
      {
        resourceUid: `//cloudkms.googleapis.com/${ring}/cryptoKeys/data`,
        name: 'data',
        region,
        specs: { created_at, purpose: 'ENCRYPT_DECRYPT', rotation_days: 90 },
      },
    ],
  },
  {
    type: 'gcp-service-account',
    answers: {
      [`/v1/projects/${project}/serviceAccounts`]: {
        accounts: [{ name: `projects/${project}/serviceAccounts/${email}`, email, displayName: 'Job' }],
      },
      [`/v1/projects/${project}/serviceAccounts/${email}/keys`]: {
        keys: [{ validAfterTime: daysAgo(100) }, { validAfterTime: daysAgo(3) }],
      },
      [`/v1/projects/${project}/locations/global/activityTypes/serviceAccountLastAuthentication/activities:query`]: {
        activities: [
          {
            fullResourceName: `//iam.googleapis.com/projects/${project}/serviceAccounts/${email}`,
            activity: { lastAuthenticatedTime: daysAgo(40) },
          },
        ],
      },
    },
    found: [
      {
        resourceUid: `//iam.googleapis.com/projects/${project}/serviceAccounts/${email}`,
        name: email,
        region: 'global',
        specs: {
          disabled: false,
          display_name: 'Job',
          user_key_count: 2,
          oldest_user_key_days: 100,
          days_since_use: 40,
        },
      },
    ],
  },
  {
    type: 'gcp-log-bucket',
    answers: {
      ...sinks,
      [`/v2/projects/${project}/locations/-/buckets`]: {
        buckets: [
          { name: `projects/${project}/locations/global/buckets/_Default`, createTime: at, retentionDays: 400 },
        ],
      },
    },
    found: [
      {
        resourceUid: `//logging.googleapis.com/projects/${project}/locations/global/buckets/_Default`,
        name: '_Default',
        region: 'global',
        specs: { created_at, required: false, retention_days: 400, exclusion_count: 1 },
      },
    ],
  },
  {
    type: 'gcp-project',
    answers: {
      ...sinks,
      [`/v3/projects/${project}`]: {
        name: 'projects/12',
        projectId: project,
        displayName: 'Shop',
        parent: 'organizations/9',
        state: 'ACTIVE',
        createTime: at,
        labels: { env: 'prod' },
      },
      [`/v3/projects/${project}:getIamPolicy`]: {
        bindings: [
          { role: 'roles/owner', members: ['user:a@example.com', 'user:b@example.com'] },
          { role: 'roles/editor', members: ['user:b@example.com'] },
          { role: 'roles/viewer', members: ['user:c@example.com'] },
        ],
        auditConfigs: [
          { service: 'allServices', auditLogConfigs: [{ logType: 'DATA_READ' }, { logType: 'DATA_WRITE' }] },
        ],
      },
      [`${compute}/global/networks/default`]: { name: 'default' },
      [`${compute}/regions`]: {
        items: [
          {
            name: region,
            quotas: [
              { metric: 'CPUS', limit: 24, usage: 21 },
              { metric: 'DISKS_TOTAL_GB', limit: 4096, usage: 100 },
            ],
          },
        ],
      },
      [`/v1/projects/${project}/services/recommender.googleapis.com`]: { state: 'ENABLED' },
      [`/v1/projects/${project}/locations/global/recommenders/google.resourcemanager.projectUtilization.Recommender/recommendations`]:
        { recommendations: [{ recommenderSubtype: 'CLEANUP_PROJECT', stateInfo: { state: 'ACTIVE' } }] },
      [`/v1beta1/projects/${project}/services/bigquery.googleapis.com/consumerQuotaMetrics`]: {
        metrics: [
          {
            metric: 'bigquery.googleapis.com/quota/query/usage',
            consumerQuotaLimits: [{ quotaBuckets: [{ effectiveLimit: '-1', defaultLimit: '-1' }] }],
          },
        ],
      },
    },
    found: [
      {
        resourceUid: `//cloudresourcemanager.googleapis.com/projects/${project}`,
        name: 'Shop',
        region: 'global',
        tags: { env: 'prod' },
        specs: {
          created_at,
          lifecycle_state: 'ACTIVE',
          default_network: true,
          audit_logs_enabled: true,
          primitive_role_members: 2,
          log_sink_count: 1,
          recommender_api_enabled: true,
          days_since_activity: 30,
          query_cost_limit: false,
          quota_peak_percent: 87.5,
          quota_peak_name: 'CPUS us-central1',
        },
      },
    ],
  },
  {
    type: 'gcp-billing-account',
    answers: {
      [`/v1/projects/${project}/billingInfo`]: {
        billingAccountName: 'billingAccounts/0000-1111',
        billingEnabled: true,
      },
      '/v1/billingAccounts/0000-1111/budgets': { budgets: [{ name: 'billingAccounts/0000-1111/budgets/1' }] },
    },
    found: [
      {
        resourceUid: '//cloudbilling.googleapis.com/billingAccounts/0000-1111',
        name: '0000-1111',
        region: 'global',
        specs: { open: true, budget_count: 1 },
      },
    ],
  },
]
