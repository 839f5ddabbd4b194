/** Which lists of AWS's Price List API are read, and what Tidemark calls their prices. */

import type { PriceUnit } from './product.ts'

type Attributes = Readonly<Record<string, string>>

export interface PriceList {
  serviceCode: string
  /** Attributes that the API selects by, besides the region. */
  filters: Attributes
  /** Of those that the filters let through; all where it is left out. */
  isUsed?: (attributes: Attributes) => boolean
  /** The kind of its sizes in price files; without one, only discounts are read. */
  kind?: string
  /** Default: `hour`. */
  unit?: PriceUnit
  /** Its name in price files; default: the size. */
  nameOf?: (attributes: Attributes) => string | undefined
  /** Default: `usd_hour`. */
  fieldOf?: (attributes: Attributes) => string | undefined
  /** The commitment product whose discounts it has. */
  product?: string
}

/** MariaDB costs what MySQL costs, and both editions of Aurora cost the same. */
const engines: Attributes = { MySQL: 'mysql', PostgreSQL: 'postgres', 'Aurora PostgreSQL': 'aurora' }

/** Outposts and local zones have prices of their own. */
const isInRegion = ({ locationType = 'AWS Region' }: Attributes): boolean => locationType === 'AWS Region'

/** By what a bill calls the usage, without the region. */
const snapshotTiers: Attributes = { SnapshotUsage: 'standard', SnapshotArchiveStorage: 'archive' }

export const priceLists: readonly PriceList[] = [
  {
    serviceCode: 'AmazonEC2',
    filters: { operatingSystem: 'Linux', tenancy: 'Shared', preInstalledSw: 'NA', capacitystatus: 'Used' },
    isUsed: ({ marketoption = 'OnDemand' }) => marketoption === 'OnDemand',
    kind: 'ec2',
    product: 'aws-ec2-reserved',
  },
  {
    serviceCode: 'AmazonRDS',
    filters: { productFamily: 'Database Instance', deploymentOption: 'Single-AZ' },
    // Aurora with input and output included is another product, with the same sizes.
    isUsed: ({ storage = '', databaseEngine = '' }) =>
      !storage.includes('IO Optimization') && Object.hasOwn(engines, databaseEngine),
    kind: 'rds',
    fieldOf: ({ databaseEngine = '' }) => `usd_hour_${engines[databaseEngine]}`,
    product: 'aws-rds-reserved',
  },
  {
    serviceCode: 'AmazonElastiCache',
    filters: { productFamily: 'Cache Instance', cacheEngine: 'Redis' },
    kind: 'elasticache',
    product: 'aws-elasticache-reserved',
  },
  {
    serviceCode: 'AmazonES',
    filters: { productFamily: 'Amazon OpenSearch Service Instance' },
    kind: 'opensearch',
    product: 'aws-opensearch-reserved',
  },
  {
    serviceCode: 'AmazonRedshift',
    filters: { productFamily: 'Compute Instance' },
    product: 'aws-redshift-reserved',
  },
  {
    serviceCode: 'AmazonMemoryDB',
    filters: {},
    isUsed: ({ instanceType = '' }) => instanceType.startsWith('db.'),
    product: 'aws-memorydb-reserved',
  },
  {
    serviceCode: 'AmazonEC2',
    filters: { productFamily: 'Storage' },
    isUsed: isInRegion,
    kind: 'storage',
    unit: 'gb_month',
    nameOf: ({ volumeApiName }) => volumeApiName && `aws-ebs-volume/${volumeApiName}`,
    fieldOf: () => 'usd_gb_month',
  },
  {
    serviceCode: 'AmazonEC2',
    filters: { productFamily: 'Storage Snapshot' },
    isUsed: isInRegion,
    kind: 'storage',
    unit: 'gb_month',
    nameOf: ({ usagetype = '' }) => {
      const [, what = ''] = /(?:^|-)EBS:(Snapshot\w+)$/.exec(usagetype) ?? []
      return snapshotTiers[what] && `aws-ebs-snapshot/${snapshotTiers[what]}`
    },
    fieldOf: () => 'usd_gb_month',
  },
]
