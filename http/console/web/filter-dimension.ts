/** The dimensions of costs, by the names that the API has for them. */

export interface Dimension {
  name: string
  title: string
}

export const dimensions: readonly Dimension[] = [
  { name: 'service_name', title: 'Service' },
  { name: 'cloud_account_id', title: 'Account' },
  { name: 'billing_account', title: 'Billing account' },
  { name: 'sub_account', title: 'Sub-account' },
  { name: 'provider', title: 'Provider' },
  { name: 'service_provider', title: 'Service provider' },
  { name: 'region', title: 'Region' },
  { name: 'resource_type', title: 'Resource type' },
  { name: 'resource_uid', title: 'Resource' },
  { name: 'team_id', title: 'Team' },
  { name: 'purchase_type', title: 'Purchase type' },
  { name: 'charge_category', title: 'Charge category' },
  { name: 'invoice_id', title: 'Invoice' },
  { name: 'cluster', title: 'Cluster' },
  { name: 'namespace', title: 'Namespace' },
]

export const isTag = (dim: string): boolean => dim.startsWith('tag:')
export const keyOf = (dim: string): string => dim.slice('tag:'.length)

export const titleOf = (dim: string): string =>
  isTag(dim) ? `Tag ${keyOf(dim)}` : (dimensions.find(({ name }) => name === dim)?.title ?? dim)
