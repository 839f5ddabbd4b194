/** The tags of a row of an AWS Cost and Usage Report, in each of the forms it has had. */
import { memoize, type Columns } from '#streams/billing/format/columns.ts'
import { tagMap, type Warn } from '#streams/billing/format/literal.ts'
import type { Fields } from '#streams/billing/file/source.ts'

/**
 * A name of a column, or of an entry of one, to the key of its tag; empty for what is none. Tags that a person set on a resource lose the
 * prefix `user:`, those of AWS keep theirs; `accountTag:` and `costCategory:` stay before those that are not of the resource.
 */
const forms: readonly (readonly [RegExp, string])[] = [
  [/^resource_?tags[/_](?:user[:_])?(?=.)/i, ''],
  [/^account_?tags?[/_](?:user[:_])?(?=.)/i, 'accountTag:'],
  [/^cost_?categor(?:y|ies)[/_](?=.)/i, 'costCategory:'],
  [/^user_?attributes?[/_](?=.)/i, 'userAttribute:'],
]

/** Athena's names of columns have underscores where the report has marks. */
const keyOf = memoize((name) => {
  const form = forms.find(([expression]) => expression.test(name))
  return form ? `${form[1]}${name.replace(form[0], '')}` : ''
})

/** Columns that are maps, of the report of version 2, and what stands before their keys. */
const maps = [
  ['costcategory', (name: string) => `costCategory:${name}`],
  ['tags', (name: string) => keyOf(name) || name],
  ['resourcetags', (name: string) => name.replace(/^user[_:]/, '')],
] as const

/** Cost allocation tags, of the resource and the account, and cost categories. Empty ones are no tags. */
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
