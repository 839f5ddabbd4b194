import { t, type Static } from '#engine/value/schema.ts'
import { orgWide, subject } from '#engine/actor/subject.ts'
import { text } from '#streams/text.ts'

const fixed = { kind: 'actor', place: () => orgWide } as const
const budgetId = text({ minLength: 1 })

/** The spend of a budget has reached a level it had not in this month, as far as the job that evaluates budgets knows. */
export const budgetEvaluated = subject({
  ...fixed,
  name: 'budget.evaluated',
  summary: 'The spend of a budget reached a threshold.',
  schema: t.Object({
    budgetId,
    /** YYYY-MM, UTC. */
    month: t.String({ pattern: '^\\d{4}-\\d{2}$' }),
    /** That of the budget: what was said of an earlier one counts no more. */
    revision: t.Integer({ minimum: 1 }),
    /** 0 below the alert threshold, 1 at or above it, 2 at or above the budget. */
    level: t.Integer({ minimum: 0, maximum: 2 }),
    /** US dollars to the cent. */
    spendUSD: t.Number(),
    budgetUSD: t.Number(),
    percentUsed: t.Number(),
    alertThresholdPercent: t.Number(),
    scope: t.Object({ type: t.Enum(['team', 'resource_group']), id: text({ minLength: 1 }), name: text() }),
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

/** The budget was deleted: nothing is told of it any more. */
export const budgetRemoved = subject({
  ...fixed,
  name: 'budget.removed',
  summary: 'A budget was deleted.',
  once: true,
  schema: t.Object({ budgetId }),
  examples: [{ budgetId: 'b-1' }],
})

export const budgetMessages = [budgetEvaluated, budgetRemoved]
