/** Costs beside those of an earlier time: which days are compared, and what is shown of the difference. The one place for both. */
import { addDays, addMonths, dayOf, daysBetween, firstOf, lastOf, monthOf, monthsBetween } from '#engine/value/day.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { orNull } from '#http/edge/parameter/field.ts'
import type { Range } from '#http/edge/parameter/range.ts'
import type { Services } from '#http/edge/services.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import { costQuestion, type Narrowing, type WhichCost } from '#http/report/filter/filter.ts'
import { percentOf, usd } from '#streams/figure.ts'

export const comparisons = ['previous', 'year'] as const
export type Comparison = (typeof comparisons)[number]
type Days = Pick<Range, 'fromDay' | 'toDay'>

/** Of reports that compare. */
export const whichComparison = {
  compare: t.Optional(
    t.Enum(comparisons, {
      description:
        'compares each cost with a previous period: previous, the preceding days or months, for an unfinished month the same days of the month before; year, the same dates a year earlier. Without `to`, both periods end on the last settled day. meta.compared has the dates',
    }),
  ),
}

/** Beside a cost, where a comparison is asked for. */
export const comparedFields = {
  previousUSD: t.Optional(
    orNull(t.Number({ description: 'with compare: the cost in the previous period; null: no such day' })),
  ),
  deltaUSD: t.Optional(orNull(t.Number({ description: 'with compare: the cost minus the previous cost' }))),
  deltaPercent: t.Optional(
    orNull(
      t.Number({
        description:
          'with compare: the change in percent of the previous cost, to two decimal places; null if that was 0',
      }),
    ),
  ),
}
const ComparedAmounts = t.Object(comparedFields)
type ComparedAmounts = Static<typeof ComparedAmounts>

const earliest = (a: string, b: string): string => (a < b ? a : b)

/** The same day of another month, or its last. */
const inMonth = (month: string, day: string): string => earliest(`${month}-${day.slice(8)}`, lastOf(month))

/** The days that a range is compared with. Of a range that is not over only the days until today count. */
export function comparedDays(comparison: Comparison, { fromDay, toDay }: Days, now: Date): Days {
  const to = toDay > dayOf(now) && fromDay <= dayOf(now) ? dayOf(now) : toDay
  if (comparison === 'year') return { fromDay: yearBefore(fromDay), toDay: yearBefore(to) }
  const isFromFirst = fromDay === firstOf(monthOf(fromDay))
  if (isFromFirst && to === lastOf(monthOf(to))) {
    const months = monthsBetween(monthOf(fromDay), monthOf(to)).length
    return { fromDay: firstOf(addMonths(monthOf(fromDay), -months)), toDay: addDays(fromDay, -1) }
  }
  if (isFromFirst && monthOf(fromDay) === monthOf(to)) {
    const month = addMonths(monthOf(fromDay), -1)
    return { fromDay: firstOf(month), toDay: inMonth(month, to) }
  }
  return { fromDay: addDays(fromDay, -1 - daysBetween(fromDay, to)), toDay: addDays(fromDay, -1) }
}

const yearBefore = (day: string): string => inMonth(addMonths(monthOf(day), -12), day)

/** The question about the earlier time; undefined where no comparison is asked for. @throws as `costQuestion` */
export const earlierQuestion = (
  caller: Caller,
  query: Narrowing & WhichCost & { compare?: Comparison },
  days: Days,
  services: Pick<Services, 'settings' | 'now'>,
): ReturnType<typeof costQuestion> | undefined =>
  query.compare && costQuestion(caller, query, comparedDays(query.compare, days, services.now()), services)

const size = (amount: bigint): bigint => (amount < 0n ? -amount : amount)

/** What stands beside a cost. Amounts are counts of 10^-14 US dollars, as shown; undefined: there was no such day. */
export function against(cost: bigint, previous: bigint | undefined): Required<ComparedAmounts> {
  if (previous === undefined) return { previousUSD: null, deltaUSD: null, deltaPercent: null }
  const delta = cost - previous
  return {
    previousUSD: usd(previous),
    deltaUSD: usd(delta),
    deltaPercent: previous === 0n ? null : percentOf(delta, size(previous)),
  }
}
