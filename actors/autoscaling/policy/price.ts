/** The price of one unit of a fleet (decision G-84). */
export interface PricedFleet {
  unitCount: number | null
  /** US dollars per hour of the whole fleet. */
  hourlyRateUsd: number | null
  specs: Readonly<Record<string, unknown>>
}

/** US dollars per hour; null if unknown. A price of 0 counts as unknown. */
export function unitUsdOf({ unitCount, hourlyRateUsd, specs }: PricedFleet): number | null {
  const told = specs['unit_hourly_usd']
  if (typeof told === 'number' && told > 0) return told
  if (hourlyRateUsd === null || hourlyRateUsd <= 0) return null
  return unitCount !== null && unitCount >= 1 ? hourlyRateUsd / unitCount : hourlyRateUsd
}
