/**
 * What a plan costs in addition to the normal costs (decision G-84): computed exactly, rounded to cents once for each
 * target.
 */
import { plain, toUnits } from '#engine/value/decimal.ts'
import { cents, divideRounded, units } from '#streams/figure.ts'
import type { StepUp } from './database.ts'

export interface PricedTarget {
  /** US dollars per hour of the whole target. */
  hourlyRateUsd: number | null
  unitCount: number | null
  specs: Readonly<Record<string, unknown>>
}

/** US dollars per hour for `units` units. */
export interface Rate {
  usd: number
  units: number
}

/** Undefined if the price of a unit is unknown. */
export function rateOf({ hourlyRateUsd, unitCount, specs }: PricedTarget): Rate | undefined {
  const told = specs['unit_hourly_usd']
  if (typeof told === 'number' && told > 0) return { usd: told, units: 1 }
  if (hourlyRateUsd === null || hourlyRateUsd <= 0) return undefined
  return { usd: hourlyRateUsd, units: unitCount !== null && unitCount >= 1 ? unitCount : 1 }
}

const hourMs = 3_600_000n

/** US dollars for `more` units over `ms` milliseconds, rounded to cents. */
export const extraUsd = (ms: number, more: number, { usd, units: many }: Rate): number =>
  cents(divideRounded(units(usd) * BigInt(more) * BigInt(ms), BigInt(many) * hourMs))

/** US dollars for the larger class over `ms` milliseconds, rounded to cents; undefined if prices are unknown. */
export function extraDbUsd(
  ms: number,
  { current, recommended, isRelative }: StepUp,
  rate: Rate | undefined,
): number | undefined {
  if (current.name === recommended.name) return 0
  if (current.price === undefined || recommended.price === undefined) return undefined
  const more = units(recommended.price) - units(current.price)
  if (!isRelative) return cents(divideRounded(more * BigInt(ms), hourMs))
  if (!rate) return undefined
  const now = divideRounded(units(rate.usd) * BigInt(ms), BigInt(rate.units) * hourMs)
  return cents(divideRounded(now * more, units(current.price)))
}

/** Sums amounts in cents exactly. */
export const sumUsd = (amounts: readonly number[]): number =>
  Number(
    plain(
      amounts.reduce((sum, amount) => sum + (toUnits(amount, 2) ?? 0n), 0n),
      2,
    ),
  )
