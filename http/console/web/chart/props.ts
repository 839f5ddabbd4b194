/** What a chart is given. */
import type { Completeness } from '../completeness.ts'
import type { Band, ChartSeries, Mark, Overlay } from '../part/series.ts'

export interface ChartProps {
  /** What it shows, for people who do not see it. */
  title: string
  kind: 'bars' | 'lines'
  periods: readonly string[]
  /** A period as people read it. */
  name?: (period: string) => string
  series: readonly ChartSeries[]
  overlays?: readonly Overlay[]
  band?: Band
  /** How much of the total of each period may still change: hatched. */
  estimated?: readonly number[] | undefined
  /** How complete the values of each period are: partial ones are hatched, those without bills have no value. */
  completeness?: readonly Completeness[]
  marks?: readonly Mark[]
  /** Charts with the same name point at the same period; their periods are the same. */
  sync?: string
  /** Pixels; grows with the window if left out. */
  height?: number
  /** A period was clicked, and the series at that place if there is one. */
  onPick?: (period: string, series?: ChartSeries) => void
  /** Periods were selected by dragging, first and last. */
  onRange?: (from: string, to: string) => void
  /** How a value is written; US dollars unless given. */
  show?: (value: number) => string
  showShort?: (value: number) => string
}

/** What is drawn: without hidden series, and without values where no bill is yet. */
export interface DrawnChart extends ChartProps {
  series: readonly DrawnSeries[]
}

export interface DrawnSeries extends ChartSeries {
  /** Its place among all series, which its colour follows. */
  place: number
}

/** The series that are drawn; `hidden` are labels. */
export function drawnChart(props: ChartProps, hidden: ReadonlySet<string>): DrawnChart {
  const { completeness = [], series } = props
  const withoutUnbilled = (values: readonly (number | null)[]) =>
    values.map((value, at) => (completeness[at] === 'none' ? null : value))
  const drawn = series.map((one, place) => ({ ...one, place, values: withoutUnbilled(one.values) }))
  return { ...props, series: drawn.filter(({ label }) => !hidden.has(label)) }
}
