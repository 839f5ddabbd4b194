import { budgetActor } from '#actors/budget/actor.ts'
import { Budget, BudgetAlert } from '#actors/budget/entity.ts'
import { budgetEvaluation } from '#actors/budget/evaluate.ts'
import type { Capability } from '#actors/capability.ts'

/** Limits people set, looked at by a job, told of once a level. */
export const budget: Capability = {
  word: 'budget',
  entities: [Budget, BudgetAlert],
  actors: [budgetActor],
  jobs: { 'budget-evaluation': budgetEvaluation },
}
