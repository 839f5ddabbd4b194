/** The rest of the month behind the days that are shown: what is expected, and its range. */
import type { Reply } from '../../api.ts'
import { addDays, daysBetween } from '../../day.ts'
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

/** A forecast that begins later than this after the days that are shown would say nothing about them. */
const gapMaxDays = 7

/** Undefined if the days that are shown end long before the forecast begins. */
export function forecastDays(periods: readonly string[], { days, settledThrough }: Forecast): ForecastDays | undefined {
  const last = periods.at(-1)
  const end = days.at(-1)?.date
  if (last === undefined || end === undefined || daysBetween(last, settledThrough) > gapMaxDays) return undefined
  const more = Array.from({ length: Math.max(0, daysBetween(last, end)) }, (_, at) => addDays(last, at + 1))
  const all = [...periods, ...more]
  const expected = new Map(days.map((day) => [day.date, day]))
  const valuesOf = (name: 'expectedUSD' | 'lowUSD' | 'highUSD') => all.map((date) => expected.get(date)?.[name] ?? null)
  return {
    periods: all,
    overlay: { label: 'Forecast', values: valuesOf('expectedUSD'), isDotted: true },
    band: { label: 'Forecast, 80% range', low: valuesOf('lowUSD'), high: valuesOf('highUSD') },
  }
}
