/** The values of a chart as a file. */
import type { Cell } from '../csv.ts'
import type { DrawnChart } from './props.ts'
import { totalAt } from '../part/series.ts'

/** One row per period: its name as in the API, each series, their total if they add up, and the overlays. */
export function chartRows({ periods, series, overlays = [], band, kind }: DrawnChart): Cell[][] {
  const hasTotal = kind === 'bars' && series.length > 1
  const edges = band ? [`${band.label}: low`, `${band.label}: high`] : []
  const head = ['Period', ...series.map(({ label }) => label), ...(hasTotal ? ['Total'] : [])]
  const extra = [...overlays.map(({ label }) => label), ...edges]
  const extraValues = [...overlays.map(({ values }) => values), ...(band ? [band.low, band.high] : [])]
  const rows = periods.map((period, at) => [
    period,
    ...series.map(({ values }) => values[at] ?? null),
    ...(hasTotal ? [rounded(totalAt(series, at))] : []),
    ...extraValues.map((values) => values[at] ?? null),
  ])
  return [[...head, ...extra], ...rows]
}

/** Without the last digits that adding floating-point numbers leaves. */
const rounded = (value: number | null): number | null => (value === null ? null : Number(value.toFixed(9)))
