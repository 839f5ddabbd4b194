/** The option of ECharts for a chart. */
import type { BarSeriesOption, LineSeriesOption } from 'echarts/charts'
import type { EChartsCoreOption } from 'echarts/core'
import { drawnColor, themeValue } from '../part/series-color.ts'
import type { Overlay } from '../part/series.ts'
import type { DrawnChart, DrawnSeries } from './props.ts'
import { ticksOf } from './ticks.ts'
import { annotations, barPart, hatches } from './extra.ts'

/** A label takes about 7 px a letter. */
const widthOf = (label: string): number => Math.max(64, label.length * 7 + 20)

export function optionOf(chart: DrawnChart, width: number): EChartsCoreOption {
  const { kind, periods, series, name = String, showShort = String, marks = [] } = chart
  const [faint, line, font] = ['--faint', '--line', '--font'].map(themeValue)
  const label = { color: faint, fontFamily: font, fontSize: 12 }
  const ticks = new Set(ticksOf(periods, Math.floor(width / widthOf(name(periods[0] ?? '')))))
  const hasLetters = marks.some(({ letter }) => letter !== undefined)
  return {
    animation: !matchMedia('(prefers-reduced-motion: reduce)').matches,
    animationDuration: 200,
    animationDurationUpdate: 200,
    grid: { left: 4, right: 12, top: 14, bottom: 4, outerBoundsMode: 'same', outerBoundsContain: 'axisLabel' },
    xAxis: {
      type: 'category',
      data: [...periods],
      axisLine: { lineStyle: { color: line } },
      axisTick: { alignWithLabel: true, interval: (at: number) => ticks.has(at), lineStyle: { color: line } },
      axisLabel: {
        ...label,
        interval: (at: number) => ticks.has(at),
        hideOverlap: true,
        formatter: (period: string) => name(period),
      },
    },
    yAxis: {
      type: 'value',
      splitNumber: 4,
      boundaryGap: [0, hasLetters ? '24%' : '4%'],
      axisLabel: { ...label, formatter: (value: number) => showShort(value) },
      splitLine: { lineStyle: { color: line } },
    },
    series: [
      ...bandOf(chart),
      ...series.map((one) => (kind === 'bars' ? bar(one) : curve(one))),
      ...hatches(chart),
      ...(chart.overlays ?? []).map(overlay),
      ...annotations(chart),
    ],
  }
}

const still = { silent: true, emphasis: { disabled: true } }

const bar = ({ label, values, place, isOther }: DrawnSeries): BarSeriesOption => ({
  ...still,
  type: 'bar',
  name: label,
  stack: 'total',
  data: [...values],
  barMaxWidth: 48,
  barCategoryGap: `${Math.round((1 - barPart) * 100)}%`,
  itemStyle: { color: drawnColor(place, isOther) },
})

/** A value between two gaps would be invisible as a line: it is drawn as a point. */
const isAlone = (values: readonly (number | null)[], at: number): boolean =>
  (values[at - 1] ?? null) === null && (values[at + 1] ?? null) === null

const curve = ({ label, values, place, isOther }: DrawnSeries): LineSeriesOption => ({
  ...still,
  type: 'line',
  name: label,
  data: [...values],
  symbol: 'circle',
  symbolSize: (_: unknown, { dataIndex }: { dataIndex: number }) => (isAlone(values, dataIndex) ? 6 : 0),
  lineStyle: { width: 2 },
  color: drawnColor(place, isOther),
})

const overlay = ({ label: name, values, isDotted }: Overlay): LineSeriesOption => ({
  ...still,
  type: 'line',
  name,
  data: [...values],
  symbol: 'none',
  z: 6,
  lineStyle: { width: 1.6, type: isDotted ? 'dotted' : 'dashed' },
  color: themeValue('--ink'),
})

/** The space between two lines: one that is not drawn, and the rest of the height on top of it. */
function bandOf({ band }: DrawnChart): LineSeriesOption[] {
  if (!band) return []
  const edge = {
    ...still,
    type: 'line' as const,
    stack: 'band',
    stackStrategy: 'all' as const,
    symbol: 'none',
    lineStyle: { opacity: 0 },
    z: 1,
  }
  const height = band.high.map((high, at) => {
    const low = band.low[at] ?? null
    return high === null || low === null ? null : high - low
  })
  return [
    { ...edge, name: `${band.label}: low`, data: [...band.low] },
    { ...edge, name: band.label, data: height, areaStyle: { color: themeValue('--band'), opacity: 1 } },
  ]
}
