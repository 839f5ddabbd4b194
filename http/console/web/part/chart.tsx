/** Values over periods, as stacked bars or as lines; the same is a table at a press of a button. */
import { Fragment } from 'preact'
import uPlot from 'uplot'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Completeness } from '../completeness.ts'
import { usd, usdShort } from '../figure.ts'
import { theme } from '../theme.ts'
import { spread, stackSeries, type ChartSeries } from './stack.ts'
import { Table } from './table.tsx'

export interface Mark {
  period: string
  text: string
  severity: string
  /** Something that happened rather than a value: drawn as a line with this letter. */
  letter?: string
}

export interface ChartProps {
  /** What it shows, for who does not see it. */
  title: string
  kind: 'bars' | 'lines'
  periods: readonly string[]
  /** As people read a period. */
  name?: (period: string) => string
  series: readonly ChartSeries[]
  /** Of each period, how much of its total may still change: hatched. */
  estimated?: readonly number[] | undefined
  /** Of each period, how complete its values are: partial ones are hatched, those without bills have no value. */
  completeness?: readonly Completeness[]
  /** Periods of which there is something to be said. */
  marks?: readonly Mark[]
  /** Charts of one name are pointed at together; their periods are the same. */
  sync?: string
  /** Between what a value is expected to be: drawn behind lines. */
  band?: { low: readonly (number | null)[]; high: readonly (number | null)[]; label: string }
  height?: number
  /** A period was chosen. */
  onPick?: (period: string) => void
  /** How a value is written; US dollars unless given. */
  show?: (value: number) => string
  showShort?: (value: number) => string
}

export const colorOf = (at: number, isOther = false): string =>
  isOther ? 'var(--c-other)' : `var(--c${(at % 12) + 1})`

const variable = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim()
const drawnColor = (at: number, isOther = false): string => variable(isOther ? '--c-other' : `--c${(at % 12) + 1}`)

export function Chart(props: ChartProps) {
  const { title, periods, name = (period: string) => period, marks = [] } = props
  const [isTable, setTable] = useState(false)
  const [pointed, setPointed] = useState<number | undefined>()
  const at = isTable ? undefined : pointed
  const marked = at === undefined ? [] : marks.filter(({ period }) => period === periods[at]).slice(0, marksShown)
  return (
    <figure class="chart" aria-label={title}>
      {isTable ? <ValueTable {...props} /> : <Plot {...props} onPoint={setPointed} />}
      <figcaption>
        <span class="chart-at">
          {at === undefined ? <span class="faint">{title}</span> : <strong>{name(periods[at]!)}</strong>}
          {marked.map(({ severity, text }) => (
            <Fragment key={text}>
              {' '}
              <span class={`badge ${severity}`}>{text}</span>
            </Fragment>
          ))}
        </span>
        <Legend {...props} at={at} />
        <button type="button" class="quiet" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
          {isTable ? 'Chart' : 'Table'}
        </button>
      </figcaption>
    </figure>
  )
}

/** Of what is noted of one period, said beside it. */
const marksShown = 3

/** What colours mean, and the values of the period that is pointed at. */
function Legend({
  series,
  at,
  band,
  estimated = [],
  completeness = [],
  show = usd,
}: ChartProps & { at: number | undefined }) {
  const valueOf = ({ values }: ChartSeries) => {
    const value = at === undefined || completeness[at] === 'none' ? undefined : values[at]
    return at === undefined ? '' : <span class="figure">{typeof value === 'number' ? show(value) : '–'}</span>
  }
  const nameOf = ({ label, href }: ChartSeries) =>
    href === undefined ? (
      <span class="legend-label" title={label}>
        {label}
      </span>
    ) : (
      <a class="legend-label" href={href} title={label}>
        {label}
      </a>
    )
  const entry = (one: ChartSeries, n: number) => (
    <li key={one.label}>
      <span class={one.isOther ? 'swatch c-other' : `swatch c${(n % 12) + 1}`} />
      {nameOf(one)}
      {valueOf(one)}
    </li>
  )
  return (
    <ul class="legend">
      {series.map(entry)}
      {band && (
        <li>
          <span class="swatch band" />
          {band.label}
        </li>
      )}
      {estimated.some((value) => value !== 0) && (
        <li>
          <span class="swatch hatched" />
          Estimated
        </li>
      )}
      {completeness.includes('partial') && (
        <li>
          <span class="swatch hatched" />
          Incomplete
        </li>
      )}
      {completeness.includes('none') && (
        <li>
          <span class="swatch unbilled" />
          No bills yet
        </li>
      )}
    </ul>
  )
}

const note: Readonly<Record<Completeness, string>> = { none: '', partial: ' (incomplete)', whole: '' }

function ValueTable({
  title,
  periods,
  series,
  name = (period) => period,
  show = usd,
  marks = [],
  completeness = [],
}: ChartProps) {
  const rows = periods.map((period, at) => ({ period, at }))
  const columns = [
    {
      key: 'period',
      title: 'Period',
      show: (row: (typeof rows)[number]) => name(row.period) + note[completeness[row.at] ?? 'whole'],
      by: (row: (typeof rows)[number]) => row.period,
    },
    ...series.map(({ label, values }, n) => ({
      key: `s${n}`,
      title: label,
      isFigure: true,
      show: ({ at }: (typeof rows)[number]) => {
        if (completeness[at] === 'none') return 'No bills yet'
        return typeof values[at] === 'number' ? show(values[at]!) : '–'
      },
      by: ({ at }: (typeof rows)[number]) => values[at] ?? 0,
    })),
    ...(marks.length > 0
      ? [
          {
            key: 'mark',
            title: 'Annotation',
            show: (row: (typeof rows)[number]) =>
              marks
                .filter(({ period }) => period === row.period)
                .map(({ text }) => text)
                .join('; '),
          },
        ]
      : []),
  ]
  return <Table caption={title} columns={columns} rows={rows} keyOf={(row: (typeof rows)[number]) => row.period} />
}

function Plot(props: ChartProps & { onPoint: (at: number | undefined) => void }) {
  const box = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | undefined>(undefined)
  const { periods, series, kind, estimated, completeness, marks, band, height = 240 } = props
  const latest = useRef(props)
  latest.current = props
  // The theme is part of what is drawn.
  const look = theme.value
  useEffect(() => {
    const place = box.current!
    plot.current = new uPlot(optionsOf(latest, place.clientWidth, height), dataOf(latest.current), place)
    const watch = new ResizeObserver(() => plot.current?.setSize({ width: place.clientWidth, height }))
    watch.observe(place)
    return () => {
      watch.disconnect()
      plot.current?.destroy()
    }
  }, [kind, periods.join(), series.map(({ label }) => label).join('\n'), look, height, band === undefined])
  useEffect(() => {
    plot.current?.setData(dataOf(latest.current))
  }, [series, estimated, completeness?.join(), marks, band])
  const total = series.reduce((sum, { values }) => sum + values.reduce<number>((of, value) => of + (value ?? 0), 0), 0)
  const label = `${props.title}: ${periods.length} periods, ${series.length} series${kind === 'bars' ? `, ${(props.show ?? usd)(total)} in total` : ''}. The table view shows every value.`
  return <div class="plot" role="img" aria-label={label} ref={box} />
}

const bandAt = ({ series }: ChartProps): number => series.length + 1

function dataOf(props: ChartProps): uPlot.AlignedData {
  const { periods, kind, band, completeness = [] } = props
  const x = periods.map((_, at) => at)
  const series = props.series.map((one) => ({
    ...one,
    values: periods.map((_, at) => (completeness[at] === 'none' ? null : (one.values[at] ?? null))),
  }))
  if (kind === 'bars') return [x, ...stackSeries(series, periods.length)] as uPlot.AlignedData
  const lines = series.map(({ values }) => values)
  return [x, ...lines, ...(band ? [[...band.high], [...band.low]] : [])] as uPlot.AlignedData
}

type Latest = { current: ChartProps & { onPoint: (at: number | undefined) => void } }

function optionsOf(latest: Latest, width: number, height: number): uPlot.Options {
  const { kind, series, periods, band, sync } = latest.current
  const { onPoint } = latest.current
  return {
    width,
    height,
    legend: { show: false },
    cursor: {
      y: false,
      points: { show: kind === 'lines' },
      drag: { x: false, y: false },
      ...(sync !== undefined && { sync: { key: sync, scales: ['x', null] as [string, null] } }),
    },
    scales: {
      x: { time: false, range: () => [-0.6, periods.length - 0.4] },
      y: { range: (_, low, high) => rangeOf(low, high, roomOf(latest.current)) },
    },
    axes: axesOf(latest),
    series: [
      {},
      ...(kind === 'bars' ? series.toReversed() : series).map((one) => seriesOf(kind, one, series.indexOf(one))),
      ...(band ? [hiddenSeries, hiddenSeries] : []),
    ],
    ...(band && {
      bands: [
        { series: [bandAt(latest.current), bandAt(latest.current) + 1] as uPlot.Band.Bounds, fill: variable('--band') },
      ],
    }),
    hooks: {
      setCursor: [(u) => onPoint(u.cursor.idx ?? undefined)],
      ready: [(u) => u.over.addEventListener('click', () => pickPeriod(u, latest.current))],
      draw: [(u) => hatch(u, latest.current), (u) => mark(u, latest.current)],
    },
  }
}

const hiddenSeries: uPlot.Series = { width: 0, points: { show: false } }

/** Part of the height that is left free: more where letters stand at the top. */
const roomOf = ({ marks = [] }: ChartProps): number => (marks.some(({ letter }) => letter !== undefined) ? 0.3 : 0.08)

const rangeOf = (low: number | null, high: number | null, part: number): [number, number] => {
  const [least, most] = [Math.min(0, low ?? 0), Math.max(0, high ?? 0)]
  const room = (most - least || 1) * part
  return [least < 0 ? least - room : 0, most > 0 ? most + room : room]
}

function seriesOf(kind: ChartProps['kind'], { isOther }: ChartSeries, at: number): uPlot.Series {
  const color = drawnColor(at, isOther)
  if (kind === 'lines') return { stroke: color, width: 2, points: { show: false } }
  return {
    fill: color,
    stroke: color,
    width: 0,
    points: { show: false },
    paths: uPlot.paths.bars!({ size: [0.72, 48] }),
  }
}

/** What a label of an axis takes, at about 7 px a letter. */
const widthOf = (label: string): number => Math.max(90, label.length * 7 + 24)

function axesOf(latest: Latest): uPlot.Axis[] {
  const [ink, line] = [variable('--faint'), variable('--line')]
  const font = `12px ${variable('--font')}`
  const name = (at: number) => (latest.current.name ?? ((period: string) => period))(latest.current.periods[at] ?? '')
  return [
    {
      stroke: ink,
      font,
      size: 30,
      grid: { show: false },
      ticks: { show: false },
      splits: (u) => spread(latest.current.periods.length, Math.floor(u.width / widthOf(name(0)))),
      values: (_, splits) => splits.map(name),
    },
    {
      stroke: ink,
      font,
      size: 64,
      grid: { stroke: line, width: 1 },
      ticks: { show: false },
      values: (_, splits) => splits.map((value) => (latest.current.showShort ?? usdShort)(value)),
    },
  ]
}

function pickPeriod(u: uPlot, { onPick, periods }: ChartProps): void {
  const at = u.cursor.idx
  if (onPick && at !== undefined && at !== null && periods[at] !== undefined) onPick(periods[at])
}

/** Strokes over the part of each bar that is estimated, over whole bars that are not complete, and over the height where no bill is yet. */
function hatch(u: uPlot, props: ChartProps): void {
  for (const at of props.periods.keys()) {
    if (props.completeness?.[at] === 'none') {
      stroke(u, at, { top: u.bbox.top, bottom: u.bbox.top + u.bbox.height }, '--line')
    } else if (props.kind === 'bars') {
      const total = props.series.reduce((sum, { values }) => sum + Math.max(0, values[at] ?? 0), 0)
      const value = props.completeness?.[at] === 'partial' ? total : (props.estimated?.[at] ?? 0)
      const bottom = u.valToPos(Math.max(0, total - value), 'y', true)
      if (value > 0) stroke(u, at, { top: u.valToPos(total, 'y', true), bottom }, '--panel')
    }
  }
}

/** Slanted lines of a colour over the width of a bar. */
function stroke(u: uPlot, at: number, { top, bottom }: { top: number; bottom: number }, color: string): void {
  const { ctx } = u
  const half = Math.min(24 * devicePixelRatio, (u.valToPos(1, 'x', true) - u.valToPos(0, 'x', true)) * 0.36)
  const x = u.valToPos(at, 'x', true)
  ctx.save()
  ctx.strokeStyle = variable(color)
  ctx.lineWidth = 1.5 * devicePixelRatio
  ctx.beginPath()
  ctx.rect(x - half, top, 2 * half, bottom - top)
  ctx.clip()
  ctx.beginPath()
  for (let y = top - 2 * half; y < bottom + 2 * half; y += 5 * devicePixelRatio) {
    ctx.moveTo(x - half, y + 2 * half)
    ctx.lineTo(x + half, y)
  }
  ctx.stroke()
  ctx.restore()
}

/** A mark above each period of which there is something to be said. */
function mark(u: uPlot, { marks = [], periods, series, kind }: ChartProps): void {
  const { ctx } = u
  ctx.save()
  const lines = Map.groupBy(
    marks.filter(({ letter }) => letter !== undefined),
    ({ period }) => period,
  )
  for (const [period, some] of lines) drawEventLine(u, periods.indexOf(period), some)
  for (const { period, severity, letter } of marks) {
    const at = periods.indexOf(period)
    if (at < 0 || letter !== undefined) continue
    const values = series.map(({ values: of }) => of[at] ?? 0)
    const top = kind === 'bars' ? values.reduce((sum, value) => sum + Math.max(0, value), 0) : Math.max(...values)
    const [x, y, size] = [u.valToPos(at, 'x', true), u.valToPos(top, 'y', true), 5 * devicePixelRatio]
    ctx.fillStyle = variable(severity === 'warning' || severity === 'info' ? '--warn' : '--bad')
    ctx.beginPath()
    ctx.moveTo(x, y - size * 0.6)
    ctx.lineTo(x - size, y - size * 2.4)
    ctx.lineTo(x + size, y - size * 2.4)
    ctx.fill()
  }
  ctx.restore()
}

/** A line through a period in which something happened, with a letter for each kind of it. */
function drawEventLine(u: uPlot, at: number, marks: readonly Mark[]): void {
  if (at < 0) return
  const { ctx } = u
  const x = Math.round(u.valToPos(at, 'x', true))
  const { top, height } = u.bbox
  ctx.strokeStyle = variable('--line-strong')
  ctx.lineWidth = devicePixelRatio
  ctx.setLineDash([3 * devicePixelRatio, 3 * devicePixelRatio])
  ctx.beginPath()
  ctx.moveTo(x, top)
  ctx.lineTo(x, top + height)
  ctx.stroke()
  ctx.setLineDash([])
  ctx.fillStyle = variable('--ink')
  ctx.font = `600 ${11 * devicePixelRatio}px ${variable('--font')}`
  ctx.textAlign = 'center'
  ctx.textBaseline = 'top'
  const letters = [...new Set(marks.map(({ letter }) => letter))].join('')
  ctx.fillText(letters, x, top + 2 * devicePixelRatio)
}
