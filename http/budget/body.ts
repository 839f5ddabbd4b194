/** Bodies of budgets, and which budgets a caller sees. */
import { thresholdKinds, thresholdsMax } from '#actors/budget/threshold.ts'
import { t } from '#engine/value/schema.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import { budgetScopeKinds, type ScopeRef } from '#streams/budget.ts'
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

const ScopeKind = t.Enum(budgetScopeKinds, { description: 'org: all costs of the organization' })

export const ScopeBody = t.Object(
  {
    kind: ScopeKind,
    id: t.Optional(
      text({
        maxLength: 1024,
        description:
          'cloud_account, resource_group: the ID; service: the name as in reports; tag: key:value as in the filter `tag`; not needed for others',
      }),
    ),
    name: t.Optional(
      text({ maxLength: 1024, description: 'team: its name, which need not exist yet; otherwise ignored' }),
    ),
  },
  { description: 'what the budget is for; takes precedence over teamName and resourceGroupID' },
)

export const ScopeView = t.Object(
  {
    kind: ScopeKind,
    id: t.String({ description: 'as in the request; of a team its ID, empty while it does not exist; empty for org' }),
    name: t.String({ description: 'for people' }),
  },
  { description: 'what the budget is for' },
)

const bodyFields = {
  scope: ScopeBody,
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
  {
    examples: [
      {
        scope: { kind: 'team', name: 'Payments' },
        monthlyBudgetUSD: 1000,
        thresholds: [{ percent: 100, of: 'forecast' }],
      },
    ],
  },
)
/** Callers that send back what they have read also send derived fields. */
export const ChangeBody = t.Partial(t.Object(bodyFields), {
  additionalProperties: true,
  examples: [{ monthlyBudgetUSD: 1200 }],
})

/** Roles with a report scope see the budgets of its accounts and teams; any other scope may contain costs of others. */
export function sees({ reportScope: { all, cloudAccountIDs, teamIDs } }: Caller, { type, id }: ScopeRef): boolean {
  const own: Partial<Record<string, readonly string[]>> = { cloud_account: cloudAccountIDs, team: teamIDs }
  return all || own[type]?.includes(id) === true
}
