/**
 * Sizes, prices, support dates and discounts as rules look them up. Built once for each version of the operator's
 * values.
 */
import { createHash } from 'node:crypto'
import type { Fact, PricedResource, PriceQuote, References, TargetSpec } from '#actors/recommendation/rule/contract.ts'
import { dayOf } from '#engine/value/day.ts'
import { azureSizes } from '#streams/cloud/reference/azure/sizes.ts'
import type { Size, Sizes } from '#streams/cloud/reference/size.ts'
import { tablesHash } from '#streams/cloud/reference/table.ts'
import { azureVmCatalogue } from '#actors/recommendation/reference/machine/azure-vm.ts'
import { OwnValueTable, type OwnValue } from '#actors/recommendation/reference/book/own-values.ts'
import { cloudSqlPrice, fitCloudSql } from '#actors/recommendation/reference/machine/cloudsql.ts'
import { ratesOf } from './commitment.ts'
import { ec2Catalogue } from '#actors/recommendation/reference/machine/ec2.ts'
import { fargateNow, fargatePrice, fitFargate } from '#actors/recommendation/reference/machine/fargate.ts'
import { fitMachine } from '#actors/recommendation/reference/machine/fit.ts'
import { fitFlexServer, flexServerPrice } from '#actors/recommendation/reference/machine/flexserver.ts'
import { gceCatalogue, gceSuccessor } from '#actors/recommendation/reference/machine/gce.ts'
import { Lifecycles } from './lifecycle.ts'
import type { MachineCatalogue } from '#actors/recommendation/reference/machine/machine.ts'
import { nodeCatalogue } from '#actors/recommendation/reference/machine/node.ts'
import { fitPlan, planOf, planPrice } from '#actors/recommendation/reference/machine/plan.ts'
import { numberAt } from './fact-value.ts'
import { fitStep, smaller, stepSpecs, stepPrice } from '#actors/recommendation/reference/machine/step.ts'
import { hourQuote, rateQuotes, storageQuote, unitQuote } from './quote.ts'
import { isStorage, storagePrice } from './storage.ts'
import { armOf, successorOf } from '#actors/recommendation/reference/machine/successor.ts'
import { unitPrice } from './unit-price.ts'

/** The catalogue with the size of a resource, by resource type. */
const catalogueOf: Readonly<Record<string, string>> = {
  'aws-ec2': 'ec2',
  'aws-asg': 'ec2',
  'aws-eks-nodegroup': 'ec2',
  'aws-rds': 'rds',
  'aws-elasticache': 'elasticache',
  'aws-opensearch': 'opensearch',
  'aws-msk': 'msk',
  'aws-ecs-service': 'fargate',
  'aws-fsx': 'fsx',
  'gcp-vm': 'gce',
  'gcp-mig': 'gce',
  'gcp-gke-nodepool': 'gce',
  'gcp-cloudsql': 'cloudsql',
  'azure-vm': 'azure-vm',
  'azure-vmss': 'azure-vm',
  'azure-aks-nodepool': 'azure-vm',
  'azure-postgres': 'azure-flexserver',
  'azure-mysql': 'azure-flexserver',
  'azure-redis': 'azure-redis',
  'azure-app-service-plan': 'azure-appservice',
  'azure-sql-database': 'azure-sql',
  'azure-sql-elastic-pool': 'azure-sql-pool',
  'azure-sql-mi': 'azure-sqlmi',
}

/** Catalogues with relative prices only. */
const relative: ReadonlySet<string> = new Set([
  ...Object.keys(stepSpecs),
  'azure-flexserver',
  'azure-redis',
  'azure-appservice',
])

/** Restrictions of an organization, and the time from which days to end of support are counted. */
export interface ReferenceView {
  readonly now: Date
  /** Families of sizes that may be recommended; empty: all. */
  readonly families: readonly string[]
}

type Dimensions = Pick<Size, 'vcpus' | 'memoryGib'>

type Per = 'hour' | 'gb_month'

export class ReferenceTables {
  readonly version: string
  private readonly book: OwnValueTable
  private readonly machines: Readonly<Record<string, MachineCatalogue>>
  private readonly azure: Sizes = azureSizes()
  private readonly lifecycles: Lifecycles

  constructor(own: readonly OwnValue[] = []) {
    this.book = new OwnValueTable(own)
    this.version = versionOf(own)
    this.lifecycles = new Lifecycles(this.book)
    this.machines = {
      ec2: ec2Catalogue(this.book),
      gce: gceCatalogue(this.book),
      'azure-vm': azureVmCatalogue(this.book),
      rds: nodeCatalogue('rds', this.book),
      elasticache: nodeCatalogue('elasticache', this.book),
      opensearch: nodeCatalogue('opensearch', this.book),
      msk: nodeCatalogue('msk', this.book),
    }
  }

  /** Cheap enough to be called in each turn. */
  at({ now, families }: ReferenceView): References {
    const today = dayOf(now)
    return {
      version: this.version,
      fact: (path, of) => this.fact(path.replace(/^ref\./, ''), of, today),
      fit: (catalogue, keep, need, of) => this.fit(catalogue, keep, need, of, families),
      lookup: (table, key, column, of) => this.lookup(table, key, column, of) ?? undefined,
      price: (of, target, per) => this.price(of, target, per),
      isRelative: ({ type }) => relative.has(catalogueOf[type] ?? ''),
      quotes: {
        price: (of, target, per) => this.quote(of, target, per),
        unit: (key, of) => {
          const usd = unitPrice(this.book, key, of.region)
          return usd === undefined ? undefined : unitQuote(this.book, key, of, usd)
        },
        rates: (product, of) => rateQuotes(this.book, product, of),
      },
      tierRates: (product, of) => {
        const rates = ratesOf(this.book, product, of)
        return rates.length === 0 ? undefined : Object.fromEntries(rates.map(({ tier, share }) => [tier, share]))
      },
    }
  }

  private fact(path: string, of: PricedResource, today: string): Fact {
    if (path.startsWith('price.')) return unitPrice(this.book, path.slice('price.'.length), of.region)
    const [space, name = ''] = path.split('.')
    if (space === 'lifecycle') {
      const lifecycle = this.lifecycles.of(of, today)
      return name === 'successor' ? lifecycle?.successor : lifecycle?.daysToEnd
    }
    return space === 'instance' ? this.instance(name, of) : undefined
  }

  private instance(name: string, of: PricedResource): Fact {
    const catalogue = catalogueOf[of.type] ?? ''
    const machine = this.machines[catalogue]
    if (!machine) return dimensionOf(name, this.planned(catalogue, of))
    const size = machine.find(of.instanceType, of)
    if (!size) return undefined
    if (name === 'gpu_count') return size.gpus
    if (name === 'burstable') return size.isBurst
    if (name === 'current_generation') return size.isCurrent
    return dimensionOf(name, size) ?? this.follower(catalogue, machine, size, name, of)
  }

  private planned(catalogue: string, of: PricedResource): Dimensions | undefined {
    if (catalogue === 'azure-flexserver') return this.azure.get(of.instanceType)
    if (catalogue !== 'cloudsql') return planOf(of)
    return { vcpus: numberAt(of, 'specs.vcpus'), memoryGib: numberAt(of, 'specs.memory_gib') }
  }

  /** Null if there is none. */
  private follower(catalogue: string, machine: MachineCatalogue, size: Size, column: string, of: PricedResource) {
    if (column === 'successor') return catalogue === 'gce' ? gceSuccessor(size) : nameOf(successorOf(machine, size, of))
    return column === 'arm_type' ? nameOf(armOf(machine, size, of)) : undefined
  }

  private fit(
    catalogue: string,
    keep: readonly string[],
    need: Readonly<Record<string, Fact>>,
    of: PricedResource,
    families: readonly string[],
  ): TargetSpec | undefined {
    const machine = this.machines[catalogue]
    if (machine) return fitMachine(machine, { keep, need, families }, of)
    const steps = stepSpecs[catalogue]
    if (steps) return fitStep(catalogue, steps, need, of)
    if (catalogue === 'fargate') return fitFargate(need, of)
    if (catalogue === 'cloudsql') return fitCloudSql(need, of)
    if (catalogue === 'azure-flexserver') return fitFlexServer(this.azure, need, of)
    return catalogue === 'azure-redis' || catalogue === 'azure-appservice' ? fitPlan(need, of) : undefined
  }

  private lookup(table: string, key: Fact, column: string, of: PricedResource): string | null | undefined {
    if (typeof key !== 'string') return undefined
    if (column === 'smaller') return smaller(table, key)
    const machine = this.machines[table]
    const size = machine?.find(key, of)
    return machine && size ? this.follower(table, machine, size, column, of) : undefined
  }

  private price(of: PricedResource, target: TargetSpec | undefined, per: Per | undefined): number | undefined {
    return isPerGigabyte(of, per)
      ? storagePrice(this.book, of, target)
      : this.hourly(catalogueOf[of.type] ?? '', of, target)
  }

  private quote(of: PricedResource, target: TargetSpec | undefined, per: Per | undefined): PriceQuote | undefined {
    const catalogue = catalogueOf[of.type] ?? ''
    const usd = this.price(of, target, per)
    if (usd === undefined) return undefined
    if (isPerGigabyte(of, per)) return storageQuote(this.book, of, target, usd)
    if (relative.has(catalogue)) return undefined
    const said = target ? target['instance_type'] : of.instanceType
    const name = typeof said === 'string' && said !== '' ? said : of.type
    // Some clouds write the names of sizes in several ways.
    return hourQuote(this.book, catalogue, of, this.machines[catalogue]?.find(name, of)?.name ?? name, usd)
  }

  private hourly(catalogue: string, of: PricedResource, target: TargetSpec | undefined): number | undefined {
    const steps = stepSpecs[catalogue]
    if (steps)
      return stepPrice(catalogue, steps, target ?? { [steps.dimension]: numberAt(of, `specs.${steps.dimension}`) })
    if (catalogue === 'fargate') return fargatePrice(target ?? fargateNow(of), of)
    if (catalogue === 'azure-redis' || catalogue === 'azure-appservice') return planPrice(of, target)
    const name = target ? target['instance_type'] : of.instanceType
    return typeof name === 'string' ? this.priceNamed(catalogue, name, of) : undefined
  }

  private priceNamed(catalogue: string, name: string, of: PricedResource): number | undefined {
    const machine = this.machines[catalogue]
    if (machine) return machinePrice(machine, name, of)
    if (catalogue === 'cloudsql') return cloudSqlPrice(name, of)
    return catalogue === 'azure-flexserver' ? flexServerPrice(this.azure, name) : undefined
  }
}

const isPerGigabyte = (of: PricedResource, per: Per | undefined): boolean =>
  per === 'gb_month' || (per === undefined && isStorage(of.type) && of.type !== 'aws-rds')

function dimensionOf(name: string, of: Dimensions | undefined): number | undefined {
  if (name === 'vcpus') return of?.vcpus
  return name === 'memory_gib' ? of?.memoryGib : undefined
}

const nameOf = (size: Size | null | undefined): string | null | undefined => (size ? size.name : size)

function machinePrice(machine: MachineCatalogue, name: string, of: PricedResource): number | undefined {
  const size = machine.find(name, of)
  const usd = size && machine.usd(size, of)
  const more = machine.surcharge(of)
  if (!size || usd === undefined || usd <= 0 || more === undefined) return undefined
  if (more > 0 && size.vcpus === undefined) return undefined
  return (usd + more * (size.vcpus ?? 0)) * machine.copies(of)
}

/** Equal for equal tables and equal values of the operator. */
function versionOf(own: readonly OwnValue[]): string {
  if (own.length === 0) return tablesHash()
  const lines = own.map(({ kind, region, name, field, value }) => [kind, region, name, field, value].join('\n')).sort()
  return `${tablesHash()}+${createHash('sha256').update(lines.join('\n\n')).digest('hex').slice(0, 8)}`
}
