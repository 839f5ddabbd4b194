import { budgetActor } from '#actors/budget/actor.ts'
import { Budget, BudgetAlert } from '#actors/budget/entity.ts'
import { budgetEvaluation } from '#actors/budget/evaluate.ts'
import type { Capability } from '#actors/capability.ts'

/** Budgets, evaluated by a job, with one notification per level. */
export const budget: Capability = {
  word: 'budget',
  entities: [Budget, BudgetAlert],
  actors: [budgetActor],
  migrates: true,
  jobs: { 'budget-evaluation': budgetEvaluation },
}
