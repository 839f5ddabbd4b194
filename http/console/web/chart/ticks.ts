/** Which periods an axis names: those that people count by, such as Mondays and the first days of months. */
import { daysOfPeriod, mondayOf } from '../day.ts'

type IsTick = (period: string, at: number, periods: readonly string[]) => boolean

const monthOf = (period: string): string => daysOfPeriod(period).from.slice(0, 7)
const isFirstDay: IsTick = (period) => period.endsWith('-01')
const isMonday: IsTick = (period) => mondayOf(period) === period
/** The first week that begins in a month. */
const beginsMonth: IsTick = (period, at, periods) => at > 0 && monthOf(period) !== monthOf(periods[at - 1]!)
const isIn =
  (months: readonly string[], is: IsTick): IsTick =>
  (period, at, periods) =>
    is(period, at, periods) && months.includes(monthOf(period).slice(5))
const all: IsTick = () => true
const quarters = ['01', '04', '07', '10']

/** From fine to coarse. */
const days = [all, isMonday, isFirstDay, isIn(quarters, isFirstDay), isIn(['01'], isFirstDay)]
const weeks = [all, beginsMonth, isIn(quarters, beginsMonth), isIn(['01'], beginsMonth)]
const months = [all, isIn(quarters, all), isIn(['01'], all)]

/** Undefined for what is neither a day, a week nor a month. */
function stepsOf(period: string): readonly IsTick[] | undefined {
  if (/^\d{4}-\d{2}-\d{2}$/.test(period)) return days
  if (/^\d{4}-W\d{2}$/.test(period)) return weeks
  return /^\d{4}-\d{2}$/.test(period) ? months : undefined
}

/** Places of labels along an axis: at most `most`, at natural times if two or more of these fit, else evenly apart. */
export function ticksOf(periods: readonly string[], most: number): number[] {
  const places = [...periods.keys()]
  for (const isTick of stepsOf(periods[0] ?? '') ?? []) {
    const found = places.filter((at) => isTick(periods[at]!, at, periods))
    if (found.length <= Math.max(1, most))
      return found.length > 1 || periods.length < 2 ? found : spread(periods.length, most)
  }
  return spread(periods.length, most)
}

function spread(count: number, most: number): number[] {
  const step = Math.max(1, Math.ceil(count / Math.max(1, most)))
  return Array.from({ length: Math.ceil(count / step) }, (_, at) => at * step)
}
