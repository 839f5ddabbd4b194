/** Permissions that the service account needs for each call: the Google Cloud part of the table. */
import { listedTypes } from '#streams/cloud/gcp/discover/listed/index.ts'
import { row, type Permission } from '#streams/cloud/permission/permission-types.ts'

const scales = row('autoscaling', 'read')
const scalesBy = row('autoscaling', 'write')
const finds = row('discovery', 'read')
const measures = row('metrics', 'read')
const bills = row('bills', 'read')
const sees = row('actions', 'read')
const acts = row('actions', 'write')
const makes = row('provisioning', 'write')

/** Placeholder for the bills' bucket. Only the bucket grants reading its objects; the project's role does not. */
const billBucket = 'gs://BUCKET'

const vm = { types: ['gcp-vm'] }
const mig = { types: ['gcp-mig'] }
const disk = { types: ['gcp-disk'] }
const pool = { types: ['gcp-gke-nodepool'] }
const database = { types: ['gcp-cloudsql'] }
const bucket = { types: ['gcp-gcs-bucket'] }
const dataset = { types: ['gcp-bigquery-dataset'] }
const hadoop = { types: ['gcp-dataproc'] }
const workbench = { types: ['gcp-workbench'] }
const workstation = { types: ['gcp-workstation'] }
const version = { types: ['gcp-appengine-version'] }
const address = { types: ['gcp-address'] }
const rule = { types: ['gcp-forwarding-rule'] }

const autoscaling: readonly Permission[] = [
  scales('look', ['compute.instanceGroupManagers.get', 'compute.autoscalers.get'], mig),
  scales('look', ['container.clusters.get', 'compute.instanceGroupManagers.get'], pool),
  scales('measure', ['monitoring.timeSeries.list']),
  scales('policies', ['compute.autoscalers.get'], mig),
  scales('quotas', ['compute.regions.get', 'compute.instanceTemplates.get'], mig),
  scalesBy('scale', ['compute.instanceGroupManagers.update', 'compute.autoscalers.update'], mig),
  scalesBy('scale', ['container.clusters.update'], pool),
  // Creating an autoscaler also requires the permission to use its group.
  scalesBy(
    'replacePolicies',
    ['compute.autoscalers.create', 'compute.autoscalers.update', 'compute.instanceGroupManagers.use'],
    mig,
  ),
]

const discovery: readonly Permission[] = [
  finds('discover', ['container.clusters.list'], { types: ['gcp-gke', 'gcp-gke-nodepool'] }),
  finds('usage', ['container.clusters.list'], { types: ['gcp-gke'] }),
  finds('usage', ['compute.forwardingRules.list'], rule),
  finds(
    'discover',
    ['compute.instanceGroupManagers.list', 'compute.autoscalers.list', 'compute.instanceTemplates.list'],
    mig,
  ),
  finds('discover', ['compute.instances.list'], vm),
  finds('discover', ['compute.disks.list'], disk),
  finds('discover', ['compute.snapshots.list'], { types: ['gcp-snapshot'] }),
  // Lists of the whole project have also what is of no region.
  finds('discover', ['compute.addresses.list', 'compute.globalAddresses.list'], address),
  finds(
    'discover',
    [
      'compute.forwardingRules.list',
      'compute.globalForwardingRules.list',
      'compute.backendServices.list',
      'compute.regionBackendServices.list',
    ],
    rule,
  ),
  finds('discover', ['cloudsql.instances.list'], database),
  finds('discover', ['storage.buckets.list', 'storage.buckets.getIamPolicy', 'monitoring.timeSeries.list'], bucket),
  finds('discover', ['bigquery.datasets.get', 'bigquery.tables.list', 'bigquery.tables.get'], dataset),
  finds('discover', ['dataproc.clusters.list'], hadoop),
  finds('discover', ['notebooks.instances.list'], workbench),
  ...listedTypes.map(({ types, permissions }) => finds('discover', permissions, { types })),
]

const costs: readonly Permission[] = [
  measures('measure', ['monitoring.timeSeries.list']),
  bills('bill', ['bigquery.jobs.create', 'bigquery.tables.list', 'bigquery.tables.getData']),
  bills('bill', ['storage.objects.list', 'storage.objects.get'], { resources: [billBucket] }),
]

const actions: readonly Permission[] = [
  sees('look', ['compute.instances.get', 'compute.machineImages.get'], vm),
  sees('look', ['compute.disks.get'], disk),
  sees('look', ['compute.snapshots.get'], { types: ['gcp-disk', 'gcp-snapshot'] }),
  sees('look', ['compute.addresses.get', 'compute.globalAddresses.get'], address),
  sees('look', ['compute.forwardingRules.get', 'compute.globalForwardingRules.get'], rule),
  sees('look', ['cloudsql.instances.get', 'cloudsql.backupRuns.list'], database),
  sees('look', ['storage.buckets.get'], bucket),
  sees('look', ['dataproc.clusters.get'], hadoop),
  sees('look', ['notebooks.instances.get'], workbench),
  sees('look', ['workstations.workstations.get'], workstation),
  sees('look', ['appengine.versions.get'], version),
  acts('start', ['compute.instances.start', 'compute.instances.resume'], vm),
  acts('stop', ['compute.instances.stop'], vm),
  acts('start', ['cloudsql.instances.update'], database),
  acts('stop', ['cloudsql.instances.update'], database),
  acts('start', ['dataproc.clusters.start'], hadoop),
  acts('stop', ['dataproc.clusters.stop'], hadoop),
  acts('start', ['notebooks.instances.start'], workbench),
  acts('stop', ['notebooks.instances.stop'], workbench),
  acts('start', ['workstations.workstations.start'], workstation),
  acts('stop', ['workstations.workstations.stop'], workstation),
  acts('start', ['appengine.versions.update'], version),
  acts('stop', ['appengine.versions.update'], version),
  acts('resize', ['compute.instances.setMachineType'], vm),
  acts(
    'set',
    [
      'compute.instances.setDeletionProtection',
      'compute.instances.setMetadata',
      'compute.instances.updateShieldedInstanceConfig',
    ],
    vm,
  ),
  acts('set', ['compute.disks.resize', 'compute.disks.update'], disk),
  acts('set', ['storage.buckets.update'], bucket),
  acts('set', ['bigquery.datasets.update'], dataset),
  acts(
    'snapshot',
    ['compute.machineImages.create', 'compute.instances.useReadOnly', 'compute.disks.createSnapshot'],
    vm,
  ),
  acts('snapshot', ['compute.disks.createSnapshot', 'compute.snapshots.create'], disk),
  acts('snapshot', ['cloudsql.backupRuns.create'], database),
  acts('delete', ['compute.instances.delete'], vm),
  acts('delete', ['compute.instanceGroupManagers.delete'], mig),
  acts('delete', ['compute.disks.delete'], disk),
  acts('delete', ['compute.snapshots.delete'], { types: ['gcp-snapshot'] }),
  acts('delete', ['compute.addresses.delete', 'compute.globalAddresses.delete'], address),
  acts('delete', ['compute.forwardingRules.delete', 'compute.globalForwardingRules.delete'], rule),
  acts('delete', ['cloudsql.instances.delete'], database),
  acts('delete', ['container.clusters.delete'], { types: ['gcp-gke'] }),
  acts('delete', ['storage.buckets.delete'], bucket),
  acts('delete', ['bigquery.datasets.delete'], dataset),
]

/**
 * Only objects with the label or the description of their job are deleted. Those that only read are needed by accounts
 * that may provision, so a role that reads is complete without them.
 */
const provisioning: readonly Permission[] = [
  makes('describe', [
    'artifactregistry.repositories.get',
    'compute.networks.get',
    'compute.subnetworks.get',
    'compute.globalOperations.get',
    'compute.regionOperations.get',
    'cloudsql.instances.get',
    'redis.instances.get',
    'redis.operations.get',
    'container.clusters.get',
    'container.operations.get',
    'compute.instanceTemplates.get',
    'compute.instanceGroupManagers.get',
    'compute.autoscalers.get',
    'compute.regionHealthChecks.get',
    'compute.regionBackendServices.get',
    'compute.forwardingRules.get',
    'compute.firewalls.get',
  ]),
  makes('provision', [
    'artifactregistry.repositories.create',
    'compute.networks.create',
    'compute.subnetworks.create',
    // A network is changed by each of its subnets and firewall rules.
    'compute.networks.updatePolicy',
    'cloudsql.instances.create',
    'cloudsql.users.update',
    // Databases with owners; the server is changed by a label.
    'cloudsql.instances.update',
    'cloudsql.users.list',
    'cloudsql.users.create',
    'cloudsql.databases.list',
    'cloudsql.databases.create',
    'redis.instances.create',
    'redis.instances.getAuthString',
    'container.clusters.create',
    'container.clusters.update',
    'compute.instanceTemplates.create',
    'compute.instanceGroupManagers.create',
    'compute.autoscalers.create',
    // Required by Google for what these create and name.
    'compute.instances.create',
    'compute.disks.create',
    'compute.instanceTemplates.useReadOnly',
    'compute.instanceGroupManagers.use',
    'compute.subnetworks.use',
    'compute.instances.setLabels',
    'compute.instances.setTags',
    'compute.disks.setLabels',
    'compute.regionHealthChecks.create',
    'compute.regionBackendServices.create',
    'compute.forwardingRules.create',
    'compute.firewalls.create',
    // Required by Google for what these name.
    'compute.regionHealthChecks.useReadOnly',
    'compute.regionBackendServices.use',
    'compute.instanceGroups.use',
    'compute.forwardingRules.setLabels',
  ]),
  makes('unprovision', [
    'artifactregistry.repositories.delete',
    'compute.networks.delete',
    'compute.subnetworks.delete',
    'cloudsql.instances.delete',
    'cloudsql.users.delete',
    'cloudsql.databases.delete',
    'redis.instances.delete',
    'container.clusters.delete',
    'compute.instanceTemplates.delete',
    'compute.instanceGroupManagers.delete',
    'compute.autoscalers.delete',
    'compute.regionHealthChecks.delete',
    'compute.regionBackendServices.delete',
    'compute.forwardingRules.delete',
    'compute.firewalls.delete',
  ]),
]

/** In the order shown to people. */
export const gcpPermissions: readonly Permission[] = [
  ...autoscaling,
  ...discovery,
  ...costs,
  ...actions,
  ...provisioning,
]
