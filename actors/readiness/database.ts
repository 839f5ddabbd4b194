/** Databases are not made more, but larger: their classes, and which one is enough for an event (decision G-85). */
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
  /** US dollars an hour, or what it costs against the others where `isRelative`; undefined where nobody knows. */
  price: number | undefined
}

interface Ladder {
  /** Larger ones behind smaller ones; the present one among them. */
  classes: readonly DbClass[]
  isRelative: boolean
}

export interface StepUp {
  current: DbClass
  recommended: DbClass
  /** Classes that it goes up by; 0 where it is enough as it is, or there is no larger one. */
  steps: number
  isRelative: boolean
}

const epsilon = 1e-9

/** Why `stepUp` knows nothing. */
export const unknownClass = ({ type, instanceType, specs }: Database): string =>
  `No size larger than ${instanceType || 'its current one'} is known${
    type === 'aws-rds' && !specs['engine'] ? ': the inventory has no engine for it' : ''
  }.`

/** Undefined where the class, or those beside it, are not known. */
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

/** The tables are read once a process, when they are first asked for. */
const tables: { rds?: MachineCatalogue; azure?: Sizes } = {}

/** Classes of one family that the engine runs on. */
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

/** Priced by the vCPU within a series, each by an amount that the tables do not know. */
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
