/** Bodies of budgets, and whose budgets a caller sees. */
import type { Budget } from '#actors/budget/entity.ts'
import { t } from '#engine/value/schema.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import { text } from '#streams/text.ts'

const given = {
  teamName: text({ maxLength: 100, description: 'the team of the budget; need not exist yet; empty for none' }),
  resourceGroupID: text({ maxLength: 64, description: 'takes precedence over the team; empty for none' }),
  monthlyBudgetUSD: t.Number({
    exclusiveMinimum: 0,
    maximum: 1e12,
    description: 'US dollars per calendar month (UTC)',
  }),
  alertThresholdPercent: t.Number({ minimum: 1, maximum: 100, description: 'default 80' }),
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

/** Roles with a report scope see the budgets of its teams; groups may hold what is not theirs. */
export const sees = ({ reportScope }: Caller, { resourceGroupId }: Pick<Budget, 'resourceGroupId'>, teamId: string) =>
  reportScope.all || (resourceGroupId === '' && reportScope.teamIDs.includes(teamId))
