import { findGroup } from '#actors/attribution/group/queries.ts'
import { Team } from '#actors/attribution/team/entity.ts'
import { Budget } from '#actors/budget/entity.ts'
import { teamsOfBudgets } from '#actors/budget/queries.ts'
import { budgetReplayed, monthToDate } from '#actors/budget/replay.ts'
import { budgetStatuses, type Limits } from '#actors/budget/status.ts'
import { budgetSpend } from '#analytics/budget/questions.ts'
import { firstOf, monthOf } from '#engine/value/day.ts'
import { Fault } from '#engine/value/fault.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { sees } from '#http/budget/body.ts'
import { orNull } from '#http/edge/parameter/field.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import type { Services } from '#http/edge/services.ts'
import { id, kind, wrong, type WhatIfRequest } from '#http/what-if/kind.ts'
import { cents } from '#streams/figure.ts'

const Change = t.Object({
  budgetID: t.Optional(id('budget: an existing budget to change')),
  teamID: t.Optional(id('budget: a new one, for this team')),
  resourceGroupID: t.Optional(id('budget: a new one, for this group')),
  monthlyBudgetUSD: t.Optional(t.Number({ exclusiveMinimum: 0, maximum: 1e12, description: 'budget' })),
  alertThresholdPercent: t.Optional(
    t.Number({ minimum: 1, maximum: 100, description: 'budget: default 80 for a new one' }),
  ),
})
type Change = Static<typeof Change>

const Status = t.Enum(budgetStatuses)

const AlertDay = t.Object({
  date: t.String({ description: 'day on which it was reached' }),
  status: Status,
  spendUSD: t.Number({ description: 'since the first of the month' }),
  percentUsed: t.Number(),
})

const BudgetOutcome = t.Object({
  monthlyBudgetUSD: t.Number(),
  alertThresholdPercent: t.Number(),
  daysYellow: t.Integer(),
  daysRed: t.Integer(),
  alerts: t.Array(AlertDay, { description: 'once per month and status, by full days' }),
})

const BudgetWhatIf = t.Object({
  kind: t.Literal('budget'),
  from: t.String({ description: 'the first of the month of the first requested day' }),
  to: t.String(),
  before: orNull(t.Object(BudgetOutcome.properties, { description: 'of the existing budget; null for a new one' })),
  after: BudgetOutcome,
  byDay: t.Array(
    t.Object({
      date: t.String(),
      spendUSD: t.Number({ description: 'since the first of the month' }),
      before: orNull(Status),
      after: Status,
    }),
  ),
})

interface BudgetTarget {
  scope: 'team' | 'resource_group'
  id: string
  present: Limits | null
}

/** @throws Fault `invalid`; `missing` if it does not exist, or the caller may not see it */
async function findTarget(
  caller: Caller,
  { budgetID, teamID, resourceGroupID }: Change,
  { em }: Services,
): Promise<BudgetTarget> {
  const { orgId } = caller
  if ([budgetID, teamID, resourceGroupID].filter((id) => id !== undefined).length !== 1)
    throw wrong('/change', 'required', 'requires exactly one of budgetID, teamID and resourceGroupID')
  if (budgetID !== undefined) return ofBudget(caller, budgetID, em)
  if (teamID !== undefined) {
    const team = await em.findOne(Team, { orgId, id: teamID })
    if (!team || !sees(caller, { resourceGroupId: '' }, teamID)) throw Fault.missing('team', teamID)
    return { scope: 'team', id: teamID, present: null }
  }
  const group = await findGroup(em, orgId, resourceGroupID!)
  if (!group || !caller.reportScope.all) throw Fault.missing('resource group', resourceGroupID!)
  return { scope: 'resource_group', id: group.id, present: null }
}

async function ofBudget(caller: Caller, id: string, em: Services['em']): Promise<BudgetTarget> {
  const budget = await em.findOne(Budget, { orgId: caller.orgId, id })
  const team = (await teamsOfBudgets(em, caller.orgId, id)).get(id) ?? ''
  if (!budget || !sees(caller, budget, team)) throw Fault.missing('budget', id)
  return budget.resourceGroupId === ''
    ? { scope: 'team', id: team, present: budget }
    : { scope: 'resource_group', id: budget.resourceGroupId, present: budget }
}

const thresholdDefault = 80

/** @throws Fault `invalid` for a new budget without an amount */
function limitsOf({ monthlyBudgetUSD, alertThresholdPercent }: Change, present: Limits | null): Limits {
  const monthlyBudgetUsd = monthlyBudgetUSD === undefined ? present?.monthlyBudgetUsd : String(monthlyBudgetUSD)
  if (monthlyBudgetUsd === undefined)
    throw wrong('/change/monthlyBudgetUSD', 'required', 'is required for a new budget')
  const percent = alertThresholdPercent ?? present?.alertThresholdPercent ?? thresholdDefault
  return { monthlyBudgetUsd, alertThresholdPercent: String(percent) }
}

async function answer({ caller, from, to, change, services }: WhatIfRequest<Change>) {
  const { scope, id: of, present } = await findTarget(caller, change, services)
  const limits = limitsOf(change, present)
  const range = { from: firstOf(monthOf(from)), to }
  const cost = `${services.settings.reportCost}_cost` as const
  const rows = await services.analytics(budgetSpend, { ...range, cost, ids: [of], by_day: 1 })
  const own = rows.filter((row) => row.scope === scope && row.id === of)
  const spent = monthToDate(new Map(own.map((row) => [row.day, row.cost_usd])), range.from, range.to)
  const after = budgetReplayed(limits, spent)
  const before = present && budgetReplayed(present, spent)
  return {
    kind: 'budget' as const,
    ...range,
    before: present && before && toOutcome(present, before),
    after: toOutcome(limits, after),
    byDay: spent.map(({ date, spend }, n) => ({
      date,
      spendUSD: cents(spend),
      before: before?.statuses[n]!.status ?? null,
      after: after.statuses[n]!.status,
    })),
  }
}

function toOutcome(
  limits: Limits,
  { statuses, alerts }: ReturnType<typeof budgetReplayed>,
): Static<typeof BudgetOutcome> {
  const of = (wanted: string) => statuses.filter(({ status }) => status === wanted).length
  return {
    monthlyBudgetUSD: Number(limits.monthlyBudgetUsd),
    alertThresholdPercent: Number(limits.alertThresholdPercent),
    daysYellow: of('yellow'),
    daysRed: of('red'),
    alerts,
  }
}

export const budgetKind = kind({
  name: 'budget',
  summary: 'a budget with another amount or threshold, or a new one, day by day',
  change: Change,
  reply: BudgetWhatIf,
  example: { budgetID: '0198a1b2-0000-7000-8000-000000000001', monthlyBudgetUSD: 800 },
  answered: {
    kind: 'budget',
    from: '2026-01-01',
    to: '2026-01-31',
    before: { monthlyBudgetUSD: 1000, alertThresholdPercent: 80, daysYellow: 0, daysRed: 0, alerts: [] },
    after: {
      monthlyBudgetUSD: 800,
      alertThresholdPercent: 80,
      daysYellow: 4,
      daysRed: 1,
      alerts: [{ date: '2026-01-27', status: 'yellow', spendUSD: 655.2, percentUsed: 81.9 }],
    },
    byDay: [{ date: '2026-01-27', spendUSD: 655.2, before: 'green', after: 'yellow' }],
  },
  answer,
})
