/** Machines behind AWS services: EC2 classes with the service's own names and prices. */
import { ec2Sizes } from './sizes.ts'
import type { Size, Sizes } from '#streams/cloud/reference/size.ts'
import { numberOf, rowsOf, type ReferenceRow } from '#streams/cloud/reference/table.ts'

export type NodeService = 'rds' | 'elasticache' | 'opensearch' | 'msk'

interface Naming {
  readonly prefix: string
  readonly suffix: string
}

export const nodeNaming: Readonly<Record<NodeService, Naming>> = {
  rds: { prefix: 'db.', suffix: '' },
  elasticache: { prefix: 'cache.', suffix: '' },
  opensearch: { prefix: '', suffix: '.search' },
  msk: { prefix: 'kafka.', suffix: '' },
}

/** For families with a price only for `large`: the price of each size as a multiple of it. */
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

/** The engine variant of a price, because services support different classes by engine. Undefined if unknown. */
export function nodeVariant(service: NodeService, engine: string | undefined): string | undefined {
  if (service !== 'rds') return ''
  const name = engine?.toLowerCase()
  if (name === 'mysql' || name === 'mariadb') return 'mysql'
  if (name === 'postgres') return 'postgres'
  return name?.startsWith('aurora') ? 'aurora' : undefined
}

export interface Node extends Size {
  /** US dollars per hour in us-east-1. */
  readonly usdHour: number
}

/** Nodes of a service, by variant and by name in the service. */
export function nodesOf(
  service: NodeService,
  classes: Sizes = ec2Sizes(),
): ReadonlyMap<string, ReadonlyMap<string, Node>> {
  const { prefix, suffix } = nodeNaming[service]
  const rows = rowsOf('node').filter(({ catalogue }) => catalogue === service)
  const variants = new Map<string, ReadonlyMap<string, Node>>()
  for (const variant of new Set(rows.map((row) => row['variant']!))) {
    const nodes = priceNodes(
      rows.filter((row) => row['variant'] === variant),
      classes,
    )
    const named = nodes.map((node) => ({ ...node, name: `${prefix}${node.name}${suffix}` }))
    variants.set(variant, new Map(named.map((node) => [node.name, node])))
  }
  return variants
}

/** Nodes with their own rows, and those of families with a row only for `large`. */
function priceNodes(rows: readonly ReferenceRow[], classes: Sizes): Node[] {
  const rowOf = new Map(rows.map((row) => [`${row['family']}.${row['size']}`, row]))
  return [...classes.values()].flatMap((size) => {
    const row = rowOf.get(size.name)
    const large = rowOf.get(`${size.family}.large`)
    const isWhole = rows.some(({ family, size: step }) => family === size.family && step === 'xlarge')
    const times = isWhole || size.isBurst ? undefined : larges[size.step]
    const usdHour = row ? Number(row['usd_hour']) : large && times && Number(large['usd_hour']) * times
    if (usdHour === undefined || usdHour === 0) return []
    return [{ ...size, memoryGib: numberOf(row?.['memory_gib']) ?? size.memoryGib, usdHour }]
  })
}
