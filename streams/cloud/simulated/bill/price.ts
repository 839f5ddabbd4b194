import { referenceUsd } from './size-price.ts'

/**
 * On-demand list prices in US dollars per hour in us-east-1, us-central1 and eastus. Names are unique across providers.
 */
const sizes: Readonly<Record<string, number>> = {
  't3.micro': 0.0104,
  't3.medium': 0.0416,
  't3.large': 0.0832,
  'm5.large': 0.096,
  'm5.xlarge': 0.192,
  'm5a.xlarge': 0.172,
  'm5.2xlarge': 0.384,
  'm5.8xlarge': 1.536,
  'c5.xlarge': 0.17,
  'c5.2xlarge': 0.34,
  'r5.xlarge': 0.252,
  'r5.2xlarge': 0.504,
  'r5.4xlarge': 1.008,
  'db.t3.medium': 0.072,
  'db.m5.xlarge': 0.356,
  'db.r5.large': 0.25,
  'db.r5.2xlarge': 1,
  'db.r5.4xlarge': 2,
  'cache.r5.large': 0.216,
  'ra3.4xlarge': 3.26,
  'e2-medium': 0.033503,
  'e2-standard-4': 0.134012,
  'e2-standard-8': 0.268025,
  'n2-standard-4': 0.194236,
  'n2-standard-8': 0.388472,
  'n2-highmem-8': 0.524057,
  'db-custom-2-7680': 0.1351,
  'db-custom-4-15360': 0.2702,
  'db-custom-8-30720': 0.5404,
  'standard-5gb': 0.245,
  'dataflow-n1-standard-4': 0.2845,
  Standard_B2s: 0.0416,
  Standard_B4ms: 0.166,
  Standard_D2s_v5: 0.096,
  Standard_D4s_v5: 0.192,
  Standard_D8s_v5: 0.384,
  Standard_E8s_v5: 0.504,
  Standard_DS3_v2: 0.293,
  Standard_D2ds_v4: 0.178,
  Standard_D4ds_v4: 0.356,
  GP_Gen5_2: 0.5044,
  GP_Gen5_4: 1.0088,
  Standard_C1: 0.138,
  P1v3: 0.155,
  '2X-Small': 0.88,
  Small: 2.64,
}

/** Price factors of other regions; 1 if missing. */
const regions: Readonly<Record<string, number>> = { 'eu-west-1': 1.1146, 'europe-west1': 1.1, westeurope: 1.198 }

/** How a resource type is charged. A type has at most one meter of each basis `stored` and `used`. */
export interface Meter {
  /** Last part of the line's id; also its SkuMeter. */
  what: string
  /** `hours`: per unit while running; `stored`: gigabytes; `used`: counted usage. */
  basis: 'hours' | 'stored' | 'used'
  unit: string
  /** US dollars per unit: one price, or one for each size; if missing, the list of sizes is used. */
  price?: number | Readonly<Record<string, number>>
}

const run: Meter = { what: 'run', basis: 'hours', unit: 'Hours' }
const storageMeter = (price: Meter['price'] & {}): Meter => ({
  what: 'storage',
  basis: 'stored',
  unit: 'GB-Months',
  price,
})
const up = (price: number): Meter => ({ what: 'run', basis: 'hours', unit: 'Hours', price })
const usageMeter = (what: string, unit: string, price: number): Meter => ({ what, basis: 'used', unit, price })

const meters: Readonly<Record<string, readonly Meter[]>> = {
  'aws-ec2': [run],
  'aws-asg': [run],
  'aws-eks-nodegroup': [run],
  'aws-eks': [up(0.1)],
  'aws-ebs-volume': [storageMeter({ gp2: 0.1, gp3: 0.08 })],
  'aws-ebs-snapshot': [storageMeter(0.05)],
  'aws-eip': [up(0.005)],
  'aws-rds': [run, storageMeter(0.115)],
  'aws-elasticache': [run],
  'aws-redshift': [run],
  'aws-dynamodb-table': [storageMeter(0.25), usageMeter('requests', 'Requests', 0.00000125)],
  'aws-lambda': [usageMeter('compute', 'GB-Seconds', 0.0000166667)],
  'aws-s3-bucket': [storageMeter(0.023), usageMeter('requests', 'Requests', 0.0000004)],
  'aws-alb': [up(0.0225), usageMeter('capacity', 'LCU-Hours', 0.008)],
  'aws-nat-gateway': [up(0.045), usageMeter('data', 'GB', 0.045)],
  'aws-cloudfront': [usageMeter('data', 'GB', 0.085)],
  'aws-sqs-queue': [usageMeter('requests', 'Requests', 0.0000004)],
  'aws-log-group': [usageMeter('ingestion', 'GB', 0.5)],
  'gcp-vm': [run],
  'gcp-mig': [run],
  'gcp-gke-nodepool': [run],
  'gcp-gke': [up(0.1)],
  'gcp-disk': [storageMeter({ 'pd-standard': 0.04, 'pd-balanced': 0.1, 'pd-ssd': 0.17 })],
  'gcp-snapshot': [storageMeter(0.05)],
  'gcp-address': [up(0.005)],
  'gcp-cloudsql': [run, storageMeter(0.17)],
  'gcp-memorystore': [run],
  'gcp-gcs-bucket': [storageMeter(0.02), usageMeter('operations', 'Requests', 0.0000004)],
  'gcp-bigquery-dataset': [storageMeter(0.02), usageMeter('analysis', 'TiB', 6.25)],
  'gcp-pubsub-subscription': [usageMeter('delivery', 'TiB', 40)],
  'gcp-dataflow-job': [run],
  'gcp-forwarding-rule': [up(0.025), usageMeter('data', 'GB', 0.008)],
  'gcp-cloud-nat': [up(0.044), usageMeter('data', 'GB', 0.045)],
  'azure-vm': [run],
  'azure-vmss': [run],
  'azure-aks-nodepool': [run],
  'azure-aks': [up(0.1)],
  'azure-disk': [storageMeter({ Standard_LRS: 0.045, StandardSSD_LRS: 0.075, Premium_LRS: 0.132 })],
  'azure-snapshot': [storageMeter(0.05)],
  'azure-public-ip': [up(0.005)],
  'azure-postgres': [run, storageMeter(0.115)],
  'azure-mysql': [run, storageMeter(0.115)],
  'azure-sql-database': [run, storageMeter(0.115)],
  'azure-redis': [run],
  'azure-storage-account': [storageMeter(0.0184), usageMeter('operations', 'Requests', 0.0000004)],
  'azure-load-balancer': [up(0.025), usageMeter('data', 'GB', 0.005)],
  'azure-app-service-plan': [run],
  'azure-log-analytics': [usageMeter('ingestion', 'GB', 2.3)],
  'azure-key-vault': [usageMeter('operations', 'Requests', 0.000003)],
  'azure-databricks-cluster': [run, { ...run, what: 'dbu', price: { Standard_DS3_v2: 0.4125 } }],
  'azure-databricks-instance-pool': [run],
  'azure-databricks-warehouse': [run],
}

/** The meters of a type; none for workloads, whose nodes are charged, and for free types. */
export const metersOf = (type: string): readonly Meter[] => meters[type] ?? []

/** Whether a resource of the type may have the size: all its meters must have a price for it. */
export const isPriced = (type: string, size: string): boolean =>
  metersOf(type).every((meter) => priceOf(meter, size) !== undefined)

function priceOf({ price }: Meter, size: string | undefined): number | undefined {
  if (typeof price === 'number' || size === undefined) return typeof price === 'number' ? price : undefined
  if (price) return Object.hasOwn(price, size) ? price[size] : undefined
  return Object.hasOwn(sizes, size) ? sizes[size] : referenceUsd(size)
}

/**
 * List price of one unit in US dollars.
 * @throws Error if the size has no price, which is an error in the world's tables
 */
export function listPrice(meter: Meter, size: string | undefined, region: string): number {
  const price = priceOf(meter, size)
  if (price === undefined) throw new Error(`no price for the size ${size}`)
  const factor = regions[region] ?? 1
  return factor === 1 ? price : Number((price * factor).toPrecision(4))
}
