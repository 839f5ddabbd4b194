/**
 * Estimates the price of something to be provisioned from the price tables: on demand, without discounts, taxes and
 * traffic.
 */
import type { Fact, PricedResource, PriceQuote, References } from '#actors/recommendation/rule/contract.ts'
import { cents, divideRounded, units, usd } from '#streams/figure.ts'
import type { ProvisioningKind } from '#streams/cloud/provision.ts'
import type { Provider } from '#streams/names.ts'
import type { Configs } from './config.ts'

/** Hours of a month in cloud prices. */
export const monthHours = 730

/** Where it would be created. */
export interface CloudRegion {
  provider: Provider
  region: string
}

/** One item with a price, in its units. */
interface EstimateItem {
  name: string
  units: number
  /** The maximum if it can scale; otherwise `units`. */
  maxUnits: number
  /** US dollars per hour of one unit; all hourly amounts have at most six decimals. */
  unitHourlyUSD: number
  hourlyUSD: number
  /** US dollars for 730 hours, rounded to cents. */
  monthlyUSD: number
  /** Left out for what costs nothing. */
  price?: PriceSource
}

/** Where a price comes from, and from when it is. */
interface PriceSource {
  source: string
  effectiveOn: string
}

export interface Estimate {
  hourlyUSD: number
  monthlyUSD: number
  /** With everything scaled to its maximum. */
  maxHourlyUSD: number
  maxMonthlyUSD: number
  items: EstimateItem[]
  /** Items whose cost is unknown: they are charged by use, or have no price in the tables. */
  unknown: string[]
}

/** An item with a count; its price is undefined if unknown. */
interface Part {
  name: string
  units: number
  maxUnits: number
  usdHour: number | undefined
  price?: PriceSource | undefined
}

interface Parts {
  parts: Part[]
  /** Items charged by use. */
  byUse: string[]
}

type Tables = Pick<References, 'fact' | 'price' | 'isRelative' | 'quotes'>
type Of<Kind extends ProvisioningKind> = (config: Configs[Kind], place: CloudRegion, tables: Tables) => Parts

/** Estimates the config in this region. */
export function estimate<Kind extends ProvisioningKind>(
  kind: Kind,
  config: Configs[Kind],
  place: CloudRegion,
  tables: Tables,
): Estimate {
  const { parts, byUse } = (partsOf[kind] as Of<Kind>)(config, place, tables)
  const known = parts.flatMap(({ usdHour, ...part }) => (usdHour === undefined ? [] : [{ ...part, usdHour }]))
  const sum = (countOf: (part: Part) => number) =>
    known.reduce((total, part) => total + units(part.usdHour) * BigInt(countOf(part)), 0n)
  const usual = sum((part) => part.units)
  const most = sum((part) => part.maxUnits)
  return {
    hourlyUSD: rate(usual),
    monthlyUSD: monthly(usual),
    maxHourlyUSD: rate(most),
    maxMonthlyUSD: monthly(most),
    items: known.map(itemOf),
    unknown: [...parts.filter(({ usdHour }) => usdHour === undefined).map(({ name }) => name), ...byUse],
  }
}

const monthly = (hourly: bigint): number => cents(hourly * BigInt(monthHours))
/** Rounds to six decimals, since an hourly rate may be less than a cent. */
const rate = (amount: bigint): number => usd(divideRounded(amount, 10n ** 8n) * 10n ** 8n)

function itemOf({ name, units: count, maxUnits, usdHour, price }: Part & { usdHour: number }): EstimateItem {
  const one = units(usdHour)
  const all = one * BigInt(count)
  return {
    name,
    units: count,
    maxUnits,
    unitHourlyUSD: rate(one),
    hourlyUSD: rate(all),
    monthlyUSD: monthly(all),
    ...(price && { price }),
  }
}

/** Inventory types by which the tables store prices. */
const poolTypes = { aws: 'aws-asg', gcp: 'gcp-mig', azure: 'azure-vmss' } as const
const serverTypes = {
  postgres: { aws: 'aws-rds', gcp: 'gcp-cloudsql', azure: 'azure-postgres' },
  mysql: { aws: 'aws-rds', gcp: 'gcp-cloudsql', azure: 'azure-mysql' },
  redis: { aws: 'aws-elasticache', gcp: 'gcp-memorystore', azure: 'azure-redis' },
} as const

/** Keys of unit prices. */
const controlPlanes = {
  aws: 'aws.eks.cluster_hour',
  gcp: 'gcp.gke.cluster_hour',
  azure: 'azure.aks.cluster_hour',
} as const
const balancers = {
  aws: 'aws.elb.alb_hour',
  gcp: 'gcp.load_balancing.rule_hour',
  azure: 'azure.load_balancer.rule_hour',
} as const

const pricedOf = (
  type: string,
  instanceType: string,
  { provider, region }: CloudRegion,
  specs: object = {},
): PricedResource => ({
  type,
  provider,
  region,
  instanceType,
  source: (path) => (specs as Record<string, Fact>)[path.replace(/^specs\./, '')],
})

type PartPrice = Pick<Part, 'usdHour' | 'price'>

/** Undefined also if the tables have only relative prices. */
const hourOf = (of: PricedResource, tables: Tables): PartPrice => ({
  usdHour: tables.isRelative?.(of) ? undefined : tables.price(of, undefined, 'hour'),
  price: sourceOf(tables.quotes?.price(of, undefined, 'hour')),
})

const sourceOf = (quote: PriceQuote | undefined): PriceSource | undefined =>
  quote && { source: quote.source, effectiveOn: quote.effectiveOn }

function unitOf(key: string, place: CloudRegion, tables: Tables): PartPrice {
  const of = pricedOf('', '', place)
  const found = tables.fact(`price.${key}`, of)
  return {
    usdHour: typeof found === 'number' ? found : undefined,
    price: sourceOf(tables.quotes?.unit(key, of)),
  }
}

const machines = (
  name: string,
  { instanceType, min, max }: MachineCounts,
  place: CloudRegion,
  tables: Tables,
): Part => {
  const of = pricedOf(poolTypes[place.provider], instanceType, place)
  return { name: `${name}, ${instanceType}`, units: min, maxUnits: max, ...hourOf(of, tables) }
}

interface MachineCounts {
  instanceType: string
  min: number
  max: number
}

const one = (name: string, price: PartPrice): Part => ({ name, units: 1, maxUnits: 1, ...price })
const free: PartPrice = { usdHour: 0 }

const balancer = (place: CloudRegion, tables: Tables): Part =>
  one('load balancer', unitOf(balancers[place.provider], place, tables))

const traffic = 'traffic, billed by usage'

const partsOf: { readonly [Kind in ProvisioningKind]: Of<Kind> } = {
  kubernetes: ({ nodeGroups }, place, tables) => ({
    parts: [
      one('control plane', unitOf(controlPlanes[place.provider], place, tables)),
      ...nodeGroups.map((group) => machines(`node group ${group.name}`, group, place, tables)),
    ],
    byUse: ['node disks', traffic],
  }),
  datastore: dataParts,
  vm_pool: (pool, place, tables) => ({
    parts: [machines('machines', pool, place, tables), ...(pool.createLoadBalancer ? [balancer(place, tables)] : [])],
    byUse: ['machine disks', traffic],
  }),
  network: () => ({ parts: [one('network', free)], byUse: [traffic] }),
  registry: (_, { provider }) => ({
    parts: [],
    byUse: [...(provider === 'azure' ? ['registry, billed by day'] : []), 'images, billed by stored size', traffic],
  }),
  load_balancer: (_, place, tables) => ({ parts: [balancer(place, tables)], byUse: [traffic] }),
  component: () => ({ parts: [one('component', free)], byUse: ['additional nodes required'] }),
  existing_datastore: () => ({ parts: [one('databases', free)], byUse: [] }),
}

function dataParts(config: Configs['datastore'], place: CloudRegion, tables: Tables): Parts {
  const { engine, instanceClass, allocatedStorageGB: gb, multiAZ } = config
  const specs = { engine, multi_az: multiAZ, availability: multiAZ ? 'REGIONAL' : 'ZONAL' }
  const of = pricedOf(serverTypes[engine][place.provider], instanceClass, place, specs)
  // The standby is included in the price of a database, but a separate node of a cache.
  const isNode = engine === 'redis' && multiAZ
  const server: Part = {
    name: instanceClass,
    units: isNode ? 2 : 1,
    maxUnits: isNode ? 2 : 1,
    ...hourOf(of, tables),
  }
  const kept = engine === 'redis' ? [] : [storagePart(of, gb, tables)]
  const byUse = config.backupRetentionDays > 0 ? ['backups, billed by stored size', traffic] : [traffic]
  return { parts: [server, ...kept], byUse }
}

const gp3 = { storage_type: 'gp3' }

function storagePart(of: PricedResource, gb: number, tables: Tables): Part {
  const usdMonth = tables.price(of, gp3, 'gb_month')
  const usdHour = usdMonth === undefined ? undefined : usd(divideRounded(units(usdMonth), BigInt(monthHours)))
  const price = sourceOf(tables.quotes?.price(of, gp3, 'gb_month'))
  return { name: `storage, ${gb} GB`, units: gb, maxUnits: gb, usdHour, price }
}
