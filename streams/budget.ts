/** Messages of budgets: a level that was reached, and a budget that was deleted. */
import { t, type Static } from '#engine/value/schema.ts'
import { orgWide, subject } from '#engine/actor/subject.ts'
import { text } from '#streams/text.ts'

/** What a budget limits the costs of. */
export const budgetScopeKinds = ['org', 'cloud_account', 'service', 'tag', 'team', 'resource_group'] as const
export type BudgetScopeKind = (typeof budgetScopeKinds)[number]

const ofOrg = { kind: 'actor', place: () => orgWide } as const
const budgetId = text({ minLength: 1 })

/** A budget has reached a level for the first time in this month, as far as the job that evaluates budgets knows. */
export const budgetEvaluated = subject({
  ...ofOrg,
  name: 'budget.evaluated',
  summary: 'The spend of a budget reached a threshold.',
  schema: t.Object({
    budgetId,
    /** YYYY-MM, UTC. */
    month: t.String({ pattern: '^\\d{4}-\\d{2}$' }),
    /** The budget's revision: reports for an earlier one no longer count. */
    revision: t.Integer({ minimum: 1 }),
    /** 0 below the alert threshold, 1 at or above it, 2 at or above the budget. */
    level: t.Integer({ minimum: 0, maximum: 2 }),
    /** US dollars to the cent. */
    spendUSD: t.Number(),
    budgetUSD: t.Number(),
    percentUsed: t.Number(),
    alertThresholdPercent: t.Number(),
    /** The further alerts that are reached, and the forecast that those of `forecast` go by. */
    reached: t.Optional(t.Array(t.Object({ percent: t.Number(), of: t.Enum(['spend', 'forecast']) }))),
    forecastUSD: t.Optional(t.Number()),
    /** The id of a service is its name, that of a tag `key:value` as in filters, that of an organization its own. */
    scope: t.Object({ type: t.Enum(budgetScopeKinds), id: text({ minLength: 1 }), name: text() }),
  }),
  examples: [
    {
      budgetId: 'b-1',
      month: '2026-01',
      revision: 1,
      level: 1,
      spendUSD: 800,
      budgetUSD: 1000,
      percentUsed: 80,
      alertThresholdPercent: 80,
      scope: { type: 'team', id: 't-1', name: 'Core' },
    },
  ],
})
export type BudgetEvaluated = Static<typeof budgetEvaluated.schema>
/** A scope as rows of costs have it; the id is empty while the team or group does not exist. */
export type BudgetScope = BudgetEvaluated['scope']
export type ScopeRef = Omit<BudgetScope, 'name'>

/** The budget was deleted: no further notifications. */
export const budgetRemoved = subject({
  ...ofOrg,
  name: 'budget.removed',
  summary: 'A budget was deleted.',
  once: true,
  schema: t.Object({ budgetId }),
  examples: [{ budgetId: 'b-1' }],
})

export const budgetMessages = [budgetEvaluated, budgetRemoved]
