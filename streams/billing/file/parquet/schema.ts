/** The columns of a Parquet file as a tree of values, lists, maps and structs. */
import { parquetSchema, type FileMetaData, type SchemaElement, type SchemaTree } from 'hyparquet'
import { broken } from './fault.ts'

/** A column with values: its position in the file and its nesting. */
export interface Leaf {
  element: SchemaElement
  path: readonly string[]
  repetitionMax: number
  definitionMax: number
}

export interface Node {
  name: string
  shape: 'value' | 'struct' | 'list' | 'map'
  isRepeated: boolean
  repetitionMax: number
  definitionMax: number
  children: readonly Node[]
  /** Indexes of the value columns below it in `Schema.leaves`. */
  leaves: readonly number[]
}

export interface Schema {
  columns: readonly Node[]
  leaves: readonly Leaf[]
}

const leavesMax = 10_000

/** @throws Fault `invalid` `parquet_invalid` */
export function schemaOf(metadata: FileMetaData): Schema {
  const leaves: Leaf[] = []
  const columns = parquetSchema(metadata).children.map((tree) => nodeOf(tree, { repetition: 0, definition: 0 }, leaves))
  if (leaves.length > leavesMax) throw broken(`it has more than ${leavesMax} columns`)
  return { columns, leaves }
}

function nodeOf(tree: SchemaTree, above: { repetition: number; definition: number }, leaves: Leaf[]): Node {
  const { element, path } = tree
  const isRepeated = element.repetition_type === 'REPEATED'
  const repetition = above.repetition + (isRepeated ? 1 : 0)
  const definition = above.definition + (element.repetition_type === 'REQUIRED' ? 0 : 1)
  const levels = { repetitionMax: repetition, definitionMax: definition }
  const first = leaves.length
  if (typeof element.name !== 'string') throw broken('a column has no name')
  if (element.type === undefined && tree.children.length === 0) throw broken(`the column ${path.join('.')} has no type`)
  if (element.type !== undefined) leaves.push({ element, path, ...levels })
  const children = tree.children.map((child) => nodeOf(child, { repetition, definition }, leaves))
  return {
    name: element.name,
    shape: shapeOf(element, children),
    isRepeated,
    ...levels,
    children,
    leaves: Array.from({ length: leaves.length - first }, (_, index) => first + index),
  }
}

function shapeOf(element: SchemaElement, children: readonly Node[]): Node['shape'] {
  if (element.type !== undefined) return 'value'
  const [inner] = children
  if (children.length !== 1 || !inner?.isRepeated) return 'struct'
  const meaning = element.logical_type?.type ?? element.converted_type ?? ''
  if (meaning === 'LIST') return 'list'
  return /^MAP(?:_KEY_VALUE)?$/.test(meaning) && inner.children.length === 2 ? 'map' : 'struct'
}

/** Old writers do not wrap the elements of a list in a group of its own. */
export const isElement = ({ name, shape, children }: Node, list: string): boolean =>
  shape === 'value' || children.length !== 1 || name === 'array' || name === `${list}_tuple`
