/** Changes of budgets. Only this file writes Budget. */
import { randomUUID } from 'node:crypto'
import { LockMode } from '@mikro-orm/postgresql'
import { Budget } from '#actors/budget/entity.ts'
import { mergeTerms, newTerms, terms, type BudgetGiven, type MayHave } from '#actors/budget/terms.ts'
import { checkRowLimit } from '#actors/row-limit.ts'
import { Fault } from '#engine/value/fault.ts'
import type { RecordChange } from '#engine/run/tell.ts'
import { budgetRemoved } from '#streams/budget.ts'

const anybody: MayHave = () => true

/**
 * Returns the id of the new budget. @throws Fault `validation_failed`, or `forbidden` if the caller may not have such a
 * budget
 */
export async function makeBudget(change: RecordChange, given: BudgetGiven, mayHave = anybody): Promise<string> {
  const { em, orgId } = change
  const made = await mergeTerms(change, newTerms, given, mayHave)
  await checkRowLimit(em, 'budget', orgId)
  const [id, now] = [randomUUID(), change.now()]
  const fixed = { orgId, id, revision: 1, createdAt: now, updatedAt: now }
  await em.persist(em.create(Budget, { ...fixed, ...made })).flush()
  return id
}

/**
 * An edit without a change keeps the revision, so alerts are not repeated.
 * @throws Fault `missing`, `validation_failed`, or `forbidden` if the caller may not have such a budget
 */
export async function editBudget(
  change: RecordChange,
  id: string,
  given: BudgetGiven,
  mayHave = anybody,
): Promise<void> {
  const { em, orgId, now } = change
  const budget = await em.findOne(Budget, { orgId, id }, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true })
  if (!budget) throw Fault.missing('budget', id)
  const old = terms(budget)
  const made = await mergeTerms(change, old, given, mayHave)
  if (JSON.stringify(made) === JSON.stringify(old)) return
  Object.assign(budget, made, { revision: budget.revision + 1, updatedAt: now() })
}

/** @throws Fault `missing` */
export async function removeBudget({ em, tell, orgId }: RecordChange, id: string): Promise<void> {
  if ((await em.nativeDelete(Budget, { orgId, id })) === 0) throw Fault.missing('budget', id)
  await tell(budgetRemoved, { budgetId: id })
}
