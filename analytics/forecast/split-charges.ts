/**
 * Charges apart by how they come: those of any day, those of one day of each month, and those that came once. Amounts are counts of
 * 10^-14 US dollars, exact.
 */
import { daysBetween } from '#engine/value/day.ts'
import { cents, units, usd } from '#streams/figure.ts'
import { calendarOf, dueOf, type Calendar, type Due } from './due-day.ts'
import { median } from './level.ts'

export const components = ['usage', 'commitments', 'monthlyCharges', 'credits'] as const
export type Component = (typeof components)[number]

export interface Charge {
  day: string
  category: string
  /** One a day and stream. */
  isSeldom: boolean
  /** What is charged, where it is seldom; empty for what comes most days. */
  service: string
  stream: string
  amount: bigint
}

/** What comes on one day of each month: as it last came. */
interface MonthlyCharge {
  component: Component
  service: string
  due: Due
  lastOn: string
  amount: bigint
}

export interface Split {
  /** The day of the first cost. */
  first: string
  days: number
  /** By component and day: all that was charged. */
  settled: Record<Component, bigint[]>
  /** By component and day: what comes any day, which is forecast by its level. */
  daily: Record<Component, bigint[]>
  monthly: MonthlyCharge[]
  /** Purchases, taxes, credits and adjustments that nothing says will come again. */
  once: Charge[]
}

/** Days around a day that it is compared with. */
const besideDays = 14

/** `charges` are those of the days `first` to `through`. */
export function split(charges: readonly Charge[], first: string, through: string): Split {
  const count = daysBetween(first, through) + 1
  const parts: Split = { first, days: count, settled: nothing(count), daily: nothing(count), monthly: [], once: [] }
  const calendar = calendarOf(first, through)
  for (const charge of charges) if (!charge.isSeldom) takeDaily(parts, charge)
  const streams = Map.groupBy(
    charges.filter(({ isSeldom }) => isSeldom),
    ({ category, stream }) => JSON.stringify([category, stream]),
  )
  for (const stream of streams.values()) takeSeldom(parts, stream, calendar)
  for (const component of ['usage', 'commitments'] as const) takeRises(parts, component, calendar)
  return parts
}

function nothing(count: number): Record<Component, bigint[]> {
  const days = () => Array.from({ length: count }, () => 0n)
  return { usage: days(), commitments: days(), monthlyCharges: days(), credits: days() }
}

const componentOf = (category: string): Component =>
  category === 'Purchase' ? 'commitments' : category === 'Credit' ? 'credits' : 'usage'

function takeDaily(parts: Split, charge: Charge): void {
  const [component, at] = [componentOf(charge.category), daysBetween(parts.first, charge.day)]
  parts.settled[component][at]! += charge.amount
  parts.daily[component][at]! += charge.amount
}

/** A stream may come on several days of each month: each is a monthly charge of its own. */
function takeSeldom(parts: Split, stream: readonly Charge[], calendar: Calendar): void {
  const { category, service } = stream[0]!
  const own = componentOf(category)
  const component = own === 'usage' ? 'monthlyCharges' : own
  const left = new Map(stream.map((charge) => [charge.day, charge]))
  for (let found = dueOf(calendar, left); found; found = dueOf(calendar, left)) {
    const came = found.days.flatMap((day) => left.get(day) ?? [])
    const { day: lastOn, amount } = came.at(-1)!
    parts.monthly.push({ component, service, due: found.due, lastOn, amount })
    for (const { day, amount: paid } of came) {
      parts.settled[component][daysBetween(parts.first, day)]! += paid
      left.delete(day)
    }
  }
  for (const charge of left.values()) {
    if (isUsage(category)) takeDaily(parts, charge)
    else {
      parts.settled[own][daysBetween(parts.first, charge.day)]! += charge.amount
      parts.once.push(charge)
    }
  }
}

const isUsage = (category: string): boolean => !['Purchase', 'Tax', 'Credit', 'Adjustment'].includes(category)

/** What a service charges once a month among what it charges daily: that day then stands out from those around it, to the cent. */
function takeRises(parts: Split, component: 'usage' | 'commitments', calendar: Calendar): void {
  const { first, settled } = parts
  const daily = parts.daily[component]
  const riseOn = (day: string) => riseAt(daily, daysBetween(first, day))
  const found = dueOf(calendar, { has: (day) => riseOn(day) !== 0n })
  if (!found) return
  const monthly = component === 'usage' ? 'monthlyCharges' : component
  const rises = found.days.map((day) => ({ day, rise: riseOn(day) }))
  for (const { day, rise } of rises) {
    const at = daysBetween(first, day)
    daily[at]! -= rise
    settled[component][at]! -= rise
    settled[monthly][at]! += rise
  }
  const { day: lastOn, rise } = rises.at(-1)!
  parts.monthly.push({ component: monthly, service: '', due: found.due, lastOn, amount: rise })
}

/** How far a day lies above the middle of the days around it, where that is more than twice as far as the highest of them; else 0. */
function riseAt(daily: readonly bigint[], at: number): bigint {
  const around = daily.slice(Math.max(0, at - besideDays), at + besideDays + 1).map(usd)
  around.splice(Math.min(at, besideDays), 1)
  if (around.length < besideDays) return 0n
  const middle = median(around)
  const rise = usd(daily[at]!) - middle
  return rise > 2 * (Math.max(...around) - middle) ? units(cents(rise)) : 0n
}
