/** The product's rules, read from their files when first used. An invalid rule prevents the start. */
import { createHash } from 'node:crypto'
import { readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { once } from '#engine/value/once.ts'
import { checkedRules } from './check.ts'
import type { Rule } from './contract.ts'
import { needsOf } from './needs.ts'

const folder = new URL('../rules/', import.meta.url)
const clouds = ['aws', 'gcp', 'azure', 'any']

const readRule = (place: string): string => readFileSync(new URL(place, folder), 'utf8')

/** Sorted by cloud, then by file name, whatever the folder. */
const files = once(() =>
  clouds.flatMap((cloud) =>
    readdirSync(new URL(`${cloud}/`, folder), { recursive: true, encoding: 'utf8' })
      .filter((place) => place.endsWith('.json'))
      .map((place) => ({ name: `${cloud}/${path.basename(place)}`, text: readRule(`${cloud}/${place}`) }))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  ),
)

/** Sorted by id. @throws Error that names an invalid rule */
export const allRules: () => readonly Rule[] = once(() =>
  checkedRules(files().flatMap(({ text }) => JSON.parse(text) as unknown[]))
    .map((rule) => ({ ...rule, needs: needsOf(rule) }))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1)),
)

const byId: () => ReadonlyMap<string, Rule> = once(() => new Map(allRules().map((rule) => [rule.id, rule])))

/** Undefined if there is no such rule. */
export const ruleOf = (id: string): Rule | undefined => byId().get(id)

/** Hash of the text of all rules. */
export const catalogueVersion: () => string = once(() =>
  files()
    .reduce((hash, { name, text }) => hash.update(name).update('\0').update(text).update('\0'), createHash('sha256'))
    .digest('hex')
    .slice(0, 16),
)
