/** How well estimates came true, and what claims go on to save at the rate that bills have proved. */
import { endOf, type Claim } from '#actors/saving/claim.ts'
import type { savingSums } from '#analytics/saving/questions.ts'
import { addDays, addMonths, dayOf, days, firstOf, lastOf, monthOf } from '#engine/value/day.ts'
import type { Static } from '#engine/value/schema.ts'
import { divideRounded, units } from '#streams/figure.ts'

type WeighedSums = Pick<
  Static<(typeof savingSums)['row']>,
  'weighed_claims' | 'weighed_estimated_usd' | 'weighed_verified_usd'
>

/** Verified by estimated of the same days, to four places; null where nothing was estimated that bills speak of. */
export function realisationOf(rows: readonly WeighedSums[]): number | null {
  const estimated = rows.reduce((sum, row) => sum + units(row.weighed_estimated_usd), 0n)
  const verified = rows.reduce((sum, row) => sum + units(row.weighed_verified_usd), 0n)
  return estimated > 0n ? Number(divideRounded(verified * 10_000n, estimated)) / 10_000 : null
}

/** Claims that bills speak of before what came true of their estimates is believed of others. */
const claimsMin = 5

/** Of a rule or a category that has enough of them; undefined of others. */
export function toTrustedRealisation(row: WeighedSums | undefined): number | undefined {
  return row && row.weighed_claims >= claimsMin ? (realisationOf([row]) ?? undefined) : undefined
}

const weekdayOf = (day: string): number => new Date(`${day}T00:00:00Z`).getUTCDay()

/** What a claim saves a day, by weekday from Sunday on, of days that bills prove; a weekday that none of them is has the mean of all. */
export function ratesOf(proved: readonly { day: string; usd: string }[]): bigint[] {
  const sums = Array.from({ length: 7 }, () => ({ usd: 0n, days: 0n }))
  let all = 0n
  for (const { day, usd } of proved) {
    const own = sums[weekdayOf(day)]!
    own.usd += units(usd)
    own.days++
    all += units(usd)
  }
  const mean = divideRounded(all, BigInt(proved.length))
  return sums.map((own) => (own.days === 0n ? mean : divideRounded(own.usd, own.days)))
}

export interface SavingsPeriod {
  period: string
  from: string
  to: string
}

/** The rest of the month, today included, and the twelve months after it. */
export function comingMonths(today: string): SavingsPeriod[] {
  return Array.from({ length: 13 }, (_, n) => {
    const period = addMonths(monthOf(today), n)
    return { period, from: n === 0 ? today : firstOf(period), to: lastOf(period) }
  })
}

const counts = new Map<string, readonly bigint[]>()

/** How often each weekday comes, from Sunday on. */
function weekdaysIn(from: string, to: string): readonly bigint[] {
  const known = counts.get(from + to)
  if (known) return known
  const found = Array.from({ length: 7 }, () => 0n)
  for (const day of days(from, to)) found[weekdayOf(day)]!++
  if (counts.size > 1000) counts.clear()
  counts.set(from + to, found)
  return found
}

/** What a claim saves in a period at these rates, until it ends at the latest. */
export function savedIn(
  claim: Pick<Claim, 'from' | 'until'>,
  rates: readonly bigint[],
  { from, to }: SavingsPeriod,
): bigint {
  const end = endOf(claim)
  // A day counts of which it stands at the end.
  const last = [to, addDays(dayOf(end), -1)].toSorted()[0]!
  if (last < from) return 0n
  const often = weekdaysIn(from, last)
  return rates.reduce((sum, rate, weekday) => sum + rate * often[weekday]!, 0n)
}
