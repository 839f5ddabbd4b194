/** Messages to the threads that judge past days again; all can be copied between threads. */
import type { PolicyRow } from '#actors/policy/queries.ts'
import { compileSelector, resourceAttrs } from '#actors/policy/selector.ts'
import type { governanceDefaults } from '#actors/recommendation/policy/governance.ts'
import { compileOverrides, type Override } from '#actors/recommendation/policy/override.ts'
import type { RuleSpec } from '#actors/recommendation/policy/policy.ts'
import type { OwnValue } from '#actors/recommendation/reference/book/own-values.ts'
import type { ReferenceTables } from '#actors/recommendation/reference/tables.ts'
import type { Side } from './replay.ts'
import { ruleOf } from '#actors/recommendation/rule/catalogue.ts'
import type { Rule } from '#actors/recommendation/rule/contract.ts'

/** One side of the comparison. */
export interface SideAsked {
  governance: typeof governanceDefaults
  /** Enabled policies of domain `recommendation`, oldest first. */
  policies: readonly PolicyRow[]
  /** Ids of rules in the catalogue. */
  ruleIds: readonly string[]
  /** A rule that is not in the catalogue. */
  rule?: Rule
  /** A change to a rule, for resources that its selector matches. */
  change?: RuleSpec & { ruleId: string }
}

export interface ReplayAsked {
  before: SideAsked
  after: SideAsked
  /** Sizes and prices set by the operator. */
  own: readonly OwnValue[]
}

/** Rows of the query `fact_sheets` for one type, to be read by `paths`. */
export interface SheetBatch {
  type: string
  paths: readonly string[]
  /** For each layout (by number minus one): the index in `paths` of each fact of a sheet. */
  orders: readonly (readonly number[])[]
  rows: readonly string[]
}

export const rulesAsked = ({ ruleIds, rule }: Pick<SideAsked, 'ruleIds' | 'rule'>): Rule[] => [
  ...ruleIds.flatMap((id) => ruleOf(id) ?? []),
  ...(rule ? [rule] : []),
]

export function sideOf(asked: SideAsked, tables: ReferenceTables, faulty: Side['faulty']): Side {
  const { governance, policies, change } = asked
  const present = compileOverrides(policies)
  const references = new Map<number, ReturnType<ReferenceTables['at']>>()
  return {
    governance,
    overrides: change ? withChange(present, change) : present,
    references: (at) => {
      const known = references.get(at)
      if (known) return known
      const made = tables.at({ now: new Date(at), families: governance.sizeFamilies })
      references.set(at, made)
      return made
    },
    rules: rulesAsked(asked),
    faulty,
  }
}

/** The changed fields take precedence over everything else; other fields stay as they are for each resource. */
function withChange(present: readonly Override[], change: NonNullable<SideAsked['change']>): Override[] {
  const selects = compileSelector(change.selector, resourceAttrs)
  const category = ruleOf(change.ruleId)?.category
  const own = present.filter(({ spec }) => (spec.ruleId ? spec.ruleId === change.ruleId : spec.category === category))
  const merged = own.map(({ spec, fits }) => ({
    spec: {
      ruleId: change.ruleId,
      params: { ...spec.params, ...change.params },
      enabled: change.enabled ?? spec.enabled ?? true,
    },
    fits: (facts: Parameters<Override['fits']>[0]) => selects(facts) && fits(facts),
  }))
  return [...merged, { spec: change, fits: selects }, ...present]
}
