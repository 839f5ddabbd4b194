/** Finds out which number is the day in dates such as `05/02/2026`, from the whole bill. */
import { Fault } from '#engine/value/fault.ts'

export const dayOrders = ['day-first', 'month-first'] as const
export type DayOrder = (typeof dayOrders)[number]

const shape = /^\s*(\d{1,2})([/.-])(\d{1,2})\2(\d{4})(?!\d)(.*)$/s

/** Whether a cell contains a date whose order must be known. */
export const isNumbered = (value: unknown): value is string => typeof value === 'string' && shape.test(value)

/** The order of a date with only one possible meaning; otherwise undefined. */
export function ownOrder(value: string): DayOrder | undefined {
  const [, a, mark, b] = shape.exec(value) ?? []
  const [first, second] = [Number(a), Number(b)]
  if (second <= 12 && (first > 12 || mark === '.')) return 'day-first'
  return first <= 12 && (second > 12 || first === second) ? 'month-first' : undefined
}

/** Converts a cell's date to `YYYY-MM-DD`, followed by the time if there is one; other texts are returned unchanged. */
export function isoDay(value: string, order: DayOrder): string {
  const [, first, , second, year, rest] = shape.exec(value) ?? []
  if (first === undefined) return value
  const time = timeOf(rest!)
  if (time === undefined) return value
  const [month, day] = order === 'day-first' ? [second!, first] : [first, second!]
  return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}${time}`
}

const clock = /^[T ,]*(\d{1,2}):(\d{2})(?::(\d{2}))?(?:\.\d+)?\s*(?:([ap])\.?m\.?)?\s*(Z|UTC|[+-]\d{2}:?\d{2})?$/i

/** Converts `1:05 PM` to ` 13:05:00`, with the zone. Empty if there is no time; undefined if the text is not a time. */
function timeOf(rest: string): string | undefined {
  if (rest.trim() === '') return ''
  const [, hour, minute, second = '00', half, zone = ''] = clock.exec(rest.trim()) ?? []
  if (hour === undefined) return undefined
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0)
  return ` ${String(hours).padStart(2, '0')}:${minute}:${second}${zone.toUpperCase()}`
}

const other = (order: DayOrder): DayOrder => (order === 'day-first' ? 'month-first' : 'day-first')

/** The dates of one row as written: of the charge, and of its billing period. */
export interface WrittenDates {
  charged: unknown
  from: unknown
  to: unknown
}

/** Months that are counted: ambiguous dates have at most 12. */
const monthsMax = 12
/** Up to one date in so many may have the other order; it counts as an error. */
const strayMax = 1000

/** Collects evidence about the date order of a bill. */
export class DayOrders {
  /** Unambiguous dates: their number, and the first one. */
  private readonly certain: Record<DayOrder, { count: number; first: string }> = {
    'day-first': { count: 0, first: '' },
    'month-first': { count: 0, first: '' },
  }
  /** Number of rows whose charge is within its billing period if read in this order. */
  private readonly fits: Record<DayOrder, number> = { 'day-first': 0, 'month-first': 0 }
  private readonly newest: Record<DayOrder, string> = { 'day-first': '', 'month-first': '' }
  private readonly months: Record<DayOrder, Set<string>> = { 'day-first': new Set(), 'month-first': new Set() }
  private example: string | undefined

  take({ charged, from, to }: WrittenDates): void {
    for (const date of [charged, from, to]) this.note(date)
    if (isNumbered(charged)) this.noteCharge(charged)
    if (isNumbered(charged) && isNumbered(from) && isNumbered(to))
      for (const order of dayOrders) if (isWithin(charged, from, to, order)) this.fits[order]++
  }

  private note(date: unknown): void {
    if (!isNumbered(date)) return
    const [, first, , second] = shape.exec(date)!
    const order = ownOrder(date)
    if (order === undefined && Number(first) <= 12) this.example ??= date
    else if (order === 'day-first' || (order && Number(first) !== Number(second))) this.noteCertain(order, date)
  }

  private noteCertain(order: DayOrder, date: string): void {
    const found = this.certain[order]
    if (found.count++ === 0) found.first = date
  }

  private noteCharge(date: string): void {
    for (const order of dayOrders) {
      const day = isoDay(date, order)
      if (day > this.newest[order]) this.newest[order] = day
      if (this.months[order].size <= monthsMax) this.months[order].add(day.slice(0, 7))
    }
  }

  /**
   * The order of all dates. Evidence, in this order: a number above 12; billing periods; the given `month` (YYYY-MM) of
   * the bill; days that would be in the future; one month for all charges. Undefined if there are no ambiguous dates.
   * @throws Fault `invalid` `dates_mixed` if the bill has unambiguous dates of both orders; `dates_ambiguous`
   */
  found(exportedAt: Date, month?: string): DayOrder | undefined {
    const certain = this.foundCertain()
    if (certain || this.example === undefined) return certain
    const hints = [
      this.better((order) => this.fits[order]),
      this.better((order) => Number(month !== undefined && [...this.months[order]].join() === month)),
      this.better((order) => Number(this.newest[order].slice(0, 10) <= exportedAt.toISOString().slice(0, 10))),
      this.better((order) => -this.months[order].size),
    ]
    const known = hints.find((hint) => hint !== undefined)
    if (known) return known
    throw Fault.invalid(
      'dates_ambiguous',
      `${this.example} is ${dayOrders.map((order) => isoDay(this.example!, order).slice(0, 10)).join(' or ')}, and the file does not show which. Specify whether its dates are day-first or month-first.`,
    )
  }

  /** A single unambiguous date among thousands of the other order is an error of its own. */
  private foundCertain(): DayOrder | undefined {
    const { 'day-first': day, 'month-first': american } = this.certain
    const [fewer, more] = [day.count, american.count].toSorted((a, b) => a - b) as [number, number]
    if (fewer * strayMax > more)
      throw Fault.invalid(
        'dates_mixed',
        `The file mixes date orders: ${day.first} is day-first, ${american.first} is month-first.`,
      )
    if (more === 0) return undefined
    return day.count > american.count ? 'day-first' : 'month-first'
  }

  private better(score: (order: DayOrder) => number): DayOrder | undefined {
    return dayOrders.find((order) => score(order) > score(other(order)))
  }
}

function isWithin(charged: string, from: string, to: string, order: DayOrder): boolean {
  const [day, first, last] = [charged, from, to].map((date) => isoDay(date, order).slice(0, 10)) as [
    string,
    string,
    string,
  ]
  return first <= day && day <= last && last.slice(0, 7) <= nextMonth(first)
}

/** The month after that of a day, `YYYY-MM`. */
function nextMonth(day: string): string {
  const [year, month] = day.split('-').map(Number)
  return month === 12 ? `${year! + 1}-01` : `${year}-${String(month! + 1).padStart(2, '0')}`
}
