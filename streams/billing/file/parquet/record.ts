/** Assembles the values of nested columns: lists become arrays, maps and structs become objects. */
import { broken } from './fault.ts'
import { isElement, type Node } from './schema.ts'

/** Values of some rows of a column, with the levels that describe their nesting. `at` is the reader's position. */
export interface NestedValues {
  values: unknown[]
  definitions: number[]
  repetitions: number[]
  at: number
}

/** Returns `count` rows of a column. @throws Fault `invalid` `parquet_invalid` if its parts are inconsistent */
export function assembleRows(column: Node, leaves: readonly NestedValues[], count: number): unknown[] {
  const rows = Array.from({ length: count }, () => valueOf(column, leaves))
  if (column.leaves.some((leaf) => leaves[leaf]!.at !== leaves[leaf]!.values.length))
    throw broken(`the parts of the column ${column.name} have different row counts`)
  return rows
}

const valueOf = (node: Node, leaves: readonly NestedValues[]): unknown =>
  node.isRepeated ? itemsOf(node, leaves, oneOf) : oneOf(node, leaves)

type Read = (node: Node, leaves: readonly NestedValues[]) => unknown

function itemsOf(node: Node, leaves: readonly NestedValues[], read: Read): unknown[] {
  const first = leaves[node.leaves[0]!]!
  if (definitionAt(first) < node.definitionMax) {
    skip(node, leaves)
    return []
  }
  const items: unknown[] = []
  do items.push(read(node, leaves))
  while (first.at < first.values.length && first.repetitions[first.at]! >= node.repetitionMax)
  return items
}

function oneOf(node: Node, leaves: readonly NestedValues[]): unknown {
  const first = leaves[node.leaves[0]!]!
  if (definitionAt(first) < node.definitionMax) {
    skip(node, leaves)
    return null
  }
  if (node.shape === 'value') return first.values[first.at++]
  const [inner] = node.children
  if (node.shape === 'list') return itemsOf(inner!, leaves, isElement(inner!, node.name) ? oneOf : onlyOf)
  if (node.shape === 'map') return Object.fromEntries(itemsOf(inner!, leaves, pairOf) as [string, unknown][])
  return Object.fromEntries(node.children.map((child) => [child.name, valueOf(child, leaves)]))
}

const onlyOf: Read = (node, leaves) => valueOf(node.children[0]!, leaves)
const pairOf: Read = ({ children: [key, value] }, leaves) => [valueOf(key!, leaves), valueOf(value!, leaves)]

function definitionAt({ definitions, at }: NestedValues): number {
  const found = definitions[at]
  if (found === undefined) throw broken('a column ends early')
  return found
}

function skip(node: Node, leaves: readonly NestedValues[]): void {
  for (const leaf of node.leaves) leaves[leaf]!.at++
}
