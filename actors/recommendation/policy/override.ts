/** How policies of the organization change rules, for each resource. */
import { compileSelector, resourceAttrs, type Facts } from '#actors/policy/selector.ts'
import type { PolicyRow } from '#actors/policy/queries.ts'
import type { AuditedResource } from '#actors/recommendation/audit/entity.ts'
import type { RuleSpec } from './policy.ts'
import type { Rule } from '#actors/recommendation/rule/contract.ts'

export interface Override {
  spec: RuleSpec
  /** Whether it applies to a resource. */
  fits: (facts: Facts) => boolean
}

/**
 * Most specific first: policies of one rule before those of a category, those with a selector before those without,
 * then oldest first.
 */
export function compileOverrides(policies: readonly PolicyRow[]): Override[] {
  const weight = ({ ruleId, selector }: RuleSpec): number => (ruleId ? 0 : 2) + (selector?.all.length ? 0 : 1)
  return policies
    .map(({ spec }) => spec as RuleSpec)
    .map((spec) => ({ spec, fits: compileSelector(spec.selector, resourceAttrs) }))
    .toSorted((a, b) => weight(a.spec) - weight(b.spec))
}

/** The facts that selectors test. */
export const selectable = (resource: AuditedResource, cloudAccountId: string): Facts => ({
  of: {
    'res.provider': resource.provider,
    'res.type': resource.type,
    'res.region': resource.region,
    'res.name': resource.name,
    'res.instance_type': resource.instanceType,
    'res.resource_group': resource.resourceGroup,
    'res.cloud_account_id': cloudAccountId,
  },
  tags: resource.tags,
})

/** The override that applies to a rule and a resource. */
export const overrideOf = (
  { id, category }: Rule,
  overrides: readonly Override[],
  facts: Facts,
): RuleSpec | undefined =>
  overrides.find(({ spec, fits }) => (spec.ruleId ? spec.ruleId === id : spec.category === category) && fits(facts))
    ?.spec
