import { rowsOf } from '#streams/cloud/reference/table.ts'
import { sourceOf, type OwnValueTable } from '#actors/recommendation/reference/book/own-values.ts'
import type { PricedResource } from '#actors/recommendation/rule/contract.ts'

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

const tabledRates = Map.groupBy(rowsOf('commitment'), (row) => row['product']!)

/** What the commitment that ends is called in its cloud, and what is bought to renew it. */
const renewals: Readonly<Record<string, { spec: string; products: readonly (readonly [RegExp, string])[] }>> = {
  'aws-reserved-renewal': {
    spec: 'specs.product',
    products: [[/^(ec2|rds|elasticache|redshift|opensearch|memorydb)$/, 'aws-$1-reserved']],
  },
  'aws-savings-plan-renewal': {
    spec: 'specs.plan_type',
    products: [
      [/^Compute$/, 'aws-compute-savings-plan'],
      [/^EC2Instance$/, 'aws-ec2-instance-savings-plan'],
      [/^Database$/, 'aws-database-savings-plan'],
      [/^SageMaker$/, 'aws-sagemaker-savings-plan'],
    ],
  },
  'azure-reservation-renewal': {
    spec: 'specs.reserved_type',
    products: [
      [/^VirtualMachines$/, 'azure-vm-reservation'],
      [/^ManagedDisk$/, 'azure-disk-reservation'],
      [/^SqlDataWarehouse$/, 'azure-synapse-reservation'],
    ],
  },
  'gcp-cud-renewal': { spec: 'specs.commitment_type', products: [[/^GENERAL_PURPOSE(_.*)?$/, 'gcp-resource-cud']] },
}

/** Undefined if the product is no renewal, or that of its kind is unknown. */
function renewed(product: string, { source }: Pick<PricedResource, 'source'>): string | undefined {
  const { spec, products: known = [] } = renewals[product] ?? {}
  const kind = spec === undefined ? undefined : source(spec)
  const found = typeof kind === 'string' ? known.find(([shape]) => shape.test(kind)) : undefined
  return found && (kind as string).replace(found[0], found[1])
}

/** One rate, with where it comes from. */
interface CommitmentRate {
  readonly tier: string
  readonly share: number
  /** In people's words. */
  readonly source: string
  /** Day or month; empty if unknown. */
  readonly on: string
}

/**
 * Fractions of the on-demand price that remain, by term and payment: the operator's, otherwise those that the cloud
 * publishes for the resource's size, otherwise those of the tables. Empty for an unknown product.
 */
export function ratesOf(
  book: OwnValueTable,
  product: string,
  of: Pick<PricedResource, 'region' | 'instanceType' | 'source'>,
): readonly CommitmentRate[] {
  const { region, instanceType } = of
  const bought = renewed(product, of) ?? product
  const tabled = new Map((tabledRates.get(bought) ?? []).map((row) => [row['tier']!, row]))
  return tiers.flatMap((tier): CommitmentRate[] => {
    const own =
      book.find('commitment', region, product, tier) ??
      book.find('commitment', region, bought, tier) ??
      book.find('commitment', region, `${bought}/${instanceType}`, tier)
    if (own) return [{ tier, share: Number(own.value), source: sourceOf(own), on: own.on ?? '' }]
    const row = tabled.get(tier)
    if (!row) return []
    const [, source = row['source']!, on = ''] = /^(.*), (\d{4}-\d\d)$/.exec(row['source']!) ?? []
    return [{ tier, share: Number(row['share_remaining']), source, on }]
  })
}
