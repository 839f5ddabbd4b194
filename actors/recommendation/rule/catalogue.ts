/** The rules the product has, read once from their files. */
import type { Rule } from './contract.ts'

export const rules: readonly Rule[] = []

const byId: ReadonlyMap<string, Rule> = new Map(rules.map((rule) => [rule.id, rule]))

/** Undefined for a rule there is not. */
export const ruleOf = (id: string): Rule | undefined => byId.get(id)

/** Of all rules' texts: changes whenever one of them does. */
export const catalogueVersion = ''
