/** The rest of the month behind the days that are shown: what is expected, and its range. */
import type { Reply } from '../../api.ts'
import type { Band, Overlay } from '../../part/series.ts'
import type { CostsQuery } from './query.ts'

type Forecast = Reply<'GET /reports/forecast'>

/** Expected costs are of days, as of now. */
export const canForecast = ({ granularity, of, shape, isCumulative }: CostsQuery): boolean =>
  granularity === 'daily' && of['asOf'] === undefined && shape !== 'flow' && !isCumulative

export interface ForecastDays {
  /** Those that are shown, and the rest of the month. */
  periods: string[]
  overlay: Overlay
  band: Band
}

/** Undefined if the days that are shown end before the forecast begins: there would be a gap. */
export function forecastDays(periods: readonly string[], { days, settledThrough }: Forecast): ForecastDays | undefined {
  const last = periods.at(-1)
  if (last === undefined || last < settledThrough || days.length === 0) return undefined
  const all = [...periods, ...days.map(({ date }) => date).filter((date) => date > last)]
  const expected = new Map(days.map((day) => [day.date, day]))
  const valuesOf = (name: 'expectedUSD' | 'lowUSD' | 'highUSD') => all.map((date) => expected.get(date)?.[name] ?? null)
  return {
    periods: all,
    overlay: { label: 'Forecast', values: valuesOf('expectedUSD'), isDotted: true },
    band: { label: 'Forecast, 80% range', low: valuesOf('lowUSD'), high: valuesOf('highUSD') },
  }
}
