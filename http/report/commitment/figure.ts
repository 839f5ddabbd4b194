/** The figures of commitments, added up from rows of `committedCosts`: counts of 10^-14 US dollars, or of hours. */
import type { committedCosts } from '#analytics/commitment/questions.ts'
import { coverageOf, utilizationOf } from '#analytics/commitment/ratio.ts'
import { dayMs, dayOf } from '#engine/value/day.ts'
import type { Static } from '#engine/value/schema.ts'
import { scopesOfUse } from '#streams/billing/line/service-scope.ts'
import { plainOf, units } from '#streams/figure.ts'

export type CommittedRow = Static<(typeof committedCosts)['row']>

export interface Figures {
  readonly used: bigint
  readonly unused: bigint
  /** What covered use would cost without commitments, and its hours. */
  readonly covered: bigint
  readonly coveredHours: bigint
  /** What a commitment could cover and none does. */
  readonly onDemand: bigint
  readonly onDemandHours: bigint
}

export function figuresOf(rows: readonly CommittedRow[]): Figures {
  const used = rows.filter(({ part }) => part === 'used')
  const free = rows.filter((row) => row.part === 'on_demand' && isEligible(row))
  return {
    used: total(used, 'effective_usd'),
    unused: total(
      rows.filter(({ part }) => part === 'unused'),
      'effective_usd',
    ),
    covered: total(used, 'on_demand_usd'),
    coveredHours: total(used, 'hours'),
    onDemand: total(free, 'on_demand_usd'),
    onDemandHours: total(free, 'hours'),
  }
}

/** Whether there are commitments for it, by the services that recommendations of commitments look at. */
const isEligible = ({ provider, service_name, component }: CommittedRow): boolean =>
  scopesOfUse(provider, service_name, component).length > 0

const total = (rows: readonly CommittedRow[], of: 'effective_usd' | 'on_demand_usd' | 'hours'): bigint =>
  rows.reduce((sum, row) => sum + units(row[of]), 0n)

/** What is shown of one commitment, and of several together. */
export const shownUse = ({ used, unused, covered }: Figures) => ({
  committedUSD: plainOf(used + unused),
  usedUSD: plainOf(used),
  unusedUSD: plainOf(unused),
  utilization: utilizationOf(used, unused),
  onDemandEquivalentUSD: plainOf(covered),
  netSavingsUSD: plainOf(covered - used - unused),
})

/** `all` holds what could be covered: the same rows, or of a type those of all types. */
export const shownCoverage = ({ covered, coveredHours }: Figures, all: Figures) => ({
  eligibleUSD: plainOf(all.covered + all.onDemand),
  coverage: coverageOf(covered, all.covered - covered + all.onDemand),
  coveredHours: plainOf(coveredHours),
  eligibleHours: plainOf(all.coveredHours + all.onDemandHours),
  coverageOfHours: coverageOf(coveredHours, all.coveredHours - coveredHours + all.onDemandHours),
})

/** Days ahead in which an end counts as near. */
const expiringDaysMax = 90

/** Days until a day, negative where it has passed; null where none is known. */
export const daysLeft = (day: string | null, now: Date): number | null =>
  day === null ? null : Math.round((Date.parse(day) - Date.parse(dayOf(now))) / dayMs)

export const isExpiring = (days: number | null): boolean => days !== null && days >= 0 && days <= expiringDaysMax

export const hasEnded = (days: number | null): boolean => days !== null && days < 0

export const commitmentStatuses = ['active', 'expired', 'unknown'] as const

/** Days without a line after which nobody can say whether a commitment without a known end goes on: what it covers may rest for a week. */
const silentDaysMax = 7

/** @param named days from today to the newest that bills name it, negative before today */
export function statusOf(left: number | null, named: number | null): (typeof commitmentStatuses)[number] {
  if (hasEnded(left)) return 'expired'
  return left === null && (named === null || named < -silentDaysMax) ? 'unknown' : 'active'
}
