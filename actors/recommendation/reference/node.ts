/** Machines that a service of AWS runs: classes of EC2 under names and at prices of the service. */
import type { Priced } from '#actors/recommendation/rule/contract.ts'
import { ec2Sizes } from '#streams/cloud/reference/aws-size.ts'
import type { Size, Sizes } from '#streams/cloud/reference/size.ts'
import { numberOf, rowsOf, type Row } from '#streams/cloud/reference/table.ts'
import type { Book } from './book.ts'
import type { MachineCatalogue } from './machine.ts'
import { textAt } from './read.ts'

type Service = 'rds' | 'elasticache' | 'opensearch' | 'msk'

interface Naming {
  readonly prefix: string
  readonly suffix: string
}

const naming: Readonly<Record<Service, Naming>> = {
  rds: { prefix: 'db.', suffix: '' },
  elasticache: { prefix: 'cache.', suffix: '' },
  opensearch: { prefix: '', suffix: '.search' },
  msk: { prefix: 'kafka.', suffix: '' },
}

/** Sizes of a family that are priced by its `large` alone, in numbers of it. */
const larges: Readonly<Record<string, number>> = {
  large: 1,
  xlarge: 2,
  '2xlarge': 4,
  '4xlarge': 8,
  '8xlarge': 16,
  '12xlarge': 24,
  '16xlarge': 32,
  '24xlarge': 48,
}

/** The engines of a price: classes that a service offers differ by engine too. Undefined: not known. */
function variantOf(service: Service, of: Priced): string | undefined {
  if (service !== 'rds') return ''
  const engine = textAt(of, 'specs.engine')?.toLowerCase()
  if (engine === 'mysql' || engine === 'mariadb') return 'mysql'
  if (engine === 'postgres') return 'postgres'
  return engine?.startsWith('aurora') ? 'aurora' : undefined
}

interface Node extends Size {
  readonly usdHour: number
}

/** Nodes of one variant of a service: those with rows, and those of the families that have a row for `large` alone. */
function nodesOf(rows: readonly Row[], classes: Sizes): ReadonlyMap<string, Node> {
  const nodes = new Map<string, Node>()
  const rowOf = new Map(rows.map((row) => [`${row['family']}.${row['size']}`, row]))
  for (const size of classes.values()) {
    const row = rowOf.get(size.name)
    const large = rowOf.get(`${size.family}.large`)
    const isWhole = rows.some(({ family, size: step }) => family === size.family && step === 'xlarge')
    const times = isWhole || size.isBurst ? undefined : larges[size.step]
    const usdHour = row ? Number(row['usd_hour']) : large && times && Number(large['usd_hour']) * times
    if (usdHour === undefined || usdHour === 0) continue
    nodes.set(size.name, { ...size, memoryGib: numberOf(row?.['memory_gib']) ?? size.memoryGib, usdHour })
  }
  return nodes
}

export function nodeCatalogue(service: Service, book: Book): MachineCatalogue {
  const classes = ec2Sizes()
  const { prefix, suffix } = naming[service]
  const named = <T extends Size>(size: T): T => ({ ...size, name: `${prefix}${size.name}${suffix}` })
  const rows = rowsOf('node').filter(({ catalogue }) => catalogue === service)
  const variants = new Map<string, ReadonlyMap<string, Node>>()
  for (const variant of new Set(rows.map((row) => row['variant']!))) {
    const nodes = nodesOf(
      rows.filter((row) => row['variant'] === variant),
      classes,
    )
    variants.set(variant, new Map([...nodes.values()].map((node) => [named(node).name, named(node)])))
  }
  const classOf = (name: string): Size | undefined => {
    if (!name.startsWith(prefix) || !name.endsWith(suffix)) return undefined
    const size = classes.get(name.slice(prefix.length, name.length - suffix.length))
    // The memory of a cache is not that of its machine.
    return size && named({ ...size, ...(service === 'elasticache' && { memoryGib: undefined }) })
  }
  const own = [...book.names(service)].flatMap((name) => classOf(name) ?? [])
  const of = (priced: Priced) => variants.get(variantOf(service, priced) ?? '')
  return {
    find: (name, priced) => of(priced)?.get(name) ?? classOf(name),
    sizes: (priced) => {
      const priceless = own.filter(({ name }) => !of(priced)?.has(name))
      return [...(of(priced)?.values() ?? []), ...priceless]
    },
    usd: ({ name }, priced) => book.number(service, priced.region, name, 'usd_hour') ?? of(priced)?.get(name)?.usdHour,
    surcharge: () => 0,
    copies: (priced) => (service === 'rds' && priced.source('specs.multi_az') === true ? 2 : 1),
    keepsBurst: service !== 'rds',
  }
}
