/** The rules the product has, read from their files when they are asked for first. A rule that is wrong stops the start. */
import { createHash } from 'node:crypto'
import { readFileSync, readdirSync } from 'node:fs'
import { once } from '#engine/value/once.ts'
import { checkedRules } from './check.ts'
import type { Rule } from './contract.ts'
import { needsOf } from './needs.ts'

const folder = new URL('../rules/', import.meta.url)
const clouds = ['aws', 'gcp', 'azure', 'any']

/** Files in their order: by cloud, then by name. */
const files = once(() =>
  clouds.flatMap((cloud) =>
    readdirSync(new URL(`${cloud}/`, folder))
      .toSorted()
      .map((name) => ({ name: `${cloud}/${name}`, text: readFileSync(new URL(`${cloud}/${name}`, folder), 'utf8') })),
  ),
)

/** In the order of their ids. @throws Error naming a rule that is wrong */
export const allRules: () => readonly Rule[] = once(() =>
  checkedRules(files().flatMap(({ text }) => JSON.parse(text) as unknown[]))
    .map((rule) => ({ ...rule, needs: needsOf(rule) }))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1)),
)

const byId: () => ReadonlyMap<string, Rule> = once(() => new Map(allRules().map((rule) => [rule.id, rule])))

/** Undefined for a rule there is not. */
export const ruleOf = (id: string): Rule | undefined => byId().get(id)

/** Of all rules' texts: changes whenever one of them does. */
export const catalogueVersion: () => string = once(() =>
  files()
    .reduce((hash, { name, text }) => hash.update(name).update('\0').update(text).update('\0'), createHash('sha256'))
    .digest('hex')
    .slice(0, 16),
)
