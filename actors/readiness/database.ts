/**
 * Databases scale by class, not by number: their classes, and the one that is sufficient for an event (decision G-85).
 */
import { cloudSqlClasses, cloudSqlPrice } from '#actors/recommendation/reference/machine/cloudsql.ts'
import { flexServerClasses, flexServerPrice } from '#actors/recommendation/reference/machine/flexserver.ts'
import { OwnValueTable } from '#actors/recommendation/reference/book/own-values.ts'
import type { MachineCatalogue } from '#actors/recommendation/reference/machine/machine.ts'
import { nodeCatalogue } from '#actors/recommendation/reference/machine/node.ts'
import type { Fact, PricedResource } from '#actors/recommendation/rule/contract.ts'
import { azureSizes } from '#streams/cloud/reference/azure/sizes.ts'
import type { Sizes } from '#streams/cloud/reference/size.ts'

export interface Database {
  type: string
  provider: string
  region: string
  instanceType: string
  specs: Readonly<Record<string, unknown>>
}

interface DbClass {
  name: string
  vcpus: number
  memoryGib: number | undefined
  /** US dollars per hour, or a relative price if `isRelative`; undefined if unknown. */
  price: number | undefined
}

interface Ladder {
  /** Smallest first, including the current one. */
  classes: readonly DbClass[]
  isRelative: boolean
}

export interface StepUp {
  current: DbClass
  recommended: DbClass
  /** Number of classes to go up; 0 if the current one is sufficient or the largest. */
  steps: number
  isRelative: boolean
}

const epsilon = 1e-9

/** Why `stepUp` has no result. */
export const unknownClass = ({ type, instanceType, specs }: Database): string =>
  `No size larger than ${instanceType || 'its current one'} is known${
    type === 'aws-rds' && !specs['engine'] ? ': the inventory has no engine for it' : ''
  }.`

/** Undefined if the class or its neighbours are unknown. */
export function stepUp(of: Database, factor: number): StepUp | undefined {
  const { classes, isRelative } = ladderOf(of) ?? { classes: [], isRelative: false }
  const at = classes.findIndex(({ name }) => name.toLowerCase() === of.instanceType.toLowerCase())
  const current = classes[at]
  if (!current) return undefined
  const enough = classes.findIndex(({ vcpus }, i) => i >= at && vcpus + epsilon >= current.vcpus * factor)
  const to = enough === -1 ? classes.length - 1 : enough
  return { current, recommended: classes[to]!, steps: to - at, isRelative }
}

const ladders: Readonly<Record<string, (of: Database) => Ladder>> = {
  'aws-rds': rds,
  'gcp-cloudsql': (of) => ({
    classes: cloudSqlClasses(of.instanceType).map((one) => ({ ...one, price: cloudSqlPrice(one.name, pricedOf(of)) })),
    isRelative: false,
  }),
  'azure-postgres': flexServer,
  'azure-mysql': flexServer,
}

const ladderOf = (of: Database): Ladder | undefined => ladders[of.type]?.(of)

function pricedOf({ specs, ...of }: Database): PricedResource {
  const source = (path: string): Fact => specs[path.replace(/^specs\./, '')] as Fact
  return { ...of, source }
}

/** Read once per process, when first needed. */
const tables: { rds?: MachineCatalogue; azure?: Sizes } = {}

/** Classes of one family that the engine supports. */
function rds(of: Database): Ladder {
  const catalogue = (tables.rds ??= nodeCatalogue('rds', new OwnValueTable([])))
  const priced = pricedOf(of)
  const now = catalogue.find(of.instanceType, priced)
  const copies = catalogue.copies(priced)
  const classes = [...catalogue.sizes(priced)].flatMap((size): DbClass[] => {
    const { name, family, vcpus, memoryGib } = size
    if (family !== now?.family || vcpus === undefined) return []
    const usd = catalogue.usd(size, priced)
    return [{ name, vcpus, memoryGib, price: usd === undefined ? undefined : usd * copies }]
  })
  return { classes: classes.toSorted(bySize), isRelative: false }
}

const bySize = (a: DbClass, b: DbClass): number => a.vcpus - b.vcpus || (a.memoryGib ?? 0) - (b.memoryGib ?? 0)

/** Within a series the price is proportional to vCPUs; the tables do not have the factor. */
function flexServer({ instanceType }: Database): Ladder {
  const sizes = (tables.azure ??= azureSizes())
  const classes = flexServerClasses(sizes, instanceType).map(({ name, vcpus, memoryGib }) => ({
    name,
    vcpus: vcpus!,
    memoryGib,
    price: flexServerPrice(sizes, name),
  }))
  return { classes, isRelative: true }
}
