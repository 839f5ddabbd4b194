/**
 * What the rest of a month and the twelve months after it will cost: settled days as they are billed, and for each day to come its
 * weekday's level, with the trend where the test speaks for it, and what comes on one day of each month. Amounts to come are whole cents:
 * days add up to their month, and components to both, as they are shown.
 */
import { addDays, addMonths, daysBetween, firstOf, lastOf, monthOf } from '#engine/value/day.ts'
import { cents, usd } from '#streams/figure.ts'
import { bandsOf, type Ahead, type Band } from './band.ts'
import { isDue } from './due-day.ts'
import { expectedAhead, outlookAt, windowDays, type Outlook } from './level.ts'
import { components, split, type Charge, type Component, type Split } from './split-charges.ts'
import { stepsIn } from './step.ts'
import { comparedAhead, runTrial, type Trial } from './trial.ts'

/** Complete days that a forecast needs: the window of the level, of which the last half is tested on. */
export const completeDaysMin = windowDays
/** Days back that are looked at. */
export const historyDays = 430
const months = 12

/** Cents by component. */
export type Cents = Record<Component, number>

export interface ExpectedCost extends Pick<Band, 'basis'> {
  /** Both included. */
  from: string
  to: string
  parts: Cents
  /** Cents, like the others. */
  expected: number
  /** Null where the history is too short to have tested anything. */
  low: number | null
  high: number | null
}

export interface Forecast {
  split: Split
  trial: Trial
  /** US dollars that the level rises a day by, while the trend goes on. */
  slope: number
  /** Of the days of the month that are complete. */
  settled: Cents
  /** Each coming day of the month. */
  days: ExpectedCost[]
  /** These together. */
  rest: ExpectedCost
  months: ExpectedCost[]
  /** How often bands of days up to 28 ahead, and bands of as many days as the rest of the month has, held in the test. */
  held: { days: Pick<Band, 'made' | 'held'>; rest: Pick<Band, 'made' | 'held'> }
}

export interface History {
  charges: readonly Charge[]
  /** The newest complete day, and those of which it is known what they cost. */
  through: string
  known: ReadonlySet<string>
}

/** The days from the first charge on of which it is known what they cost. */
export function completeDays({ charges, through, known }: History): string[] {
  const first = firstDay(charges)
  return first === undefined ? [] : [...known].filter((day) => day >= first && day <= through)
}

const firstDay = (charges: readonly Charge[]): string | undefined => {
  let first: string | undefined
  for (const { day } of charges) if (first === undefined || day < first) first = day
  return first
}

/** The forecast of the month of `today`; undefined where too few days are complete. */
export function forecast(history: History, today: string): Forecast | undefined {
  const made = buildModel(history)
  return made && assembleForecast(made, today)
}

/** What is known at the newest complete day. */
export interface ForecastModel {
  parts: Split
  trial: Trial
  outlooks: Outlooks
  through: string
}

/** @param reach days ahead that errors are known of; undefined where too few days are complete */
export function buildModel(history: History, reach?: number): ForecastModel | undefined {
  if (completeDays(history).length < completeDaysMin) return undefined
  const { through } = history
  const parts = splitOf(history)!
  const series = seriesOf(parts, history.known)
  const trial = runTrial([...series.values()], parts.first, reach)
  const outlooks = new Map(
    [...series].flatMap(([name, costs]) => toOutlookEntries(name, outlookAt(costs, parts.days - 1, stepsIn(costs)))),
  )
  return trial && outlooks.size > 0 ? { parts, trial, outlooks, through } : undefined
}

/** Of complete days alone; undefined where there are none. */
export function splitOf({ charges, through }: History): Split | undefined {
  const settled = charges.filter(({ day }) => day <= through)
  const first = firstDay(settled)
  return first === undefined ? undefined : split(settled, first, through)
}

const toOutlookEntries = (name: Component, outlook: Outlook | undefined): [Component, Outlook][] =>
  outlook ? [[name, outlook]] : []

/** Costs in US dollars by component, of those that cost anything; NaN where a day is not known. All have the same days. */
export function seriesOf({ daily, first, days }: Split, known: ReadonlySet<string>): Map<Component, Float64Array> {
  const isKnown = Array.from({ length: days }, (_, at) => known.has(addDays(first, at)))
  const some = components.filter((name) => name === 'usage' || daily[name].some((amount) => amount !== 0n))
  return new Map(
    some.map((name) => [
      name,
      Float64Array.from(daily[name], (amount, at) => (isKnown[at] ? usd(amount) : Number.NaN)),
    ]),
  )
}

type Outlooks = ReadonlyMap<Component, Outlook>

/** The days of a month that are not complete. */
export function restOf(month: string, through: string): { from: string; to: string } {
  const next = addDays(through, 1)
  return { from: next > firstOf(month) ? next : firstOf(month), to: lastOf(month) }
}

export const aheadOf = (through: string, { from, to }: { from: string; to: string }): Ahead => ({
  from: daysBetween(through, from),
  to: daysBetween(through, to),
})

function assembleForecast(made: ForecastModel, today: string): Forecast {
  const { parts, trial, outlooks, through } = made
  const month = monthOf(today)
  const rest = restOf(month, through)
  const later = Array.from({ length: months }, (_, n) => addMonths(month, n + 1))
  const spans = [rest, ...later.map((one) => ({ from: firstOf(one), to: lastOf(one) }))]
  const ahead = (span: { from: string; to: string }) => aheadOf(through, span)
  const single = Array.from({ length: Math.max(comparedAhead, ahead(rest).to) }, (_, n) => ({ from: n + 1, to: n + 1 }))
  const bands = bandsOf(trial, [...single, ...spans.map(ahead)])
  const expect = (span: { from: string; to: string }, band: Band) => toExpectedCost(span, expectedIn(made, span), band)
  const [restShown, ...monthsShown] = spans.map((span, at) => expect(span, bands[single.length + at]!))
  const compared = bands.slice(0, comparedAhead)
  const slope = [...outlooks.values()].reduce((sum, one) => sum + one.slope, 0)
  return {
    split: parts,
    trial,
    slope: trial.method === 'level' ? 0 : slope,
    settled: settledIn(parts, firstOf(month)),
    days: Array.from({ length: daysBetween(rest.from, rest.to) + 1 }, (_, n) => addDays(rest.from, n)).map((day) =>
      expect({ from: day, to: day }, bands[daysBetween(through, day) - 1]!),
    ),
    rest: restShown!,
    months: monthsShown,
    held: {
      days: { made: sum(compared.map(({ made }) => made)), held: sum(compared.map(({ held }) => held)) },
      rest: bands[single.length]!,
    },
  }
}

export const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0)
export const centsOf = (amount: bigint | number): number => Math.round(100 * cents(amount))

/** Day by day, each rounded before it is added up. */
export function expectedIn(
  { parts: { monthly }, trial: { method }, outlooks, through }: ForecastModel,
  { from, to }: { from: string; to: string },
): Cents {
  const all: Cents = { usage: 0, commitments: 0, monthlyCharges: 0, credits: 0 }
  const first = daysBetween(through, from)
  for (let n = daysBetween(from, to); n >= 0; n--) {
    for (const [name, outlook] of outlooks) all[name] += Math.round(100 * expectedAhead(outlook, method, first + n))
    for (const { due, component, amount } of monthly)
      if (isDue(addDays(from, n), due)) all[component] += centsOf(amount)
  }
  return all
}

/** A band is of US dollars beside what is expected. */
export function toExpectedCost(
  span: { from: string; to: string },
  parts: Cents,
  { low, high, basis }: Band,
): ExpectedCost {
  const expected = sum(Object.values(parts))
  const at = (beside: number) => (basis === 'untested' ? null : expected + Math.round(100 * beside))
  return { ...span, parts, expected, low: at(low), high: at(high), basis }
}

/** From `from` on. All of it is rounded once; usage takes what rounding the others leaves. */
export function settledIn({ settled, first, days }: Split, from: string): Cents {
  const begin = Math.max(0, daysBetween(first, from))
  const exact = (name: Component) =>
    settled[name].slice(Math.min(begin, days)).reduce((all, amount) => all + amount, 0n)
  const total = centsOf(components.reduce((all, name) => all + exact(name), 0n))
  const [commitments, monthlyCharges, credits] = (['commitments', 'monthlyCharges', 'credits'] as const).map((name) =>
    centsOf(exact(name)),
  ) as [number, number, number]
  return { usage: total - commitments - monthlyCharges - credits, commitments, monthlyCharges, credits }
}
