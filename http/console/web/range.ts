/** The days of an address: those it names, or a preset that ends at the last day whose costs are complete. Mailed reports read it too. */
import { addDays, addMonths, firstOf, isDay, lastOf } from './day.ts'

export type DateRange = {
  from: string
  to: string
}

export const monthOf = (month: string): DateRange => ({ from: `${month}-01`, to: lastOf(month) })

const back = (days: number) => (end: string) => ({ from: addDays(end, 1 - days), to: end })

/** A month without a complete day yet is shown through today. */
const thisMonth = (end: string, today: string): DateRange => {
  const from = firstOf(today)
  return { from, to: end < from ? today : end }
}

/** `days`: `end` is the last complete day, `today` for what does not wait for bills. */
export const ranges: readonly { id: string; title: string; days: (end: string, today: string) => DateRange }[] = [
  { id: 'month', title: 'This month', days: thisMonth },
  { id: 'last-month', title: 'Last month', days: (_, today) => monthOf(addMonths(today.slice(0, 7), -1)) },
  { id: '7d', title: 'Last 7 days', days: back(7) },
  { id: '30d', title: 'Last 30 days', days: back(30) },
  { id: '90d', title: 'Last 90 days', days: back(90) },
  {
    id: '12m',
    title: 'Last 12 months',
    days: (end, today) => ({ from: `${addMonths(today.slice(0, 7), -11)}-01`, to: end }),
  },
]

/** The days of an address; the preset `fallback` where it names no valid ones. */
export function periodOf(search: URLSearchParams, today: string, end = today, fallback = '30d'): DateRange {
  const [from, to] = ['from', 'to'].map((name) => search.get(name) ?? undefined)
  if (isDay(from) && isDay(to) && from <= to) return { from, to }
  const found = [search.get('range'), fallback, '30d'].map((id) => ranges.find((one) => one.id === id))
  return found.find((one) => one !== undefined)!.days(end, today)
}
