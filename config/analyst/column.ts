/**
 * What views of analysts show of a column with a dictionary (type LowCardinality). Its dictionary holds the values of all rows of a
 * part, those of other organizations among them, and the engine applies functions to all of it: `base64Decode(type)` fails with a
 * value of somebody else. So these columns are shown without dictionaries, each value by itself.
 */
import { readFileSync } from 'node:fs'

/** They, by view and by the type they are shown as: looking them up takes the engine half a minute. A test compares the engine's. */
export const dictionaryColumns = JSON.parse(
  readFileSync(new URL('dictionary-columns.json', import.meta.url), 'utf8'),
) as Readonly<Record<string, Readonly<Record<string, string>>>>

/** The columns of a view, but the hidden ones. */
export function shownColumns(view: string, hidden: readonly string[]): string {
  const plain = Object.entries(dictionaryColumns[view] ?? {})
    .flatMap(([type, names]) => names.split(' ').map((name) => ({ name, type })))
    .filter(({ name }) => !hidden.includes(name))
    .map(({ name, type }) => `CAST(${name}, '${type}') AS ${name}`)
  const except = hidden.length === 0 ? '' : ` EXCEPT (${hidden.join(', ')})`
  return `*${except}${plain.length === 0 ? '' : ` REPLACE (${plain.join(', ')})`}`
}
