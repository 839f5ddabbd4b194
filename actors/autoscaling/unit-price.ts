/** What one unit of a fleet costs an hour, by what is known of the fleet (decision G-84). */
interface Priced {
  /** US dollars an hour of the whole fleet. */
  hourlyRateUsd?: number | null | undefined
  unitCount?: number | null | undefined
  specs: Readonly<Record<string, unknown>>
}

/** US dollars an hour; null where nobody knows, which a price of nothing is too. */
export function unitUsdOf({ hourlyRateUsd, unitCount, specs }: Priced): number | null {
  const told = specs['unit_hourly_usd']
  if (typeof told === 'number' && told > 0) return told
  if (!hourlyRateUsd || hourlyRateUsd < 0) return null
  return unitCount && unitCount >= 1 ? hourlyRateUsd / unitCount : hourlyRateUsd
}
