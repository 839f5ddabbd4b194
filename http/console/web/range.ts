/** The days that the word `range` of an address stands for, and those that it names itself. What is mailed reads it too. */
import { addDays, addMonths, firstOf, isDay, lastOf } from './day.ts'

export type Period = {
  from: string
  to: string
}

export const monthOf = (month: string): Period => ({ from: `${month}-01`, to: lastOf(month) })

const back = (days: number) => (today: string) => ({ from: addDays(today, 1 - days), to: today })

export const ranges: readonly { id: string; title: string; days: (today: string) => Period }[] = [
  { id: 'month', title: 'This month', days: (today) => ({ from: firstOf(today), to: today }) },
  { id: 'last-month', title: 'Last month', days: (today) => monthOf(addMonths(today.slice(0, 7), -1)) },
  { id: '7d', title: 'Last 7 days', days: back(7) },
  { id: '30d', title: 'Last 30 days', days: back(30) },
  { id: '90d', title: 'Last 90 days', days: back(90) },
  {
    id: '12m',
    title: 'Last 12 months',
    days: (today) => ({ from: `${addMonths(today.slice(0, 7), -11)}-01`, to: today }),
  },
]

/** The days of an address; `fallback` where it names none that are good. */
export function periodOf(search: URLSearchParams, today: string, fallback = '30d'): Period {
  const [from, to] = ['from', 'to'].map((name) => search.get(name) ?? undefined)
  if (isDay(from) && isDay(to) && from <= to) return { from, to }
  const found = [search.get('range'), fallback, '30d'].map((id) => ranges.find((one) => one.id === id))
  return found.find((one) => one !== undefined)!.days(today)
}
