/** Reads the tags of a row of an AWS Cost and Usage Report, in each form that reports have used. */
import { memoize, type Columns } from '#streams/billing/format/columns.ts'
import { tagMap, type Warn } from '#streams/billing/format/literal.ts'
import type { Fields } from '#streams/billing/file/source.ts'

/**
 * Turns a column name, or an entry of a map column, into a tag key; empty for other columns. Tags that people set on
 * resources lose the prefix `user:`, those of AWS keep theirs. Tags that do not belong to the resource get a prefix:
 * `accountTag:` and others.
 */
const forms: readonly (readonly [RegExp, string])[] = [
  [/^resource_?tags[/_](?:user[:_])?(?=.)/i, ''],
  [/^account_?tags?[/_](?:user[:_])?(?=.)/i, 'accountTag:'],
  [/^cost_?categor(?:y|ies)[/_](?=.)/i, 'costCategory:'],
  [/^user_?attributes?[/_](?=.)/i, 'userAttribute:'],
]

/** Athena's column names have underscores instead of the report's separators. */
const keyOf = memoize((name) => {
  const form = forms.find(([expression]) => expression.test(name))
  return form ? `${form[1]}${name.replace(form[0], '')}` : ''
})

/** Map columns of report version 2, and how their keys become tag keys. */
const maps = [
  ['costcategory', (name: string) => `costCategory:${name}`],
  ['tags', (name: string) => keyOf(name) || name],
  ['resourcetags', (name: string) => name.replace(/^user[_:]/, '')],
] as const

/** Cost allocation tags of the resource and the account, and cost categories. Empty values are left out. */
export function awsTags(row: Columns, fields: Fields, warn: Warn): Record<string, unknown> | undefined {
  const entries: [string, unknown][] = []
  for (const [column, keyIn] of maps)
    for (const [name, value] of Object.entries(tagMap(row[column], warn) ?? {})) entries.push([keyIn(name), value])
  for (const name in fields) {
    const key = keyOf(name)
    if (key !== '') entries.push([key, fields[name]])
  }
  const held = entries.filter(([, value]) => value !== '' && value !== null)
  return held.length === 0 ? undefined : Object.fromEntries(held)
}
