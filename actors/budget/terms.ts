/** What a budget is made with: as it is given, checked, and exact. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { findGroup } from '#actors/attribution/group/queries.ts'
import { teamNamed } from '#actors/attribution/team/queries.ts'
import type { Budget } from '#actors/budget/entity.ts'
import { Fault } from '#engine/value/fault.ts'
import { plainOf, units } from '#streams/figure.ts'

/** What of a budget may be given; what is left out stays. */
export interface BudgetGiven {
  /** Need not be there yet; empty for none. */
  teamName?: string
  /** Wins over the team; empty for none. */
  resourceGroupID?: string
  /** US dollars a calendar month (UTC). */
  monthlyBudgetUSD?: number
  /** 1 to 100. */
  alertThresholdPercent?: number
}

export type Terms = Pick<Budget, 'teamName' | 'resourceGroupId' | 'monthlyBudgetUsd' | 'alertThresholdPercent'>

/** Whether whoever asks for it may have a budget of these terms; `teamId` is empty while its team is not there. */
export type MayHave = (terms: Terms, teamId: string) => boolean

/** Those of a budget, amounts in plain notation. */
export const terms = ({ teamName, resourceGroupId, monthlyBudgetUsd, alertThresholdPercent }: Terms): Terms => ({
  teamName,
  resourceGroupId,
  monthlyBudgetUsd: plainOf(units(monthlyBudgetUsd)),
  alertThresholdPercent: plainOf(units(alertThresholdPercent)),
})

/** What a new budget is before what is given is read. */
export const newTerms: Terms = {
  teamName: '',
  resourceGroupId: '',
  monthlyBudgetUsd: '0',
  alertThresholdPercent: '80',
}

/** `old` with what is given. */
const withGiven = (old: Terms, given: BudgetGiven): Terms =>
  terms({
    teamName: given.teamName?.trim() ?? old.teamName,
    resourceGroupId: given.resourceGroupID ?? old.resourceGroupId,
    monthlyBudgetUsd: String(given.monthlyBudgetUSD ?? old.monthlyBudgetUsd),
    alertThresholdPercent: String(given.alertThresholdPercent ?? old.alertThresholdPercent),
  })

/** @throws Fault `validation_failed`, or `forbidden` for a budget that whoever asks may not have */
export async function merged(
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
