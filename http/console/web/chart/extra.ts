/** What is drawn over bars and lines: hatches, marks and events. */
import type { CustomSeriesOption } from 'echarts/charts'
import { themeValue } from '../part/series-color.ts'
import type { DrawnChart } from './props.ts'
import { topAt, type Mark } from '../part/series.ts'
import { hatchOf } from './hatch.ts'

type Render = NonNullable<CustomSeriesOption['renderItem']>
type Api = Parameters<Render>[1]
type Grid = { x: number; y: number; width: number; height: number }

const barWidthMax = 48
export const barPart = 0.72

/** Where a bar is: its left edge and its width. */
function barAt(api: Api, at: number): { x: number; width: number } {
  const [center = 0] = api.coord([at, 0])
  const [band = 0] = api.size!([1, 0]) as number[]
  const width = Math.min(barWidthMax, band * barPart)
  return { x: center - width / 2, width }
}

const custom = (name: string, places: readonly number[], renderItem: Render): CustomSeriesOption => ({
  type: 'custom',
  name,
  silent: true,
  clip: true,
  animation: false,
  z: 5,
  data: places.map((at) => [at, 0]),
  renderItem,
})

/** Over the estimated part of each bar, over whole bars that are incomplete, and over the height where no bill is yet. */
export function hatches({
  kind,
  periods,
  series,
  completeness = [],
  estimated = [],
}: DrawnChart): CustomSeriesOption[] {
  const panel = hatchOf(themeValue('--panel'))
  const line = hatchOf(themeValue('--line-strong'))
  const unbilled = [...periods.keys()].filter((at) => completeness[at] === 'none')
  const openTo = (at: number): number => {
    const top = topAt(series, at)
    return completeness[at] === 'partial' ? top : Math.min(top, estimated[at] ?? 0)
  }
  const open = kind === 'bars' ? [...periods.keys()].filter((at) => completeness[at] !== 'none' && openTo(at) > 0) : []
  return [
    custom('unbilled', unbilled, ({ coordSys }, api) => {
      const { y, height } = coordSys as unknown as Grid
      return { type: 'rect', shape: { ...barAt(api, Number(api.value(0))), y, height }, style: { fill: line as never } }
    }),
    custom('open', open, (_, api) => {
      const at = Number(api.value(0))
      const top = topAt(series, at)
      const [y = 0, bottom = 0] = [top, top - openTo(at)].map((value) => api.coord([at, value])[1]!)
      return {
        type: 'rect',
        shape: { ...barAt(api, at), y, height: bottom - y },
        style: { fill: panel as never },
      }
    }),
  ]
}

/** A triangle over each period with a mark; a line with letters through each with events. */
export function annotations(chart: DrawnChart): CustomSeriesOption[] {
  const { marks = [], periods } = chart
  const places = [...periods.keys()]
  const at = (place: number, isEvent: boolean): Mark[] =>
    marks.filter(({ period, letter }) => period === periods[place] && (letter !== undefined) === isEvent)
  const [warn, bad, ink, line] = ['--warn', '--bad', '--ink', '--line-strong'].map(themeValue) as [
    string,
    string,
    string,
    string,
  ]
  return [
    custom(
      'marks',
      places.filter((place) => at(place, false).length > 0),
      (_, api) => {
        const place = Number(api.value(0))
        const [x = 0, y = 0] = api.coord([place, highest(chart, place)])
        const isMild = at(place, false).every(({ severity }) => severity === 'warning' || severity === 'info')
        const points = [
          [x, y - 3],
          [x - 5, y - 12],
          [x + 5, y - 12],
        ]
        return { type: 'polygon', shape: { points }, style: { fill: isMild ? warn : bad } }
      },
    ),
    custom(
      'events',
      places.filter((place) => at(place, true).length > 0),
      ({ coordSys }, api) => {
        const place = Number(api.value(0))
        const { y, height } = coordSys as unknown as Grid
        const [x = 0] = api.coord([place, 0])
        const text = [...new Set(at(place, true).map(({ letter }) => letter))].join('')
        const style = {
          text,
          fill: ink,
          font: `600 11px ${themeValue('--font')}`,
          align: 'center' as const,
          verticalAlign: 'top' as const,
        }
        return {
          type: 'group',
          children: [
            {
              type: 'line',
              shape: { x1: x, y1: y + 17, x2: x, y2: y + height },
              style: { stroke: line, lineDash: [3, 3] },
            },
            { type: 'text', x, y: y + 3, style },
          ],
        }
      },
    ),
  ]
}

const highest = ({ kind, series }: DrawnChart, at: number): number =>
  kind === 'bars' ? topAt(series, at) : Math.max(0, ...series.map(({ values }) => values[at] ?? 0))
