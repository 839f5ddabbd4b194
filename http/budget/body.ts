/** Bodies of budgets, and which budgets a caller sees. */
import type { Budget } from '#actors/budget/entity.ts'
import { thresholdKinds, thresholdsMax } from '#actors/budget/threshold.ts'
import { t } from '#engine/value/schema.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import { text } from '#streams/text.ts'

export const Thresholds = t.Array(
  t.Object({
    percent: t.Number({ minimum: 1, maximum: 1000, description: 'of the budget' }),
    of: t.Enum(thresholdKinds, {
      description: 'spend: the spend so far; forecast: the forecast for the end of the month',
    }),
  }),
  {
    maxItems: thresholdsMax,
    description: 'further alerts, each sent once a month; they do not affect the status. Replaces all of them',
  },
)

const bodyFields = {
  teamName: text({ maxLength: 100, description: 'the team of the budget; need not exist yet; empty for none' }),
  resourceGroupID: text({ maxLength: 64, description: 'takes precedence over the team; empty for none' }),
  monthlyBudgetUSD: t.Number({
    exclusiveMinimum: 0,
    maximum: 1e12,
    description: 'US dollars per calendar month (UTC)',
  }),
  alertThresholdPercent: t.Number({ minimum: 1, maximum: 100, description: 'default 80' }),
  thresholds: Thresholds,
}
export const CreateBody = t.Object(
  {
    ...t.Partial(t.Object(bodyFields)).properties,
    monthlyBudgetUSD: bodyFields.monthlyBudgetUSD,
  },
  { examples: [{ teamName: 'Payments', monthlyBudgetUSD: 1000, thresholds: [{ percent: 100, of: 'forecast' }] }] },
)
/** Callers that send back what they have read also send derived fields. */
export const ChangeBody = t.Partial(t.Object(bodyFields), {
  additionalProperties: true,
  examples: [{ monthlyBudgetUSD: 1200 }],
})

/** Roles with a report scope see the budgets of its teams; groups may contain resources of others. */
export const sees = ({ reportScope }: Caller, { resourceGroupId }: Pick<Budget, 'resourceGroupId'>, teamId: string) =>
  reportScope.all || (resourceGroupId === '' && reportScope.teamIDs.includes(teamId))
