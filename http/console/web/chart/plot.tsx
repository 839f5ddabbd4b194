/** The drawing of a chart, by ECharts, and what the pointer and the keyboard do in it. */
import type { Signal } from '@preact/signals'
import { BarChart, CustomChart, LineChart } from 'echarts/charts'
import { GridComponent } from 'echarts/components'
import { init, use as register, type EChartsType } from 'echarts/core'
import { CanvasRenderer } from 'echarts/renderers'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { DrawnChart } from './props.ts'
import { totalAt } from '../part/series.ts'
import { Tooltip } from './tooltip.tsx'
import { theme } from '../theme.ts'
import { optionOf } from './option.ts'
import { pictureOf } from './picture.ts'
import { pickAt, Pointer, xOf } from './pointer.ts'

register([BarChart, LineChart, CustomChart, GridComponent, CanvasRenderer])

export interface PlotProps {
  chart: DrawnChart
  /** The period that is pointed at, here or in a chart that follows the same periods. */
  pointed: Signal<number | undefined>
  /** Called once there is something to take a picture of. */
  onPicture: (take: () => Promise<Blob>) => void
}

export function Plot({ chart, pointed, onPicture }: PlotProps) {
  const place = useRef<HTMLDivElement>(null)
  const selection = useRef<HTMLDivElement>(null)
  const drawing = useRef<EChartsType | undefined>(undefined)
  const [isOver, setOver] = useState(false)
  const [width, setWidth] = useState(0)
  const latest = useRef(chart)
  latest.current = chart
  const look = theme.value
  useLayoutEffect(() => {
    if (chart.height !== undefined) place.current!.style.height = `${chart.height}px`
  }, [chart.height])
  useEffect(() => {
    const box = place.current!
    // ECharts empties its place by a text, which Trusted Types refuse.
    const emptied = () => {
      box.replaceChildren()
    }
    Object.defineProperty(box, 'innerHTML', { set: emptied, configurable: true })
    const own = init(box, null, { renderer: 'canvas' })
    drawing.current = own
    const watch = new ResizeObserver(() => {
      own.resize()
      setWidth(box.clientWidth)
    })
    watch.observe(box)
    const pointer = new Pointer({ box, selection: selection.current!, drawing: own, latest, pointed, onOver: setOver })
    onPicture(() => pictureOf(own, latest.current))
    return () => {
      watch.disconnect()
      pointer.end()
      own.dispose()
    }
  }, [])
  useEffect(() => {
    if (width > 0) drawing.current!.setOption(optionOf(chart, width), { notMerge: true })
  }, [JSON.stringify(chart), look, width])
  const at = pointed.value
  const x = at === undefined || !drawing.current ? undefined : xOf(drawing.current, at)
  return (
    <div class="plot-frame">
      <div class="plot" role="img" aria-label={describe(chart)} ref={place} />
      <Keyboard chart={chart} pointed={pointed} onOver={setOver} />
      <Cursor x={x} />
      <div class="plot-selection" hidden ref={selection} />
      {isOver && at !== undefined && at < chart.periods.length && x !== undefined && (
        <Tooltip chart={chart} at={at} x={x} width={width} />
      )}
    </div>
  )
}

function describe({ title, periods, series, kind, show = String }: DrawnChart): string {
  const total = [...periods.keys()].reduce((sum, at) => sum + (totalAt(series, at) ?? 0), 0)
  const sum = kind === 'bars' ? `, ${show(total)} in total` : ''
  return `${title}: ${periods.length} periods, ${series.length} series${sum}. The table view shows every value.`
}

/** A thin line at the period that is pointed at. */
function Cursor({ x }: { x: number | undefined }) {
  const line = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (x !== undefined) line.current!.style.left = `${x}px`
  })
  return <div class="plot-cursor" hidden={x === undefined} ref={line} />
}

/** Arrow keys move over the periods, and Enter opens one. */
function Keyboard({
  chart,
  pointed,
  onOver,
}: Pick<PlotProps, 'chart' | 'pointed'> & { onOver: (is: boolean) => void }) {
  const { periods, series, name = String, show = String, onPick } = chart
  const at = pointed.value
  const move = (to: number) => {
    pointed.value = Math.max(0, Math.min(periods.length - 1, to))
    onOver(true)
  }
  const leave = () => {
    pointed.value = undefined
    onOver(false)
  }
  const press = (event: KeyboardEvent) => {
    const action = {
      ArrowLeft: () => move((at ?? periods.length) - 1),
      ArrowRight: () => move((at ?? -1) + 1),
      Home: () => move(0),
      End: () => move(periods.length - 1),
      Escape: leave,
      Enter: () => at !== undefined && pickAt(chart, at, undefined),
    }[event.key]
    if (!action) return
    event.preventDefault()
    event.stopPropagation()
    action()
  }
  const total = at === undefined ? null : totalAt(series, at)
  return (
    <>
      <button
        type="button"
        class="plot-keys"
        aria-label={`Arrow keys read ${chart.title}${onPick ? ', Enter opens a period' : ''}`}
        onKeyDown={press}
        onBlur={leave}
      >
        Arrow keys
      </button>
      <span class="unseen" role="status">
        {at !== undefined &&
          periods[at] !== undefined &&
          `${name(periods[at])}: ${total === null ? 'no value' : show(total)}`}
      </span>
    </>
  )
}
