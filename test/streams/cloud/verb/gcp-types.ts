/** How resources of Google Cloud look and answer around one change, after its API references. Requests go by their permission. */
import { Fault } from '#engine/value/fault.ts'
import { GcpRefusal } from '#streams/cloud/gcp/session/fault.ts'
import type { CloudErrors, FarType } from './far-resource.ts'

const refusing = (status: number, reason: string, message = reason) =>
  new GcpRefusal(status, JSON.stringify({ error: { code: status, message, errors: [{ reason, message }] } }), 0)

export const gcpErrors: CloudErrors = {
  lost: () => new Fault('transient', 'upstream_failed', 'The connection ended.'),
  throttled: () => refusing(429, 'rateLimitExceeded'),
  denied: () => refusing(403, 'forbidden'),
}

const same = (answer: unknown) => [answer, answer, answer] as const
const absent = refusing(404, 'notFound')
const taken = { name: 'operation', status: 'RUNNING' }
const zone = 'projects/shop-prod/zones/us-central1-a'

const machine = (status: string, size = 'e2-standard-2', deletionProtection = false) => ({
  name: 'web',
  status,
  machineType: `zones/us-central1-a/machineTypes/${size}`,
  deletionProtection,
})
/** A retry has the same request ID, so Google answers it as it answered the first. */
const machineOf = { resourceUid: `${zone}/instances/web`, taken, again: taken }

const database = (activationPolicy: string, more: object = {}, state = 'RUNNABLE') => ({
  name: 'orders',
  state,
  settings: { tier: 'db-custom-2-7680', activationPolicy, ...more },
})
const databaseOf = {
  resourceUid: '//cloudsql.googleapis.com/projects/shop-prod/instances/orders',
  taken,
  again: refusing(409, 'operationInProgress'),
}

const group = (targetSize: number, currentActions: object = { none: targetSize }) => ({
  name: 'api',
  targetSize,
  currentActions,
})
const groupOf = {
  resourceUid: `${zone}/instanceGroupManagers/api`,
  change: 'compute.instanceGroupManagers.update',
  taken,
  again: taken,
}

const pool = (status: string) => ({
  name: 'default',
  status,
  locations: ['us-central1-a'],
  instanceGroupUrls: [`https://www.googleapis.com/compute/v1/${zone}/instanceGroupManagers/gke-a`],
})
const poolOf = {
  resourceUid: '//container.googleapis.com/projects/shop-prod/locations/us-central1/clusters/shop/nodePools/default',
  change: 'container.clusters.update',
  taken,
  again: refusing(400, 'FAILED_PRECONDITION', 'Cluster is running incompatible operation operation-1.'),
}

const disk = (sizeGb: string, status = 'READY') => ({ name: 'data', sizeGb, status })
const diskOf = { resourceUid: `${zone}/disks/data`, taken, again: taken }

/** Started and stopped by one call each. */
const switched = (
  resourceUid: string,
  permission: string,
  show: (state: string) => object,
  [running, stopping, stopped]: readonly [string, string, string],
): FarType => ({
  resourceUid,
  action: { kind: 'stop' },
  change: `${permission}.stop`,
  taken,
  again: refusing(400, 'FAILED_PRECONDITION', 'It does not run.'),
  looks: { [`${permission}.get`]: [show(running), show(stopping), show(stopped)] },
})

export const gcpTypes: Readonly<Record<string, FarType>> = {
  'gcp-vm start': {
    ...machineOf,
    action: { kind: 'start' },
    change: 'compute.instances.start',
    looks: { 'compute.instances.get': [machine('TERMINATED'), machine('STAGING'), machine('RUNNING')] },
  },
  'gcp-vm stop': {
    ...machineOf,
    action: { kind: 'stop' },
    change: 'compute.instances.stop',
    looks: { 'compute.instances.get': [machine('RUNNING'), machine('STOPPING'), machine('TERMINATED')] },
  },
  'gcp-vm resize': {
    ...machineOf,
    action: { kind: 'resize', size: 'e2-standard-4' },
    change: 'compute.instances.setMachineType',
    looks: {
      'compute.instances.get': [machine('TERMINATED'), machine('TERMINATED'), machine('TERMINATED', 'e2-standard-4')],
    },
  },
  'gcp-vm set': {
    ...machineOf,
    action: { kind: 'set', specs: { deletion_protection: true } },
    change: 'compute.instances.setDeletionProtection',
    looks: {
      'compute.instances.get': [
        machine('RUNNING'),
        machine('RUNNING', 'e2-standard-2', true),
        machine('RUNNING', 'e2-standard-2', true),
      ],
    },
  },
  'gcp-vm snapshot': {
    ...machineOf,
    action: { kind: 'snapshot' },
    change: 'compute.machineImages.create',
    again: refusing(409, 'alreadyExists'),
    looks: {
      'compute.machineImages.get': [absent, { status: 'CREATING' }, { status: 'READY' }],
      'compute.instances.get': same(machine('RUNNING')),
    },
  },
  'gcp-vm delete': {
    ...machineOf,
    action: { kind: 'delete' },
    change: 'compute.instances.delete',
    looks: { 'compute.instances.get': [machine('RUNNING'), machine('STOPPING'), absent] },
  },
  // While Google changes a database it shows it as it was.
  'gcp-cloudsql start': {
    ...databaseOf,
    action: { kind: 'start' },
    change: 'cloudsql.instances.update',
    looks: { 'cloudsql.instances.get': [database('NEVER'), database('NEVER'), database('ALWAYS')] },
  },
  'gcp-cloudsql stop': {
    ...databaseOf,
    action: { kind: 'stop' },
    change: 'cloudsql.instances.update',
    looks: { 'cloudsql.instances.get': [database('ALWAYS'), database('ALWAYS'), database('NEVER')] },
  },
  'gcp-cloudsql set': {
    ...databaseOf,
    action: { kind: 'set', specs: { edition: 'ENTERPRISE_PLUS' } },
    change: 'cloudsql.instances.update',
    looks: {
      'cloudsql.instances.get': [
        database('ALWAYS'),
        database('ALWAYS', { edition: 'ENTERPRISE_PLUS' }),
        database('ALWAYS', { edition: 'ENTERPRISE_PLUS' }),
      ],
    },
  },
  'gcp-cloudsql snapshot': {
    ...databaseOf,
    action: { kind: 'snapshot' },
    change: 'cloudsql.backupRuns.create',
    again: new Error('a second backup was requested'),
    looks: {
      'cloudsql.backupRuns.list': [
        {},
        { items: [{ description: 'tidemark-a-1', status: 'RUNNING' }] },
        { items: [{ description: 'tidemark-a-1', status: 'SUCCESSFUL' }] },
      ],
      'cloudsql.instances.get': same(database('ALWAYS')),
    },
  },
  'gcp-cloudsql delete': {
    ...databaseOf,
    action: { kind: 'delete' },
    change: 'cloudsql.instances.delete',
    looks: { 'cloudsql.instances.get': [database('ALWAYS'), database('ALWAYS', {}, 'PENDING_DELETE'), absent] },
  },
  'gcp-mig start': {
    ...groupOf,
    action: { kind: 'start', params: { desired: 3 } },
    looks: { 'compute.instanceGroupManagers.get': [group(0), group(3, { creating: 3 }), group(3)] },
  },
  'gcp-mig stop': {
    ...groupOf,
    action: { kind: 'stop' },
    looks: { 'compute.instanceGroupManagers.get': [group(3), group(0, { deleting: 3 }), group(0)] },
  },
  'gcp-mig scale': {
    ...groupOf,
    action: { kind: 'scale', params: { desired: 5 } },
    looks: { 'compute.instanceGroupManagers.get': [group(3), group(5, { creating: 2, none: 3 }), group(5)] },
  },
  'gcp-mig set': {
    ...groupOf,
    action: { kind: 'set', specs: { target_size: 4 } },
    looks: { 'compute.instanceGroupManagers.get': [group(3), group(4), group(4)] },
  },
  'gcp-mig delete': {
    ...groupOf,
    action: { kind: 'delete' },
    change: 'compute.instanceGroupManagers.delete',
    looks: { 'compute.instanceGroupManagers.get': [group(3), group(0, { deleting: 3 }), absent] },
  },
  'gcp-gke-nodepool stop': {
    ...poolOf,
    action: { kind: 'stop' },
    looks: {
      'compute.instanceGroupManagers.get': [group(2), group(0, { deleting: 2 }), group(0)],
      'container.clusters.get': [pool('RUNNING'), pool('RECONCILING'), pool('RUNNING')],
    },
  },
  'gcp-gke-nodepool scale': {
    ...poolOf,
    action: { kind: 'scale', params: { desired: 4 } },
    looks: {
      'compute.instanceGroupManagers.get': [group(2), group(4, { creating: 4 }), group(4)],
      'container.clusters.get': [pool('RUNNING'), pool('RECONCILING'), pool('RUNNING')],
    },
  },
  'gcp-disk set': {
    ...diskOf,
    action: { kind: 'set', specs: { size_gb: 40 } },
    change: 'compute.disks.resize',
    looks: { 'compute.disks.get': [disk('20'), disk('40'), disk('40')] },
  },
  'gcp-disk snapshot': {
    ...diskOf,
    action: { kind: 'snapshot' },
    change: 'compute.disks.createSnapshot',
    again: refusing(409, 'alreadyExists'),
    looks: {
      'compute.snapshots.get': [
        absent,
        { name: 'tidemark-a-1', status: 'CREATING' },
        { name: 'tidemark-a-1', status: 'READY' },
      ],
      'compute.disks.get': same(disk('20')),
    },
  },
  'gcp-disk delete': {
    ...diskOf,
    action: { kind: 'delete' },
    change: 'compute.disks.delete',
    looks: { 'compute.disks.get': [disk('20'), disk('20', 'DELETING'), absent] },
  },
  'gcp-dataproc stop': switched(
    '//dataproc.googleapis.com/projects/shop-prod/regions/us-central1/clusters/spark',
    'dataproc.clusters',
    (state) => ({ clusterName: 'spark', status: { state } }),
    ['RUNNING', 'STOPPING', 'STOPPED'],
  ),
  'gcp-workbench stop': switched(
    '//notebooks.googleapis.com/projects/shop-prod/locations/us-central1-a/instances/lab',
    'notebooks.instances',
    (state) => ({ name: 'lab', state }),
    ['ACTIVE', 'STOPPING', 'STOPPED'],
  ),
  'gcp-workstation stop': switched(
    '//workstations.googleapis.com/projects/shop-prod/locations/us-central1/workstationClusters/c/workstationConfigs/f/workstations/desk',
    'workstations.workstations',
    (state) => ({ name: 'desk', state }),
    ['STATE_RUNNING', 'STATE_STOPPING', 'STATE_STOPPED'],
  ),
  'gcp-gcs-bucket set': {
    resourceUid: 'projects/_/buckets/logs',
    action: { kind: 'set', specs: { versioning: true } },
    change: 'storage.buckets.update',
    taken: { name: 'logs' },
    again: { name: 'logs' },
    looks: {
      'storage.buckets.get': [
        { name: 'logs' },
        { name: 'logs', versioning: { enabled: true } },
        { name: 'logs', versioning: { enabled: true } },
      ],
    },
  },
}
