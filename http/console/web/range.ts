/** The days of an address: those it names, or a preset that ends at the last day whose costs are complete. Mailed reports read it too. */
import { addDays, addMonths, daysBetween, firstOf, isDay, lastOf, mondayOf } from './day.ts'

export type DateRange = {
  from: string
  to: string
}

export const monthOf = (month: string): DateRange => ({ from: `${month}-01`, to: lastOf(month) })

const back = (days: number) => (end: string) => ({ from: addDays(end, 1 - days), to: end })

/** A period that has no complete day yet is shown through today. */
const toDate =
  (firstOfPeriod: (day: string) => string) =>
  (end: string, today: string): DateRange => {
    const from = firstOfPeriod(today)
    return { from, to: end < from ? today : end }
  }

const quarterOf = (day: string): string =>
  `${day.slice(0, 5)}${String(Math.floor((Number(day.slice(5, 7)) - 1) / 3) * 3 + 1).padStart(2, '0')}-01`
const yearOf = (day: string): string => `${day.slice(0, 4)}-01-01`

/** The whole period before the one that contains a day. */
const before =
  (firstOfPeriod: (day: string) => string) =>
  (_: string, today: string): DateRange => {
    const to = addDays(firstOfPeriod(today), -1)
    return { from: firstOfPeriod(to), to }
  }

const months =
  (count: number) =>
  (end: string, today: string): DateRange => ({
    from: `${addMonths(today.slice(0, 7), 1 - count)}-01`,
    to: end,
  })

const onDay =
  (back: number) =>
  (_: string, today: string): DateRange => {
    const day = addDays(today, -back)
    return { from: day, to: day }
  }

interface Preset {
  id: string
  title: string
  /** `end` is the last complete day, or today for what does not wait for bills. */
  days: (end: string, today: string) => DateRange
}

export const ranges: readonly Preset[] = [
  { id: 'today', title: 'Today', days: onDay(0) },
  { id: 'yesterday', title: 'Yesterday', days: onDay(1) },
  { id: '7d', title: 'Last 7 days', days: back(7) },
  { id: '14d', title: 'Last 14 days', days: back(14) },
  { id: '30d', title: 'Last 30 days', days: back(30) },
  { id: '90d', title: 'Last 90 days', days: back(90) },
  { id: 'week', title: 'This week', days: toDate(mondayOf) },
  { id: 'month', title: 'This month', days: toDate(firstOf) },
  { id: 'quarter', title: 'This quarter', days: toDate(quarterOf) },
  { id: 'year', title: 'This year', days: toDate(yearOf) },
  { id: 'last-week', title: 'Last week', days: before(mondayOf) },
  { id: 'last-month', title: 'Last month', days: before(firstOf) },
  { id: 'last-quarter', title: 'Last quarter', days: before(quarterOf) },
  { id: '6m', title: 'Last 6 months', days: months(6) },
  { id: '12m', title: 'Last 12 months', days: months(12) },
]

/** The days of an address; the preset `fallback` where it names no valid ones. `through=today` includes incomplete days. */
export function periodOf(search: URLSearchParams, today: string, end = today, fallback = '30d'): DateRange {
  const [from, to] = ['from', 'to'].map((name) => search.get(name) ?? undefined)
  if (isDay(from) && isDay(to) && from <= to) return { from, to }
  const found = [search.get('range'), fallback, '30d'].map((id) => ranges.find((one) => one.id === id))
  return found.find((one) => one !== undefined)!.days(search.get('through') === 'today' ? today : end, today)
}

export const granularities = ['daily', 'weekly', 'monthly'] as const
export type Granularity = (typeof granularities)[number]

/** The granularity that an address names; otherwise such that a chart has between some and some sixty periods. */
export function granularityOf(search: URLSearchParams, { from, to }: DateRange): Granularity {
  const days = daysBetween(from, to) + 1
  const usual = days <= 62 ? 'daily' : days <= 184 ? 'weekly' : 'monthly'
  return granularities.find((one) => one === search.get('granularity')) ?? usual
}
