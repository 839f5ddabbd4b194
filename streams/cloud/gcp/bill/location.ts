/** Where the bills of an account are: a table of BigQuery, or the data set that Google exports them to. */
import type { CloudAccount } from '#streams/cloud/connector.ts'

export interface BillPlace {
  project: string
  dataset: string
  /** Left out: the one that Google has made there. */
  table?: string
}

/** `bigquery://<project>/<dataset>[/<table>]`, or with dots as BigQuery itself writes it. */
export const placeShape =
  /^(?:bigquery:\/\/)?([a-z][a-z0-9.:-]{4,61}[a-z0-9])[./]([A-Za-z0-9_]{1,1024})(?:[./](gcp_billing_export_resource_v1_[A-Za-z0-9_]{1,100}))?$/

/** Undefined where the account names none, or what is no place of BigQuery. */
export function placeOfBills({ billingExport }: Pick<CloudAccount, 'billingExport'>): BillPlace | undefined {
  const [, project, dataset, table] = placeShape.exec(billingExport?.location ?? '') ?? []
  if (project === undefined || dataset === undefined) return undefined
  return { project, dataset, ...(table !== undefined && { table }) }
}
