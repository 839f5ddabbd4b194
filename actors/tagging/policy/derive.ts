/** Which tags the policies of an organization give a resource (decision G-37). */
import type { PolicyRow } from '#actors/policy/queries.ts'
import { asksTags, compileSelector, resourceAttrs, selectorErrors, type Facts } from '#actors/policy/selector.ts'
import { decoder } from '#engine/value/schema.ts'
import { Fault } from '#engine/value/fault.ts'
import { derivedMax } from '#streams/tagging.ts'
import { TaggingSpec } from './policy.ts'

/** A policy as it is applied. */
export interface TaggingRule {
  policyId: string
  key: string
  /** Whether its selector asks for tags. */
  asksTags: boolean
  matches: (facts: Facts) => boolean
  /** Empty where it gives no tag. */
  value: (facts: Facts) => string
}

export interface DerivedTags {
  /** By key. */
  derived: Record<string, string>
  /** The policy each is by. */
  derivedBy: Record<string, string>
  /** Policies whose tag was left out, as there were too many. */
  leftOut: string[]
}

const decode = decoder(TaggingSpec)

/** Those that can be applied, in their order. One that this version does not understand gives nothing. */
export const compileRules = (rows: readonly Pick<PolicyRow, 'id' | 'spec'>[]): readonly TaggingRule[] =>
  rows.filter((row) => specErrorOf(row) === undefined).map(({ id, spec }) => ruleOf(id, decode(spec)))

/** Why a stored policy gives nothing; undefined for one that is applied. */
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

/** Code points of a value. */
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

/** Of `rules`, oldest first, the first to give a key wins. */
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
