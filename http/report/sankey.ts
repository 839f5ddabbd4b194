/** Adds leaves up into the nodes and links of a cost flow (decision G-42), exactly; numbers are made only at the end. */
import type { Dimension } from '#http/report/dimension.ts'
import { orNone } from '#http/report/filter.ts'
import { cents, plainOf, units as unitsOf } from '#streams/figure.ts'

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
  parent: string | undefined
}

/** Nodes and links level by level, the dearest first. */
export function flowOf(dims: readonly Dimension[], leaves: readonly Leaf[], names: Names) {
  const levels = dims.map(() => new Map<string, Node>())
  let total = 0n
  for (const leaf of leaves) {
    const units = unitsOf(leaf.cost)
    total += units
    let parent: string | undefined
    for (const [at, dim] of dims.entries()) {
      const value = leaf.path[at] ?? ''
      const id = parent === undefined ? step(value) : `${parent}|${step(value)}`
      const node = levels[at]!.get(id)
      if (node) node.units += units
      else levels[at]!.set(id, { id, dim, units, parent, ...labelOf(dim, value, leaf, names) })
      parent = id
    }
  }
  const nodes = levels.flatMap((level) => [...level.values()].toSorted(byValue))
  return {
    nodes: nodes.map(({ id, dim, label, units }) => ({
      id,
      dim,
      ...(label !== undefined && { label }),
      valueUSD: dollars(units),
    })),
    links: nodes.flatMap(({ id, parent, units }) =>
      parent === undefined ? [] : [{ source: parent, target: id, valueUSD: dollars(units) }],
    ),
    totalUSD: cents(total),
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

const dollars = (units: bigint): number => Number(plainOf(units))
