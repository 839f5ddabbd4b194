import { bases } from '#analytics/forecast/band.ts'
import {
  completeDays,
  completeDaysMin,
  forecast,
  historyDays,
  sum,
  type Cents,
  type ExpectedCost,
  type Forecast,
  type History,
} from '#analytics/forecast/forecast.ts'
import { dueDay } from '#analytics/forecast/due-day.ts'
import { methods } from '#analytics/forecast/level.ts'
import { components } from '#analytics/forecast/split-charges.ts'
import { forecastCharges } from '#analytics/forecast/questions.ts'
import { addDays, addMonths, dayOf, monthOf } from '#engine/value/day.ts'
import { Fault } from '#engine/value/fault.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { orNull } from '#http/edge/parameter/field.ts'
import type { Route } from '#http/edge/route.ts'
import { report } from '#http/report/report.ts'
import type { Services } from '#http/edge/services.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import { reachOfReport } from '#http/report/comparison/settled-days.ts'
import { completeOf, staleDays } from './complete-days.ts'
import { everyFilter, narrowedBy, type TagFilter } from '#http/report/filter/dimension.ts'
import {
  costQuestion,
  narrowing,
  orNone,
  whichCost,
  type Filters,
  type Narrowing,
  type WhichCost,
} from '#http/report/filter/filter.ts'
import { cents, percentOf, units } from '#streams/figure.ts'

const Parts = t.Object(
  {
    usageUSD: t.Number({ description: 'usage, with taxes and adjustments that are charged daily' }),
    commitmentsUSD: t.Number({ description: 'purchases: commitment fees and other purchases' }),
    monthlyChargesUSD: t.Number({ description: 'charges on one day of each month: taxes, fees, subscriptions' }),
    creditsUSD: t.Number({ description: 'discounts and credits; one-time ones are only in the settled part' }),
  },
  { title: 'ForecastComponents', description: 'components of the amount' },
)

const band = {
  expectedUSD: t.Number(),
  lowUSD: orNull(
    t.Number({
      description: 'lower end of the 80% confidence band up to highUSD: `test` has the observed share; null: untested',
    }),
  ),
  highUSD: orNull(t.Number()),
  basis: t.Enum(bases, {
    description:
      'tested: the band comes from forecast errors over the same horizon; widened: from errors over a shorter horizon, widened, because there is too little history; untested: no band',
  }),
}

const BacktestResult = t.Object({
  bands: t.Integer({ description: 'number of bands in the backtest' }),
  heldPercent: orNull(
    t.Number({
      description: 'percentage of these that contained the actual cost: the target is at least 80; null: none',
    }),
  ),
})
const error = orNull(t.Number({ description: 'null: no such day' }))

/** Ten dollars a day but for weekends, when it is four; one day is left. */
const none = { usageUSD: 0, commitmentsUSD: 0, monthlyChargesUSD: 0, creditsUSD: 0 }
const example = {
  settledThrough: '2026-03-30',
  historyFrom: '2026-01-01',
  completeDays: 89,
  month: {
    period: '2026-03',
    settledUSD: 246,
    restUSD: 10,
    expectedUSD: 256,
    lowUSD: 256,
    highUSD: 256,
    basis: 'tested',
    settled: { ...none, usageUSD: 246 },
    rest: { ...none, usageUSD: 10 },
  },
  days: [
    {
      date: '2026-03-31',
      expectedUSD: 10,
      lowUSD: 10,
      highUSD: 10,
      basis: 'tested',
      components: { ...none, usageUSD: 10 },
    },
  ],
  months: [
    {
      period: '2026-04',
      expectedUSD: 252,
      lowUSD: 252,
      highUSD: 252,
      basis: 'widened',
      components: { ...none, usageUSD: 252 },
    },
  ],
  method: 'level',
  trendUSDPerDay: 0,
  test: {
    origins: 75,
    meanAbsoluteErrorUSD: { level: 0, levelAndTrend: 0, lastMonth: 1.6941, straightLine: 2.4921, meanOf28Days: 2.4683 },
    days: { bands: 1470, heldPercent: 100 },
    rest: { bands: 66, heldPercent: 100 },
  },
  monthlyCharges: [],
  once: [],
}

const Answer = t.Object(
  {
    settledThrough: t.String({
      description: 'the last settled day, as in `meta`',
    }),
    historyFrom: t.String({ description: 'the first day with costs in the history' }),
    completeDays: t.Integer({ description: 'days since then with known costs' }),
    month: t.Object({
      period: t.String({ description: 'YYYY-MM' }),
      settledUSD: t.Number({ description: 'settled days, as billed; those of late accounts as estimated' }),
      restUSD: t.Number({ description: 'remaining days: the sum of `days`' }),
      ...band,
      expectedUSD: t.Number({ description: 'settled plus remaining' }),
      settled: Parts,
      rest: Parts,
    }),
    days: t.Array(t.Object({ date: t.String(), ...band, components: Parts }), {
      description: 'each day of the month that is not complete',
    }),
    months: t.Array(t.Object({ period: t.String(), ...band, components: Parts }), {
      description: 'the following twelve months',
    }),
    method: t.Enum(methods, {
      description:
        'level: of each weekday over the last 28 complete days; level_and_trend: with their trend over 28 days, used if it was more accurate in both halves of the backtest',
    }),
    trendUSDPerDay: t.Number({ description: 'increase of the level; 0 without a trend' }),
    test: t.Object(
      {
        origins: t.Integer({ description: 'days from which a forecast was made, with the data known then' }),
        meanAbsoluteErrorUSD: t.Object(
          { level: error, levelAndTrend: error, lastMonth: error, straightLine: error, meanOf28Days: error },
          { description: 'for days up to 28 ahead, over the same days for each method' },
        ),
        days: BacktestResult,
        rest: BacktestResult,
      },
      { description: 'rolling-origin backtest on these costs' },
    ),
    monthlyCharges: t.Array(
      t.Object({
        serviceName: t.String({ description: "(none) for part of a service's daily charges" }),
        component: t.Enum(components),
        lastOn: t.String(),
        nextOn: t.String({ description: 'the same day of the next month, its last day or its first working day' }),
        amountUSD: t.Number({ description: 'the last amount, which is also the expected one' }),
      }),
    ),
    once: t.Array(
      t.Object({ date: t.String(), serviceName: t.String(), chargeCategory: t.String(), amountUSD: t.Number() }),
      { description: 'in the last 31 complete days: not expected again' },
    ),
  },
  { title: 'CostForecast', examples: [example] },
)

/** Days that single charges are shown of. */
const onceDays = 31

export const forecasts: readonly Route[] = [
  report({
    path: '/reports/forecast',
    summary: 'Forecast the rest of the month and the next twelve months, with confidence bands',
    description:
      'Complete days count as billed. Each future day has the robust level of its weekday; charges that occurred on the same ' +
      'day of the last two months, on their last day or their first working day recur; one-time credits and purchases do ' +
      'not. Bands are error quantiles of a rolling-origin backtest on these costs. Returns 422 `history_too_short` with ' +
      'fewer than 28 complete days, and 422 `bills_too_old` if the newest one is more than 14 days ago.',
    query: t.Object({ ...narrowing, ...whichCost, ...everyFilter }),
    reply: Answer,
    refuses: { 422: ['history_too_short', 'bills_too_old', 'report_too_large'] },
    handle: async ({ caller, query }, services) => {
      const today = dayOf(services.now())
      const history = await historyOf(caller, query, today, services)
      const complete = completeDays(history)
      const found = forecast(history, today)
      if (!found) throw tooShort(complete.length)
      return toAnswer(found, history, complete.length, today)
    },
  }),
]

/** Asked of an earlier time, the days are those that were complete then. @throws Fault `refused` `history_too_short`, `bills_too_old` */
async function historyOf(
  caller: Caller,
  query: Narrowing & WhichCost & Filters & TagFilter,
  today: string,
  services: Services,
): Promise<History> {
  const asked = query.asOf === undefined ? today : dayOf(new Date(query.asOf))
  const days = { fromDay: addDays(asked, -historyDays), toDay: asked }
  const { saved: _, ...question } = costQuestion(caller, query, days, services)
  const charged = narrowedBy(question, query)
  const { cost: __, ...bills } = { ...question, providers: charged.providers, accounts: charged.accounts }
  const [rows, complete] = await Promise.all([
    services.analytics(forecastCharges, charged),
    completeOf(caller.orgId, bills, asked, reachOfReport(caller, query, bills.as_of, services), services),
  ])
  if (complete === undefined) throw tooShort(0)
  if (complete.staleSince !== undefined) throw tooOld(complete.staleSince)
  const charges = rows.map((row) => ({
    day: row.day,
    category: row.category,
    isSeldom: row.seldom === 1,
    service: row.service_name,
    stream: row.stream,
    amount: units(row.cost_usd),
  }))
  return { charges, through: complete.through, known: complete.known }
}

const tooShort = (complete: number): Fault =>
  Fault.refused(
    'history_too_short',
    `A forecast requires ${completeDaysMin} complete days of cost, but the requested costs have ${complete}.`,
    { members: { completeDays: complete, neededDays: completeDaysMin } },
  )

export const tooOld = (settled: string): Fault =>
  Fault.refused('bills_too_old', `The newest complete day is ${settled}, more than ${staleDays} days ago.`, {
    members: { settledThrough: settled },
  })

function toAnswer(
  { split, trial, slope, settled, days, rest, months, held }: Forecast,
  { through }: History,
  complete: number,
  today: string,
): Static<typeof Answer> {
  const settledCents = sum(Object.values(settled))
  const errors = trial.errors()
  const since = addDays(through, 1 - onceDays)
  return {
    settledThrough: through,
    historyFrom: split.first,
    completeDays: complete,
    month: {
      period: monthOf(today),
      settledUSD: usd(settledCents),
      restUSD: usd(rest.expected),
      ...bandOf(rest, settledCents),
      settled: partsOf(settled),
      rest: partsOf(rest.parts),
    },
    days: days.map((day) => ({ date: day.from, ...bandOf(day), components: partsOf(day.parts) })),
    months: months.map((one) => ({ period: monthOf(one.from), ...bandOf(one), components: partsOf(one.parts) })),
    method: trial.method,
    trendUSDPerDay: roundFigure(slope),
    test: {
      origins: trial.last - trial.first,
      meanAbsoluteErrorUSD: {
        level: measure(errors.level),
        levelAndTrend: measure(errors.level_and_trend),
        lastMonth: measure(errors.last_month),
        straightLine: measure(errors.straight_line),
        meanOf28Days: measure(errors.mean_of_28_days),
      },
      days: testedOf(held.days),
      rest: testedOf(held.rest),
    },
    monthlyCharges: split.monthly.map(({ service, component, due, lastOn, amount }) => ({
      serviceName: orNone(service),
      component,
      lastOn,
      nextOn: dueDay(addMonths(monthOf(lastOn), 1), due),
      amountUSD: cents(amount),
    })),
    once: split.once
      .filter(({ day }) => day >= since)
      .map(({ day, service, category, amount }) => ({
        date: day,
        serviceName: orNone(service),
        chargeCategory: category,
        amountUSD: cents(amount),
      })),
  }
}

/** Cents as US dollars. */
const usd = (count: number): number => count / 100

/** With what is settled before, which is certain. */
const bandOf = ({ expected, low, high, basis }: ExpectedCost, before = 0) => ({
  expectedUSD: usd(before + expected),
  lowUSD: low === null ? null : usd(before + low),
  highUSD: high === null ? null : usd(before + high),
  basis,
})

const partsOf = ({ usage, commitments, monthlyCharges, credits }: Cents): Static<typeof Parts> => ({
  usageUSD: usd(usage),
  commitmentsUSD: usd(commitments),
  monthlyChargesUSD: usd(monthlyCharges),
  creditsUSD: usd(credits),
})

const testedOf = ({ made, held }: { made: number; held: number }): Static<typeof BacktestResult> => ({
  bands: made,
  heldPercent: made === 0 ? null : percentOf(BigInt(held), BigInt(made)),
})

/** To four places: what is measured is no money. */
const roundFigure = (value: number): number => Number(value.toFixed(4))
const measure = (value: number | null): number | null => (value === null ? null : roundFigure(value))
