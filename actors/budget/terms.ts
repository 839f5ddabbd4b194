/** The fields of a budget: as given, validated, and exact. */
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Budget } from '#actors/budget/entity.ts'
import {
  checkScope,
  mergeScope,
  noScope,
  scopeOf,
  wrong,
  type ScopeGiven,
  type ScopeTerms,
} from '#actors/budget/scope.ts'
import { sortThresholds, type Threshold } from '#actors/budget/threshold.ts'
import { Fault } from '#engine/value/fault.ts'
import type { ScopeRef } from '#streams/budget.ts'
import { plainOf, units } from '#streams/figure.ts'

/** Editable fields of a budget; a field that is left out does not change. */
export interface BudgetGiven {
  /** Takes precedence over the two fields after it. */
  scope?: ScopeGiven
  /** Need not exist yet; empty for none. */
  teamName?: string
  /** Takes precedence over the team; empty for none. */
  resourceGroupID?: string
  /** US dollars per calendar month (UTC). */
  monthlyBudgetUSD?: number
  /** 1 to 100. */
  alertThresholdPercent?: number
  /** All further alerts. */
  thresholds?: readonly Threshold[]
}

export type Terms = ScopeTerms & Pick<Budget, 'monthlyBudgetUsd' | 'alertThresholdPercent' | 'thresholds'>

/** Whether the caller may have a budget of this scope. */
export type MayHave = (scope: ScopeRef) => boolean

/** The terms of a budget, amounts in plain notation. */
export const terms = (one: Terms): Terms => ({
  teamName: one.teamName,
  resourceGroupId: one.resourceGroupId,
  scopeKind: one.scopeKind,
  scopeId: one.scopeId,
  monthlyBudgetUsd: plainOf(units(one.monthlyBudgetUsd)),
  alertThresholdPercent: plainOf(units(one.alertThresholdPercent)),
  thresholds: sortThresholds(one.thresholds),
})

/** The defaults of a new budget. */
export const newTerms: Terms = {
  ...noScope,
  monthlyBudgetUsd: '0',
  alertThresholdPercent: '80',
  thresholds: [],
}

/** `old` with the given fields. */
const withGiven = (old: Terms, given: BudgetGiven): Terms =>
  terms({
    ...mergeScope(old, given),
    monthlyBudgetUsd: String(given.monthlyBudgetUSD ?? old.monthlyBudgetUsd),
    alertThresholdPercent: String(given.alertThresholdPercent ?? old.alertThresholdPercent),
    thresholds: [...(given.thresholds ?? old.thresholds)],
  })

/**
 * @throws Fault `validation_failed`, `refused` `limit_reached`, or `forbidden` if the caller may not have such a budget
 */
export async function mergeTerms(
  change: { em: EntityManager; orgId: string },
  old: Terms,
  given: BudgetGiven,
  mayHave: MayHave,
): Promise<Terms> {
  const made = withGiven(old, given)
  if (made.monthlyBudgetUsd === '0') throw wrong('monthlyBudgetUSD', 'exclusiveMinimum', 'must be > 0')
  await checkScope(change, old, made)
  if (!mayHave(await scopeOf(change.em, change.orgId, made)))
    throw Fault.forbidden('out_of_scope', 'Your role can only see the costs of your own accounts and teams.')
  return made
}
