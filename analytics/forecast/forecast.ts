/**
 * What the rest of a month and the twelve months behind it will cost: settled days as they are billed, and for each day to come its
 * weekday's level, with the trend where the test speaks for it, and what comes on the first of a month. Amounts to come are whole cents:
 * days add up to their month, and components to both, as they are shown.
 */
import { addDays, addMonths, daysBetween, firstOf, lastOf, monthOf } from '#engine/day.ts'
import { cents } from '#streams/figure.ts'
import { bandsOf, type Ahead, type Band } from './band.ts'
import { expectedAhead, outlookAt, windowDays, type Outlook } from './level.ts'
import { components, split, usd, type Charge, type Component, type Split } from './part.ts'
import { comparedAhead, tried, type Trial } from './trial.ts'

/** Complete days that a forecast needs: the window of the level, of which the last half is tested on. */
export const completeDaysMin = windowDays
/** Days back that are looked at. */
export const historyDays = 430
const months = 12

/** Cents by component. */
export type Cents = Record<Component, number>

export interface Expected extends Pick<Band, 'basis'> {
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
  days: Expected[]
  /** These together. */
  rest: Expected
  months: Expected[]
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
  const complete = completeDays(history)
  if (complete.length < completeDaysMin) return undefined
  const charges = history.charges.filter(({ day }) => day <= history.through)
  const parts = split(charges, firstDay(charges)!, history.through)
  const series = seriesOf(parts, history.known)
  const trial = tried([...series.values()], parts.first)
  const outlooks = new Map([...series].flatMap(([name, costs]) => named(name, outlookAt(costs, parts.days - 1))))
  if (!trial || outlooks.size === 0) return undefined
  return assembled(parts, trial, outlooks, { through: history.through, today })
}

const named = (name: Component, outlook: Outlook | undefined): [Component, Outlook][] =>
  outlook ? [[name, outlook]] : []

/** Costs in US dollars by component, of those that cost anything; NaN where a day is not known. All have the same days. */
function seriesOf({ daily, first, days }: Split, known: ReadonlySet<string>): Map<Component, Float64Array> {
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

function assembled(
  parts: Split,
  trial: Trial,
  outlooks: Outlooks,
  { through, today }: { through: string; today: string },
): Forecast {
  const [month, next] = [monthOf(today), addDays(through, 1)]
  const rest = { from: next > firstOf(month) ? next : firstOf(month), to: lastOf(month) }
  const later = Array.from({ length: months }, (_, n) => addMonths(month, n + 1))
  const spans = [rest, ...later.map((one) => ({ from: firstOf(one), to: lastOf(one) }))]
  const ahead = ({ from, to }: { from: string; to: string }): Ahead => ({
    from: daysBetween(through, from),
    to: daysBetween(through, to),
  })
  const single = Array.from({ length: Math.max(comparedAhead, ahead(rest).to) }, (_, n) => ({ from: n + 1, to: n + 1 }))
  const bands = bandsOf(trial, [...single, ...spans.map(ahead)])
  const expect = (span: { from: string; to: string }, band: Band) =>
    banded(span, expectedIn(parts, trial, outlooks, span, through), band)
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
const centsOf = (amount: bigint | number): number => Math.round(100 * cents(amount))

/** Day by day, each rounded before it is added up. */
function expectedIn(
  { monthly }: Split,
  { method }: Trial,
  outlooks: Outlooks,
  { from, to }: { from: string; to: string },
  through: string,
): Cents {
  const all: Cents = { usage: 0, commitments: 0, monthlyCharges: 0, credits: 0 }
  const first = daysBetween(through, from)
  for (let n = daysBetween(from, to); n >= 0; n--) {
    for (const [name, outlook] of outlooks) all[name] += Math.round(100 * expectedAhead(outlook, method, first + n))
    if (addDays(from, n).endsWith('-01')) for (const { component, amount } of monthly) all[component] += centsOf(amount)
  }
  return all
}

/** A band is of US dollars beside what is expected. */
function banded(span: { from: string; to: string }, parts: Cents, { low, high, basis }: Band): Expected {
  const expected = sum(Object.values(parts))
  const at = (beside: number) => (basis === 'untested' ? null : expected + Math.round(100 * beside))
  return { ...span, parts, expected, low: at(low), high: at(high), basis }
}

/** From `from` on. All of it is rounded once; usage takes what rounding the others leaves. */
function settledIn({ settled, first, days }: Split, from: string): Cents {
  const begin = Math.max(0, daysBetween(first, from))
  const exact = (name: Component) =>
    settled[name].slice(Math.min(begin, days)).reduce((all, amount) => all + amount, 0n)
  const total = centsOf(components.reduce((all, name) => all + exact(name), 0n))
  const [commitments, monthlyCharges, credits] = (['commitments', 'monthlyCharges', 'credits'] as const).map((name) =>
    centsOf(exact(name)),
  ) as [number, number, number]
  return { usage: total - commitments - monthlyCharges - credits, commitments, monthlyCharges, credits }
}
