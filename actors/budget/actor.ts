import { defineActor } from '#engine/actor/actor.ts'
import type { Turn } from '#engine/actor/turn.ts'
import { budgetEvaluated, budgetRemoved, type BudgetEvaluated } from '#streams/budget.ts'
import { centsText } from '#streams/figure.ts'
import { budgetReached } from '#streams/live/messages.ts'
import { notification, type NotificationEvent, raise } from '#streams/notification/messages.ts'
import { BudgetAlert } from './entity.ts'

/**
 * Notifies about a budget once per month, level and revision: a spend that falls and rises again causes no second
 * notification.
 */
export const budgetActor = defineActor({
  kind: 'budget',
  entity: BudgetAlert,
  address: { orgId: 'orgId', key: 'budgetId' },
  initial: () => ({ month: '', revision: 0, level: 0 }),
  reactions: (on) => [
    on(
      budgetEvaluated,
      ({ budgetId }) => budgetId,
      (alert, seen, turn) => {
        if (seen.revision < alert.revision || seen.month < alert.month) return
        if (seen.revision > alert.revision || seen.month > alert.month)
          Object.assign(alert, { month: seen.month, revision: seen.revision, level: 0 })
        if (seen.level <= alert.level) return
        alert.level = seen.level
        raise(turn, toNotification(seen, turn))
        tell(seen, turn)
      },
    ),
    on(
      budgetRemoved,
      ({ budgetId }) => budgetId,
      (_alert, _removed, turn) => turn.remove(),
    ),
  ],
})

/** Roles limited to teams see those teams' budgets, but no budgets of groups. */
function tell({ budgetId: budgetID, month, level, spendUSD, percentUsed, scope }: BudgetEvaluated, turn: Turn): void {
  const reached = { budgetID, month, level: level === 2 ? 'exceeded' : 'warning', spendUSD, percentUsed } as const
  turn.tell(budgetReached, reached, scope.type === 'team' ? { teamID: scope.id } : {})
}

/** If the spend passes both levels at once, only the higher one is notified. */
function toNotification(seen: BudgetEvaluated, turn: Turn): NotificationEvent {
  const { scope, month, percentUsed, spendUSD, budgetUSD, alertThresholdPercent } = seen
  const whose = `${scope.type === 'team' ? 'team' : 'resource group'} ${scope.name}`
  const spent = `Spend of ${month} is ${centsText(spendUSD)} of ${centsText(budgetUSD)} US dollars (${percentUsed}%)`
  const isOver = seen.level === 2
  return notification(isOver ? 'budget.exceeded' : 'budget.warning', {
    id: turn.id(),
    orgID: turn.address.orgId,
    occurredAt: turn.now,
    title: `The budget of ${whose} is ${isOver ? 'exceeded' : 'nearly used up'}`,
    summary: isOver ? `${spent}.` : `${spent}; the alert threshold is ${alertThresholdPercent}%.`,
    scope: { type: scope.type, id: scope.id },
    data: {
      budgetID: seen.budgetId,
      month,
      currentSpendUSD: spendUSD,
      monthlyBudgetUSD: budgetUSD,
      percentUsed,
      alertThresholdPercent,
      scopeName: scope.name,
    },
  })
}
