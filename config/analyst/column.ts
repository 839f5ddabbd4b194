/**
 * The columns of analysts' views. A column with a dictionary (type LowCardinality) is shown without it: the dictionary
 * contains the values of all rows of a part, including those of other organizations, and the engine applies functions
 * to all of them: `base64Decode(type)` would fail with a value of another organization.
 */
import { readFileSync } from 'node:fs'

/**
 * Types by view and column, in order, as the engine reports them. Kept in a file because querying them takes half a
 * minute; a test compares them.
 */
export const columnTypes = JSON.parse(readFileSync(new URL('column-types.json', import.meta.url), 'utf8')) as Readonly<
  Record<string, Readonly<Record<string, string>>>
>

/** A type without dictionaries. */
export const plainType = (type: string): string => type.replaceAll(/LowCardinality\((\w+)\)/g, '$1')

/** Columns of a view and their plain types, without the hidden ones. */
export const plainColumns = (view: string, hidden: readonly string[] = []): { name: string; type: string }[] =>
  Object.entries(columnTypes[view] ?? {})
    .filter(([name]) => !hidden.includes(name))
    .map(([name, type]) => ({ name, type: plainType(type) }))

/** The select list of a view: its columns, without the hidden ones and without dictionaries. */
export function shownColumns(view: string, hidden: readonly string[]): string {
  const types = columnTypes[view] ?? {}
  const plain = plainColumns(view, hidden)
    .filter(({ name, type }) => type !== types[name])
    .map(({ name, type }) => `CAST(${name}, '${type}') AS ${name}`)
  const except = hidden.length === 0 ? '' : ` EXCEPT (${hidden.join(', ')})`
  return `*${except}${plain.length === 0 ? '' : ` REPLACE (${plain.join(', ')})`}`
}
