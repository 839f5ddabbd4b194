import { dayOf, firstOf, monthOf } from '#engine/value/day.ts'
import { editBudget, makeBudget, removeBudget } from '#actors/budget/change.ts'
import { Budget } from '#actors/budget/entity.ts'
import { scopesOfBudgets } from '#actors/budget/queries.ts'
import { budgetStatuses, levelOf, toBudgetStatus } from '#actors/budget/status.ts'
import type { MayHave } from '#actors/budget/terms.ts'
import { budgetSpend, scopeKey, scopeParams, spendByScope } from '#analytics/budget/questions.ts'
import type { CostColumn } from '#analytics/store/slice.ts'
import { Fault } from '#engine/value/fault.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { ChangeBody, CreateBody, ScopeView, sees, Thresholds } from '#http/budget/body.ts'
import {
  BudgetForecasts,
  Forecast,
  forecastExample,
  forecastFields,
  forecastsOf,
  type ScopedBudget,
} from '#http/budget/forecast.ts'
import { orNull, Timestamp } from '#http/edge/parameter/field.ts'
import type { BudgetScopeKind } from '#streams/budget.ts'
import { tooOld } from '#http/report/trend/forecast.ts'
import { withMeta } from '#http/report/meta.ts'
import { reply } from '#http/store/reply.ts'
import { route, type Route } from '#http/edge/route.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import type { Services } from '#http/edge/services.ts'
import { cents, percentOf, units } from '#streams/figure.ts'

const BudgetView = t.Object(
  {
    id: t.String(),
    scope: ScopeView,
    teamName: t.String({ description: 'empty unless the budget is for a team, or was created with both' }),
    resourceGroupID: t.String({ description: 'empty unless the budget is for a resource group' }),
    monthlyBudgetUSD: t.Number(),
    alertThresholdPercent: t.Number(),
    thresholds: Thresholds,
    currentSpendUSD: t.Number({ description: 'from the first of the month until now, UTC, rounded to the cent' }),
    remainingUSD: t.Number({ description: 'the budget minus the spend; negative if overspent' }),
    percentUsed: t.Number({ description: 'rounded to two decimal places; the status uses the exact amounts' }),
    status: t.String({
      enum: [...budgetStatuses],
      description: 'green below the alert threshold, yellow from the threshold on, red from the budget on',
    }),
    forecast: orNull(Forecast),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  {
    title: 'Budget',
    examples: [
      {
        id: '0198a1b2-0000-7000-8000-000000000001',
        scope: { kind: 'team', id: '7c9e6679-7425-40de-944b-e07fc1f90ae7', name: 'Shop' },
        teamName: 'Shop',
        resourceGroupID: '',
        monthlyBudgetUSD: 1000,
        alertThresholdPercent: 80,
        thresholds: [{ percent: 100, of: 'forecast' }],
        currentSpendUSD: 412.5,
        remainingUSD: 587.5,
        percentUsed: 41.25,
        status: 'green',
        forecast: forecastExample,
        createdAt: '2026-01-15T10:00:00.000Z',
        updatedAt: '2026-01-15T10:00:00.000Z',
      },
    ],
  },
)

/** A budget that the caller may see, with its spend. */
interface Spent extends ScopedBudget {
  spend: bigint
}

const show = (
  { budget, scope: { type, id, name }, spend }: Spent,
  forecast: Forecast | null,
): Static<typeof BudgetView> => ({
  id: budget.id,
  scope: { kind: type, id: type === 'org' ? '' : id || budget.resourceGroupId, name },
  teamName: budget.teamName,
  resourceGroupID: budget.resourceGroupId,
  monthlyBudgetUSD: Number(budget.monthlyBudgetUsd),
  alertThresholdPercent: Number(budget.alertThresholdPercent),
  thresholds: budget.thresholds,
  ...toBudgetStatus(budget, spend),
  forecast,
  createdAt: budget.createdAt.toISOString(),
  updatedAt: budget.updatedAt.toISOString(),
})

/** The budgets that the caller may see, or only that with this id. */
export async function visibleBudgets(caller: Caller, { em }: Pick<Services, 'em'>, id = ''): Promise<ScopedBudget[]> {
  const { orgId } = caller
  const budgets = await em.find(Budget, { orgId, ...(id && { id }) }, { refresh: true })
  const scopes = await scopesOfBudgets(em, orgId, id)
  return budgets.flatMap((budget) => {
    const scope = scopes.get(budget.id)
    return scope && sees(caller, scope) ? { budget, scope } : []
  })
}

async function spent(list: readonly ScopedBudget[], { analytics, settings, now }: Services): Promise<Spent[]> {
  const today = dayOf(now())
  const existing = list.map(({ scope }) => scope).filter(({ id }) => id !== '')
  const cost = `${settings.reportCost}_cost` as CostColumn
  const range = { cost, from: firstOf(monthOf(today)), to: today, by_day: 0 }
  const rows = existing.length > 0 ? await analytics(budgetSpend, { ...range, ...scopeParams(existing) }) : []
  const spends = spendByScope(rows)
  return list.map((one) => ({ ...one, spend: spends.get(scopeKey(one.scope)) ?? 0n }))
}

interface Foreseen {
  list: Spent[]
  forecasts: BudgetForecasts | undefined
}

async function foreseen(caller: Caller, list: readonly ScopedBudget[], services: Services): Promise<Foreseen> {
  const [all, forecasts] = await Promise.all([spent(list, services), forecastsOf(caller.orgId, list, services)])
  return { list: all, forecasts }
}

const shownOf = ({ list, forecasts }: Foreseen) => list.map((one) => show(one, forecasts?.one(one) ?? null))

const allOf = async (caller: Caller, services: Services) =>
  foreseen(caller, await visibleBudgets(caller, services), services)

/** The budgets that the caller may see, as in the list: highest usage first. */
export const budgetsSeen = async (caller: Caller, services: Services) =>
  shownOf(await allOf(caller, services)).toSorted((a, b) => b.percentUsed - a.percentUsed || (a.id < b.id ? -1 : 1))

/** @throws Fault `missing`, also for a budget the caller may not see */
async function getBudget(caller: Caller, id: string, services: Services): Promise<ScopedBudget> {
  const [found] = id === '' ? [] : await visibleBudgets(caller, services, id)
  if (!found) throw Fault.missing('budget', id)
  return found
}

const loadBudgetView = async (caller: Caller, id: string, services: Services) =>
  shownOf(await foreseen(caller, [await getBudget(caller, id, services)], services))[0]!

/** A caller who may not see a budget may not create it either. */
const seenBy =
  (caller: Caller): MayHave =>
  (scope) =>
    sees(caller, scope)

/** @throws Fault `missing`, and `refused` `bills_too_old`, `report_too_large` */
async function forecastOf(caller: Caller, id: string, services: Services) {
  const found = await getBudget(caller, id, services)
  const forecasts = await BudgetForecasts.of(caller.orgId, [found], services)
  const forecast = forecasts.one(found)
  if (!forecast) throw tooOld(forecasts.staleSince!)
  return { budgetID: id, month: monthOf(dayOf(services.now())), ...forecast }
}

const routeBase = { tags: ['Budgets'] } as const
/** The summary has only `data` [GEN-03]. */
const ofMonth = ['/budgets', '/budgets/:budgetID', '/budgets/:budgetID/forecast']
const params = t.Object({ budgetID: t.String() })
const about =
  'Spend covers the costs of the scope in this month (UTC) and is the same for every caller; a role with a report scope sees the budgets of its accounts and teams.'

/** Kinds of which no cost is in two. */
const apart: readonly BudgetScopeKind[] = ['cloud_account', 'service', 'team']

const mayOverlap = (kinds: readonly BudgetScopeKind[]): boolean =>
  kinds.length > 1 && (new Set(kinds).size > 1 || !apart.includes(kinds[0]!))

function organizationOf(all: readonly Spent[], forecasts: Awaited<ReturnType<typeof allOf>>['forecasts']) {
  const whole = all.find(({ scope }) => scope.type === 'org')
  if (!whole) return null
  const budget = units(whole.budget.monthlyBudgetUsd)
  return {
    budgetUSD: cents(budget),
    spendUSD: cents(whole.spend),
    percentUsed: percentOf(whole.spend, budget),
    forecast: forecasts?.one(whole) ?? null,
  }
}

const budgetRoutes: readonly Route[] = [
  route({
    ...routeBase,
    method: 'GET',
    path: '/budgets/summary',
    summary: 'Get totals over all budgets',
    description: about,
    permission: 'service.view',
    reply: t.Object({
      totalBudgetUSD: t.Number(),
      totalSpendUSD: t.Number(),
      percentUsed: t.Number({ description: '0 if there are no budgets' }),
      budgetCount: t.Integer(),
      overBudgetCount: t.Integer({ description: 'number of red budgets' }),
      expectedToExceedCount: t.Integer({
        description: 'number of budgets whose forecast reaches the budget, including red ones',
      }),
      forecast: orNull(Forecast),
      overlaps: t.Boolean({
        description: 'whether a cost can be in several budgets; the totals then count it in each of them',
      }),
      organization: orNull(
        t.Object(
          { budgetUSD: t.Number(), spendUSD: t.Number(), percentUsed: t.Number(), forecast: orNull(Forecast) },
          { description: 'the budget of the whole organization; null: there is none, or it is not visible' },
        ),
      ),
    }),
    example: {
      totalBudgetUSD: 1000,
      totalSpendUSD: 412.5,
      percentUsed: 41.25,
      budgetCount: 1,
      overBudgetCount: 0,
      expectedToExceedCount: 0,
      forecast: forecastExample,
      overlaps: false,
      organization: null,
    },
    refuses: { 422: ['report_too_large'] },
    handle: async ({ caller }, services) => {
      const { list: all, forecasts } = await allOf(caller, services)
      const budget = all.reduce((sum, one) => sum + units(one.budget.monthlyBudgetUsd), 0n)
      const spend = all.reduce((sum, one) => sum + one.spend, 0n)
      return {
        totalBudgetUSD: cents(budget),
        totalSpendUSD: cents(spend),
        percentUsed: percentOf(spend, budget),
        budgetCount: all.length,
        overBudgetCount: all.filter((one) => levelOf(one.budget, one.spend) === 2).length,
        expectedToExceedCount: all.filter(
          (one) => levelOf(one.budget, one.spend) === 2 || forecasts?.one(one)?.expectedToExceedOn,
        ).length,
        forecast: forecasts?.together(all) ?? null,
        overlaps: mayOverlap(all.map(({ scope }) => scope.type)),
        organization: organizationOf(all, forecasts),
      }
    },
  }),

  route({
    ...routeBase,
    method: 'GET',
    path: '/budgets',
    summary: 'List budgets, highest utilization first',
    description: about,
    permission: 'service.view',
    reply: t.Array(BudgetView),
    refuses: { 422: ['report_too_large'] },
    handle: ({ caller }, services) => budgetsSeen(caller, services),
  }),

  route({
    ...routeBase,
    method: 'GET',
    path: '/budgets/:budgetID',
    summary: 'Get a budget',
    description:
      "Includes the spend of the current month (UTC) in US dollars. Also returns 404 if the caller's report scope excludes the budget.",
    permission: 'service.view',
    params,
    reply: BudgetView,
    refuses: { 422: ['report_too_large'] },
    handle: async ({ caller, params: { budgetID } }, services) => loadBudgetView(caller, budgetID, services),
  }),

  route({
    ...routeBase,
    method: 'GET',
    path: '/budgets/:budgetID/forecast',
    summary: 'Forecast the current month',
    description:
      'Uses the method of /reports/forecast: complete days as billed, other days from the level of their weekday plus monthly recurring costs; with fewer than 28 complete days, their median. Returns 422 `bills_too_old` if the newest complete day is more than 14 days ago.',
    permission: 'service.view',
    params,
    reply: t.Object(
      {
        budgetID: t.String(),
        month: t.String({ description: 'YYYY-MM' }),
        ...forecastFields,
      },
      {
        title: 'BudgetForecast',
        examples: [
          {
            budgetID: '0198a1b2-0000-7000-8000-000000000001',
            month: '2026-01',
            ...forecastExample,
          },
        ],
      },
    ),
    refuses: { 422: ['report_too_large', 'bills_too_old'] },
    handle: async ({ caller, params: { budgetID } }, services) => forecastOf(caller, budgetID, services),
  }),

  route({
    ...routeBase,
    method: 'POST',
    path: '/budgets',
    summary: 'Create a budget for the organization, an account, a service, a tag, a team or a resource group',
    description:
      'A limit in US dollars per calendar month (UTC). Notifies once a month for each threshold that spend or the forecast reaches. It does not stop any resources.',
    permission: 'service.create',
    status: 201,
    headers: { Location: 'URL of the new budget' },
    body: CreateBody,
    reply: BudgetView,
    refuses: { 403: ['out_of_scope'], 409: ['already_exists'], 422: ['report_too_large', 'limit_reached'] },
    handle: ({ caller, body }, services) =>
      services.change(async (tx) => {
        const id = await makeBudget(tx, body, seenBy(caller))
        const made = await loadBudgetView(caller, id, { ...services, em: tx.em })
        return reply(made, { headers: { Location: `/budgets/${id}` } })
      }),
  }),

  route({
    ...routeBase,
    method: 'PUT',
    path: '/budgets/:budgetID',
    summary: 'Update a budget; its alerts can be sent again, and unknown fields are ignored',
    description: 'Omitted fields are unchanged.',
    permission: 'service.update',
    params,
    body: ChangeBody,
    reply: BudgetView,
    refuses: { 403: ['out_of_scope'], 409: ['already_exists'], 422: ['report_too_large', 'limit_reached'] },
    handle: async ({ caller, params: { budgetID }, body }, services) => {
      await getBudget(caller, budgetID, services)
      await services.change((tx) => editBudget(tx, budgetID, body, seenBy(caller)))
      return loadBudgetView(caller, budgetID, services)
    },
  }),

  route({
    ...routeBase,
    method: 'DELETE',
    path: '/budgets/:budgetID',
    summary: 'Delete a budget',
    description: 'No more alerts are sent; earlier ones remain in GET /notifications/deliveries.',
    permission: 'service.delete',
    status: 204,
    params,
    handle: async ({ caller, params: { budgetID } }, services) => {
      await getBudget(caller, budgetID, services)
      await services.change((tx) => removeBudget(tx, budgetID))
    },
  }),
]

export const budgets: readonly Route[] = budgetRoutes.map((budget) =>
  budget.method === 'GET' && ofMonth.includes(budget.path) ? withMeta('monthToDate', budget) : budget,
)
