/** Forecasts of budgets for the end of the month, with the method and the days of /reports/forecast. */
import { setImmediate } from 'node:timers/promises'
import { budgetMonthEnd, type BudgetMonthEnd } from '#actors/budget/month-end.ts'
import { Budget } from '#actors/budget/entity.ts'
import { budgetCharges, scopeKey, scopeParams } from '#analytics/budget/questions.ts'
import { bases } from '#analytics/forecast/band.ts'
import { historyDays } from '#analytics/forecast/forecast.ts'
import { monthEnd, monthEndMethods, type MonthEnd } from '#analytics/forecast/month-end.ts'
import type { Charge } from '#analytics/forecast/split-charges.ts'
import { everything, type CostColumn } from '#analytics/store/slice.ts'
import { addDays, dayOf, firstOf, monthOf } from '#engine/value/day.ts'
import { Fault } from '#engine/value/fault.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { orNull } from '#http/edge/parameter/field.ts'
import type { Services } from '#http/edge/services.ts'
import { reachOfAccounts } from '#http/report/comparison/settled-days.ts'
import { completeOf, type Complete } from '#http/report/trend/complete-days.ts'
import { asOrganization } from '#http/store/tenant.ts'
import type { BudgetScope } from '#streams/budget.ts'
import { cents, percentOf, units } from '#streams/figure.ts'

const fields = {
  monthToDateUSD: t.Number({ description: 'through yesterday, UTC' }),
  forecastUSD: t.Number({ description: 'at the end of the month; never less than the spend so far' }),
  lowUSD: orNull(
    t.Number({ description: 'lower end of the 80% confidence band up to highUSD; null: too few days to test a band' }),
  ),
  highUSD: orNull(t.Number()),
  basis: t.Enum(bases, {
    description:
      'tested: the band comes from forecast errors over the same horizon; widened: from errors over a shorter horizon, widened, because there is too little history; untested: no band',
  }),
  heldPercent: orNull(
    t.Number({
      description: "share of the backtest's bands over the same horizon that contained the actual cost; null: none",
    }),
  ),
  expectedToExceedOn: orNull(
    t.String({ description: 'the first day of the month on which cumulative spend plus forecast reaches the budget' }),
  ),
  method: t.Enum(monthEndMethods, {
    description:
      'level and level_and_trend: as in /reports/forecast; daily_median: the median of the complete days, used if there are fewer than 28',
  }),
  settledThrough: orNull(t.String({ description: 'the last settled day, which the forecast is based on; null: none' })),
}
export const forecastExample = {
  monthToDateUSD: 412.5,
  forecastUSD: 852.5,
  lowUSD: 840.1,
  highUSD: 871.25,
  basis: 'tested' as const,
  heldPercent: 83.02,
  expectedToExceedOn: null,
  method: 'level' as const,
  settledThrough: '2026-01-13',
}
export const Forecast = t.Object(fields, {
  title: 'BudgetMonthEnd',
  description: 'forecast for the end of the month',
  examples: [forecastExample],
})
export type Forecast = Static<typeof Forecast>
export { fields as forecastFields }

/** The id of the scope is empty while it does not exist. */
export interface ScopedBudget {
  budget: Budget
  scope: BudgetScope
}

interface Histories {
  today: string
  complete: Complete | undefined
  charges: ReadonlyMap<string, readonly Charge[]>
  /** By scope, for the same response on the same days: month ends that other requests have computed from it. */
  ends: Map<string, MonthEnd>
}

/** While a response is cached, so are the month ends computed from it. */
const monthEndCache = new WeakMap<object, { of: string; ends: Map<string, MonthEnd> }>()

function endsOf(answer: object, of: string): Map<string, MonthEnd> {
  const kept = monthEndCache.get(answer)
  if (kept?.of === of) return kept.ends
  const ends = new Map<string, MonthEnd>()
  monthEndCache.set(answer, { of, ends })
  return ends
}

/** One query for all of them. @throws Fault `refused` `report_too_large` */
async function historiesOf(orgId: string, list: readonly ScopedBudget[], services: Services): Promise<Histories> {
  const today = dayOf(services.now())
  const existing = list.map(({ scope }) => scope).filter(({ id }) => id !== '')
  if (existing.length === 0) return { today, complete: undefined, charges: new Map(), ends: new Map() }
  const range = { from: addDays(today, -historyDays), to: today }
  const cost = `${services.settings.reportCost}_cost` as CostColumn
  const all = { ...range, ...everything, as_of: '', tag_keys: [], tag_values: [] }
  const [rows, complete] = await Promise.all([
    services.analytics(budgetCharges, { ...range, cost, ...scopeParams(existing) }),
    completeOf(orgId, all, today, reachOfAccounts(orgId, { accounts: [], providers: [] }, '', services), services),
  ])
  const charges = new Map<string, Charge[]>()
  for (const { scope: type, id, category, seldom, service_name: service, stream, days, costs } of rows) {
    const kind = { category, isSeldom: seldom === 1, service, stream }
    const key = scopeKey({ type, id })
    const own = charges.get(key) ?? []
    for (const [at, day] of days.entries()) own.push({ ...kind, day, amount: units(costs[at]!) })
    charges.set(key, own)
  }
  const of = [today, complete?.through, complete?.known.size].join(' ')
  return { today, complete, charges, ends: endsOf(rows, of) }
}

/** By `scopeKey`. */
export class BudgetForecasts {
  private readonly histories: Histories
  private constructor(histories: Histories) {
    this.histories = histories
  }

  /** Other requests are served between two budgets. @throws Fault `refused` `report_too_large` */
  static async of(orgId: string, list: readonly ScopedBudget[], services: Services): Promise<BudgetForecasts> {
    const all = new BudgetForecasts(await historiesOf(orgId, list, services))
    if (all.staleSince !== undefined) return all
    const { ends } = all.histories
    for (const key of list.map(({ scope }) => scopeKey(scope))) {
      if (ends.has(key)) continue
      ends.set(key, all.endOf(all.chargesOf(key)))
      await setImmediate()
    }
    return all
  }

  /** The newest known day, if it is too old for a forecast. */
  get staleSince(): string | undefined {
    return this.histories.complete?.staleSince
  }

  /** Null if bills are too old. */
  one({ budget, scope }: ScopedBudget): Forecast | null {
    const { today, ends } = this.histories
    const key = scopeKey(scope)
    const end = ends.get(key)
    if (!end) return null
    return this.shown(end, budgetMonthEnd(end, this.spentBy([key]), units(budget.monthlyBudgetUsd), today))
  }

  /**
   * For all budgets together: the sum of their forecasts, so that they add up, with a band from the errors of forecasts
   * of their sum.
   * Null if bills are too old, and without budgets.
   */
  together(list: readonly ScopedBudget[]): Forecast | null {
    if (this.staleSince !== undefined || list.length === 0) return null
    const { today, ends: all } = this.histories
    const scopes = list.map(({ scope }) => scopeKey(scope))
    const sum = this.endOf(scopes.flatMap((key, at) => this.chargesOf(key).map((one) => apart(one, at))))
    const ends = scopes.map((key) => all.get(key)!)
    const added = (pick: (end: MonthEnd) => number) => ends.reduce((total, end) => total + pick(end), 0)
    const expected = added((end) => end.expected)
    const beside = (bound: number | null) => (bound === null ? null : expected + bound - sum.expected)
    const end: MonthEnd = {
      ...sum,
      settled: added(({ settled }) => settled),
      expected,
      days: new Map([...sum.days.keys()].map((day) => [day, added(({ days }) => days.get(day) ?? 0)])),
      low: beside(sum.low),
      high: beside(sum.high),
    }
    const budget = list.reduce((all, one) => all + units(one.budget.monthlyBudgetUsd), 0n)
    return this.shown(end, budgetMonthEnd(end, this.spentBy(scopes), budget, today))
  }

  private chargesOf(key: string): readonly Charge[] {
    return this.histories.charges.get(key) ?? []
  }

  private endOf(charges: readonly Charge[]): MonthEnd {
    const { today, complete } = this.histories
    const { through, known } = complete ?? { through: addDays(today, -1), known: new Set<string>() }
    return monthEnd({ charges, through, known }, today)
  }

  /** By day of the month until today. */
  private spentBy(scopes: readonly string[]): Map<string, bigint> {
    const first = firstOf(monthOf(this.histories.today))
    const spent = new Map<string, bigint>()
    for (const key of scopes)
      for (const { day, amount } of this.chargesOf(key))
        if (day >= first) spent.set(day, (spent.get(day) ?? 0n) + amount)
    return spent
  }

  private shown({ basis, held, method }: MonthEnd, found: BudgetMonthEnd): Forecast {
    return {
      monthToDateUSD: cents(found.monthToDate),
      forecastUSD: cents(found.forecast),
      lowUSD: found.low === null ? null : cents(found.low),
      highUSD: found.high === null ? null : cents(found.high),
      basis,
      heldPercent: held.made === 0 ? null : percentOf(BigInt(held.held), BigInt(held.made)),
      expectedToExceedOn: found.exceededOn,
      method,
      settledThrough: this.histories.complete?.through ?? null,
    }
  }
}

/** Rare charges of two budgets are separate charges. */
const apart = (charge: Charge, at: number): Charge =>
  charge.isSeldom ? { ...charge, stream: `${charge.stream}/${at}` } : charge

/** For the job that evaluates budgets. Budgets without a forecast are left out. */
export const forecastsForJob = (
  orgId: string,
  budgets: readonly { id: string; scope: BudgetScope }[],
  services: Services,
): Promise<ReadonlyMap<string, number>> =>
  asOrganization(orgId, async () => {
    const scopes = new Map(budgets.map(({ id, scope }) => [id, scope]))
    const found = await services.em.find(Budget, { orgId, id: { $in: [...scopes.keys()] } })
    const list = found.map((budget) => ({ budget, scope: scopes.get(budget.id)! }))
    const forecasts = await forecastsOf(orgId, list, services)
    return new Map(
      list.flatMap((one): [string, number][] => {
        const forecast = forecasts?.one(one)
        return forecast ? [[one.budget.id, forecast.forecastUSD]] : []
      }),
    )
  })

/** Undefined if a year of days is too much to read: the spend is known anyway. */
export async function forecastsOf(
  orgId: string,
  list: readonly ScopedBudget[],
  services: Services,
): Promise<BudgetForecasts | undefined> {
  try {
    return await BudgetForecasts.of(orgId, list, services)
  } catch (error) {
    if (error instanceof Fault && error.code === 'report_too_large') return undefined
    throw error
  }
}
