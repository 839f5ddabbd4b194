/** The fields of a budget: as given, validated, and exact. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { findGroup } from '#actors/attribution/group/queries.ts'
import { teamNamed } from '#actors/attribution/team/queries.ts'
import type { Budget } from '#actors/budget/entity.ts'
import { sortThresholds, type Threshold } from '#actors/budget/threshold.ts'
import { Fault } from '#engine/value/fault.ts'
import { plainOf, units } from '#streams/figure.ts'

/** Editable fields of a budget; a field that is left out does not change. */
export interface BudgetGiven {
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

export type Terms = Pick<
  Budget,
  'teamName' | 'resourceGroupId' | 'monthlyBudgetUsd' | 'alertThresholdPercent' | 'thresholds'
>

/** Whether the caller may have a budget with these terms; `teamId` is empty while its team does not exist. */
export type MayHave = (terms: Terms, teamId: string) => boolean

/** The terms of a budget, amounts in plain notation. */
export const terms = (one: Terms): Terms => ({
  teamName: one.teamName,
  resourceGroupId: one.resourceGroupId,
  monthlyBudgetUsd: plainOf(units(one.monthlyBudgetUsd)),
  alertThresholdPercent: plainOf(units(one.alertThresholdPercent)),
  thresholds: sortThresholds(one.thresholds),
})

/** The defaults of a new budget. */
export const newTerms: Terms = {
  teamName: '',
  resourceGroupId: '',
  monthlyBudgetUsd: '0',
  alertThresholdPercent: '80',
  thresholds: [],
}

/** `old` with the given fields. */
const withGiven = (old: Terms, given: BudgetGiven): Terms =>
  terms({
    teamName: given.teamName?.trim() ?? old.teamName,
    resourceGroupId: given.resourceGroupID ?? old.resourceGroupId,
    monthlyBudgetUsd: String(given.monthlyBudgetUSD ?? old.monthlyBudgetUsd),
    alertThresholdPercent: String(given.alertThresholdPercent ?? old.alertThresholdPercent),
    thresholds: [...(given.thresholds ?? old.thresholds)],
  })

/** @throws Fault `validation_failed`, or `forbidden` if the caller may not have such a budget */
export async function mergeTerms(
  { em, orgId }: { em: EntityManager; orgId: string },
  old: Terms,
  given: BudgetGiven,
  mayHave: MayHave,
): Promise<Terms> {
  const made = withGiven(old, given)
  if (made.monthlyBudgetUsd === '0') throw wrong('monthlyBudgetUSD', 'exclusiveMinimum', 'must be > 0')
  if (made.teamName === '' && made.resourceGroupId === '')
    throw wrong('teamName', 'required', 'is required when resourceGroupID is not set')
  if (given.resourceGroupID && !(await findGroup(em, orgId, given.resourceGroupID)))
    throw wrong('resourceGroupID', 'unknown', 'is not a resource group in this organization')
  const teamId = await teamNamed(em, orgId, made.teamName)
  if (!mayHave(made, teamId ?? ''))
    throw Fault.forbidden('out_of_scope', 'Your role can only see the costs of your own teams.')
  return made
}

const wrong = (field: string, code: string, message: string) => Fault.invalidAt({ path: `/${field}`, code, message })
