import { defineActor } from '#engine/actor/actor.ts'
import type { Turn } from '#engine/actor/turn.ts'
import {
  budgetEvaluated,
  budgetRemoved,
  type BudgetEvaluated,
  type BudgetScope,
  type BudgetScopeKind,
} from '#streams/budget.ts'
import { centsText } from '#streams/figure.ts'
import { budgetReached } from '#streams/live/messages.ts'
import { notification, type NotificationEvent, raise } from '#streams/notification/messages.ts'
import { BudgetAlert } from './entity.ts'
import { keyOf, type Threshold } from './threshold.ts'

/**
 * Notifies about a budget once per month, revision and level or further alert: a spend that falls and rises again causes no second
 * notification.
 */
export const budgetActor = defineActor({
  kind: 'budget',
  entity: BudgetAlert,
  address: { orgId: 'orgId', key: 'budgetId' },
  initial: () => ({ month: '', revision: 0, level: 0, told: [] }),
  reactions: (on) => [
    on(
      budgetEvaluated,
      ({ budgetId }) => budgetId,
      (alert, seen, turn) => {
        if (seen.revision < alert.revision || seen.month < alert.month) return
        if (seen.revision > alert.revision || seen.month > alert.month)
          Object.assign(alert, { month: seen.month, revision: seen.revision, level: 0, told: [] })
        const added = (seen.reached ?? []).filter((one) => !alert.told.includes(keyOf(one)))
        const isHigher = seen.level > alert.level
        if (!isHigher && added.length === 0) return
        alert.level = Math.max(alert.level, seen.level)
        alert.told = [...alert.told, ...added.map(keyOf)]
        for (const threshold of toNotify(seen, isHigher, added)) raise(turn, toNotification(seen, threshold, turn))
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

/** Roles limited to accounts and teams see the budgets of these, and no others. */
const audienceOf = ({ type, id }: BudgetScope): Readonly<Record<string, string>> =>
  type === 'team' ? { teamID: id } : type === 'cloud_account' ? { cloudAccountID: id } : {}

function tell({ budgetId: budgetID, month, level, spendUSD, percentUsed, scope }: BudgetEvaluated, turn: Turn): void {
  const reached = { budgetID, month, level: level === 2 ? 'exceeded' : 'warning', spendUSD, percentUsed } as const
  turn.tell(budgetReached, reached, audienceOf(scope))
}

/**
 * Of thresholds that are reached at once, the highest of the spend and the highest of the forecast. If the budget is
 * exceeded, that alone.
 */
function toNotify(
  { level, alertThresholdPercent }: BudgetEvaluated,
  isHigher: boolean,
  added: readonly Threshold[],
): Threshold[] {
  if (isHigher && level === 2) return [{ percent: 100, of: 'spend' }]
  const own: readonly Threshold[] = isHigher ? [{ percent: alertThresholdPercent, of: 'spend' }] : []
  const highest = (of: Threshold['of']) =>
    [...own, ...added].filter((one) => one.of === of).toSorted((a, b) => b.percent - a.percent)
  return [...highest('spend').slice(0, 1), ...highest('forecast').slice(0, 1)]
}

const scopeTitles: Readonly<Record<BudgetScopeKind, string>> = {
  org: 'the organization',
  cloud_account: 'account',
  service: 'service',
  tag: 'tag',
  team: 'team',
  resource_group: 'resource group',
}

/** Subscriptions know neither services nor tags: those of the organization get their events. */
const eventScopeOf = ({ type, id }: BudgetScope): NotificationEvent['scope'] =>
  type === 'org' || type === 'service' || type === 'tag' ? { type: 'org', id: '' } : { type, id }

function titleOf(whose: string, { percent, of }: Threshold): string {
  if (of === 'forecast') return `The budget of ${whose} is expected to reach ${percent}%`
  if (percent > 100) return `The budget of ${whose} has reached ${percent}%`
  return `The budget of ${whose} is ${percent === 100 ? 'exceeded' : 'nearly used up'}`
}

function toNotification(seen: BudgetEvaluated, threshold: Threshold, turn: Turn): NotificationEvent {
  const { scope, month, percentUsed, spendUSD, budgetUSD, forecastUSD } = seen
  const whose = scope.type === 'org' ? scopeTitles.org : `${scopeTitles[scope.type]} ${scope.name}`
  const spent = `Spend of ${month} is ${centsText(spendUSD)} of ${centsText(budgetUSD)} US dollars (${percentUsed}%)`
  const isForecast = threshold.of === 'forecast'
  const isOver = !isForecast && threshold.percent >= 100
  const foreseen = isForecast ? `, and is expected to be ${centsText(forecastUSD!)} at the end of the month` : ''
  return notification(isOver ? 'budget.exceeded' : 'budget.warning', {
    id: turn.id(),
    orgID: turn.address.orgId,
    occurredAt: turn.now,
    title: titleOf(whose, threshold),
    summary: `${spent}${foreseen}${threshold.percent === 100 && isOver ? '' : `; the alert threshold is ${threshold.percent}%`}.`,
    scope: eventScopeOf(scope),
    data: {
      budgetID: seen.budgetId,
      month,
      currentSpendUSD: spendUSD,
      monthlyBudgetUSD: budgetUSD,
      percentUsed,
      alertThresholdPercent: isOver && threshold.percent === 100 ? seen.alertThresholdPercent : threshold.percent,
      ...(isForecast && { forecastUSD: forecastUSD! }),
      scopeName: scope.name,
    },
  })
}
