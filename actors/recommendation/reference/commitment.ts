import { rowsOf } from '#streams/cloud/reference/table.ts'
import type { OwnValueTable } from '#actors/recommendation/reference/book/own-values.ts'

const terms = ['1yr', '3yr'] as const
const payments = ['no_upfront', 'partial_upfront', 'all_upfront'] as const
export const tiers: readonly string[] = terms.flatMap((term) => payments.map((payment) => `${term}_${payment}`))

/** The commitment products that rules recommend. */
export const products: readonly string[] = [
  'aws-cloudfront-bundle',
  'aws-compute-savings-plan',
  'aws-database-savings-plan',
  'aws-dynamodb-reserved',
  'aws-ec2-instance-savings-plan',
  'aws-elasticache-reserved',
  'aws-memorydb-reserved',
  'aws-opensearch-reserved',
  'aws-rds-reserved',
  'aws-redshift-reserved',
  'aws-reserved-renewal',
  'aws-sagemaker-savings-plan',
  'aws-savings-plan-renewal',
  'azure-adf-reservation',
  'azure-adx-reservation',
  'azure-appservice-reservation',
  'azure-blob-reservation',
  'azure-compute-savings-plan',
  'azure-cosmos-reservation',
  'azure-databricks-prepurchase',
  'azure-disk-reservation',
  'azure-fabric-reservation',
  'azure-files-reservation',
  'azure-host-reservation',
  'azure-linux-plan',
  'azure-mysql-reservation',
  'azure-netapp-reservation',
  'azure-postgres-reservation',
  'azure-redis-reservation',
  'azure-reservation-renewal',
  'azure-sql-reservation',
  'azure-synapse-reservation',
  'azure-vm-reservation',
  'gcp-bigquery-editions',
  'gcp-bigquery-slots',
  'gcp-compute-flex-cud',
  'gcp-cud-renewal',
  'gcp-database-cud',
  'gcp-resource-cud',
]

const publishedRates = Map.groupBy(rowsOf('commitment'), (row) => row['product']!)

/** Fraction of the on-demand price that remains, by term and payment. Undefined for an unknown product. */
export function ratesOf(
  book: OwnValueTable,
  product: string,
  region: string,
): Readonly<Record<string, number>> | undefined {
  const rates: Record<string, number> = {}
  for (const row of publishedRates.get(product) ?? []) rates[row['tier']!] = Number(row['share_remaining'])
  for (const tier of tiers) {
    const own = book.number('commitment', region, product, tier)
    if (own !== undefined) rates[tier] = own
  }
  return Object.keys(rates).length === 0 ? undefined : rates
}
