/** Adds leaves up into the nodes and links of a cost flow (decision G-42), exactly; numbers are made only at the end. */
import { against } from '#http/report/comparison/compare.ts'
import type { Dimension } from '#http/report/filter/dimension.ts'
import { orNone } from '#http/report/filter/filter.ts'
import { cents, units as unitsOf, usd } from '#streams/figure.ts'

/** Cost at the end of one path: a value for each dimension, empty where there is none. `name` is that of the resource. */
export interface Leaf {
  path: string[]
  cost: string
  name?: string
}

interface Node {
  id: string
  dim: Dimension
  label?: string
  units: bigint
  /** What it was at the earlier time. */
  earlier: bigint
  parent: string | undefined
}

/**
 * Nodes and links level by level, the dearest first; beside what they were where the leaves of an earlier time are given, and then
 * with those that only were, at 0.
 */
export function flowOf(
  dims: readonly Dimension[],
  leaves: readonly Leaf[],
  names: Names,
  earlier: readonly Leaf[] | undefined,
) {
  const levels = dims.map(() => new Map<string, Node>())
  for (const leaf of leaves) add(levels, dims, leaf, names, 'units')
  for (const leaf of earlier ?? []) add(levels, dims, leaf, names, 'earlier')
  const nodes = levels.flatMap((level) => [...level.values()].toSorted(byValue))
  const total = cents(sumOf(leaves))
  const beside = (node: Node) => earlier && against(node.units, node.earlier)
  return {
    nodes: nodes.map((node) => ({
      id: node.id,
      dim: node.dim,
      ...(node.label !== undefined && { label: node.label }),
      valueUSD: usd(node.units),
      ...beside(node),
    })),
    links: nodes.flatMap((node) =>
      node.parent === undefined
        ? []
        : [{ source: node.parent, target: node.id, valueUSD: usd(node.units), ...beside(node) }],
    ),
    totalUSD: total,
    ...(earlier && against(unitsOf(total), unitsOf(cents(sumOf(earlier))))),
  }
}

const sumOf = (leaves: readonly Leaf[]): bigint => leaves.reduce((sum, { cost }) => sum + unitsOf(cost), 0n)

/** Adds a leaf to every node on its path. */
function add(
  levels: readonly Map<string, Node>[],
  dims: readonly Dimension[],
  leaf: Leaf,
  names: Names,
  into: 'units' | 'earlier',
): void {
  let parent: string | undefined
  for (const [at, dim] of dims.entries()) {
    const value = leaf.path[at] ?? ''
    const id = parent === undefined ? step(value) : `${parent}|${step(value)}`
    const node = levels[at]!.get(id) ?? { id, dim, units: 0n, earlier: 0n, parent, ...labelOf(dim, value, leaf, names) }
    node[into] += unitsOf(leaf.cost)
    levels[at]!.set(id, node)
    parent = id
  }
}

const step = (value: string): string => orNone(value).replaceAll('%', '%25').replaceAll('|', '%7C')

/** What the values of some dimensions are called. */
export type Names = Partial<Record<Dimension, ReadonlyMap<string, string>>>

function labelOf(dim: Dimension, value: string, leaf: Leaf, names: Names): { label?: string } {
  if (dim === 'team_id' && value === 'unassigned') return { label: 'Unassigned' }
  const label = dim === 'resource_uid' ? leaf.name : names[dim]?.get(value)
  return label === undefined ? {} : { label }
}

function byValue(a: Node, b: Node): number {
  if (a.units !== b.units) return a.units > b.units ? -1 : 1
  return a.id < b.id ? -1 : 1
}
