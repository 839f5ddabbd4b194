/** The example database server in the API document, with its space and connection. */
import { configSchemas } from '#actors/catalog/config/config.ts'
import type { ProvisioningKind } from '#streams/cloud/provision.ts'
import { stepsOf } from '#streams/cloud/provision.ts'

export const exampleIds = {
  space: '5b0f6f0e-1e4a-8a36-9a43-0f9f2b9f6a01',
  job: '6b0f6f0e-1e4a-8a36-9a43-0f9f2b9f6a01',
  database: '7b0f6f0e-1e4a-8a36-9a43-0f9f2b9f6a01',
  connection: '8b0f6f0e-1e4a-8a36-9a43-0f9f2b9f6a01',
}

const orgID = '9f4f1c1e-0f0a-4c1a-9d52-3f6f0f6f0a01'
const at = '2030-01-07T13:00:00.000Z'
const later = '2030-01-07T13:09:00.000Z'

/** The first example of a config of the kind. */
export const configExample = (kind: ProvisioningKind): Record<string, unknown> =>
  (configSchemas[kind] as unknown as { examples: readonly object[] }).examples[0] as Record<string, unknown>

export const spaceExample = {
  id: exampleIds.space,
  orgID,
  name: 'Production',
  cloudAccountID: 'acct-1',
  provider: 'aws',
  region: 'us-east-1',
  kind: 'account_region',
  status: 'active',
  createdAt: at,
  updatedAt: at,
}

export const jobBodyExample = {
  spaceID: exampleIds.space,
  kind: 'datastore',
  config: configExample('datastore'),
}

export const jobExample = {
  id: exampleIds.job,
  orgID,
  ...jobBodyExample,
  name: 'postgres-6b0f6f0e',
  tags: { team: 'shop' },
  phase: 'failed',
  currentStep: 'instance',
  steps: stepsOf.datastore.map((name, i) => {
    if (i < 3) return { id: name, name, status: 'succeeded', attempts: 1, startedAt: at, completedAt: at }
    if (i > 3) return { id: name, name, status: 'pending', attempts: 0 }
    return { id: name, name, status: 'failed', attempts: 1, startedAt: at, completedAt: later, error: failureExample() }
  }),
  error: failureExample(),
  attempts: 1,
  createdBy: 'u-1',
  createdAt: at,
  updatedAt: later,
}

function failureExample() {
  return {
    bucket: 'user_action',
    message: 'The quota for DB instances in the region is exhausted.',
    retryable: false,
    fixHint: 'Request a higher quota for DB instances in us-east-1, then retry.',
    consoleUrl: 'https://us-east-1.console.aws.amazon.com/servicequotas/home/services/rds/quotas',
    stepName: 'instance',
  }
}

export const databaseExample = {
  id: exampleIds.database,
  jobID: exampleIds.job,
  name: 'shop',
  owner: 'shop_app',
  status: 'available',
  server: 'postgres-6b0f6f0e.us-east-1.example',
  port: 5432,
  secretRef: `secret://${exampleIds.job}/shop_app`,
  createdAt: at,
}

export const connectionExample = {
  id: exampleIds.connection,
  jobID: exampleIds.job,
  databaseID: exampleIds.database,
  scope: 'database',
  name: 'Shop',
  host: databaseExample.server,
  port: 5432,
  user: 'shop_app',
  secretRef: databaseExample.secretRef,
  createdAt: at,
}

export const componentExample = {
  id: 'ingress-nginx',
  name: 'Ingress NGINX',
  category: 'networking',
  version: '1.11.3',
  description: 'Routes external requests to services of the cluster, by host and path.',
}

export const estimateExample = {
  currency: 'USD',
  hourlyUSD: 0.387507,
  monthlyUSD: 282.88,
  maxHourlyUSD: 0.387507,
  maxMonthlyUSD: 282.88,
  items: [
    {
      name: 'db.m5.large',
      units: 1,
      maxUnits: 1,
      unitHourlyUSD: 0.356,
      hourlyUSD: 0.356,
      monthlyUSD: 259.88,
      price: { source: 'price list of AWS', effectiveOn: '2026-01-01' },
    },
    {
      name: 'storage, 100 GB',
      units: 100,
      maxUnits: 100,
      unitHourlyUSD: 0.000315,
      hourlyUSD: 0.031507,
      monthlyUSD: 23,
    },
  ],
  unknown: ['backups, by retained storage', 'traffic, by usage'],
}

export const driftExample = {
  jobID: exampleIds.job,
  exists: true,
  drift: [{ path: '/backupRetentionDays', wanted: 7, found: 1 }],
}
