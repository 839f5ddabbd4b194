import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parse } from 'csv-parse/sync'
import type { RuleCondition, Fact, FactSource, Rule } from '#actors/recommendation/rule/contract.ts'
import { kubernetesKind, typeOf } from '#streams/cloud/resource/resource-type.ts'

const beside = fileURLToPath(new URL('../../../../shared/rules', import.meta.url))
const folder: string | undefined = process.env['TIDEMARK_RULES'] || (existsSync(beside) ? beside : undefined)

/** A suite over the catalogue the rules are cut from; skipped with one line where it is absent. */
export function describeRules(title: string, fn: (rules: readonly Rule[], folder: string) => void): void {
  if (folder === undefined) {
    describe(title, () => it.skip('needs the catalogue of rules: set TIDEMARK_RULES to its folder'))
    return
  }
  const rules = readFileSync(path.join(folder, 'catalogue.jsonl'), 'utf8').trim().split('\n')
  const parsed = rules.map((line) => JSON.parse(line) as Rule)
  describe(title, () => fn(parsed, folder))
}

/** `aws-*` is every type of the cloud but what lives in its clusters. */
export const appliesTo = ({ applies }: Rule, type: string): boolean =>
  applies.types.some((wanted) =>
    wanted.endsWith('-*') ? typeOf(type)?.provider === wanted.slice(0, -2) && !kubernetesKind(type) : wanted === type,
  )

/** Rules for every type of a cloud read nothing of one type. */
export const isOfEveryType = ({ applies }: Rule): boolean => applies.types.some((wanted) => wanted.endsWith('-*'))

/** The `specs.*` and `rel.*` that each type has; the others are absent, which is an answer too. */
export function declaredOf(rules: string): ReadonlyMap<string, ReadonlySet<string>> {
  const rows: { type: string; attribute: string }[] = parse(readFileSync(path.join(rules, 'attributes.csv')), {
    columns: true,
  })
  const types = Map.groupBy(rows, ({ type }) => type)
  return new Map([...types].map(([type, own]) => [type, new Set(own.map(({ attribute }) => attribute))]))
}

/** Every path a rule decides by or computes with; what it only shows is not among them. */
export function pathsOf(rule: Rule): string[] {
  const { when, target, saving, applies, let: derived = {} } = rule
  const operands = JSON.stringify([target, saving, applies, derived]).match(/"@[^"]+"/g) ?? []
  const all = [...conditionPaths(when), ...operands.map((text) => text.slice(2, -1))]
  return [...new Set(all.filter((one) => !/^(let|target)\./.test(one)))]
}

function conditionPaths(condition: RuleCondition): string[] {
  if ('all' in condition) return condition.all.flatMap(conditionPaths)
  if ('any' in condition) return condition.any.flatMap(conditionPaths)
  if ('not' in condition) return conditionPaths(condition.not)
  const compared = condition.values.filter((value): value is string => typeof value === 'string' && value[0] === '@')
  return [condition.attr, ...compared.map((value) => value.slice(1))]
}

export interface Judged {
  outcome: 'fire' | 'clear' | 'hold'
}

/** What the catalogue's own evaluator needs of sizes and prices: here anything has a smaller size at half the price. */
const sizes = {
  fit: () => ({ instance_type: 'smaller', vcpus: 1, memory_gib: 1, capacity: 1 }),
  lookup: () => 'smaller',
  price: (_: unknown, target: unknown) => (target === undefined ? 1 : 0.5),
  tierRates: () => ({ '1yr_no_upfront': 0.7 }),
}

/** The evaluator that came with the catalogue. */
export async function evaluator(rules: string): Promise<(rule: Rule, facts: FactSource) => Judged> {
  const url = pathToFileURL(path.join(rules, 'reference-engine.mjs')).href
  const { evaluate } = (await import(url)) as {
    evaluate: (rule: Rule, facts: (path: string) => Fact, about: object) => Judged
  }
  return (rule, facts) => evaluate(rule, facts, { catalogue: sizes, orgSpend: 50_000 })
}
