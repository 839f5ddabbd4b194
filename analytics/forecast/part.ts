/**
 * Charges apart by how they come: those of any day, those of the first of each month, and those that came once. Amounts are counts of
 * 10^-14 US dollars, exact.
 */
import { addDays, daysBetween } from '#engine/day.ts'
import { cents, plainOf, units } from '#streams/figure.ts'
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

/** What comes on the first of each month: as it last came. */
export interface MonthlyCharge {
  component: Component
  service: string
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

/** Firsts of months in a row on which a charge must have come to be expected on the next. */
const firstsMin = 2
/** Days around a first that it is compared with. */
const besideDays = 14

/** `charges` are those of the days `first` to `through`. */
export function split(charges: readonly Charge[], first: string, through: string): Split {
  const count = daysBetween(first, through) + 1
  const parts: Split = { first, days: count, settled: nothing(count), daily: nothing(count), monthly: [], once: [] }
  const firsts = Array.from({ length: count }, (_, at) => at).filter((at) => addDays(first, at).endsWith('-01'))
  for (const charge of charges) if (!charge.isSeldom) takeDaily(parts, charge)
  const streams = Map.groupBy(
    charges.filter(({ isSeldom }) => isSeldom),
    ({ category, stream }) => JSON.stringify([category, stream]),
  )
  for (const stream of streams.values()) takeSeldom(parts, stream, firsts)
  for (const component of ['usage', 'commitments'] as const) takeRises(parts, component, firsts)
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

function takeSeldom(parts: Split, stream: readonly Charge[], firsts: readonly number[]): void {
  const { category, service } = stream[0]!
  const byDay = new Map(stream.map(({ day, amount }) => [daysBetween(parts.first, day), amount]))
  const isMonthly = firsts.length >= firstsMin && firsts.slice(-firstsMin).every((at) => byDay.has(at))
  const own = componentOf(category)
  const monthly = own === 'usage' ? 'monthlyCharges' : own
  for (const charge of stream) {
    const at = daysBetween(parts.first, charge.day)
    if (isMonthly && firsts.includes(at)) parts.settled[monthly][at]! += charge.amount
    else if (isUsage(category)) takeDaily(parts, charge)
    else {
      parts.settled[own][at]! += charge.amount
      parts.once.push(charge)
    }
  }
  const last = firsts.at(-1)
  if (isMonthly && last !== undefined)
    parts.monthly.push({ component: monthly, service, lastOn: addDays(parts.first, last), amount: byDay.get(last)! })
}

const isUsage = (category: string): boolean => !['Purchase', 'Tax', 'Credit', 'Adjustment'].includes(category)

/** What a service charges once a month among what it charges daily: the first then stands out from the days around it, to the cent. */
function takeRises(parts: Split, component: 'usage' | 'commitments', firsts: readonly number[]): void {
  const daily = parts.daily[component]
  const rises = new Map(firsts.map((at) => [at, riseAt(daily, at)]))
  if (firsts.length < firstsMin || firsts.slice(-firstsMin).some((at) => rises.get(at) === 0n)) return
  const monthly = component === 'usage' ? 'monthlyCharges' : component
  for (const [at, rise] of rises) {
    daily[at]! -= rise
    parts.settled[component][at]! -= rise
    parts.settled[monthly][at]! += rise
  }
  const last = firsts.at(-1)!
  const amount = rises.get(last)!
  parts.monthly.push({ component: monthly, service: '', lastOn: addDays(parts.first, last), amount })
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

/** US dollars. */
export const usd = (amount: bigint): number => Number(plainOf(amount))
