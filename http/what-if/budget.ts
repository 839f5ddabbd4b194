import { findGroup } from '#actors/attribution/group/queries.ts'
import { findTeam } from '#actors/attribution/team/queries.ts'
import { budgetReplayed, monthToDate } from '#actors/budget/replay.ts'
import { checkScope, mergeScope, noScope, scopeOf, type ScopeGiven } from '#actors/budget/scope.ts'
import { budgetStatuses, type Limits } from '#actors/budget/status.ts'
import { budgetSpend, scopeParams, spendByDay } from '#analytics/budget/questions.ts'
import { firstOf, monthOf } from '#engine/value/day.ts'
import { Fault } from '#engine/value/fault.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { ScopeBody, sees } from '#http/budget/body.ts'
import { visibleBudgets } from '#http/budget/routes.ts'
import { orNull } from '#http/edge/parameter/field.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import type { Services } from '#http/edge/services.ts'
import { id, kind, wrong, type WhatIfRequest } from '#http/what-if/kind.ts'
import type { ScopeRef } from '#streams/budget.ts'
import { cents } from '#streams/figure.ts'

const Change = t.Object({
  budgetID: t.Optional(id('budget: an existing budget to change')),
  scope: t.Optional(ScopeBody),
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
  scope: ScopeRef
  present: Limits | null
}

/** @throws Fault `invalid`; `missing` if it does not exist, or the caller may not see it */
async function findTarget(caller: Caller, change: Change, services: Services): Promise<BudgetTarget> {
  const { budgetID, teamID, resourceGroupID, scope } = change
  if ([budgetID, teamID, resourceGroupID, scope].filter((given) => given !== undefined).length !== 1)
    throw wrong('/change', 'required', 'requires exactly one of budgetID, scope, teamID and resourceGroupID')
  if (budgetID !== undefined) {
    const [found] = await visibleBudgets(caller, services, budgetID)
    if (!found) throw Fault.missing('budget', budgetID)
    return { scope: found.scope, present: found.budget }
  }
  if (scope !== undefined) return { scope: await scopeGiven(caller, scope, services), present: null }
  return { scope: await teamOrGroup(caller, change, services), present: null }
}

/** As of a new budget. */
async function scopeGiven(caller: Caller, given: ScopeGiven, { em }: Services): Promise<ScopeRef> {
  const { orgId } = caller
  const at = 'change/scope'
  const made = mergeScope(noScope, { scope: given }, at)
  await checkScope({ em, orgId }, noScope, made, at)
  const scope = await scopeOf(em, orgId, made)
  if (!sees(caller, scope)) throw Fault.missing('scope', given.id ?? given.name ?? given.kind)
  return scope
}

async function teamOrGroup(caller: Caller, { teamID, resourceGroupID }: Change, { em }: Services): Promise<ScopeRef> {
  const { orgId } = caller
  const [type, id] =
    teamID === undefined ? (['resource_group', resourceGroupID!] as const) : (['team', teamID] as const)
  const found = type === 'team' ? await findTeam(em, orgId, id) : await findGroup(em, orgId, id)
  if (!found || !sees(caller, { type, id })) throw Fault.missing(type === 'team' ? 'team' : 'resource group', id)
  return { type, id }
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
  const { scope, present } = await findTarget(caller, change, services)
  const limits = limitsOf(change, present)
  const range = { from: firstOf(monthOf(from)), to }
  const cost = `${services.settings.reportCost}_cost` as const
  const rows = await services.analytics(budgetSpend, { ...range, cost, ...scopeParams([scope]), by_day: 1 })
  const spent = monthToDate(spendByDay(rows, scope), range.from, range.to)
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
