/** Derives the tags that an organization's policies give to a resource (decision G-37). */
import type { PolicyRow } from '#actors/policy/queries.ts'
import { asksTags, compileSelector, resourceAttrs, selectorErrors, type Facts } from '#actors/policy/selector.ts'
import { decoder } from '#engine/value/schema.ts'
import { Fault } from '#engine/value/fault.ts'
import { derivedMax } from '#streams/tagging.ts'
import { TaggingSpec } from './policy.ts'

/** A compiled policy. */
export interface TaggingRule {
  policyId: string
  key: string
  /** Whether its selector reads tags. */
  asksTags: boolean
  matches: (facts: Facts) => boolean
  /** Empty if it gives no tag. */
  value: (facts: Facts) => string
}

export interface DerivedTags {
  /** By key. */
  derived: Record<string, string>
  /** The policy of each tag. */
  derivedBy: Record<string, string>
  /** Policies whose tag was left out because there were too many. */
  leftOut: string[]
}

const decode = decoder(TaggingSpec)

/** The policies that can be applied, in their order. A policy that this version does not understand gives no tag. */
export const compileRules = (rows: readonly Pick<PolicyRow, 'id' | 'spec'>[]): readonly TaggingRule[] =>
  rows.filter((row) => specErrorOf(row) === undefined).map(({ id, spec }) => ruleOf(id, decode(spec)))

/** Why a stored policy gives no tag; undefined if it is applied. */
export function specErrorOf({ spec }: Pick<PolicyRow, 'spec'>): string | undefined {
  try {
    const { selector } = decode(spec)
    const [error] = selector ? selectorErrors(selector, resourceAttrs) : []
    return error && `${error.path} ${error.message}`
  } catch (error) {
    const { message, detail } = Fault.from(error)
    const [problem] = detail.problems ?? []
    return problem ? `${problem.path} ${problem.message}` : message
  }
}

/** Maximum code points of a value. */
const valueMax = 256

function ruleOf(policyId: string, { selector, tag: { key, value } }: TaggingSpec): TaggingRule {
  const { fields, join, standardize } = value
  return {
    policyId,
    key,
    asksTags: asksTags(selector),
    matches: compileSelector(selector, resourceAttrs),
    value: (facts) => {
      const parts = fields.map((field) => facts.of[field] ?? '').filter((part) => part !== '')
      const joined = parts.join(join)
      return cut(standardize ? joined.toLowerCase() : joined)
    },
  }
}

const cut = (value: string): string => (value.length > valueMax ? Array.from(value).slice(0, valueMax).join('') : value)

/** `rules` are oldest first; the first with a key wins. */
export function derive(facts: Facts, rules: readonly TaggingRule[]): DerivedTags {
  const found = new Map<string, { value: string; policyId: string }>()
  const leftOut: string[] = []
  for (const { policyId, key, matches, value: valueOf } of rules) {
    if (found.has(key) || !matches(facts)) continue
    const value = valueOf(facts)
    if (value === '') continue
    if (found.size < derivedMax) found.set(key, { value, policyId })
    else leftOut.push(policyId)
  }
  return {
    derived: Object.fromEntries([...found].map(([key, { value }]) => [key, value])),
    derivedBy: Object.fromEntries([...found].map(([key, { policyId }]) => [key, policyId])),
    leftOut,
  }
}
