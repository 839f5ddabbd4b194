/** The types of Google Cloud that are looked at and acted on one by one. */
import { database } from './cloudsql.ts'
import { address, disk, diskSnapshot, forwardingRule } from './disk.ts'
import { cluster, pool } from './gke.ts'
import type { ResourceKinds } from '#streams/cloud/resource/verb/kind.ts'
import type { At } from './kind.ts'
import { group } from './mig.ts'
import { bucket, dataset } from './storage.ts'
import { appVersion, hadoop, workbench, workstation } from './switchable.ts'
import { machine } from './vm.ts'

export const kinds: ResourceKinds<At> = {
  'gcp-address': address,
  'gcp-appengine-version': appVersion,
  'gcp-bigquery-dataset': dataset,
  'gcp-cloudsql': database,
  'gcp-dataproc': hadoop,
  'gcp-disk': disk,
  'gcp-forwarding-rule': forwardingRule,
  'gcp-gcs-bucket': bucket,
  'gcp-gke': cluster,
  'gcp-gke-nodepool': pool,
  'gcp-mig': group,
  'gcp-snapshot': diskSnapshot,
  'gcp-vm': machine,
  'gcp-workbench': workbench,
  'gcp-workstation': workstation,
}
