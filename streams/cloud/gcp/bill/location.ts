/** Location of an account's bills: a BigQuery table, the data set that Google exports to, or a Cloud Storage bucket. */
import type { CloudAccount } from '#streams/cloud/connector.ts'

export interface BillPlace {
  project: string
  dataset: string
  /** If missing, the table that Google has created in the data set. */
  table?: string
}

/** `bigquery://<project>/<dataset>[/<table>]`, or with dots as in BigQuery. */
export const placeShape =
  /^(?:bigquery:\/\/)?([a-z][a-z0-9.:-]{4,61}[a-z0-9])[./]([A-Za-z0-9_]{1,1024})(?:[./](gcp_billing_export_resource_v1_[A-Za-z0-9_]{1,100}))?$/

/** Undefined if the account has no location, or it is not in BigQuery. */
export function placeOfBills({ billingExport }: Pick<CloudAccount, 'billingExport'>): BillPlace | undefined {
  const [, project, dataset, table] = placeShape.exec(billingExport?.location ?? '') ?? []
  if (project === undefined || dataset === undefined) return undefined
  return { project, dataset, ...(table !== undefined && { table }) }
}

export interface StoragePlace {
  bucket: string
  /** Prefix of object names; empty for the whole bucket. */
  prefix: string
}

/** `gs://<bucket>[/<prefix>]`. */
const storageShape = /^gs:\/\/([a-z0-9][a-z0-9._-]{1,220}[a-z0-9])(?:\/(.*))?$/

/** Undefined if the location is not in Cloud Storage. */
export function placeInStorage(location: string | undefined): StoragePlace | undefined {
  const [, bucket, prefix = ''] = storageShape.exec(location ?? '') ?? []
  return bucket === undefined ? undefined : { bucket, prefix }
}
