/** What a budget is made with: as bodies give it, checked, and exact. */
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Budget } from '#actors/budget/entity.ts'
import { findGroup } from '#actors/resource-group/queries.ts'
import { teamNamed } from '#actors/team/queries.ts'
import { Fault } from '#engine/fault.ts'
import { t, type Static } from '#engine/schema.ts'
import { badInput } from '#http/edge/problem.ts'
import type { Caller } from '#http/identity/caller.ts'
import { plainOf, units } from '#streams/figure.ts'
import { text } from '#streams/resource.ts'

const given = {
  teamName: text({ maxLength: 100, description: 'the team it is for; need not be there yet; empty for none' }),
  resourceGroupID: text({ maxLength: 64, description: 'wins over the team; empty for none' }),
  monthlyBudgetUSD: t.Number({ exclusiveMinimum: 0, maximum: 1e12, description: 'US dollars a calendar month (UTC)' }),
  alertThresholdPercent: t.Number({ minimum: 1, maximum: 100, description: '80 unless given' }),
}
export const CreateBody = t.Object(
  {
    ...t.Partial(t.Object(given)).properties,
    monthlyBudgetUSD: given.monthlyBudgetUSD,
  },
  { examples: [{ teamName: 'Payments', monthlyBudgetUSD: 1000 }] },
)
/** Whoever sends back what was read sends derived fields too. */
export const ChangeBody = t.Partial(t.Object(given), {
  additionalProperties: true,
  examples: [{ monthlyBudgetUSD: 1200 }],
})
export type Given = Static<typeof ChangeBody>

/** Roles with a report scope see the budgets of its teams; groups may hold what is not theirs. */
export const sees = ({ reportScope }: Caller, { resourceGroupId }: Pick<Budget, 'resourceGroupId'>, teamId: string) =>
  reportScope.all || (resourceGroupId === '' && reportScope.teamIDs.includes(teamId))

export type Terms = Pick<Budget, 'teamName' | 'resourceGroupId' | 'monthlyBudgetUsd' | 'alertThresholdPercent'>

/** Those of a budget, amounts in plain notation. */
export const terms = ({ teamName, resourceGroupId, monthlyBudgetUsd, alertThresholdPercent }: Terms): Terms => ({
  teamName,
  resourceGroupId,
  monthlyBudgetUsd: plainOf(units(monthlyBudgetUsd)),
  alertThresholdPercent: plainOf(units(alertThresholdPercent)),
})

/** `old` with what the body says. */
const withChanges = (old: Terms, body: Given): Terms =>
  terms({
    teamName: body.teamName?.trim() ?? old.teamName,
    resourceGroupId: body.resourceGroupID ?? old.resourceGroupId,
    monthlyBudgetUsd: String(body.monthlyBudgetUSD ?? old.monthlyBudgetUsd),
    alertThresholdPercent: String(body.alertThresholdPercent ?? old.alertThresholdPercent),
  })

/** @throws Fault `validation_failed`, or `forbidden` for a budget that the caller could not see */
export async function merged(em: EntityManager, caller: Caller, old: Terms, body: Given): Promise<Terms> {
  const made = withChanges(old, body)
  if (made.monthlyBudgetUsd === '0') throw wrong('monthlyBudgetUSD', 'exclusiveMinimum', 'must be > 0')
  if (made.teamName === '' && made.resourceGroupId === '')
    throw wrong('teamName', 'required', 'is required where there is no resourceGroupID')
  if (body.resourceGroupID && !(await findGroup(em, caller.orgId, body.resourceGroupID)))
    throw wrong('resourceGroupID', 'unknown', 'is no resource group of the organization')
  if (caller.reportScope.all) return made
  const teamId = await teamNamed(em, caller.orgId, made.teamName)
  if (!sees(caller, made, teamId ?? ''))
    throw Fault.forbidden('out_of_scope', 'Your role sees the costs of its own teams only.')
  return made
}

const wrong = (field: string, code: string, message: string) =>
  badInput({ in: 'body', name: `/${field}`, code, message })

/** What a new budget is before its body is read. */
export const nothing: Terms = { teamName: '', resourceGroupId: '', monthlyBudgetUsd: '0', alertThresholdPercent: '80' }
